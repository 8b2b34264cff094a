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

Shadow::Shadow(std::size_t bytes)
    : bytes_(bytes), cells_(static_cast<Cell*>(std::calloc(std::max<std::size_t>(bytes, 1), sizeof(Cell))), std::free) {
  if (cells_ == nullptr) throw std::bad_alloc();
}

void Shadow::clear() { *this = Shadow(bytes_); }

std::optional<Race> Shadow::read(std::size_t first, std::size_t bytes, const Now& now) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    Cell& cell = cells_[i];
    if (is_unordered(cell.write, now)) return Race{i, cell.write, true};
    if (cell.read.epoch != now.event.epoch) {
      cell.read = now.event;
      cell.other_read = {};
    } else if (cell.read.thread != now.event.thread) {
      cell.other_read = now.event;
    }
    if (cell.launch_read.epoch < now.first_epoch) cell.launch_read = now.event;
  }
  return std::nullopt;
}

std::optional<Race> Shadow::write(std::size_t first, std::size_t bytes, const Now& now) {
  for (std::size_t i = first; i < first + bytes; ++i) {
    if (std::optional<Race> race = race_of_write(cells_[i], i, now)) return race;
    cells_[i].write = now.event;
  }
  return std::nullopt;
}

std::optional<Race> Shadow::race_of_write(const Cell& cell, std::size_t byte, const Now& now) {
  if (is_unordered(cell.write, now)) return Race{byte, cell.write, true};
  for (const Event* read : {&cell.read, &cell.other_read, &cell.launch_read})
    if (is_unordered(*read, now)) return Race{byte, *read, false};
  return std::nullopt;
}

}  // namespace hiptune::host
