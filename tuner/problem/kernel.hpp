#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problem/space.hpp"

namespace hiptune {

struct SourceFile {
  std::string name;  // as compilers report it: "rmsnorm.hip"
  std::string text;
};

// A kernel is data: a template, an oracle and a space, plus the device layer that both sources include.
struct Kernel {
  std::string name;
  Space space;
  SourceFile source;             // NAME.hip
  SourceFile reference;          // NAME.reference.hip
  SourceFile device_layer;       // hiptune_device.h
  std::filesystem::path folder;  // where the template lies
};

// Where kernels are looked for, in order: `user` folders (--kernel-path), the folders beside the running library, then
// $HIPTUNE_KERNEL_PATH. A folder either holds the three files side by side, or kernel_templates/ and search_spaces/.
class KernelPath {
 public:
  KernelPath(const std::vector<std::filesystem::path>& user, const std::vector<std::filesystem::path>& environment);

  // Throws Error(bad_input) when there is no such kernel (naming those there are and the folders searched), or one of
  // its files is missing or wrong.
  [[nodiscard]] Kernel load(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  // Where kernels of that name lie, a file each: load takes the first, which shadows the rest. A folder that stands
  // twice counts once.
  [[nodiscard]] std::vector<std::filesystem::path> files(std::string_view name) const;
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

// The share/hiptune folder that belongs to the running library: <library>/../share/hiptune.
[[nodiscard]] std::filesystem::path shared_data_folder();

}  // namespace hiptune
