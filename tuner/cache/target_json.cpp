#include "cache/target_json.hpp"

namespace hiptune {
namespace {

// In a Target 0 says "unknown" or "no limit"; in JSON such a field is absent.
void add_unless_zero(nlohmann::json& object, const char* name, std::int64_t value) {
  if (value != 0) object[name] = value;
}

std::int64_t zero_if_absent(const Field& object, const char* name) {
  const auto field = object.find(name);
  return field ? field->integer(1) : 0;
}

nlohmann::json facts_to_json(const TargetFacts& facts) {
  nlohmann::json json{{"wave_size", facts.wave_size},
                      {"lds_bytes", facts.lds_bytes},
                      {"compute_units", facts.compute_units},
                      {"max_cluster", facts.max_cluster},
                      {"max_block_threads", facts.max_block_threads},
                      {"max_grid_x", facts.max_grid_x},
                      {"max_grid_yz", facts.max_grid_yz}};
  add_unless_zero(json, "max_threads_per_launch", facts.max_threads_per_launch);
  return json;
}

TargetFacts facts_from_json(const Field& field) {
  field.allow_only({"wave_size", "lds_bytes", "compute_units", "max_cluster", "max_block_threads", "max_grid_x",
                    "max_grid_yz", "max_threads_per_launch"});
  TargetFacts facts;
  facts.wave_size = field.at("wave_size").small_integer(1);
  facts.lds_bytes = field.at("lds_bytes").integer(0);
  facts.compute_units = field.at("compute_units").small_integer(1);
  facts.max_cluster = field.at("max_cluster").small_integer(1);
  facts.max_block_threads = field.at("max_block_threads").small_integer(1);
  facts.max_grid_x = field.at("max_grid_x").integer(1);
  facts.max_grid_yz = field.at("max_grid_yz").integer(1);
  facts.max_threads_per_launch = zero_if_absent(field, "max_threads_per_launch");
  return facts;
}

}  // namespace

nlohmann::json to_json(const Target& target) {
  nlohmann::json json{{"backend", target.backend}, {"id", target.id},         {"architecture", target.architecture},
                      {"name", target.name},       {"driver", target.driver}, {"facts", facts_to_json(target.facts)}};
  add_unless_zero(json, "last_level_cache_bytes", target.last_level_cache_bytes);
  add_unless_zero(json, "memory_bytes", target.memory_bytes);
  return json;
}

Target target_from_json(const Field& field) {
  field.allow_only(
      {"backend", "id", "architecture", "name", "driver", "facts", "last_level_cache_bytes", "memory_bytes"});
  Target target;
  target.backend = field.at("backend").text();
  target.id = field.at("id").text();
  target.architecture = field.at("architecture").text();
  target.name = field.at("name").text();
  target.driver = field.at("driver").text();
  target.facts = facts_from_json(field.at("facts"));
  target.last_level_cache_bytes = zero_if_absent(field, "last_level_cache_bytes");
  target.memory_bytes = zero_if_absent(field, "memory_bytes");
  return target;
}

}  // namespace hiptune
