#include "cache/document.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "made_up.hpp"

namespace hiptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(to_json_line(record));
  return lines;
}

Loaded read(const std::string& text) { return read_document(text, "cache/dev/rmsnorm.json", "rmsnorm"); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kTwo = document_text("rmsnorm", {made_up::record(1), made_up::record(2)});

TEST(Document, is_valid_json_with_one_entry_per_line) {
  const auto one = to_json_line(made_up::record(1));
  const auto two = to_json_line(made_up::record(2));
  EXPECT_EQ(kTwo,
            "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":2},\"entries\":[\n" + one + ",\n" + two + "\n]}\n");
  EXPECT_EQ(nlohmann::json::parse(kTwo).at("entries").size(), 2U);
  EXPECT_EQ(document_text("rmsnorm", {}),
            "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":2},\"entries\":[\n]}\n");
}

TEST(Document, reads_back_what_it_wrote) {
  const auto loaded = read(kTwo);
  EXPECT_EQ(document_text("rmsnorm", loaded.records), kTwo);
  EXPECT_THAT(loaded.damage, IsEmpty());
}

TEST(Document, may_be_formatted_by_others) {
  const auto loaded = read(nlohmann::json::parse(kTwo).dump(2));
  EXPECT_EQ(loaded.records.size(), 2U);
  EXPECT_THAT(loaded.damage, IsEmpty());
}

TEST(Document, skips_a_changed_entry_and_names_its_line) {
  const auto loaded = read(replaced(kTwo, "[\"rows\",2]", "[\"rows\",3]"));
  EXPECT_THAT(lines_of(loaded.records), ElementsAre(to_json_line(made_up::record(1))));
  ASSERT_EQ(loaded.damage.size(), 1U);
  EXPECT_EQ(loaded.damage[0].line, 3);
  EXPECT_EQ(loaded.damage[0].file, "cache/dev/rmsnorm.json");
  EXPECT_THAT(loaded.damage[0].what, HasSubstr("/checksum"));
  ASSERT_TRUE(loaded.damage[0].claims);
  EXPECT_EQ(problem_key(*loaded.damage[0].claims), "rows=3 cols=4096 dtype=f32 ALIGN=16");
}

TEST(Document, reads_both_sides_of_a_merge_conflict) {
  auto text = replaced(kTwo, ",\n", ",\n<<<<<<< HEAD\n");
  text = replaced(text, "\n]}", "\n=======\n" + to_json_line(made_up::record(3)) + "\n>>>>>>> branch\n]}");
  const auto loaded = read(text);
  EXPECT_EQ(loaded.records.size(), 3U);
  ASSERT_FALSE(loaded.damage.empty());
  EXPECT_EQ(loaded.damage[0].line, 3);
  EXPECT_THAT(loaded.damage[0].what, HasSubstr("not a JSON object"));
}

TEST(Document, names_the_line_where_it_ends_too_early) {
  const auto loaded = read(kTwo.substr(0, kTwo.size() - 3));
  EXPECT_EQ(loaded.records.size(), 2U);
  ASSERT_EQ(loaded.damage.size(), 1U);
  EXPECT_EQ(loaded.damage[0].line, 4);
  EXPECT_THAT(loaded.damage[0].what, HasSubstr("not valid JSON"));
}

// Only dropping the last newline leaves a document whole.
TEST(Document, truncated_anywhere_is_damage_and_invents_no_entry) {
  const std::vector<std::string> whole{to_json_line(made_up::record(1)), to_json_line(made_up::record(2))};
  for (std::size_t size = 0; size + 1 < kTwo.size(); ++size) {
    const auto loaded = read(kTwo.substr(0, size));
    EXPECT_FALSE(loaded.damage.empty()) << size;
    std::size_t complete = 0;
    for (const auto& line : whole) complete += kTwo.find(line) + line.size() <= size ? 1 : 0;
    const std::vector<std::string> expected(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(complete));
    EXPECT_EQ(lines_of(loaded.records), expected) << size;
  }
}

TEST(Document, with_any_byte_changed_invents_no_entry) {
  const auto text = document_text("rmsnorm", {made_up::record(1)});
  const auto line = to_json_line(made_up::record(1));
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto broken = text;
    broken[i] = broken[i] == '7' ? '8' : '7';
    try {
      for (const auto& record : read(broken).records) EXPECT_EQ(to_json_line(record), line) << i;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("newer hiptune")) << i;
    }
  }
}

TEST(Document, of_an_older_schema_is_read) {
  EXPECT_EQ(read(replaced(kTwo, "\"schema_version\":2", "\"schema_version\":1")).records.size(), 2u);
}

TEST(Document, of_a_newer_schema_is_refused_even_when_cut_off) {
  const auto newer = replaced(kTwo, "\"schema_version\":2", "\"schema_version\":3");
  for (const auto& text : {newer, newer.substr(0, newer.size() - 10)}) {
    const auto error = made_up::error_of([&] { static_cast<void>(read(text)); });
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(),
                 "cache/dev/rmsnorm.json: written by a newer hiptune (schema 3, this one reads 2): upgrade, or use "
                 "another --cache folder");
  }
}

TEST(Document, of_another_kernel_gives_no_entries) {
  for (const auto& text : {kTwo, kTwo.substr(0, kTwo.size() - 3)}) {
    const auto loaded = read_document(text, "layernorm.json", "layernorm");
    EXPECT_THAT(loaded.records, IsEmpty());
    ASSERT_FALSE(loaded.damage.empty());
    EXPECT_THAT(loaded.damage[0].what, HasSubstr("of the kernel \"rmsnorm\""));
  }
}

// The one damage of a text that is no cache at all.
Damage only_damage(const std::string& text) {
  const auto loaded = read(text);
  EXPECT_THAT(loaded.records, IsEmpty());
  EXPECT_EQ(loaded.damage.size(), 1U) << text.substr(0, 80);
  return loaded.damage.empty() ? Damage{} : loaded.damage[0];
}

TEST(Document, that_is_json_but_no_cache_is_told_once) {
  for (const auto* text : {"{}", "[]", "null", "{\"name\":\"package\",\"version\":1}", "{\"entries\":[1,2,3]}"}) {
    const auto damage = only_damage(text);
    EXPECT_EQ(to_string(damage),
              "cache/dev/rmsnorm.json: is JSON, but no hiptune cache: no /about with a kernel and a schema version");
    EXPECT_THAT(damage.advice, HasSubstr("move it out of the cache"));
  }
  EXPECT_EQ(only_damage("{\"about\":\"us\"}").what, "is JSON, but no hiptune cache: /about: must be an object");
}

TEST(Document, with_a_field_twice_in_an_entry_skips_that_entry) {
  for (const auto& twice : {replaced(kTwo, "\"dtype\":", "\"config\":[],\"dtype\":"),
                            replaced(kTwo, "\"median_ns\":", "\"median_ns\":1,\"median_ns\":")}) {
    const auto loaded = read(twice);
    EXPECT_THAT(lines_of(loaded.records), ElementsAre(to_json_line(made_up::record(2))));
    ASSERT_EQ(loaded.damage.size(), 1U);
    EXPECT_EQ(loaded.damage[0].line, 2);
    EXPECT_THAT(loaded.damage[0].what, HasSubstr("this field stands twice"));
  }
  EXPECT_THAT(read(replaced(kTwo, "\"dtype\":", "\"config\":[],\"dtype\":")).damage[0].what,
              testing::StartsWith("/config: "));
}

TEST(Document, with_entries_or_about_twice_is_damaged_and_loses_none) {
  for (const auto& twice : {replaced(kTwo, "\n]}", "\n],\"entries\":[\n]}"),
                            replaced(kTwo, "\"entries\":[", "\"entries\":[],\"entries\":["),
                            replaced(kTwo, "\n]}", "\n],\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":1}}"),
                            replaced(kTwo, "{\"kernel\":", "{\"kernel\":\"other\",\"kernel\":")}) {
    const auto loaded = read(twice);
    EXPECT_EQ(loaded.records.size(), 2U) << twice;
    EXPECT_FALSE(loaded.damage.empty()) << twice;
  }
  const auto all_in_one_line = nlohmann::json::parse(kTwo).dump();
  const auto damage = only_damage(all_in_one_line.substr(0, all_in_one_line.size() - 1) + ",\"entries\":[]}");
  EXPECT_EQ(damage.what, "/entries: this field stands twice");
}

TEST(Document, whose_first_line_is_lost_still_gives_its_entries) {
  const auto loaded = read(replaced(kTwo, "\"about\"", "\"abuot\""));
  EXPECT_EQ(loaded.records.size(), 2U);
  EXPECT_EQ(loaded.damage.size(), 1U);
}

TEST(Document, that_is_no_json_is_told_once_with_one_line_number) {
  EXPECT_EQ(
      to_string(only_damage("garbage\nmore\n\nand more")),
      "cache/dev/rmsnorm.json:1: not valid JSON: column 1: syntax error while parsing value - invalid literal; last "
      "read: 'g'");
  EXPECT_EQ(only_damage("1e999").what, "not valid JSON: number overflow parsing '1e999'");
}

TEST(Document, with_a_damaged_entry_names_line_and_column_once) {
  const auto loaded = read(replaced(kTwo, "\n{\"baselines\"", "\n{baselines\""));
  EXPECT_EQ(loaded.records.size(), 1U);
  ASSERT_EQ(loaded.damage.size(), 1U);
  EXPECT_EQ(loaded.damage[0].line, 2);
  EXPECT_THAT(loaded.damage[0].what, testing::StartsWith("not a JSON object: column 2: syntax error"));
  EXPECT_THAT(loaded.damage[0].what, testing::Not(HasSubstr("line")));
}

TEST(Document, of_any_bytes_or_of_one_long_line_is_told_in_one_short_line) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 7 + i / 256) % 256);
  const std::string long_text(1'000'000, 'x');
  for (const auto& text : {bytes, "\"\xff\xfe" + bytes, "\"" + long_text, "\"" + long_text + "\n" + long_text,
                           "{\"about\":{\"" + long_text + "\":1}}", "[" + std::string(1'000'000, '9') + "e999]"}) {
    const auto what = only_damage(text).what;
    EXPECT_LE(what.size(), 303U);
    EXPECT_THAT(what, testing::Not(testing::ContainsRegex("[\x01-\x1f]")));
    EXPECT_NO_THROW(static_cast<void>(nlohmann::json(what).dump())) << what;  // which wants UTF-8
  }
}

TEST(Document, with_a_wrong_shape_is_damage) {
  for (const auto* text : {"", "{}", "[]", "null", "1e999", "{\"about\":7,\"entries\":[]}",
                           "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":0},\"entries\":[]}",
                           "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":1},\"entries\":{}}",
                           "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":1},\"entries\":[],\"more\":1}"}) {
    const auto loaded = read(text);
    EXPECT_FALSE(loaded.damage.empty()) << text;
    EXPECT_THAT(loaded.records, IsEmpty()) << text;
  }
}

TEST(Merging, keeps_the_newest_of_each_problem) {
  const auto old = made_up::record(1, "2026-11-30T03:42:18Z");
  const auto newer = made_up::record(1, "2026-11-30T03:42:18.5Z");
  const auto other = made_up::record(2, "2025-01-01T00:00:00Z");
  const std::vector<std::string> expected{to_json_line(newer), to_json_line(other)};
  EXPECT_EQ(lines_of(newest_per_problem({other, newer, old})), expected);
  EXPECT_EQ(lines_of(newest_per_problem({old, newer, other})), expected);
}

TEST(Merging, prefers_a_later_revision_to_a_later_date) {
  const auto ahead = made_up::record(1, "2099-01-01T00:00:00Z");
  auto revised = made_up::record(1);
  revised.provenance.revision = 1;
  EXPECT_THAT(lines_of(newest_per_problem({ahead, revised})), ElementsAre(to_json_line(revised)));
  EXPECT_THAT(lines_of(newest_per_problem({revised, ahead})), ElementsAre(to_json_line(revised)));
}

TEST(Merging, prefers_what_was_made_from_the_present_sources) {
  auto stale = made_up::record(1, "2099-01-01T00:00:00Z");
  stale.provenance.revision = 7;
  stale.provenance.fingerprints.source = "older";
  const auto fresh = made_up::record(1);
  const auto sources = fresh.provenance.fingerprints;
  EXPECT_THAT(lines_of(newest_per_problem({stale, fresh}, &sources)), ElementsAre(to_json_line(fresh)));
  EXPECT_THAT(lines_of(newest_per_problem({fresh, stale}, &sources)), ElementsAre(to_json_line(fresh)));
  EXPECT_THAT(lines_of(newest_per_problem({stale, fresh})), ElementsAre(to_json_line(stale)));
}

TEST(Merging, does_not_depend_on_the_order_where_dates_are_equal) {
  const auto a = made_up::record();
  auto b = a;
  b.timing.cold.median_ns = 1;
  EXPECT_EQ(lines_of(newest_per_problem({a, b})), lines_of(newest_per_problem({b, a})));
  EXPECT_EQ(newest_per_problem({a, b}).size(), 1U);
}

TEST(Merging, sorts_numerically_then_by_dtype_and_traits) {
  auto f64 = made_up::record(2);
  f64.dtype = Dtype::f64;
  auto aligned_4 = made_up::record(2);
  aligned_4.traits = {{"ALIGN", std::int64_t{4}}};
  const auto sorted = newest_per_problem({made_up::record(10), f64, made_up::record(2), aligned_4});
  std::vector<std::string> keys;
  for (const auto& record : sorted) keys.push_back(problem_key(record));
  EXPECT_THAT(keys, ElementsAre("rows=2 cols=4096 dtype=f32 ALIGN=4", "rows=2 cols=4096 dtype=f32 ALIGN=16",
                                "rows=2 cols=4096 dtype=f64 ALIGN=16", "rows=10 cols=4096 dtype=f32 ALIGN=16"));
}

}  // namespace
}  // namespace hiptune
