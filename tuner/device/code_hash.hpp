#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace hiptune {

// XXH3-128 of named parts, in the order in which they are added.
class CodeHash {
 public:
  CodeHash();
  void add(std::string_view name, std::span<const std::byte> contents);
  [[nodiscard]] std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace hiptune
