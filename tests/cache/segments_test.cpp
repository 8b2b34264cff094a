#include "cache/segments.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "cache/document.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class SegmentsTest : public testing::Test {
 protected:
  void write(const std::string& name) const { made_up::write_text(segments() / name, "x"); }
  [[nodiscard]] fs::path segments() const { return store_.file_of(key_).parent_path() / "rmsnorm.segments"; }
  [[nodiscard]] std::vector<std::string> strays() const {
    std::vector<std::string> texts;
    for (const auto& stray : list_segments(segments()).strays)
      texts.push_back(stray.file.filename().string() + ": " + stray.what);
    return texts;
  }

  made_up::Folder folder_;
  Store store_{folder_.path()};
  CacheKey key_ = cache_key(made_up::target(), "rmsnorm");
};

TEST_F(SegmentsTest, of_an_absent_folder_are_none) {
  EXPECT_THAT(list_segments(segments()).files, IsEmpty());
  EXPECT_THAT(strays(), IsEmpty());
}

TEST_F(SegmentsTest, are_told_from_what_might_have_been_one) {
  for (const auto* name : {"b.json", "a.json", "c.jso", "d.json.bak", "e", ".f"}) write(name);
  fs::create_directories(segments() / "g.json");
  ASSERT_EQ(::mkfifo((segments() / "h.json").c_str(), 0600), 0);
  EXPECT_THAT(list_segments(segments()).files, ElementsAre(segments() / "a.json", segments() / "b.json"));
  EXPECT_THAT(strays(),
              ElementsAre(".f: an unknown file among the segments", "c.jso: an unknown file among the segments",
                          "d.json.bak: an unknown file among the segments", "e: an unknown file among the segments",
                          "g.json: is not a regular file but a folder", "h.json: is not a regular file but a FIFO"));
}

TEST_F(SegmentsTest, share_their_folder_with_leftovers_that_mean_nothing) {
  for (const auto* name : {".a.json.host-1-2-3.tmp", "a.json.damaged", ".DS_Store", "._a.json", "a.json~",
                           ".a.json.swp", ".a.json.swo", "#a.json#", ".#a.json", ".nfs0001", ".gitkeep", "Thumbs.db"})
    write(name);
  EXPECT_THAT(list_segments(segments()).files, IsEmpty());
  EXPECT_THAT(strays(), IsEmpty());
  EXPECT_THAT(store_.keys(), IsEmpty());
}

TEST_F(SegmentsTest, that_lost_their_name_are_damage_of_their_kernel_and_stay) {
  write("a.jso");
  EXPECT_THAT(store_.keys(), ElementsAre(key_));
  store_.put(key_, made_up::record());
  const auto loaded = store_.load(key_);
  EXPECT_EQ(loaded.records.size(), 1U);
  ASSERT_EQ(loaded.damage.size(), 1U);
  EXPECT_EQ(to_string(loaded.damage[0]), (segments() / "a.jso").string() + ": an unknown file among the segments");
  EXPECT_EQ(made_up::text_of(segments() / "a.jso"), "x");
}

TEST_F(SegmentsTest, cannot_be_in_a_file) {
  made_up::write_text(segments(), "x");
  EXPECT_THAT(store_.keys(), ElementsAre(key_));
  EXPECT_THAT(made_up::error_of([&] { static_cast<void>(store_.load(key_)); }).what(),
              testing::HasSubstr("rmsnorm.segments: cannot be listed"));
}

}  // namespace
}  // namespace hiptune
