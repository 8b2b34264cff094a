#include "device/host/shadow.hpp"

#include <algorithm>
#include <new>

namespace hiptune::host {

namespace {

bool is_unordered(const Event& before, const Now& now) {
  if (before.epoch < now.first_epoch) return false;
  if (before.epoch < now.first_epoch_of_block) return true;
  return before.epoch == now.event.epoch && before.thread != now.event.thread;
}

}  // namespace

// Zeroed pages that nobody writes take no memory, nor time.
template <class T>
Shadow::Array<T> Shadow::make_array(std::size_t size) {
  void* memory = std::calloc(std::max<std::size_t>(size, 1), sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return {static_cast<T*>(memory), std::free};
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
