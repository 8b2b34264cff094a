#include "cache/store.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>

#include "cache/document.hpp"
#include "cache/files.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using made_up::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return store_.file_of(key_); }
  [[nodiscard]] fs::path segments() const { return file().parent_path() / "rmsnorm.segments"; }
  void write_segment(const std::string& name, const std::string& text) const {
    made_up::write_text(segments() / name, text);
  }
  [[nodiscard]] std::vector<std::string> names_in_device_folder() const {
    std::vector<std::string> names;
    for (const auto& path : list_folder(file().parent_path())) names.push_back(path.filename());
    return names;
  }
  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> problems;
    for (const auto& record : store_.load(key_).records) problems.push_back(problem_key(record));
    return problems;
  }

  made_up::Folder folder_;
  Store store_{folder_.path() / "cache"};
  CacheKey key_ = cache_key(made_up::target(), "rmsnorm");
};

constexpr const char* kRows1 = "rows=1 cols=4096 dtype=f32 ALIGN=16";
constexpr const char* kRows2 = "rows=2 cols=4096 dtype=f32 ALIGN=16";

TEST_F(StoreTest, absent_folder_is_empty) {
  EXPECT_THAT(store_.keys(), IsEmpty());
  EXPECT_THAT(store_.load(key_).records, IsEmpty());
  EXPECT_TRUE(store_.compact(key_));
  EXPECT_FALSE(fs::exists(store_.root()));
}

TEST_F(StoreTest, loads_what_was_put_sorted_by_problem) {
  store_.put(key_, made_up::record(2));
  store_.put(key_, made_up::record(1));
  EXPECT_THAT(problems(), ElementsAre(kRows1, kRows2));
  EXPECT_EQ(made_up::text_of(file()), document_text("rmsnorm", {made_up::record(1), made_up::record(2)}));
  EXPECT_EQ(file(), store_.root() / "x86_64-wave32-Intel-R-Xeon-R-Processor" / "rmsnorm.json");
}

TEST_F(StoreTest, leaves_nothing_behind_but_the_file) {
  store_.put(key_, made_up::record());
  EXPECT_THAT(names_in_device_folder(), ElementsAre("rmsnorm.json", "rmsnorm.segments"));
  EXPECT_THAT(list_folder(segments()), IsEmpty());
}

TEST_F(StoreTest, newer_entry_replaces_older_one_only) {
  store_.put(key_, made_up::record(1, "2026-05-01T00:00:00Z"));
  write_segment("a.json", document_text("rmsnorm", {made_up::record(1, "2026-06-01T00:00:00Z")}));
  write_segment("b.json", document_text("rmsnorm", {made_up::record(1, "2026-04-01T00:00:00Z")}));
  EXPECT_TRUE(store_.compact(key_));
  const auto records = store_.load(key_).records;
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].provenance.date, "2026-06-01T00:00:00Z");
}

// Of a machine whose clock is ahead.
TEST_F(StoreTest, put_replaces_what_its_writer_finds_also_where_that_has_a_later_date) {
  store_.put(key_, made_up::record(1, "2099-01-01T00:00:00Z"));
  EXPECT_EQ(store_.load(key_).records.at(0).provenance.revision, 0);
  for (const std::int64_t revision : {1, 2}) {  // the second has the date of the first
    auto next = made_up::record(1, "2026-06-01T00:00:00Z");
    next.timing.cold.median_ns = static_cast<double>(revision);
    store_.put(key_, next);
    store_.put(key_, next);  // once more the same: no revision of its own
    const auto records = store_.load(key_).records;
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].timing.cold.median_ns, static_cast<double>(revision));
    EXPECT_EQ(records[0].provenance.date, "2026-06-01T00:00:00Z");
    EXPECT_EQ(records[0].provenance.revision, revision);
  }
  store_.put(key_, made_up::record(1, "2026-07-01T00:00:00Z"));
  EXPECT_EQ(store_.load(key_).records.at(0).provenance.date, "2026-07-01T00:00:00Z");
  EXPECT_EQ(store_.load(key_).records.at(0).provenance.revision, 2);
}

TEST_F(StoreTest, put_keeps_what_was_made_from_the_same_sources_before_a_newer_entry_of_others) {
  auto stale = made_up::record(2, "2099-01-01T00:00:00Z");
  stale.provenance.fingerprints.source = "older";
  write_segment("a.json", document_text("rmsnorm", {stale}));
  write_segment("b.json", document_text("rmsnorm", {made_up::record(2)}));
  store_.put(key_, made_up::record(1));
  EXPECT_EQ(to_json_line(store_.load(key_).records.at(1)), to_json_line(made_up::record(2)));
}

TEST_F(StoreTest, reads_segments_that_nobody_has_merged) {
  store_.put(key_, made_up::record(1));
  write_segment("a.json", document_text("rmsnorm", {made_up::record(2)}));
  EXPECT_THAT(problems(), ElementsAre(kRows1, kRows2));
  EXPECT_TRUE(store_.compact(key_));
  EXPECT_THAT(list_folder(segments()), IsEmpty());
  EXPECT_THAT(problems(), ElementsAre(kRows1, kRows2));
}

TEST_F(StoreTest, drops_what_is_unwanted_from_file_and_segments) {
  store_.put(key_, made_up::record(1));
  store_.put(key_, made_up::record(2));
  write_segment("a.json", document_text("rmsnorm", {made_up::record(3)}));
  const auto odd = [](const Record& record) { return record.dimensions[0].second % 2 == 1; };
  EXPECT_EQ(store_.drop(key_, nullptr, odd).size(), 2U);
  EXPECT_THAT(problems(), ElementsAre(kRows2));
  EXPECT_TRUE(store_.drop(key_, nullptr, odd).empty());
  const auto lock = FileLock::acquire(file().parent_path() / "rmsnorm.lock");
  EXPECT_THAT(error_of([&] { store_.drop(key_, nullptr, odd); }).what(), HasSubstr("another process is writing it"));
}

TEST_F(StoreTest, drops_nothing_where_something_is_damaged) {
  store_.put(key_, made_up::record(1));
  write_segment("a.json", "garbage");
  EXPECT_TRUE(store_.drop(key_, nullptr, [](const Record&) { return true; }).empty());
  EXPECT_THAT(problems(), ElementsAre(kRows1));
}

TEST_F(StoreTest, keys_include_kernels_with_segments_only) {
  write_segment("a.json", document_text("rmsnorm", {made_up::record()}));
  store_.put({"gfx90a", "copy"}, made_up::record());
  made_up::write_text(store_.root() / "README.md", "");
  fs::create_directories(store_.root() / "gfx90a" / "idle.segments");
  EXPECT_THAT(store_.keys(), ElementsAre(CacheKey{"gfx90a", "copy"}, key_));
}

TEST_F(StoreTest, put_keeps_the_entry_in_a_segment_while_the_lock_is_held) {
  fs::create_directories(file().parent_path());
  {
    const auto lock = FileLock::acquire(file().parent_path() / "rmsnorm.lock");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(store_.compact(key_));
    store_.put(key_, made_up::record(1));
    EXPECT_FALSE(fs::exists(file()));
    EXPECT_THAT(problems(), ElementsAre(kRows1));
  }
  EXPECT_TRUE(store_.compact(key_));
  EXPECT_TRUE(fs::exists(file()));
}

TEST_F(StoreTest, compacting_twice_leaves_the_file_untouched) {
  store_.put(key_, made_up::record());
  const fs::file_time_type long_ago = fs::file_time_type::clock::now() - std::chrono::hours(100);
  fs::last_write_time(file(), long_ago);
  EXPECT_TRUE(store_.compact(key_));
  EXPECT_EQ(fs::last_write_time(file()), long_ago);
}

TEST_F(StoreTest, skips_a_damaged_line_and_keeps_the_rest) {
  auto text = document_text("rmsnorm", {made_up::record(1), made_up::record(2)});
  made_up::write_text(file(), text.replace(text.find("[\"rows\",1]"), 10, "[\"rows\",7]"));
  EXPECT_THAT(problems(), ElementsAre(kRows2));
  const auto damage = store_.load(key_).damage;
  ASSERT_EQ(damage.size(), 1U);
  EXPECT_EQ(damage[0].file, file());
  EXPECT_EQ(damage[0].line, 2);
}

TEST_F(StoreTest, keeps_a_damaged_file_aside_before_replacing_it) {
  const auto text = document_text("rmsnorm", {made_up::record(1), made_up::record(2)});
  const auto cut = text.substr(0, text.size() - 10);
  made_up::write_text(file(), cut);
  store_.put(key_, made_up::record(3));
  EXPECT_THAT(problems(), ElementsAre(kRows1, "rows=3 cols=4096 dtype=f32 ALIGN=16"));
  EXPECT_THAT(store_.load(key_).damage, IsEmpty());
  const auto names = names_in_device_folder();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_THAT(names[1], testing::StartsWith("rmsnorm.json.damaged-"));
  EXPECT_EQ(made_up::text_of(file().parent_path() / names[1]), cut);
}

TEST_F(StoreTest, never_overwrites_a_copy_kept_aside) {
  made_up::write_text(file(), "garbage");
  store_.compact(key_);
  const auto copy = file().parent_path() / names_in_device_folder().at(1);
  made_up::write_text(copy, "edited since");
  made_up::write_text(file(), "garbage");
  store_.compact(key_);
  made_up::write_text(file(), "garbage");
  store_.compact(key_);
  EXPECT_EQ(made_up::text_of(copy), "edited since");
  EXPECT_EQ(made_up::text_of(copy.string() + "-2"), "garbage");
  EXPECT_FALSE(fs::exists(copy.string() + "-3"));
}

TEST_F(StoreTest, reports_a_damaged_segment_and_keeps_it_aside_when_compacting) {
  const auto text = document_text("rmsnorm", {made_up::record(2)});
  const auto cut = text.substr(0, text.size() - 4);
  write_segment("a.json", cut);
  const auto damage = store_.load(key_).damage;
  ASSERT_EQ(damage.size(), 1U);
  EXPECT_EQ(damage[0].file, segments() / "a.json");
  store_.put(key_, made_up::record(1));
  EXPECT_THAT(problems(), ElementsAre(kRows1, kRows2));
  EXPECT_THAT(store_.load(key_).damage, IsEmpty());
  EXPECT_THAT(list_folder(segments()), ElementsAre(segments() / "a.json.damaged"));
  EXPECT_EQ(made_up::text_of(segments() / "a.json.damaged"), cut);
}

TEST_F(StoreTest, ignores_what_a_dead_writer_left_and_removes_it_after_a_day) {
  const auto fresh = segments() / ".a.json.host-1-2-3.tmp";
  const auto old = segments() / ".b.json.host-1-2-3.tmp";
  const auto old_main = file().parent_path() / ".rmsnorm.json.host-1-2-3.tmp";
  const auto other = file().parent_path() / ".copy.json.host-1-2-3.tmp";
  for (const auto& path : {fresh, old, old_main, other}) {
    made_up::write_text(path, "half an en");
    if (path != fresh) fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  store_.put(key_, made_up::record(1));
  EXPECT_THAT(store_.load(key_).damage, IsEmpty());
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(old_main));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(StoreTest, refuses_to_touch_a_file_of_a_newer_schema_but_loses_nothing) {
  const std::string newer = "{\"about\":{\"kernel\":\"rmsnorm\",\"schema_version\":3},\"entries\":[\n]}\n";
  made_up::write_text(file(), newer);
  for (const auto& error :
       {error_of([&] { static_cast<void>(store_.load(key_)); }), error_of([&] { store_.require_writable(key_); }),
        error_of([&] { store_.compact(key_); }), error_of([&] { store_.put(key_, made_up::record()); })}) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("written by a newer hiptune (schema 3, this one reads 2)"));
  }
  EXPECT_EQ(made_up::text_of(file()), newer);
  const auto kept = list_folder(segments());
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(made_up::text_of(kept[0]), document_text("rmsnorm", {made_up::record()}));
  EXPECT_THAT(error_of([&] { store_.put(key_, made_up::record()); }).what(),
              HasSubstr("the new entry is kept in " + segments().string()));
}

TEST_F(StoreTest, says_when_a_file_cannot_be_read) {
  fs::create_directories(file());
  const auto error = error_of([&] { static_cast<void>(store_.load(key_)); });
  EXPECT_EQ(error.kind(), ErrorKind::failed);
  EXPECT_THAT(error.what(), HasSubstr(file().string() + ": is not a regular file but a folder"));
}

TEST_F(StoreTest, does_not_wait_for_a_fifo_in_place_of_the_file_and_keeps_the_entry) {
  fs::create_directories(file().parent_path());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  for (const auto& error :
       {error_of([&] { static_cast<void>(store_.load(key_)); }), error_of([&] { store_.require_writable(key_); }),
        error_of([&] { store_.put(key_, made_up::record()); })})
    EXPECT_THAT(error.what(), HasSubstr("rmsnorm.json: is not a regular file but a FIFO"));
  EXPECT_TRUE(fs::is_fifo(file()));
  EXPECT_EQ(list_folder(segments()).size(), 1U);
}

TEST_F(StoreTest, writes_where_a_link_leads_and_keeps_the_link) {
  const auto shared = folder_.path() / "shared" / "results.json";
  fs::create_directories(shared.parent_path());
  fs::create_directories(file().parent_path());
  fs::create_symlink(shared, file());
  store_.put(key_, made_up::record(1));
  store_.put(key_, made_up::record(2));
  EXPECT_EQ(fs::read_symlink(file()), shared);
  EXPECT_EQ(made_up::text_of(shared), document_text("rmsnorm", {made_up::record(1), made_up::record(2)}));
  EXPECT_THAT(list_folder(shared.parent_path()), ElementsAre(shared));
}

TEST_F(StoreTest, two_folders_that_link_to_one_file_share_its_lock) {
  const auto shared = folder_.path() / "shared" / "results.json";
  fs::create_directories(file().parent_path());
  fs::create_symlink(shared, file());
  store_.require_writable(key_);  // makes the folder that the link leads to
  {
    const auto lock = FileLock::acquire(shared.parent_path() / "results.lock");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(store_.compact(key_));
  }
  EXPECT_TRUE(store_.compact(key_));
}

TEST_F(StoreTest, keeps_a_json_file_that_is_no_cache_aside) {
  const std::string foreign = "{\n  \"name\": \"package\"\n}\n";
  made_up::write_text(file(), foreign);
  EXPECT_EQ(store_.load(key_).damage.size(), 1U);
  EXPECT_EQ(made_up::text_of(file()), foreign);
  store_.put(key_, made_up::record(1));
  EXPECT_THAT(problems(), ElementsAre(kRows1));
  EXPECT_EQ(made_up::text_of(file().parent_path() / names_in_device_folder().at(1)), foreign);
}

TEST_F(StoreTest, require_writable_leaves_no_trace_that_counts) {
  store_.require_writable(key_);
  EXPECT_THAT(store_.keys(), IsEmpty());
  EXPECT_THAT(names_in_device_folder(), ElementsAre("rmsnorm.segments"));
}

TEST_F(StoreTest, require_writable_refuses_a_path_below_a_file_and_a_system_folder) {
  made_up::write_text(folder_.path() / "plain", "");
  for (const auto& root : {folder_.path() / "plain" / "cache", fs::path("/proc/hiptune-cache")}) {
    const auto error = error_of([&] { Store(root).require_writable(key_); });
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr(root.string()));
    EXPECT_THAT(error.what(), HasSubstr("choose another folder with --cache"));
  }
}

TEST_F(StoreTest, does_not_store_a_record_that_would_not_read_back) {
  auto record = made_up::record();
  record.timing.cold.median_ns = -1;
  EXPECT_THROW(store_.put(key_, record), std::logic_error);
  EXPECT_THAT(store_.load(key_).records, IsEmpty());
}

}  // namespace
}  // namespace hiptune
