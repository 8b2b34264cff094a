#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "spaces.hpp"

namespace hiptune {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// One file with one fault, and what the message must say. No pointer: a syntax error has line and column instead.
struct Fault {
  std::string name;
  std::string pointer;
  std::string phrase;
};

// tests/schema/bad: faults that the schema finds too.
const Fault kSchemaFaults[] = {
    {"aliasing_by_default", "/traits/IN_PLACE/default", "must be \"no\""},
    {"aliasing_of_one_buffer", "/traits/IN_PLACE/buffers", "the names of two buffers"},
    {"aliasing_of_other_values", "/traits/IN_PLACE/values", "the values [\"no\", \"yes\"]"},
    {"aliasing_without_buffers", "/traits/IN_PLACE", "\"buffers\" is missing"},
    {"alignment_of_words", "/traits/ALIGN/values/0", "must be an integer"},
    {"argument_of_no_kind", "/arguments/4", "one of the fields"},
    {"argument_of_two_kinds", "/arguments/4/stride", "fields known here are dimension"},
    {"batch_as_word", "/dimensions/rows/batch", "true or false"},
    {"constraint_without_reason", "/constraints/0", "\"reason\" is missing"},
    {"dimension_beyond_2_to_53", "/dimensions/cols/maximum", "within 2^53"},
    {"dimension_from_zero", "/dimensions/cols/minimum", "at least 1"},
    {"dimension_with_fraction", "/dimensions/cols/maximum", "must be an integer"},
    {"dimension_without_maximum", "/dimensions/cols", "\"maximum\" is missing"},
    {"domain_by_dtype_without_largest", "/arguments/0/domain/f32", "\"largest\" is missing"},
    {"domain_negative", "/arguments/0/domain", "at least 0"},
    {"domain_of_no_dtype", "/arguments/0/domain/half", "is no dtype"},
    {"dtype_twice", "/dtypes/1", "stands twice"},
    {"dtype_unknown", "/dtypes/0", "there are f32, f64, f16, bf16, i32, i64"},
    {"dtypes_empty", "/dtypes", "not be empty"},
    {"extent_of_three", "/arguments/0/extent", "at most 2"},
    {"fallback_missing", "/", "\"fallback\" is missing"},
    {"fallback_with_list", "/fallback/BLOCK_SIZE", "an integer or a word"},
    {"field_unknown", "/tunable", "did you mean \"tunables\"?"},
    {"grid_of_four", "/plan/0/grid", "at most 3"},
    {"input_without_domain", "/arguments/0", "\"domain\" is missing"},
    {"kernel_missing", "/", "\"kernel\" is missing"},
    {"kernel_with_hyphen", "/kernel", "a letter and then letters"},
    {"launch_field_unknown", "/plan/0/lds", "unknown field"},
    {"output_with_domain", "/arguments/1/domain", "remove it"},
    {"plan_empty", "/plan", "not be empty"},
    {"role_unknown", "/arguments/0/role", "\"in\", \"out\" or \"inout\""},
    {"scalar_of_16_bits", "/arguments/4/type", "write \"f32\""},
    {"scalar_range_of_one", "/arguments/4/range", "[minimum, maximum]"},
    {"scalar_without_range", "/arguments/4", "\"range\" is missing"},
    {"spills_as_number", "/spills", "must be"},
    {"spills_unknown", "/spills", "must be \"allowed\" or \"rejected\""},
    {"tolerance_without_reason", "/tolerance", "\"reason\" is missing"},
    {"trait_given_with_buffers", "/traits/LEVEL/buffers", "remove it"},
    {"trait_source_unknown", "/traits/ALIGN/source", "\"given\", \"alignment\" or \"aliasing\""},
    {"trait_without_default", "/traits/ALIGN", "\"default\" is missing"},
    {"tunable_of_mixed_values", "/tunables/BLOCK_SIZE/1", "integers and words"},
    {"tunable_value_twice", "/tunables/BLOCK_SIZE/1", "64 stands twice"},
    {"tunable_with_fraction", "/tunables/BLOCK_SIZE/1", "an integer or a word"},
    {"tunable_without_values", "/tunables/BLOCK_SIZE", "not be empty"},
    {"tunable_word_with_space", "/tunables/MODE/0", "\"very fast\" is no name"},
    {"tunables_empty", "/tunables", "nothing to search"},
    {"version_of_the_future", "/schema_version", "version 2 is newer; this hiptune reads version 1"},
};

// bad_spaces: faults that a schema cannot express.
const Fault kOtherFaults[] = {
    {"aliasing_of_one_stride", "/traits/IN_PLACE", "an argument each, or neither"},
    {"aliasing_of_other_extents", "/traits/IN_PLACE", "the same \"extent\""},
    {"aliasing_of_other_types", "/traits/IN_PLACE", "the same \"type\""},
    {"aliasing_of_two_outputs", "/traits/IN_PLACE", "one of role in and then one of role out"},
    {"aliasing_of_unknown_buffer", "/traits/IN_PLACE", "no buffer \"z\""},
    {"aliasing_twice", "/traits/OVER", "in another trait found by aliasing"},
    {"alignment_descending", "/traits/ALIGN/values/1", "must ascend"},
    {"alignment_of_three", "/traits/ALIGN/values/1", "a power of two"},
    {"baseline_with_unknown_value", "/baselines/plain", "the values of BLOCK_SIZE are 64, 256"},
    {"batch_dimension_missing", "/dimensions", "\"batch\": true"},
    {"block_on_batch_dimension", "/plan/0/block", "batch dimension \"rows\""},
    {"configuration_none_valid", "/tunables", "no valid configuration"},
    {"constraint_on_batch_dimension", "/constraints/0/require", "may not mention the batch dimension \"rows\""},
    {"constraint_that_assigns", "/constraints/0/require", "compare with =="},
    {"constraint_with_comma", "/constraints/0/require", "comma"},
    {"constraint_with_foreign_symbol", "/constraints/0/require", "unknown symbol '%'"},
    {"constraint_with_open_parenthesis", "/constraints/0/require", "parenthesis"},
    {"constraint_with_string", "/constraints/0/require", "unknown symbol"},
    {"constraint_with_unknown_function", "/constraints/0/require", "did you mean \"ceil_div\"?"},
    {"constraint_with_unknown_name", "/constraints/0/require", "did you mean \"BLOCK_SIZE\"?"},
    {"dimension_argument_unknown", "/arguments/4", "did you mean \"cols\"?"},
    {"dimension_that_is_no_argument", "/arguments", "add {\"dimension\": \"cols\"}"},
    {"domain_for_a_dtype_missing", "/arguments/0/domain", "a domain for f16 is missing"},
    {"domain_for_a_dtype_too_many", "/arguments/0/domain", "none of the kernel's dtypes"},
    {"domain_reversed", "/arguments/0/domain", "at most \"largest\""},
    {"dtype_unlisted_in_an_expression", "/tolerance/rtol", "unknown name \"DTYPE.f16\""},
    {"enum_named_as_tunable", "/tunables/Mode", "already taken by /tunables/MODE"},
    {"extent_with_tunable", "/arguments/1/extent", "unknown name \"BLOCK_SIZE\""},
    {"fallback_incomplete", "/fallback", "UNROLL is missing"},
    {"fallback_invalid_at_the_maximum", "/fallback", "for rows=1 cols=4096"},
    {"fallback_invalid_for_a_trait", "/fallback", "LEVEL=2"},
    {"fallback_invalid_for_wave64", "/fallback", "wave size 64: a reason"},
    {"fallback_unlisted", "/fallback", "BLOCK_SIZE=65 is not in the space"},
    {"fallback_with_too_many_threads", "/tunables", "more threads than"},
    {"fallback_with_unknown_tunable", "/fallback", "no tunable \"BLOK_SIZE\""},
    {"fallback_without_launch", "/fallback", "no launch"},
    {"field_twice", "/arguments/1/extent", "stands twice"},
    {"grid_that_divides", "/plan/0/grid/0", "ceil_div, min, max, sums and products"},
    {"maximum_below_minimum", "/dimensions/cols/maximum", "below \"minimum\""},
    {"name_of_a_type_taken", "/arguments/0", "\"x_t\" is already taken"},
    {"name_twice", "/arguments/1", "\"x\" is already taken by /arguments/0"},
    {"output_missing", "/arguments", "role out or inout"},
    {"scalar_default_outside_range", "/arguments/4/default", "outside of \"range\""},
    {"scalar_range_reversed", "/arguments/4/range", "above the maximum"},
    {"scalar_with_fraction", "/arguments/4/default", "must be an integer"},
    {"stride_of_flat_buffer", "/arguments/4", "no row stride"},
    {"stride_of_unknown_buffer", "/arguments/4", "no buffer \"z\""},
    {"stride_twice", "/arguments/5", "a row stride already"},
    {"strided_row_that_divides", "/arguments/1/extent/1", "evaluated at every call"},
    {"syntax_error", "", "line 5, column 20"},
    {"trait_default_unlisted", "/traits/LEVEL/default", "not one of \"values\""},
    {"tunable_named_as_dimension", "/tunables/cols", "taken by /dimensions/cols"},
    {"tunable_named_as_dtype", "/tunables/DTYPE", "fact of the problem or the target"},
    {"tunable_named_as_fact", "/tunables/WAVE_SIZE", "fact of the problem or the target"},
    {"tunable_named_as_function", "/tunables/mod", "function of expressions"},
    {"tunable_named_as_keyword", "/tunables/register", "keyword of C++"},
    {"type_none_of_an_output", "/traits/RESULT", "only an input may be absent"},
    {"type_of_a_trait_found_by_alignment", "/arguments/0/type", "cannot say a type"},
    {"type_of_a_trait_with_numbers", "/traits/LEVEL", "\"1\" is none"},
    {"type_of_a_trait_with_other_words", "/traits/WEIGHT", "\"half\" is none"},
    {"type_unknown", "/arguments/0/type", "did you mean \"f32\"?"},
    {"when_on_batch_dimension", "/plan/0/when", "\"when\" may not mention"},
    {"word_that_is_keyword", "/tunables/MODE/0", "\"auto\" is a keyword"},
    {"work_with_tunable", "/work/bytes", "unknown name \"BLOCK_SIZE\""},
    {"workspace_none", "/traits/SCRATCH", "only an input may be absent"},
    {"workspace_that_divides", "/workspaces/0/extent", "evaluated at every call"},
};

void expect_fault(const std::filesystem::path& folder, const Fault& fault) {
  const std::string file = fault.name + ".json";
  const std::string message = message_of([&] { (void)test::read_file(folder / file); });
  EXPECT_THAT(message, StartsWith(file + ": " + fault.pointer + (fault.pointer.empty() ? "" : ": "))) << fault.name;
  EXPECT_THAT(message, HasSubstr(fault.phrase)) << fault.name;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

template <std::size_t N>
std::vector<std::string> names_of(const Fault (&faults)[N]) {
  std::vector<std::string> names;
  for (const Fault& fault : faults) names.push_back(fault.name);
  std::ranges::sort(names);
  return names;
}

const std::filesystem::path kSchemaFolder = test::tests_folder() / "schema" / "bad";
const std::filesystem::path kOtherFolder = test::tests_folder() / "problem" / "bad_spaces";

TEST(SpaceErrors, name_the_place_of_every_fault_that_the_schema_finds) {
  for (const Fault& fault : kSchemaFaults) expect_fault(kSchemaFolder, fault);
}

TEST(SpaceErrors, name_the_place_of_every_fault_beyond_the_schema) {
  for (const Fault& fault : kOtherFaults) expect_fault(kOtherFolder, fault);
}

TEST(SpaceErrors, every_bad_file_has_its_expectation) {
  EXPECT_EQ(names_in(kSchemaFolder), names_of(kSchemaFaults));
  EXPECT_EQ(names_in(kOtherFolder), names_of(kOtherFaults));
}

TEST(SpaceErrors, reject_text_that_is_no_object) {
  for (const char* text : {"", "[]", "null", "1", "\"x\"", "{", "{}", "\xff"}) {
    EXPECT_THAT(message_of([&] { (void)read_space(text, "file.json"); }), StartsWith("file.json: ")) << text;
  }
}

TEST(SpaceErrors, survive_nesting_without_end) {
  const std::string deep(200000, '[');
  EXPECT_THAT(message_of([&] { (void)read_space(deep, "file.json"); }), HasSubstr("parse error at line 1"));
}

TEST(SpaceErrors, give_one_line_and_column_of_a_syntax_error) {
  EXPECT_EQ(
      message_of([] { (void)read_space("{\n  \"kernel\": \"x\"\n  \"plan\": []}", "file.json"); }),
      "file.json: parse error at line 3, column 8: syntax error while parsing object - unexpected string literal; "
      "expected '}'");
}

TEST(SpaceErrors, cut_a_long_name) {
  const std::string name(5000, 'x');
  EXPECT_LT(message_of([&] { (void)read_space("{\"schema_version\": 1, \"" + name + "\": 1}", "file.json"); }).size(),
            500u);
  std::string space = test::text_of_file(test::tests_folder() / "schema/good/minimal.json");
  space.replace(space.find("BLOCK_SIZE"), 10, name + "-");
  EXPECT_THAT(message_of([&] { (void)read_space(space, "file.json"); }),
              AllOf(HasSubstr("xxx...\" is no name"), SizeIs(testing::Lt(500u))));
}

TEST(SpaceErrors, escape_a_field_in_a_pointer) {
  EXPECT_THAT(message_of([] { (void)read_space(R"({"schema_version": 1, "a/b~c": 1})", "file.json"); }),
              StartsWith("file.json: /a~1b~0c: unknown field"));
}

}  // namespace
}  // namespace hiptune
