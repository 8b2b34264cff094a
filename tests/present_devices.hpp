#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/backends.hpp"

namespace hiptune::test {

// Both wave sizes of the CPU, and every GPU that is there.
inline std::vector<std::string> present_devices() {
  std::vector<std::string> ids;
  for (const Backend& backend : backends()) {
    std::string reason;
    for (const std::string& id : backend.devices({}, reason)) ids.push_back(id);
  }
  return ids;
}

inline std::string name_of_device(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, ':', '_');
  return name;
}

}  // namespace hiptune::test
