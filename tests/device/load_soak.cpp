// Loads, launches and unloads one code object again and again, and says what that costs in memory and descriptors.
// usage: load_soak DEVICE COUNT. Exit code 1: the second half grew. A leak of a page per load shows from 600 loads on.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/arguments.hpp"
#include "device/backends.hpp"
#include "device/loaded_plan.hpp"
#include "problem/kernel.hpp"
#include "problem/variant.hpp"

namespace {

using namespace hiptune;

constexpr std::int64_t kElements = 1000;
constexpr std::int64_t kSlack = 1 << 20;  // bytes: an allocator takes its memory in steps

struct Use {
  std::int64_t resident = 0;     // bytes
  std::int64_t device_left = 0;  // bytes
  std::int64_t descriptors = 0;
};

std::int64_t resident_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6)) * 1024;
  throw std::runtime_error("/proc/self/status has no VmRSS");
}

Use use_of(const std::string& device) {
  const std::filesystem::directory_iterator open_files("/proc/self/fd");
  return {resident_bytes(), open_device(device, {})->target().memory_bytes,
          std::distance(open_files, std::filesystem::directory_iterator())};
}

// What is left on the CPU device is what all processes of the machine leave.
bool grew(const Use& before, const Use& after, bool judge_device) {
  return after.resident > before.resident + kSlack || after.descriptors > before.descriptors ||
         (judge_device && after.device_left + kSlack < before.device_left);
}

// The kernel `copy`, compiled once.
class Soak {
 public:
  explicit Soak(const std::string& id) : device_(open_device(id, {})) {
    const Kernel kernel = KernelPath({}, {}).load("copy");
    const Problem problem = make_problem(kernel.space, {kElements}, Dtype::f32, {});
    const TargetFacts& facts = device_->target().facts;
    variant_ = make_variant(kernel, problem, facts, make_config(kernel.space, kernel.space.fallback, "copy"));
    batch_ = batch_values(kernel.space, problem);
    code_ = compile();
    x_ = DeviceMemory(*device_, sent_.size() * sizeof(float));
    y_ = DeviceMemory(*device_, sent_.size() * sizeof(float));
    arguments_.emplace_back(kernel.space, problem, CallValues{{x_.data(), y_.data()}, {}, {}, {}});
  }

  [[nodiscard]] bool on_cpu() const { return device_->target().backend == "host"; }

  // Throws std::runtime_error when the copy is not one.
  void once(float value) {
    sent_.assign(sent_.size(), value);
    device_->copy_in(x_.data(), sent_.data(), x_.bytes(), nullptr);
    {
      const LoadedPlan plan(*device_, code_, variant_.plan);
      plan.launch(batch_, arguments_.front().pointers(), nullptr);
      device_->synchronize(nullptr);
    }
    device_->copy_out(received_.data(), y_.data(), y_.bytes(), nullptr);
    device_->synchronize(nullptr);
    if (received_ != sent_) throw std::runtime_error("a loaded kernel did not do its work");
  }

 private:
  [[nodiscard]] CodeObject compile() const {
    const CompileResult result =
        open_compiler(device_->target().backend, {})
            ->compile({variant_.source, variant_.headers, variant_.entry_points, device_->target().architecture});
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(result);
  }

  std::unique_ptr<Device> device_;
  Variant variant_;
  std::vector<std::int64_t> batch_;
  CodeObject code_;
  std::vector<float> sent_ = std::vector<float>(kElements), received_ = std::vector<float>(kElements);
  DeviceMemory x_, y_;
  std::vector<ArgumentList> arguments_;
};

void print(int loads, const Use& use) {
  std::printf("%8d loads: %8.1f MiB resident, %10.1f MiB left on the device, %3lld descriptors\n", loads,
              static_cast<double>(use.resident) / (1 << 20), static_cast<double>(use.device_left) / (1 << 20),
              static_cast<long long>(use.descriptors));
  std::fflush(stdout);
}

int run(const std::string& device, int count) {
  Soak soak(device);
  std::vector<Use> uses;
  for (int done = 0; done <= count; ++done) {
    if (done % (count / 10) == 0) print(done, uses.emplace_back(use_of(device)));
    if (done < count) soak.once(static_cast<float>(done));
  }
  const bool leaks = grew(uses[5], uses.back(), !soak.on_cpu());
  std::puts(leaks ? "the second half grew" : "the second half did not grow");
  return leaks ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (count < 10 || count % 10 != 0) {
    std::fputs("usage: load_soak DEVICE COUNT, the count a multiple of 10\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], count);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
