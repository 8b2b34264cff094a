#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/host/shadow.hpp"

namespace hiptune::host {

// What a kernel does to memory.
struct Access {
  const std::byte* address = nullptr;
  std::size_t bytes = 0;
  std::size_t alignment = 1;  // that the address is taken to have
  bool is_write = false;
  std::uint16_t thread = 0;  // of the block, in linear order
  std::uint32_t pc = 0;      // as in Event
};

// An access that is not allowed: a race, or, if it is none, of memory that the kernel may not touch in this way.
struct Violation {
  Access access;
  std::optional<Race> race;
  bool is_misaligned = false;  // and nothing else
  bool is_static = false;      // a write of a variable of the module
};

// The buffers and the LDS that kernels may touch, and what has been done to each byte of them. For one OS thread, which
// runs the blocks of a launch one after another; nothing orders them for all that.
class Watch {
 public:
  // In place of the buffers before. Throws std::invalid_argument when two of them overlap.
  void set_buffers(std::span<const WatchedBuffer> buffers);

  // `lds` is what a block may use, and `surroundings` what lies around it and is neither a buffer nor anyone's own.
  void begin_launch(std::span<const std::byte> lds, std::span<const std::byte> surroundings);
  void begin_block(std::int64_t block);
  void pass_barrier() { ++epoch_; }

  // Records the access, or says what is wrong with it.
  [[nodiscard]] std::optional<Violation> check(const Access& access);

  // "out of bounds: thread 4 reads 4 bytes, 1 past the end of row 2 of x". Of the launch under way, or the last one.
  [[nodiscard]] std::string describe(const Violation& violation) const;

 private:
  struct Region {
    WatchedBuffer buffer;
    const std::byte* first;
    std::size_t stride;
    std::size_t span;              // from the first byte to the last
    std::optional<Shadow> shadow;  // of the rows, one after another; none: nothing writes here
  };
  struct BlockStart {
    std::uint32_t epoch;
    std::int64_t block;
  };

  // Whether an access at `offset` from the first byte keeps to the rows.
  [[nodiscard]] static bool keeps_to_rows(const Region& region, std::size_t offset, std::size_t bytes);
  [[nodiscard]] static Region region_of(const WatchedBuffer& buffer);
  [[nodiscard]] std::optional<Race> record(Shadow& shadow, std::size_t first, const Access& access,
                                           std::uint32_t first_epoch) const;
  [[nodiscard]] std::optional<Violation> check_place(const Access& access);
  [[nodiscard]] std::optional<Violation> check_lds(const Access& access);
  [[nodiscard]] std::optional<Violation> check_buffer(Region& region, const Access& access) const;
  void forget();

  [[nodiscard]] const Region* nearest(const std::byte* address) const;
  [[nodiscard]] std::int64_t block_of(std::uint32_t epoch) const;
  [[nodiscard]] std::string place_of(const std::byte* address) const;
  [[nodiscard]] std::string describe_race(const Access& access, const Race& race) const;
  [[nodiscard]] std::string describe_bounds(const Access& access) const;

  std::vector<Region> regions_;
  std::span<const std::byte> lds_;
  std::span<const std::byte> lds_surroundings_;
  std::optional<Shadow> lds_shadow_;
  std::uint32_t epoch_ = 0;
  std::uint32_t first_epoch_of_launch_ = 0;
  std::uint32_t first_epoch_of_block_ = 0;
  std::vector<BlockStart> blocks_;  // of the launch, in the order in which they ran
};

}  // namespace hiptune::host
