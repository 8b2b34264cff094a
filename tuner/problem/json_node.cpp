#include "problem/json_node.hpp"

#include <algorithm>

#include "hiptune/error.hpp"
#include "problem/nearest.hpp"
#include "problem/unique_fields.hpp"

namespace hiptune {

namespace {

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

// "parse error at line 3, column 5: …" without the library's own error number.
std::string without_number(const std::string& message) {
  const std::size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

}  // namespace

Json parse_json(const std::string& text, const std::string& file) {
  UniqueFields fields;
  try {
    return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
      if (const auto pointer = fields.take(event, parsed))
        throw bad_input(Place{file, *pointer}.text() + ": this field stands twice; keep one of them");
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw bad_input(file + ": " + without_number(error.what()));
  } catch (const Json::out_of_range& error) {
    throw bad_input(file + ": " + without_number(error.what()));
  }
}

void JsonNode::fail(const std::string& what) const { throw bad_input(place_.text() + ": " + what); }

void JsonNode::require_only(std::initializer_list<std::string_view> fields) const {
  const std::vector<std::string> known(fields.begin(), fields.end());
  for (const auto& [name, node] : members()) {
    if (std::ranges::count(known, name) > 0) continue;
    node.fail("unknown field" + did_you_mean(name, known) + "; the fields known here are " + join(known));
  }
}

JsonNode JsonNode::at(const std::string& field) const {
  const std::optional<JsonNode> node = find(field);
  if (!node) fail("the field \"" + field + "\" is missing");
  return *node;
}

std::optional<JsonNode> JsonNode::find(const std::string& field) const {
  if (!value_->is_object()) fail("must be an object");
  const auto found = value_->find(field);
  if (found == value_->end()) return std::nullopt;
  return JsonNode(*found, {place_.file, place_.pointer + '/' + escaped(field)});
}

std::vector<JsonNode> JsonNode::items() const {
  if (!value_->is_array()) fail("must be a list");
  std::vector<JsonNode> nodes;
  for (const Json& item : *value_) {
    nodes.emplace_back(item, Place{place_.file, place_.pointer + '/' + std::to_string(nodes.size())});
  }
  return nodes;
}

std::vector<JsonNode> JsonNode::some_items() const {
  std::vector<JsonNode> nodes = items();
  if (nodes.empty()) fail("must not be empty");
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) fail("must be an object");
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const auto& [name, value] : value_->items()) nodes.emplace_back(name, at(name));
  return nodes;
}

std::string JsonNode::text() const {
  if (!value_->is_string()) fail("must be a string");
  std::string text = value_->get<std::string>();
  if (text.empty()) fail("must not be empty");
  return text;
}

std::int64_t JsonNode::integer() const {
  if (!value_->is_number_integer()) fail("must be an integer, written without a point or an exponent");
  const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{kLargestInteger};
  const std::int64_t value = huge ? kLargestInteger + 1 : value_->get<std::int64_t>();
  if (value > kLargestInteger || value < -kLargestInteger) fail("must be within 2^53");
  return value;
}

double JsonNode::number() const {
  if (!value_->is_number()) fail("must be a number");
  return value_->get<double>();
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) fail("must be true or false");
  return value_->get<bool>();
}

}  // namespace hiptune
