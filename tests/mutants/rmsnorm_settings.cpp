#include "mutants/rmsnorm_settings.hpp"

#include <algorithm>
#include <stdexcept>

namespace hiptune::test {
namespace {

using Number = std::int64_t;

// Of 16 bytes each.
Assignment vectors(Number elements, Number row_threads, Number in_registers, Number in_lds = 0) {
  return {{"VECTOR_ELEMENTS", elements},
          {"ROW_THREADS", row_threads},
          {"REGISTER_VECTORS", in_registers},
          {"LDS_VECTORS", in_lds},
          {"REREAD", "no"}};
}

Assignment read_again(Number elements, Number unroll, Number in_registers = 0) {
  return {{"VECTOR_ELEMENTS", elements},
          {"ROW_THREADS", Number{128}},
          {"REGISTER_VECTORS", in_registers},
          {"UNROLL", unroll}};
}

Assignment with(Assignment config, const Assignment& more) {
  config.insert(config.end(), more.begin(), more.end());
  return config;
}

const Assignment kLooping{{"BLOCKS_PER_CU", Number{2}}, {"MIN_BLOCKS", Number{2}}};
const Assignment kAhead = with(kLooping, {{"AHEAD", "yes"}, {"HINT", "both"}});

std::vector<Setting> kept_rows() {
  return {
      {"registers", Dtype::f32, 779, {}, with(vectors(4, 128, 2), {{"HINT", "store"}})},
      {"narrow", Dtype::f32, 387, {{"ALIGN", Number{8}}}, vectors(2, 128, 2)},
      {"early", Dtype::bf16, 1323, {}, with(vectors(8, 128, 2), {{"WEIGHT_LOAD", "early"}, {"KEEP", "stored"}})},
      {"held", Dtype::f16, 1323, {}, with(with(vectors(8, 128, 2), kLooping), {{"WEIGHT_LOAD", "held"}})},
      {"ahead", Dtype::f32, 779, {}, with(with(vectors(4, 128, 2), kAhead), {{"WEIGHT_LOAD", "held"}})},
      {"ahead, weights in LDS",
       Dtype::f16,
       1323,
       {{"WEIGHT", "f32"}},
       with(with(vectors(8, 128, 2), kAhead), {{"WEIGHT_LOAD", "held_lds"}})},
      {"lds", Dtype::f32, 1803, {}, vectors(4, 128, 2, 2)},
      {"rows",
       Dtype::f16,
       107,
       {{"WEIGHT", "f32"}},
       with(vectors(8, 16, 1), {{"ROWS_PER_BLOCK", Number{8}}, {"REDUCTION", "wave_only"}}),
       false,
       19},
      {"rows in LDS", Dtype::f32, 387, {}, with(vectors(4, 128, 0, 1), {{"ROWS_PER_BLOCK", Number{2}}}), false, 5},
      {"no weight", Dtype::bf16, 1323, {{"WEIGHT", "none"}}, vectors(8, 128, 2)},
      {"in place", Dtype::bf16, 1323, {{"IN_PLACE", "yes"}}, vectors(8, 128, 2)},
      {"tree", Dtype::f32, 387, {}, with(vectors(4, 128, 1), {{"REDUCTION", "lds_tree"}})},
      {"shuffle tail", Dtype::f32, 387, {}, with(vectors(4, 128, 1), {{"REDUCTION", "shuffle_tail"}})},
  };
}

std::vector<Setting> rows_read_again() {
  const Assignment in_place{{"IN_PLACE", "yes"}};
  const Assignment split =
      with(read_again(4, 4), {{"SCHEME", "split"}, {"ROW_THREADS", Number{256}}, {"SPLIT", Number{2}}});
  return {
      {"read again", Dtype::f32, 2179, {}, with(read_again(4, 4), {{"HINT", "both"}}), true},
      {"read again, some kept", Dtype::f32, 8707, {}, read_again(4, 4, 4), true},
      {"read again, bf16", Dtype::bf16, 4363, {}, read_again(8, 4), true},
      {"read again in place", Dtype::f32, 2179, in_place, read_again(4, 4)},
      {"split", Dtype::f32, 8199, {}, split, true},
      {"split in place", Dtype::f32, 8199, in_place, split},
  };
}

std::vector<Setting> plain_ones() {
  const Assignment tree{{"REDUCTION", "lds_tree"}};
  const auto scheme = [&](const char* name) { return with(tree, {{"SCHEME", name}}); };
  return {
      {"fallback", Dtype::f16, 779, {{"ALIGN", Number{2}}}, {}, true},
      {"serial", Dtype::f32, 13, {}, scheme("serial"), true},
      {"serial, bf16", Dtype::bf16, 257, {}, scheme("serial")},
      {"block", Dtype::f32, 13, {}, scheme("block"), true},
      {"unfused", Dtype::f32, 13, {}, scheme("unfused"), true},
      {"unfused, f16", Dtype::f16, 257, {{"WEIGHT", "f32"}}, scheme("unfused")},
  };
}

}  // namespace

Problem Setting::problem(const Space& space) const { return problem_of(space, rows, cols); }

Problem Setting::problem_of(const Space& space, std::int64_t row_count, std::int64_t columns) const {
  return make_problem(space, {row_count, columns}, dtype, traits);
}

// What comes later in `config` decides.
Config Setting::full_config(const Space& space) const {
  Assignment values = space.fallback;
  for (const auto& [tunable, value] : config)
    std::ranges::find(values, tunable, [](const auto& one) { return one.first; })->second = value;
  return make_config(space, values, name);
}

const std::vector<Setting>& rmsnorm_settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> settings = kept_rows();
    for (const auto& more : {rows_read_again(), plain_ones()})
      settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }();
  return all;
}

const Setting& setting_named(const std::string& name) {
  const auto found = std::ranges::find(rmsnorm_settings(), name, &Setting::name);
  if (found == rmsnorm_settings().end()) throw std::invalid_argument("there is no setting " + name);
  return *found;
}

}  // namespace hiptune::test
