#include "cache/files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "made_up.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using made_up::error_of;
using made_up::text_of;
using made_up::write_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FilesTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path at(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] fs::path fifo() const {
    EXPECT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
    return at("fifo");
  }
  static std::string error_of_reading(const fs::path& path) {
    const auto error = error_of([&] { static_cast<void>(read_file(path)); });
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    return error.what();
  }

  made_up::Folder folder_;
};

TEST_F(FilesTest, reading_what_is_no_regular_file_names_it_and_does_not_wait) {
  const auto path = fifo();
  EXPECT_EQ(error_of_reading(path), path.string() + ": is not a regular file but a FIFO: move it elsewhere");
  EXPECT_THAT(error_of_reading(folder_.path()), HasSubstr(": is not a regular file but a folder: "));
  EXPECT_THAT(error_of_reading("/dev/zero"), HasSubstr("/dev/zero: is not a regular file but a device: "));
}

TEST_F(FilesTest, reading_follows_links) {
  write_text(at("plain"), "text");
  fs::create_symlink("plain", at("to plain"));
  fs::create_symlink("/dev/zero", at("to a device"));
  fs::create_symlink("nothing", at("to nothing"));
  EXPECT_EQ(read_file(at("to plain")), "text");
  EXPECT_THAT(error_of_reading(at("to a device")), HasSubstr("to a device: is not a regular file but a device"));
  EXPECT_EQ(read_file(at("to nothing")), std::nullopt);
}

TEST_F(FilesTest, writing_keeps_a_link_and_changes_what_it_leads_to) {
  write_text(at("elsewhere/target"), "old");
  fs::create_symlink("elsewhere/target", at("second"));
  fs::create_symlink(at("second"), at("first"));
  write_atomically(at("first"), "new");
  EXPECT_EQ(fs::read_symlink(at("first")), at("second"));
  EXPECT_EQ(fs::read_symlink(at("second")), "elsewhere/target");
  EXPECT_EQ(text_of(at("elsewhere/target")), "new");
  EXPECT_THAT(list_folder(at("elsewhere")), ElementsAre(at("elsewhere/target")));
}

TEST_F(FilesTest, writing_creates_what_a_link_to_nothing_leads_to) {
  fs::create_symlink("missing", at("link"));
  write_atomically(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(at("missing"))));
  EXPECT_EQ(text_of(at("missing")), "new");
}

TEST_F(FilesTest, writing_refuses_links_in_a_circle_and_what_is_no_regular_file) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  EXPECT_THAT(error_of([&] { write_atomically(at("a"), ""); }).what(), HasSubstr(at("a").string() + ": cannot be"));
  fs::create_symlink(fifo(), at("link"));
  EXPECT_THAT(error_of([&] { write_atomically(at("link"), ""); }).what(), HasSubstr("not a regular file but a FIFO"));
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(FilesTest, a_file_that_cannot_be_written_is_named_by_the_name_that_the_user_knows) {
  const auto error = error_of([&] { write_atomically(at("no folder/file"), ""); });
  EXPECT_THAT(error.what(), StartsWith(at("no folder/file").string() + ": cannot be written: "));
}

// Nobody can create a file in /proc, not even root.
TEST_F(FilesTest, a_folder_that_cannot_be_written_is_named_and_not_the_file_that_it_was_tried_with) {
  const auto error = error_of([] { probe_writable("/proc"); });
  EXPECT_THAT(error.what(), StartsWith("/proc: cannot be written to: "));
  EXPECT_THAT(error.what(), Not(HasSubstr("probe")));
}

}  // namespace
}  // namespace hiptune
