#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace hiptune::host {

// When, by whom and from where memory was accessed. Epochs are the stretches of a block between two barriers; they are
// numbered from 1 over all blocks and launches, in the order in which the blocks run. Small, for there are many.
struct Event {
  std::uint32_t epoch = 0;  // 0: no such access yet
  std::uint32_t pc = 0;     // within the module, just behind the call that reported it
  std::uint16_t thread = 0;
};

// An access that is under way, and which earlier ones it can clash with.
struct Now {
  Event event;
  std::uint32_t first_epoch = 0;           // older accesses do not count: of other launches; for LDS, of other blocks
  std::uint32_t first_epoch_of_block = 0;  // older ones are of other blocks, which nothing orders
};

// An earlier access that nothing orders before the current one, of the same byte; one of the two writes.
struct Race {
  std::size_t byte = 0;
  Event before;
  bool before_wrote = false;
};

// What has been done to each byte of a stretch of memory. Takes 12 bytes for each that is written, and 36 for each that
// is read.
class Shadow {
 public:
  // Throws Error(failed) when the address space cannot be had.
  explicit Shadow(std::size_t bytes);

  // Records an access of `bytes` bytes from `first` on, unless it is a race.
  [[nodiscard]] std::optional<Race> read(std::size_t first, std::size_t bytes, const Now& now);
  [[nodiscard]] std::optional<Race> write(std::size_t first, std::size_t bytes, const Now& now);
  // Forgets everything.
  void clear();

 private:
  struct Reads {
    Event first;            // of the newest epoch that read it
    Event other;            // of that epoch as well, by another thread
    Event first_of_launch;  // of the newest launch that read it
  };
  struct Unmap {
    std::size_t bytes;
    void operator()(void* memory) const noexcept;
  };
  template <class T>
  using Array = std::unique_ptr<T[], Unmap>;
  template <class T>
  [[nodiscard]] static Array<T> make_array(std::size_t size);
  [[nodiscard]] std::optional<Race> race_of_write(std::size_t byte, const Now& now) const;

  std::size_t bytes_;
  Array<Event> last_write_;
  Array<Reads> reads_;
};

}  // namespace hiptune::host
