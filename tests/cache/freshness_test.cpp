#include "cache/freshness.hpp"

#include <gmock/gmock.h>

#include "cache/document.hpp"
#include "cache/fingerprint.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSpace = R"({
  "schema_version": 1,
  "kernel": "scale",
  "description": "y[r,c] = 2 * x[r,c]",
  "dimensions": {
    "rows": {"minimum": 1, "maximum": 1048576, "batch": true},
    "cols": {"minimum": 1, "maximum": 65536}
  },
  "dtypes": ["f32", "f64"],
  "traits": {"WEIGHT": {"values": ["same", "none"], "default": "same"}},
  "arguments": [
    {"buffer": "x", "role": "in", "extent": ["rows", "cols"], "domain": {"smallest": 1e-15, "largest": 1e15}},
    {"buffer": "y", "role": "out", "extent": ["rows", "cols"]},
    {"dimension": "rows"},
    {"dimension": "cols"}
  ],
  "tunables": {"BLOCK_SIZE": {"values": [64, 256, 1024]}, "ORDER": {"values": ["up", "down"]}},
  "constraints": [{"require": "BLOCK_SIZE <= 256 || cols >= 1024", "reason": "a large block needs 1024 columns"}],
  "plan": [{"entry": "scale", "grid": "rows", "block": "BLOCK_SIZE"}],
  "work": {"bytes": "2 * rows * cols * ELEMENT_BYTES", "flops": "rows * cols"},
  "tolerance": {"atol": "0", "rtol": "1e-6", "reason": "one product"},
  "baselines": {"plain": {"BLOCK_SIZE": 64, "ORDER": "up"}},
  "fallback": {"BLOCK_SIZE": 64, "ORDER": "up"}
})";

class FreshnessTest : public testing::Test {
 protected:
  FreshnessTest() {
    write("scale.hip", "extern \"C\" void scale() {}  // made up\n");
    write("scale.reference.hip", "extern \"C\" void scale_reference() {}\n");
    write("scale.json", kSpace);
    record_ = fresh_record();
  }

  void write(const std::string& name, const std::string& text) const {
    made_up::write_text(kernels_.path() / name, text);
  }
  [[nodiscard]] KernelPath path() const { return KernelPath({kernels_.path()}, {}); }
  [[nodiscard]] Kernel kernel() const { return path().load("scale"); }
  [[nodiscard]] Verdict check() const { return check_record(key_, record_, kernel()); }

  [[nodiscard]] Record fresh_record() const {
    auto record = made_up::record();
    record.traits = {{"WEIGHT", std::string("same")}};
    record.config = {{"BLOCK_SIZE", std::int64_t{256}}, {"ORDER", std::string("down")}};
    record.ties = {{{"BLOCK_SIZE", std::int64_t{64}}, {"ORDER", std::string("down")}}};
    record.baselines = {{"plain", record.ties[0], std::nullopt, "crashed"}};
    record.provenance.fingerprints = fingerprints_of(kernel());
    return record;
  }
  void replace_in_space(const std::string& from, const std::string& to) const {
    std::string text = kSpace;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("scale.json", text.replace(at, from.size(), to));
  }

  made_up::Folder kernels_;
  made_up::Folder cache_;
  Store store_{cache_.path()};
  CacheKey key_ = cache_key(made_up::target(), "scale");
  Record record_;
};

constexpr const char* kRetune = "run `hiptune tune scale --rows 1024 --cols 4096 --device host:wave32`";

TEST_F(FreshnessTest, of_an_unchanged_kernel) {
  const auto verdict = check();
  EXPECT_EQ(verdict.freshness, Freshness::fresh) << testing::PrintToString(verdict.reasons);
  EXPECT_EQ(verdict.problem, "rows=1024 cols=4096 dtype=f32 WEIGHT=same");
  EXPECT_EQ(verdict.key, key_);
  EXPECT_TRUE(verdict.reasons.empty());
}

TEST_F(FreshnessTest, survives_comments_and_layout) {
  write("scale.hip", "// rewritten\nextern \"C\"\nvoid scale() { }\n");
  write("scale.json", std::string("\n\n") + kSpace);
  EXPECT_EQ(check().freshness, Freshness::fresh);
}

TEST_F(FreshnessTest, ends_with_a_change_of_any_file_and_names_it) {
  write("scale.hip", "extern \"C\" void scale(int) {}");
  EXPECT_EQ(check().freshness, Freshness::stale);
  EXPECT_THAT(check().reasons, ElementsAre(std::string("the template changed since it was tuned: ") + kRetune));
  write("scale.reference.hip", "extern \"C\" void scale_reference(int) {}");
  replace_in_space("2 * x", "3 * x");
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("the template changed"), HasSubstr("the search space changed"),
                                           HasSubstr("the reference changed")));
}

TEST_F(FreshnessTest, ends_with_a_change_of_the_device_layer) {
  auto changed = kernel();
  changed.device_layer.text += "\nint more;";
  EXPECT_THAT(check_record(key_, record_, changed).reasons, ElementsAre(HasSubstr("the device layer changed")));
}

TEST_F(FreshnessTest, needs_a_configuration_that_the_constraints_allow) {
  record_.config[0].second = std::int64_t{1024};
  record_.dimensions[1].second = 512;
  EXPECT_THAT(check().reasons, ElementsAre("a large block needs 1024 columns: run `hiptune tune scale --rows 1024 "
                                           "--cols 512 --device host:wave32`"));
}

TEST_F(FreshnessTest, judges_by_the_recorded_target) {
  record_.provenance.target.facts.max_block_threads = 128;
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("128")));
}

TEST_F(FreshnessTest, needs_values_that_the_space_still_has) {
  record_.config[0].second = std::int64_t{512};
  EXPECT_THAT(check().reasons, ElementsAre(AllOf(HasSubstr("configuration"), HasSubstr("512"))));
  record_ = fresh_record();
  record_.ties[0][1].second = std::string("sideways");
  EXPECT_THAT(check().reasons, ElementsAre(AllOf(HasSubstr("tie 0"), HasSubstr("sideways"))));
  record_ = fresh_record();
  record_.baselines[0].config.pop_back();
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("baseline plain")));
}

TEST_F(FreshnessTest, needs_a_problem_that_the_space_still_has) {
  record_.dimensions[1].second = 65537;
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("65536")));
  record_ = fresh_record();
  record_.dimensions[0].first = "lines";
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("the kernel now calls this problem rows=1024 cols=4096")));
  record_ = fresh_record();
  record_.traits.clear();
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("WEIGHT=same")));
  record_ = fresh_record();
  record_.dtype = Dtype::i32;
  EXPECT_EQ(check().freshness, Freshness::stale);
}

TEST_F(FreshnessTest, tells_how_to_tune_a_problem_of_another_dtype_and_trait) {
  record_.dtype = Dtype::f64;
  record_.traits[0].second = std::string("none");
  record_.provenance.fingerprints.source = "older";
  EXPECT_THAT(
      check().reasons,
      ElementsAre(HasSubstr(
          "`hiptune tune scale --rows 1024 --cols 4096 --dtype f64 --trait WEIGHT=none --device host:wave32`")));
}

TEST_F(FreshnessTest, ends_in_another_device_s_folder) {
  key_.device = "gfx90a-AMD";
  EXPECT_THAT(check().reasons, ElementsAre(HasSubstr("move it to the folder x86_64-wave32-Intel-R-Xeon-R-Processor")));
}

TEST_F(FreshnessTest, of_a_store_lists_every_entry_and_every_damage) {
  auto stale = record_;
  stale.dimensions[0].second = 7;
  stale.provenance.fingerprints.source = "older";
  auto text = document_text("scale", {record_, stale});
  made_up::write_text(store_.file_of(key_), text.replace(text.find("\n]}"), 3, ",\n{}\n]}"));
  const auto verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::stale);
  EXPECT_EQ(verdicts[1].freshness, Freshness::fresh);
  EXPECT_EQ(verdicts[2].freshness, Freshness::damaged);
  EXPECT_EQ(verdicts[2].problem, "");
  EXPECT_THAT(verdicts[2].reasons, ElementsAre(AllOf(HasSubstr("scale.json:4: "), HasSubstr("restore the file"))));
}

TEST_F(FreshnessTest, of_a_store_ends_with_an_unknown_or_broken_kernel) {
  store_.put(key_, record_);
  const KernelPath nothing({}, {});
  auto verdicts = check_store(store_, nothing);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::stale);
  EXPECT_THAT(verdicts[0].reasons, ElementsAre(HasSubstr("scale")));
  write("scale.json", "{");
  verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::stale);
  EXPECT_THAT(verdicts[0].reasons, ElementsAre(HasSubstr("scale.json")));
}

TEST_F(FreshnessTest, of_a_store_reports_a_newer_schema_and_a_folder_in_place_of_a_file) {
  made_up::write_text(store_.file_of(key_), R"({"about":{"kernel":"scale","schema_version":9},"entries":[]})");
  fs::create_directories(store_.file_of({key_.device, "zoom"}));
  const auto verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::damaged);
  EXPECT_THAT(verdicts[0].reasons, ElementsAre(HasSubstr("written by a newer hiptune")));
  EXPECT_EQ(verdicts[1].freshness, Freshness::damaged);
  EXPECT_THAT(verdicts[1].reasons, ElementsAre(HasSubstr("zoom.json: is not a regular file but a folder")));
}

TEST_F(FreshnessTest, of_a_store_reports_a_json_file_that_is_no_cache_once) {
  store_.put(key_, record_);
  made_up::write_text(store_.file_of({key_.device, "package"}), R"({"name": "package", "files": [1, 2]})");
  const auto verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::damaged);
  EXPECT_THAT(verdicts[0].reasons,
              ElementsAre(AllOf(HasSubstr("package.json: is JSON, but no hiptune cache: no /about"),
                                HasSubstr("move it out of the cache"))));
  EXPECT_EQ(verdicts[1].freshness, Freshness::fresh);
}

TEST_F(FreshnessTest, of_a_store_reports_what_might_be_a_lost_segment) {
  store_.put(key_, record_);
  const auto stray = store_.file_of(key_).parent_path() / "scale.segments" / "host-1-2-3";
  made_up::write_text(stray, document_text("scale", {record_}));
  const auto verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[1].freshness, Freshness::damaged);
  EXPECT_THAT(verdicts[1].reasons,
              ElementsAre(stray.string() + ": an unknown file among the segments: if it holds a result, give it a "
                                           "name that ends in .json, else remove it"));
}

TEST_F(FreshnessTest, of_an_empty_store_has_nothing_to_say) { EXPECT_TRUE(check_store(store_, path()).empty()); }

TEST(FreshnessName, is_a_word) {
  EXPECT_EQ(to_string(Freshness::fresh), "fresh");
  EXPECT_EQ(to_string(Freshness::stale), "stale");
  EXPECT_EQ(to_string(Freshness::damaged), "damaged");
}

}  // namespace
}  // namespace hiptune
