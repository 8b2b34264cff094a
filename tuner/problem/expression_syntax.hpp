#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem/expression.hpp"

namespace hiptune {

// Throws Error(bad_input) when the expression is malformed or uses a name that is not in `known`. A value that only
// some values of the names give, such as a division by zero, is not an error here.
void check_syntax(const Expression& expression, const std::vector<std::string>& known);

// Throws Error(bad_input) when the expression is no closed form (see ClosedForm), whatever its constants are.
void check_closed_form(const Expression& expression, std::span<const std::string> batch);

// Every function that an expression may call; none of them can be declared as a name.
[[nodiscard]] std::vector<std::string> function_names();

// "unknown name "X" (did you mean …?); the names known here are …".
[[nodiscard]] std::string unknown_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace hiptune
