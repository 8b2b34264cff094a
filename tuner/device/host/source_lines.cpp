#include "device/host/source_lines.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>

#include "device/host/process.hpp"
#include "device/host/temporary_folder.hpp"
#include "hiptune/error.hpp"

namespace hiptune::host {

namespace {

constexpr const char* kModule = "module.so";
constexpr std::chrono::seconds kDeadline{10};

std::string hexadecimal(std::uint32_t offset) {
  std::ostringstream text;
  text << "0x" << std::hex << offset;
  return text.str();
}

// What addr2line says, or nothing.
std::string addr2line(std::span<const std::byte> module, const std::vector<std::uint32_t>& offsets,
                      const std::string& temporary_directory) {
  try {
    const TemporaryFolder folder(temporary_directory);
    folder.write(kModule, {reinterpret_cast<const char*>(module.data()), module.size()});
    std::vector<std::string> command = {"addr2line", "-a", "-i", "-e", kModule};
    for (const std::uint32_t offset : offsets) command.push_back(hexadecimal(offset));
    const ProcessResult result = run_process(command, folder.path(), kDeadline);
    return result.succeeded ? result.output : "";
  } catch (const Error&) {
    return "";
  }
}

// "/tmp/hiptune-AbCdEf/rmsnorm.hip:34 (discriminator 3)" -> "rmsnorm.hip:34"
std::string place_of(const std::string& line) {
  return std::filesystem::path(line.substr(0, line.find(' '))).filename().string();
}

// addr2line names the innermost function first, and then those that it was inlined into.
bool is_better(const std::string& place, const std::string& so_far) {
  if (place.starts_with("?")) return false;
  return so_far.empty() || so_far.starts_with("hiptune_device.h:");
}

}  // namespace

std::vector<std::string> source_lines(std::span<const std::byte> module, const std::vector<std::uint32_t>& offsets,
                                      const std::string& temporary_directory) {
  std::istringstream lines(addr2line(module, offsets, temporary_directory));
  std::vector<std::string> places;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x")) {
      places.emplace_back();
    } else if (!places.empty() && is_better(place_of(line), places.back())) {
      places.back() = place_of(line);
    }
  }
  places.resize(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (places[i].empty()) places[i] = "offset " + hexadecimal(offsets[i]) + " of the module";
  return places;
}

}  // namespace hiptune::host
