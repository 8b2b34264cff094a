#include <algorithm>

#include "problem/identifier.hpp"
#include "problem/nearest.hpp"
#include "problem/space_sections.hpp"

namespace hiptune {

Expression read_expression(const JsonNode& node) {
  if (node.is_number()) return {node.dump(), node.place()};
  if (!node.is_string()) node.fail("must be an expression: a string such as \"ceil_div(rows, BLOCK_SIZE)\"");
  return {node.text(), node.place()};
}

std::vector<Expression> read_expressions(const JsonNode& node, std::size_t most) {
  if (!node.is_array()) return {read_expression(node)};
  std::vector<Expression> expressions;
  for (const JsonNode& item : node.some_items()) expressions.push_back(read_expression(item));
  if (expressions.size() > most) node.fail("must have at most " + std::to_string(most) + " expressions");
  return expressions;
}

Expression read_expression_or(const JsonNode& parent, const std::string& field, const std::string& otherwise) {
  const std::optional<JsonNode> node = parent.find(field);
  return node ? read_expression(*node) : Expression(otherwise, parent.place());
}

std::string read_text_or_none(const JsonNode& parent, const std::string& field) {
  const std::optional<JsonNode> node = parent.find(field);
  return node ? node->text() : "";
}

Dtype read_dtype(const JsonNode& node) {
  const std::string name = node.text();
  if (const std::optional<Dtype> dtype = parse_dtype(name)) return *dtype;
  const std::vector<std::string> known = dtype_names();
  node.fail("unknown dtype \"" + name + "\"" + did_you_mean(name, known) + "; there are " + join(known));
}

Value read_value(const JsonNode& node) {
  if (node.is_integer()) return node.integer();
  if (!node.is_string()) node.fail("must be an integer or a word");
  return node.text();
}

std::vector<Value> read_values(const JsonNode& node) {
  std::vector<Value> values;
  for (const JsonNode& item : node.some_items()) {
    const Value value = read_value(item);
    if (!values.empty() && value.index() != values[0].index()) item.fail("integers and words in one list");
    if (std::ranges::count(values, value) > 0) item.fail("the value " + to_string(value) + " stands twice");
    if (const auto* word = std::get_if<std::string>(&value)) {
      if (const auto why = why_no_identifier(*word)) item.fail(*why);
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace hiptune
