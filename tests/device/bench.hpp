#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backends.hpp"
#include "hiptune/error.hpp"
#include "present_devices.hpp"
#include "problem/kernel.hpp"

namespace hiptune::device_tests {

using test::name_of_device;
using test::present_devices;

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A kernel `k`; the first line of its body is line kLinesBeforeBody + 1 of the text.
inline std::string kernel_text(const std::string& parameters, const std::string& body) {
  return "#include \"hiptune_config.h\"\n#include \"hiptune_device.h\"\nusing namespace hiptune;\n"
         "extern \"C\" __global__ void k(" +
         parameters + ") {\n" + body + "\n}\n";
}
constexpr int kLinesBeforeBody = 4;

inline CompileRequest request_for(const Target& target, const std::string& text,
                                  const std::vector<std::string>& entries) {
  CompileRequest request;
  request.source = {"kernel.hip", text};
  request.headers = {
      {"hiptune_config.h", "#pragma once\nconstexpr int WAVE_SIZE = " + std::to_string(target.facts.wave_size) + ";\n"},
      {"hiptune_device.h", read_text(shared_data_folder() / "kernel_templates/include/hiptune_device.h")}};
  request.entry_points = entries;
  request.architecture = target.architecture;
  return request;
}

// A regular expression for how a compiler begins its words about a line of the source: "kernel.hip:6:8: error:", or
// with NVRTC "kernel.hip(6): error:".
inline std::string error_at(int line) {
  const std::string number = std::to_string(line);
  return "kernel\\.hip(:" + number + ":[0-9]+|\\(" + number + "\\)): (fatal |catastrophic )?error:";
}

// The message of the exception of type E that `action` throws; fails the test when it throws none.
template <class E, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// A device with its compiler, and what tests do with both.
class Bench {
 public:
  explicit Bench(const std::string& id, const DeviceSettings& settings = {})
      : Bench(open_device(id, settings), settings) {}
  explicit Bench(std::unique_ptr<Device> device, const DeviceSettings& settings = {})
      : device_(std::move(device)), compiler_(open_compiler(device_->target().backend, settings)) {}

  Device& device() { return *device_; }
  Compiler& compiler() { return *compiler_; }
  const TargetFacts& facts() const { return device_->target().facts; }

  CodeObject compile(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    CompileResult result = compiler_->compile(request_for(device_->target(), text, entries));
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
    return std::get<CodeObject>(std::move(result));
  }
  std::string failure_log(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    const CompileResult result = compiler_->compile(request_for(device_->target(), text, entries));
    const auto* failure = std::get_if<CompileFailure>(&result);
    return failure != nullptr ? failure->log : "it compiled";
  }
  std::unique_ptr<Module> load(const std::string& text, const std::vector<std::string>& entries = {"k"}) {
    return device_->load(compile(text, entries));
  }
  std::unique_ptr<Module> load_body(const std::string& parameters, const std::string& body) {
    return load(kernel_text(parameters, body));
  }

  // Launches entry point `k` and waits for its end.
  template <class... Arguments>
  void launch(Module& module, const Geometry& geometry, Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    device_->launch(module.function("k"), geometry, pointers, nullptr);
    device_->synchronize(nullptr);
  }

  template <class T>
  DeviceMemory upload(const std::vector<T>& values) {
    DeviceMemory memory(*device_, values.size() * sizeof(T));
    device_->copy_in(memory.data(), values.data(), memory.bytes(), nullptr);
    device_->synchronize(nullptr);
    return memory;
  }
  template <class T>
  std::vector<T> download(const DeviceMemory& memory) {
    std::vector<T> values(memory.bytes() / sizeof(T));
    device_->copy_out(values.data(), memory.data(), memory.bytes(), nullptr);
    device_->synchronize(nullptr);
    return values;
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;
};

inline Geometry geometry(std::int64_t grid, std::int64_t block, std::int64_t dynamic_lds = 0) {
  return {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .dynamic_lds = dynamic_lds, .cluster = 1};
}

template <class T>
T* pointer(const DeviceMemory& memory) {
  return static_cast<T*>(memory.data());
}

// Runs on every device that is present, and says which ran.
class OnEveryDevice : public testing::TestWithParam<std::string> {
 protected:
  Bench bench{GetParam()};
};

}  // namespace hiptune::device_tests
