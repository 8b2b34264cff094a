#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cache/fingerprint.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The entry with one field changed and a checksum that fits again, so that only the field is wrong.
std::string changed(const std::string& pointer, const json& value) {
  auto entry = json::parse(to_json_line(made_up::record()));
  entry[json::json_pointer(pointer)] = value;
  entry.erase("checksum");
  entry["checksum"] = fingerprint_bytes(entry.dump());
  return entry.dump();
}

std::string without(const std::string& pointer) {
  auto entry = json::parse(to_json_line(made_up::record()));
  const json::json_pointer place(pointer);
  entry[place.parent_pointer()].erase(place.back());
  return entry.dump();
}

std::string complaint(const std::string& line) {
  return made_up::error_of([&] { static_cast<void>(record_from_json_line(line)); }).what();
}

TEST(Record, on_disk_format_is_this_text) {
  EXPECT_EQ(
      to_json_line(made_up::record()),
      R"({"baselines":[{"config":[["REDUCTION","lds_tree"],["BLOCK_SIZE",256]],"name":"unfused","outcome":"timed",)"
      R"("timing":{"cold":{"median_ns":10250.5,"samples":40,"spread_ns":0.1},)"
      R"("warm":{"median_ns":9000.0,"samples":7,"spread_ns":0.001}}},)"
      R"({"config":[["REDUCTION","shuffle"],["BLOCK_SIZE",128]],"name":"serial","outcome":"wrong: y[0, 3] is NaN"}],)"
      R"("checksum":"68a45fee42edbe3a3393da97ef87f1e6",)"
      R"("config":[["REDUCTION","lds_tree"],["BLOCK_SIZE",256]],"dimensions":[["rows",1024],["cols",4096]],)"
      R"("dtype":"f32","gate":{"checks":12,"max_absolute":1.5e-07,"max_absolute_at_shape":1.25e-07,)"
      R"("max_in_limits":0.25,"max_relative":2.5e-06,"precheck":"passed","worst":"rows=3 cols=13 dtype=f32 ramp: y[1, 2]"},)"
      R"("objective":"cold","provenance":{"compilers":[{"isa_hash":"ee","resources":[{"lds_bytes":1024,"vgprs":24},{}],)"
      R"("version":"g++ 12.2.0"}],"date":"2026-11-30T03:42:18.123Z",)"
      R"("fingerprints":{"device_layer":"bb","reference":"dd","source":"aa","space":"cc"},"hiptune_version":"0.1.0",)"
      R"("seed":18446744073709551615,"target":{"architecture":"x86_64-wave32","backend":"host","driver":"6.1.0",)"
      R"("facts":{"compute_units":1,"lds_bytes":65536,"max_block_threads":1024,"max_cluster":1,)"
      R"("max_grid_x":2147483647,"max_grid_yz":65535,"wave_size":32},"id":"host:wave32",)"
      R"("last_level_cache_bytes":34603008,"name":"Intel(R) Xeon(R) Processor"}},)"
      R"("ties":[[["REDUCTION","shuffle"],["BLOCK_SIZE",128]]],)"
      R"("timing":{"cold":{"median_ns":10250.5,"samples":40,"spread_ns":0.1},)"
      R"("warm":{"median_ns":9000.0,"samples":7,"spread_ns":0.001}},"traits":[["ALIGN",16]],"work_bytes":33570816.0,)"
      R"("yardstick":{"name":"device copy","timing":{"cold":{"median_ns":9800.25,"samples":40,"spread_ns":12.5},)"
      R"("warm":{"median_ns":8000.0,"samples":9,"spread_ns":1.0}}}})");
}

TEST(Record, reads_back_what_it_wrote) {
  const auto line = to_json_line(made_up::record());
  const auto record = record_from_json_line(line);
  EXPECT_EQ(to_json_line(record), line);
  EXPECT_EQ(record.config, made_up::record().config);
  EXPECT_EQ(record.provenance.seed, 18446744073709551615ULL);
  EXPECT_EQ(record.provenance.compilers.at(0).resources.at(0).vgprs, 24);
  EXPECT_EQ(record.provenance.compilers.at(0).resources.at(0).sgprs, std::nullopt);
  EXPECT_FALSE(record.baselines.at(1).timing.has_value());
}

TEST(Record, of_schema_version_1_has_less_about_the_gate) {
  auto record = made_up::record();
  record.gate = {1.5e-7, 2.5e-6, 0.25, 12};
  const auto line = to_json_line(record);
  EXPECT_NE(line.find(R"("gate":{"checks":12,"max_absolute":1.5e-07,"max_in_limits":0.25,"max_relative":2.5e-06},)"),
            std::string::npos);
  EXPECT_NE(line.find("e49c1873811213a6198b6ae174bc7ba8"), std::string::npos) << "the checksum that version 1 wrote";
  EXPECT_EQ(record_from_json_line(line).gate.max_absolute_at_shape, std::nullopt);
  EXPECT_EQ(to_json_line(record_from_json_line(line)), line);
}

TEST(Record, may_have_no_yardstick) {
  auto record = made_up::record();
  record.yardstick.reset();
  const auto line = to_json_line(record);
  EXPECT_EQ(line.find("yardstick"), std::string::npos);
  EXPECT_FALSE(record_from_json_line(line).yardstick);
  EXPECT_EQ(to_json_line(record_from_json_line(line)), line);
  EXPECT_EQ(record_from_json_line(to_json_line(made_up::record())).yardstick->name, "device copy");
}

TEST(Record, has_a_revision_only_where_it_counts) {
  auto record = made_up::record();
  EXPECT_EQ(to_json_line(record).find("revision"), std::string::npos);
  record.provenance.revision = kMaxRevision;
  EXPECT_EQ(record_from_json_line(to_json_line(record)).provenance.revision, kMaxRevision);
  EXPECT_THAT(complaint(changed("/provenance/revision", 0)), HasSubstr("/provenance/revision: must be an integer"));
}

TEST(Record, keeps_doubles_to_the_last_bit) {
  for (const double value : {0.1 + 0.2, 1.0 / 3, 5e-324, std::numeric_limits<double>::max(), 0.0, 123456789.0}) {
    auto record = made_up::record();
    record.timing.cold.median_ns = value;
    EXPECT_EQ(record_from_json_line(to_json_line(record)).timing.cold.median_ns, value);
  }
}

TEST(Record, keeps_an_infinite_relative_error) {
  auto record = made_up::record();
  record.gate.max_relative = std::numeric_limits<double>::infinity();
  EXPECT_EQ(record_from_json_line(to_json_line(record)).gate.max_relative, record.gate.max_relative);
}

TEST(Record, keeps_integers_and_words_apart) {
  auto record = made_up::record();
  record.config = {{"A", std::string("256")}, {"B", std::numeric_limits<std::int64_t>::min()}};
  EXPECT_EQ(record_from_json_line(to_json_line(record)).config, record.config);
}

TEST(Record, survives_text_that_is_no_utf8) {
  auto record = made_up::record();
  record.baselines[1].outcome = "wrong: \xff\xfe";
  const auto line = to_json_line(record);
  EXPECT_EQ(to_json_line(record_from_json_line(line)), line);
}

TEST(Record, notices_any_changed_value) {
  auto entry = json::parse(to_json_line(made_up::record()));
  const auto leaves = entry.flatten();
  for (const auto& [pointer, value] : leaves.items()) {
    auto edited = entry;
    auto& field = edited[json::json_pointer(pointer)];
    if (field.is_number()) field = field.get<double>() == 1 ? 2 : 1;
    if (field.is_string()) field = field.get<std::string>() + "x";
    if (edited == entry) continue;
    EXPECT_THROW(static_cast<void>(record_from_json_line(edited.dump())), Error) << pointer;
  }
  entry["work_bytes"] = 1;
  EXPECT_THAT(complaint(entry.dump()), HasSubstr("/checksum: does not match"));
}

TEST(Record, reads_an_entry_whose_keys_were_reordered) {
  const auto line = to_json_line(made_up::record());
  const auto spaced = json::parse(line).dump(2);
  EXPECT_EQ(to_json_line(record_from_json_line(spaced)), line);
}

TEST(Record, names_the_wrong_field_by_its_pointer) {
  const std::pair<std::string, json> cases[] = {
      {"/timing/cold/median_ns", -1.0},
      {"/timing/warm/samples", -1},
      {"/timing/cold/spread_ns", "1"},
      {"/dtype", "f33"},
      {"/objective", "hot"},
      {"/dimensions/0/1", -5},
      {"/dimensions/1/1", 1.5},
      {"/config/1/1", nullptr},
      {"/config/1/0", "REDUCTION"},
      {"/work_bytes", -3},
      {"/gate/checks", 4294967296},
      {"/provenance/seed", -1},
      {"/provenance/date", "yesterday"},
      {"/provenance/date", "2026-11-30 03:42:18Z"},
      {"/provenance/compilers/0/resources/0/vgprs", -1},
      {"/provenance/compilers/0/resources/0/vgprs", nullptr},
      {"/provenance/target/facts/wave_size", 0},
      {"/ties/0", 7},
      {"/baselines/1/config/0", json::array({"ONE"})},
  };
  for (const auto& [pointer, value] : cases) {
    EXPECT_THAT(complaint(changed(pointer, value)), testing::StartsWith(pointer)) << value;
  }
}

TEST(Record, names_a_missing_and_an_unknown_field) {
  EXPECT_EQ(complaint(without("/timing/warm")), "/timing: lacks the field \"warm\"");
  EXPECT_EQ(complaint(without("/checksum")), "/: lacks the field \"checksum\"");
  EXPECT_EQ(complaint(changed("/timing/hot", 1)), "/timing: unknown field \"hot\"");
}

TEST(Record, refuses_text_that_is_no_object) {
  for (const auto* text : {"", "{", "[]", "null", "7", "{}", "1e999", "\xff"}) {
    EXPECT_THROW(static_cast<void>(record_from_json_line(text)), Error) << text;
  }
}

TEST(Record, cannot_be_written_with_a_value_that_would_not_read_back) {
  auto record = made_up::record();
  record.timing.cold.median_ns = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(to_json_line(record)), std::logic_error);
  record = made_up::record(1024, "");
  EXPECT_THROW(static_cast<void>(to_json_line(record)), std::logic_error);
}

TEST(Record, problem_key_lists_dimensions_dtype_and_traits) {
  auto record = made_up::record();
  EXPECT_EQ(problem_key(record), "rows=1024 cols=4096 dtype=f32 ALIGN=16");
  record.traits.clear();
  EXPECT_EQ(problem_key(record), "rows=1024 cols=4096 dtype=f32");
}

TEST(Record, objective_chooses_the_summary) {
  const auto timing = made_up::record().timing;
  EXPECT_EQ(summary_for(timing, Objective::cold).median_ns, timing.cold.median_ns);
  EXPECT_EQ(summary_for(timing, Objective::warm).median_ns, timing.warm.median_ns);
  EXPECT_EQ(to_string(Objective::warm), "warm");
}

}  // namespace
}  // namespace hiptune
