#include "device/host/shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

bool is_unordered(const Event& before, const Now& now) {
  if (before.epoch < now.first_epoch) return false;
  if (before.epoch < now.first_epoch_of_block) return true;
  return before.epoch == now.event.epoch && before.thread != now.event.thread;
}

}  // namespace

void Shadow::Unmap::operator()(void* memory) const noexcept { munmap(memory, bytes); }

// Of zeros. Pages that nobody writes take no memory, and nothing is set aside for them.
template <class T>
Shadow::Array<T> Shadow::make_array(std::size_t size) {
  const std::size_t bytes = std::max<std::size_t>(size, 1) * sizeof(T);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw failed("cannot map " + std::to_string(bytes) + " bytes to watch a buffer with: " + std::strerror(errno));
  return {static_cast<T*>(memory), Unmap{bytes}};
}

Shadow::Shadow(std::size_t bytes)
    : bytes_(bytes), last_write_(make_array<Event>(bytes)), reads_(make_array<Reads>(bytes)) {}

void Shadow::clear() { *this = Shadow(bytes_); }

std::optional<Race> Shadow::read(std::size_t first, std::size_t bytes, const Now& now) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    if (is_unordered(last_write_[i], now)) return Race{i, last_write_[i], true};
    Reads& reads = reads_[i];
    if (reads.first.epoch != now.event.epoch) {
      reads.first = now.event;
      reads.other = {};
    } else if (reads.first.thread != now.event.thread) {
      reads.other = now.event;
    }
    if (reads.first_of_launch.epoch < now.first_epoch) reads.first_of_launch = now.event;
  }
  return std::nullopt;
}

std::optional<Race> Shadow::write(std::size_t first, std::size_t bytes, const Now& now) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    if (std::optional<Race> race = race_of_write(i, now)) return race;
    last_write_[i] = now.event;
  }
  return std::nullopt;
}

std::optional<Race> Shadow::race_of_write(std::size_t byte, const Now& now) const {
  if (is_unordered(last_write_[byte], now)) return Race{byte, last_write_[byte], true};
  const Reads& reads = reads_[byte];
  for (const Event* read : {&reads.first, &reads.other, &reads.first_of_launch})
    if (is_unordered(*read, now)) return Race{byte, *read, false};
  return std::nullopt;
}

}  // namespace hiptune::host
