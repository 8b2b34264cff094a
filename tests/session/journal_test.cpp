#include "session/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hiptune/error.hpp"
#include "session_bench.hpp"

namespace hiptune {
namespace {

using test::TemporaryFolder;
using test::text_of_file;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Journal, holds_each_line_as_soon_as_it_was_appended) {
  const TemporaryFolder folder;
  Journal journal(folder.path() / "deep" / "journal", "rmsnorm");
  EXPECT_EQ(text_of_file(journal.file()), "");
  journal.append({{"trial", 1}});
  EXPECT_EQ(text_of_file(journal.file()), "{\"trial\":1}\n");
  journal.append({{"trial", 2}});
  EXPECT_EQ(text_of_file(journal.file()), "{\"trial\":1}\n{\"trial\":2}\n");
}

TEST(Journal, is_named_by_kernel_and_time) {
  const TemporaryFolder folder;
  const Journal journal(folder.path(), "rmsnorm");
  EXPECT_THAT(journal.file().filename().string(), MatchesRegex("rmsnorm-[-0-9T.]+Z-[0-9]+\\.jsonl"));
}

TEST(Journal, that_cannot_be_written_is_an_error_that_says_what_to_do) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  try {
    const Journal journal(folder.path() / "file" / "journal", "rmsnorm");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr((folder.path() / "file" / "journal").string()));
    EXPECT_THAT(error.what(), HasSubstr("--cache"));
  }
}

TEST(UtcNow, is_a_date_to_the_millisecond) {
  EXPECT_THAT(utc_now(), MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]"
                                      "\\.[0-9][0-9][0-9]Z"));
}

}  // namespace
}  // namespace hiptune
