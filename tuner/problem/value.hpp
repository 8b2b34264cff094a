#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hiptune {

// A value of a tunable or a trait: an integer, or a word that becomes an enumerator.
using Value = std::variant<std::int64_t, std::string>;

[[nodiscard]] std::string to_string(const Value& value);

// Named values in the order the space declares them: a configuration's tunables, a problem's traits.
using Assignment = std::vector<std::pair<std::string, Value>>;

// "REDUCTION=lds_tree BLOCK_SIZE=256"; also the identity of a configuration.
[[nodiscard]] std::string to_string(const Assignment& assignment);

// The value of `name`, or nullptr.
[[nodiscard]] const Value* find(const Assignment& assignment, const std::string& name);

}  // namespace hiptune
