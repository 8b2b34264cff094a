#include "problem/identifier.hpp"

#include <algorithm>
#include <string_view>

#include "problem/nearest.hpp"

namespace hiptune {

namespace {

constexpr std::string_view kKeywords[] = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq",
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_part(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::optional<std::string> why_no_identifier(const std::string& name) {
  if (name.empty() || !is_letter(name[0]) || !std::ranges::all_of(name, is_part)) {
    return std::string("\"").append(excerpt(name)) +
           "\" is no name: a name is a letter and then letters, digits and underscores";
  }
  if (std::ranges::count(kKeywords, name) > 0) return "\"" + name + "\" is a keyword of C++; choose another name";
  return std::nullopt;
}

}  // namespace hiptune
