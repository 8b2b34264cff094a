#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hiptune {

// The preprocessor tokens of C++ source ([lex.pptoken]), comments and white space left out. A directive ends with a
// token "\n", because there the end of the line means something; a function-like macro's name is followed by a token
// "(…)", because there the missing blank does. Never fails: an unterminated literal ends with its line.
[[nodiscard]] std::vector<std::string> preprocessor_tokens(std::string_view source);

}  // namespace hiptune
