#pragma once

#include <vector>

#include "problem/json_node.hpp"
#include "problem/space.hpp"

// The parts of reading a space file. All throw Error(bad_input) naming file and JSON pointer.
namespace hiptune {

// An expression is a string; a plain number may stand for itself.
[[nodiscard]] Expression read_expression(const JsonNode& node);
// One expression, or a list of 1 to `most`.
[[nodiscard]] std::vector<Expression> read_expressions(const JsonNode& node, std::size_t most);
[[nodiscard]] Expression read_expression_or(const JsonNode& parent, const std::string& field,
                                            const std::string& otherwise);
[[nodiscard]] std::string read_text_or_none(const JsonNode& parent, const std::string& field);
[[nodiscard]] Dtype read_dtype(const JsonNode& node);
// Integers and words as one list of values, each once, all of one kind; words are C++ identifiers.
[[nodiscard]] std::vector<Value> read_values(const JsonNode& node);
[[nodiscard]] Value read_value(const JsonNode& node);

[[nodiscard]] std::vector<Argument> read_arguments(const JsonNode& node);
[[nodiscard]] std::vector<Workspace> read_workspaces(const JsonNode& node);

// The rules that span sections: names, what each expression may name, the closed form of grids, the arguments'
// references. `space` is complete but for `fallback` and `baselines`.
void check_names(const Space& space);
void check_expressions(const Space& space);
void check_arguments(const Space& space);
// What traits say about buffers: their types, which of them may be one memory; and their domains for each dtype.
void check_element_types(const Space& space);
void check_aliased_pairs(const Space& space);
void check_domains_by_dtype(const Space& space);
// The fallback is valid for every combination of traits, at the ends of the dimensions, for both wave sizes.
void check_fallback(const Space& space);

}  // namespace hiptune
