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
using testing::StartsWith;

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
  // Of the space as it was at first; `all`, where it is given, is replaced everywhere.
  void replace_in_space(const std::string& from, const std::string& to, const std::string& all = "",
                        const std::string& by = "") const {
    std::string text = kSpace;
    replace(text, from, to);
    while (!all.empty() && text.find(all) != std::string::npos) replace(text, all, by);
    write("scale.json", text);
  }
  void replace_in_present_space(const std::string& from, const std::string& to) const {
    auto text = made_up::text_of(kernels_.path() / "scale.json");
    replace(text, from, to);
    write("scale.json", text);
  }
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  [[nodiscard]] std::string path_words() const { return " --kernel-path " + fs::canonical(kernels_.path()).string(); }

  made_up::Folder kernels_;
  made_up::Folder cache_;
  Store store_{cache_.path()};
  CacheKey key_ = cache_key(made_up::target(), "scale");
  Record record_;
};

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
  EXPECT_THAT(check().reasons, ElementsAre("the template changed since it was tuned"));
  EXPECT_EQ(check().command, "hiptune tune scale --rows 1024 --cols 4096 --device host:wave32" + path_words());
  write("scale.reference.hip", "extern \"C\" void scale_reference(int) {}");
  replace_in_space("1e-6", "1e-5");
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
  EXPECT_THAT(check().reasons, ElementsAre("a large block needs 1024 columns"));
  EXPECT_THAT(check().command, StartsWith("hiptune tune scale --rows 1024 --cols 512 "));
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
  record_.objective = Objective::warm;
  EXPECT_EQ(check().command,
            "hiptune tune scale --rows 1024 --cols 4096 --dtype f64 --trait WEIGHT=none --objective warm --device "
            "host:wave32" +
                path_words());
  EXPECT_EQ(check_record(key_, record_, kernel(), "my cache's").command,
            "hiptune tune scale --rows 1024 --cols 4096 --dtype f64 --trait WEIGHT=none --objective warm --device "
            "host:wave32 --cache 'my cache'\\''s'" +
                path_words());
}

TEST_F(FreshnessTest, survives_a_change_of_prose) {
  replace_in_space("2 * x", "3 * x");
  EXPECT_EQ(check().freshness, Freshness::fresh);
  replace_in_space("a large block needs 1024 columns", "too few columns");
  EXPECT_EQ(check().freshness, Freshness::fresh);
  replace_in_space("one product", "of one product");
  EXPECT_EQ(check().freshness, Freshness::fresh);
  replace_in_space(R"("maximum": 1048576,)", R"("maximum": 1048576, "description": "how many",)");
  EXPECT_EQ(check().freshness, Freshness::fresh);
  replace_in_space(R"("maximum": 1048576,)", R"("maximum": 1048575,)");
  EXPECT_EQ(check().freshness, Freshness::stale);
}

// By place, not by name: here a tunable has the name of a text.
TEST_F(FreshnessTest, ends_with_a_change_of_a_value_that_is_called_as_prose_is) {
  replace_in_space(R"("ORDER": {"values": ["up", "down"]}},)", R"("reason": ["a", "b"], "ORDER": ["up", "down"]},)");
  replace_in_present_space(R"("baselines": {"plain": {)", R"("baselines": {"plain": {"reason": "a", )");
  replace_in_present_space(R"("fallback": {)", R"("fallback": {"reason": "a", )");
  const auto before = fingerprints_of(kernel());
  replace_in_present_space(R"("fallback": {"reason": "a")", R"("fallback": {"reason": "b")");
  EXPECT_NE(fingerprints_of(kernel()).space, before.space);
}

TEST_F(FreshnessTest, of_an_entry_that_is_called_otherwise_now_gives_the_command_by_its_present_name) {
  replace_in_space(R"("traits": {)", R"("traits": {"T": {"values": [0, 1], "default": 0}, )");
  EXPECT_TRUE(is_orphan(record_, kernel().space));
  EXPECT_THAT(check().reasons,
              testing::Contains("the kernel now calls this problem rows=1024 cols=4096 dtype=f32 T=0 WEIGHT=same"));
  EXPECT_EQ(check().command, "hiptune tune scale --rows 1024 --cols 4096 --device host:wave32" + path_words());
  replace_in_space(R"("rows": {"min)", R"("lines": {"min)", "rows", "lines");
  EXPECT_EQ(check().command, "hiptune tune scale --lines 1024 --cols 4096 --device host:wave32" + path_words());
  record_.dimensions = {{"cols", 4096}, {"lines", 1024}};  // another order is not another name
  EXPECT_EQ(check().command, "hiptune tune scale --lines 1024 --cols 4096 --device host:wave32" + path_words());
}

TEST_F(FreshnessTest, of_a_problem_that_is_gone_leads_to_pruning) {
  record_.dimensions[1].second = 65537;
  EXPECT_TRUE(is_orphan(record_, kernel().space));
  EXPECT_EQ(check_record(key_, record_, kernel(), "cache").command, "hiptune check cache --prune" + path_words());
}

TEST_F(FreshnessTest, pruning_removes_orphans_only) {
  auto gone = record_, stale = record_;
  gone.dimensions[1].second = 65537;
  stale.dimensions[0].second = 7;
  stale.provenance.fingerprints.source = "older";
  for (const auto& record : {record_, gone, stale}) store_.put(key_, record);
  const CacheKey other{key_.device, "unknown"};
  store_.put(other, gone);
  const auto pruned = prune_store(store_, path());
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_EQ(pruned[0].problem, problem_key(gone));
  std::vector<std::string> left;
  for (const auto& verdict : check_store(store_, path()))
    left.push_back(to_string(verdict.freshness) + " " + verdict.problem);
  EXPECT_THAT(left, ElementsAre("stale " + problem_key(stale), "fresh " + problem_key(record_),
                                "unknown " + problem_key(gone)));
  EXPECT_TRUE(prune_store(store_, path()).empty());
}

TEST_F(FreshnessTest, pruning_leaves_a_damaged_file_as_it_is) {
  auto gone = record_;
  gone.dimensions[1].second = 65537;
  auto text = document_text("scale", {record_, gone});
  text.replace(text.find("\n]}"), 3, ",\n{}\n]}");
  made_up::write_text(store_.file_of(key_), text);
  EXPECT_TRUE(prune_store(store_, path()).empty());
  EXPECT_EQ(made_up::text_of(store_.file_of(key_)), text);
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
  EXPECT_EQ(verdicts[2].command, "");
  EXPECT_THAT(verdicts[2].reasons, ElementsAre(AllOf(HasSubstr("scale.json:4: "), HasSubstr("restore the file"))));
}

TEST_F(FreshnessTest, of_a_damaged_entry_names_its_problem_and_the_command) {
  auto text = document_text("scale", {record_});
  made_up::write_text(store_.file_of(key_), text.replace(text.find("10250.5"), 7, "10250.6"));
  const auto verdicts = check_store(store_, path());
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::damaged);
  EXPECT_EQ(verdicts[0].problem, problem_key(record_));
  EXPECT_EQ(verdicts[0].command, "hiptune tune scale --rows 1024 --cols 4096 --device host:wave32 --cache " +
                                     store_.root().string() + path_words());
}

TEST_F(FreshnessTest, of_a_store_ends_with_an_unknown_or_broken_kernel) {
  store_.put(key_, record_);
  const KernelPath nothing({}, {});
  auto verdicts = check_store(store_, nothing);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].freshness, Freshness::unknown);
  EXPECT_THAT(verdicts[0].reasons, ElementsAre(HasSubstr("no kernel \"scale\" in the folders searched: add "
                                                         "--kernel-path FOLDER")));
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
  EXPECT_EQ(to_string(Freshness::unknown), "unknown");
  EXPECT_EQ(to_string(Freshness::damaged), "damaged");
}

}  // namespace
}  // namespace hiptune
