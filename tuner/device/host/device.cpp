#include "device/host/device.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "device/geometry_limits.hpp"
#include "device/host/backend.hpp"
#include "device/host/clock.hpp"
#include "device/host/compiler.hpp"
#include "device/host/cpu.hpp"
#include "device/host/memory.hpp"
#include "device/host/source_lines.hpp"
#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

// Below this, waking other cores costs more than they save.
constexpr std::size_t kParallelBytes = std::size_t{1} << 20;

Target make_target(const HostSettings& settings) {
  const int wave_size = settings.facts.wave_size;
  Target target;
  target.backend = "host";
  target.id = wave_size == 32 ? "host" : "host:wave" + std::to_string(wave_size);
  target.architecture = architecture(wave_size, settings.watched);
  target.name = cpu_name();
  target.driver = kernel_release();
  target.facts = settings.facts;
  target.last_level_cache_bytes = last_level_cache_bytes();
  target.memory_bytes = available_memory_bytes();
  return target;
}

const HostSettings& require_possible(const HostSettings& settings) {
  const TargetFacts& facts = settings.facts;
  if (facts.wave_size != 32 && facts.wave_size != 64)
    throw std::invalid_argument("the CPU has waves of 32 or 64 lanes, not of " + std::to_string(facts.wave_size));
  if (facts.max_block_threads > BlockRunner::kMaxThreads)
    throw std::invalid_argument("the CPU has blocks of at most " + std::to_string(BlockRunner::kMaxThreads) +
                                " threads, not of " + std::to_string(facts.max_block_threads));
  return settings;
}

int workers_of(const HostSettings& settings) {
  return settings.watched ? 1 : std::max(1, settings.workers.value_or(usable_cores()));
}

}  // namespace

TargetFacts facts_of(int wave_size) {
  return {.wave_size = wave_size,
          .lds_bytes = 65536,
          .compute_units = usable_cores(),
          .max_cluster = 1,
          .max_block_threads = BlockRunner::kMaxThreads,
          .max_grid_x = 2147483647,
          .max_grid_yz = 65535,
          .max_threads_per_launch = 0};
}

HostDevice::HostDevice(const HostSettings& settings)
    : settings_(require_possible(settings)), target_(make_target(settings)), pool_(workers_of(settings)) {
  const TargetFacts& facts = target_.facts;
  for (int i = 0; i < pool_.workers(); ++i)
    runners_.push_back(
        std::make_unique<BlockRunner>(facts.wave_size, facts.lds_bytes, settings_.watched ? &watch_ : nullptr));
  faults_.resize(runners_.size());
}

void HostDevice::reserve(std::size_t bytes) {
  // The system grants more than it has and kills the process later, so that the books are kept here.
  const std::int64_t left = target_.memory_bytes - allocated_bytes_.load();
  if (left < 0 || bytes > static_cast<std::size_t>(left))
    throw failed("cannot allocate " + std::to_string(bytes) + " bytes on " + target_.id + ": " +
                 std::to_string(std::max<std::int64_t>(left, 0)) + " are left");
  allocated_bytes_ += static_cast<std::int64_t>(bytes);
}

void* HostDevice::allocate(std::size_t bytes) {
  reserve(bytes);
  void* memory = map_memory(bytes, settings_.pages);
  if (memory != nullptr) return memory;
  allocated_bytes_ -= static_cast<std::int64_t>(bytes);
  throw failed("cannot allocate " + std::to_string(bytes) + " bytes on " + target_.id);
}

void HostDevice::release(void* memory) noexcept {
  if (memory != nullptr) allocated_bytes_ -= static_cast<std::int64_t>(unmap_memory(memory, settings_.pages));
}

void* HostDevice::allocate_sparse(std::size_t bytes) {
  void* memory = map_sparse(bytes);
  if (memory == nullptr)
    throw failed("cannot map " + std::to_string(bytes) + " bytes on " + target_.id + "; is there a limit (ulimit -v)?");
  return memory;
}

void HostDevice::release_sparse(void* memory, std::size_t bytes) noexcept { unmap_sparse(memory, bytes); }

void HostDevice::in_parts(std::size_t bytes, const std::function<void(std::size_t, std::size_t)>& work) {
  if (bytes < kParallelBytes) return work(0, bytes);
  const std::lock_guard lock(mutex_);
  const auto parts = static_cast<std::size_t>(pool_.workers());
  std::atomic<std::size_t> next{0};
  pool_.run(pool_.workers(), [&](int) {
    for (std::size_t i = next++; i < parts; i = next++)
      work(bytes / parts * i, i + 1 == parts ? bytes : bytes / parts * (i + 1));
  });
}

void HostDevice::copy(void* to, const void* from, std::size_t bytes, Stream) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  in_parts(bytes,
           [=](std::size_t begin, std::size_t end) { std::memcpy(target + begin, source + begin, end - begin); });
}

void HostDevice::copy_in(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy(to, from, bytes, stream);
}

void HostDevice::copy_out(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy(to, from, bytes, stream);
}

void HostDevice::fill(void* to, std::byte value, std::size_t bytes, Stream) {
  auto* target = static_cast<std::byte*>(to);
  in_parts(bytes, [=](std::size_t begin, std::size_t end) {
    std::memset(target + begin, std::to_integer<int>(value), end - begin);
  });
}

std::unique_ptr<Module> HostDevice::load(const CodeObject& code) {
  return std::make_unique<HostModule>(code, target_.facts.wave_size, settings_.watched);
}

void HostDevice::launch(Function function, const Geometry& geometry, void* const* arguments, Stream) {
  const auto& entry = *static_cast<const KernelEntry*>(function);
  require_geometry(geometry, target_.facts);
  if (geometry.cluster > 1) throw LaunchFailure("the CPU has no clusters, and the launch asks for some");
  const std::lock_guard lock(mutex_);
  const std::uint64_t serial = launches_++;
  Launch launch{entry.call,
                entry.module->image(),
                arguments,
                geometry,
                schedule_,
                serial,
                {geometry.blocks(), pool_.workers()},
                {geometry.blocks(), schedule_, serial}};
  const auto wanted = static_cast<int>(std::min<std::int64_t>(geometry.blocks(), pool_.workers()));
  pool_.run(wanted, [this, &launch](int worker) {
    const auto i = static_cast<std::size_t>(worker);
    faults_[i] = runners_[i]->run(launch);
  });
  if (const std::optional<Fault> fault = first_fault()) throw KernelFault(text_of(*fault, entry));
}

// Of the lowest block, so that the message does not depend on which core was faster.
std::optional<Fault> HostDevice::first_fault() {
  std::optional<Fault> first;
  for (std::optional<Fault>& fault : faults_) {
    if (fault && (!first || fault->block < first->block)) first = fault;
    fault.reset();
  }
  return first;
}

// A race has two lines, in the order in which its text mentions the accesses.
std::string HostDevice::text_of(const Fault& fault, const KernelEntry& entry) const {
  if (!fault.violation) return to_string(fault, entry.name);
  const Violation& violation = *fault.violation;
  // A call's address is that of the instruction behind it.
  std::vector<std::uint32_t> offsets = {violation.access.pc - 1};
  if (violation.race) offsets.push_back(violation.race->before.pc - 1);
  const std::vector<std::string> lines = source_lines(entry.module->file(), offsets, settings_.temporary_directory);
  std::string places = lines.front();
  if (lines.back() != lines.front()) places += " and " + lines.back();
  return watch_.describe(violation) + " (" + places + "; " + entry.name + ", block " + std::to_string(fault.block) +
         ")";
}

void HostDevice::synchronize(Stream) {}

DeviceTime HostDevice::time(const std::function<void(Stream)>& enqueue) {
  const auto start = std::chrono::steady_clock::now();
  enqueue(nullptr);
  return {std::chrono::steady_clock::now() - start};
}

std::optional<double> HostDevice::clock_mhz() { return host::clock_mhz(usable_core_numbers()); }

void HostDevice::set_schedule(const Schedule& schedule) {
  const std::lock_guard lock(mutex_);
  schedule_ = schedule;
  launches_ = 0;
}

void HostDevice::watch(std::span<const WatchedBuffer> buffers) {
  const std::lock_guard lock(mutex_);
  if (settings_.watched) watch_.set_buffers(buffers);
}

std::vector<std::string> devices(const DeviceSettings&, std::string&) { return {"host", "host:wave64"}; }

std::unique_ptr<Device> open(std::string_view options, const DeviceSettings&) {
  if (options.empty() || options == "wave32") return std::make_unique<HostDevice>(32);
  if (options == "wave64") return std::make_unique<HostDevice>(64);
  throw bad_input("device 'host:" + std::string(options) + "': unknown option '" + std::string(options) +
                  "'; allowed are host, host:wave32 and host:wave64");
}

std::unique_ptr<Device> open_with(const HostSettings& settings) { return std::make_unique<HostDevice>(settings); }

std::unique_ptr<Compiler> open_compiler(const DeviceSettings& settings) {
  return std::make_unique<HostCompiler>(settings);
}

}  // namespace hiptune::host
