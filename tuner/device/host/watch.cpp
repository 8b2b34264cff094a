#include "device/host/watch.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace hiptune::host {

namespace {

// Accesses this near to a buffer are said to have missed it.
constexpr std::size_t kNear = 65536;

// A launch that begins before this epoch ends before numbers run out: a barrier takes longer than a nanosecond.
constexpr std::uint32_t kLastEpoch = std::numeric_limits<std::uint32_t>::max() / 2;

bool contains(std::span<const std::byte> memory, const std::byte* address) {
  return address >= memory.data() && address < memory.data() + memory.size();
}

// How many bytes `address` lies outside of a region.
std::size_t distance(const std::byte* first, std::size_t bytes, const std::byte* address) {
  if (address < first) return static_cast<std::size_t>(first - address);
  const auto offset = static_cast<std::size_t>(address - first);
  return offset < bytes ? 0 : offset - bytes + 1;
}

std::string count_bytes(std::size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string begin_sentence(const Access& access) {
  return "thread " + std::to_string(access.thread) + (access.is_write ? " writes " : " reads ");
}

// Of an access that begins within `bytes` bytes and ends behind them, or begins behind them.
std::string beyond(std::size_t offset, std::size_t accessed, std::size_t bytes) {
  if (offset >= bytes) return ", " + std::to_string(offset - bytes + 1) + " past ";
  return ", the last " + std::to_string(offset + accessed - bytes) + " past ";
}

std::string describe_lds(const Access& access, std::span<const std::byte> lds) {
  const std::string text = begin_sentence(access) + count_bytes(access.bytes);
  if (access.address < lds.data())
    return text + ", " + std::to_string(lds.data() - access.address) + " before the first of LDS";
  const auto offset = static_cast<std::size_t>(access.address - lds.data());
  return text + beyond(offset, access.bytes, lds.size()) + "the " + count_bytes(lds.size()) + " of LDS";
}

// `offset` is of the access from the buffer's first byte.
std::string describe_row(const Access& access, std::size_t offset, const WatchedBuffer& buffer, std::size_t stride) {
  const std::int64_t row = std::min(static_cast<std::int64_t>(offset / stride), buffer.rows - 1);
  const std::size_t column = offset - static_cast<std::size_t>(row) * stride;
  const std::string row_of = "row " + std::to_string(row) + " of " + buffer.name;
  const std::string text = begin_sentence(access) + count_bytes(access.bytes);
  if (column >= buffer.row_bytes && row + 1 < buffer.rows)
    return text + (access.is_write ? " into" : " from") + " the gap after " + row_of;
  return text + beyond(column, access.bytes, buffer.row_bytes) + "the end of " + row_of;
}

std::string hexadecimal(const std::byte* address) {
  std::ostringstream text;
  text << "0x" << std::hex << reinterpret_cast<std::uintptr_t>(address);
  return text.str();
}

}  // namespace

Watch::Region Watch::region_of(const WatchedBuffer& buffer) {
  Region region{buffer, static_cast<const std::byte*>(buffer.first), buffer.stride_bytes, 0, std::nullopt};
  if (buffer.rows <= 0 || buffer.row_bytes == 0) return region;
  if (buffer.rows == 1) region.stride = std::max(region.stride, buffer.row_bytes);
  if (region.stride < buffer.row_bytes) throw std::invalid_argument("the rows of " + buffer.name + " overlap");
  const auto rows = static_cast<std::size_t>(buffer.rows);
  region.span = (rows - 1) * region.stride + buffer.row_bytes;
  if (buffer.writable) region.shadow.emplace(rows * buffer.row_bytes);
  return region;
}

bool Watch::keeps_to_rows(const Region& region, std::size_t offset, std::size_t bytes) {
  if (region.stride == region.buffer.row_bytes) return offset <= region.span && bytes <= region.span - offset;
  const std::size_t column = offset % region.stride;
  return offset < region.span && column < region.buffer.row_bytes && bytes <= region.buffer.row_bytes - column;
}

void Watch::set_buffers(std::span<const WatchedBuffer> buffers) {
  std::vector<Region> regions;
  for (const WatchedBuffer& buffer : buffers)
    if (Region region = region_of(buffer); region.span > 0) regions.push_back(std::move(region));
  std::ranges::sort(regions, {}, &Region::first);
  for (std::size_t i = 1; i < regions.size(); ++i)
    if (regions[i - 1].first + regions[i - 1].span > regions[i].first)
      throw std::invalid_argument("the watched buffers " + regions[i - 1].buffer.name + " and " +
                                  regions[i].buffer.name + " overlap");
  regions_ = std::move(regions);
}

void Watch::begin_launch(std::span<const std::byte> lds, std::span<const std::byte> surroundings) {
  if (epoch_ > kLastEpoch) forget();
  if (!lds_shadow_ || lds_surroundings_.size() != surroundings.size()) lds_shadow_.emplace(surroundings.size());
  lds_ = lds;
  lds_surroundings_ = surroundings;
  blocks_.clear();
  first_epoch_of_launch_ = epoch_ + 1;
}

void Watch::forget() {
  epoch_ = 0;
  lds_shadow_.reset();
  for (Region& region : regions_)
    if (region.shadow) region.shadow->clear();
}

void Watch::begin_block(std::int64_t block) {
  first_epoch_of_block_ = ++epoch_;
  blocks_.push_back({epoch_, block});
}

std::optional<Violation> Watch::check(const Access& access) {
  const bool is_misaligned = reinterpret_cast<std::uintptr_t>(access.address) % access.alignment != 0;
  std::optional<Violation> violation = check_place(access);
  if (!violation && is_misaligned) violation = Violation{access, std::nullopt, true};
  return violation;
}

std::optional<Violation> Watch::check_place(const Access& access) {
  if (contains(lds_surroundings_, access.address)) return check_lds(access);
  for (Region& region : regions_)
    if (static_cast<std::size_t>(access.address - region.first) < region.span) return check_buffer(region, access);
  return Violation{access, std::nullopt};
}

std::optional<Violation> Watch::check_lds(const Access& access) {
  if (!contains(lds_, access.address)) return Violation{access, std::nullopt};
  const auto offset = static_cast<std::size_t>(access.address - lds_.data());
  if (access.bytes > lds_.size() - offset) return Violation{access, std::nullopt};
  const std::optional<Race> race = record(*lds_shadow_, offset, access, first_epoch_of_block_);
  return race ? std::optional(Violation{access, race}) : std::nullopt;
}

std::optional<Violation> Watch::check_buffer(Region& region, const Access& access) const {
  const auto offset = static_cast<std::size_t>(access.address - region.first);
  if (!keeps_to_rows(region, offset, access.bytes) || (access.is_write && !region.buffer.writable))
    return Violation{access, std::nullopt};
  if (!region.shadow) return std::nullopt;
  const std::size_t gaps = offset / region.stride * (region.stride - region.buffer.row_bytes);
  const std::optional<Race> race = record(*region.shadow, offset - gaps, access, first_epoch_of_launch_);
  return race ? std::optional(Violation{access, race}) : std::nullopt;
}

std::optional<Race> Watch::record(Shadow& shadow, std::size_t first, const Access& access,
                                  std::uint32_t first_epoch) const {
  const Now now{{epoch_, access.pc, access.thread}, first_epoch, first_epoch_of_block_};
  return access.is_write ? shadow.write(first, access.bytes, now) : shadow.read(first, access.bytes, now);
}

const Watch::Region* Watch::nearest(const std::byte* address) const {
  const auto far = [&](const Region& region) { return distance(region.first, region.span, address); };
  const auto found = std::ranges::min_element(regions_, {}, far);
  return found == regions_.end() || far(*found) > kNear ? nullptr : &*found;
}

std::int64_t Watch::block_of(std::uint32_t epoch) const {
  return std::prev(std::ranges::upper_bound(blocks_, epoch, {}, &BlockStart::epoch))->block;
}

std::string Watch::describe(const Violation& violation) const {
  const Access& access = violation.access;
  if (violation.is_static)
    return "static memory: " + begin_sentence(access) +
           "a variable of the module, which all blocks share; use LDS or a workspace";
  if (violation.is_misaligned)
    return "misaligned: " + begin_sentence(access) + count_bytes(access.bytes) + place_of(access.address) +
           " at an address that is no multiple of " + std::to_string(access.alignment);
  if (violation.race) return "race: " + describe_race(access, *violation.race);
  return describe_bounds(access);
}

// " of x", where it is known.
std::string Watch::place_of(const std::byte* address) const {
  if (contains(lds_surroundings_, address)) return " of LDS";
  const Region* region = nearest(address);
  return region == nullptr ? "" : " of " + region->buffer.name;
}

std::string Watch::describe_race(const Access& access, const Race& race) const {
  std::string text = begin_sentence(access);
  if (contains(lds_surroundings_, access.address)) {
    text += "LDS byte " + std::to_string(race.byte);
  } else {
    const WatchedBuffer& buffer = nearest(access.address)->buffer;
    text += "byte " + std::to_string(race.byte % buffer.row_bytes) + " of row " +
            std::to_string(race.byte / buffer.row_bytes) + " of " + buffer.name;
  }
  text += ", which thread " + std::to_string(race.before.thread);
  const bool same_block = race.before.epoch >= first_epoch_of_block_;
  if (!same_block) text += " of block " + std::to_string(block_of(race.before.epoch));
  text += race.before_wrote ? " wrote" : " read";
  return text + (access.is_write && race.before_wrote ? " too," : "") +
         (same_block ? " with no barrier in between" : " in the same launch");
}

std::string Watch::describe_bounds(const Access& access) const {
  if (contains(lds_surroundings_, access.address)) return "out of bounds: " + describe_lds(access, lds_);
  const Region* region = nearest(access.address);
  if (region == nullptr)
    return "out of bounds: " + begin_sentence(access) + count_bytes(access.bytes) + " at " +
           hexadecimal(access.address) + ", which belongs to no buffer";
  const WatchedBuffer& buffer = region->buffer;
  if (access.address < region->first)
    return "out of bounds: " + begin_sentence(access) + count_bytes(access.bytes) + ", " +
           std::to_string(region->first - access.address) + " before the first of " + buffer.name;
  const auto offset = static_cast<std::size_t>(access.address - region->first);
  if (keeps_to_rows(*region, offset, access.bytes))
    return "read-only memory: " + begin_sentence(access) + buffer.name + ", which is an input";
  return "out of bounds: " + describe_row(access, offset, buffer, region->stride);
}

}  // namespace hiptune::host
