#include "session/disassembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hiptune/error.hpp"
#include "session_bench.hpp"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Shell scripts under the names of disassemblers.
class Disassemblers : public testing::Test {
 protected:
  std::filesystem::path program(const std::string& folder, const std::string& name, const std::string& text = "") {
    const std::filesystem::path file = folder_.path() / folder / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  [[nodiscard]] std::vector<std::filesystem::path> found(const std::string& backend) const {
    std::vector<std::filesystem::path> files;
    for (const Disassembler& each :
         find_disassemblers(backend, {folder_.path() / "a", folder_.path() / "nowhere", folder_.path() / "b"}))
      files.push_back(each.program);
    return files;
  }

  [[nodiscard]] std::filesystem::path code() const { return folder_.path() / "x.co"; }
  [[nodiscard]] std::filesystem::path text() const { return folder_.path() / "x.s"; }

  const test::TemporaryFolder folder_;
};

TEST_F(Disassemblers, are_tried_by_plain_name_first_then_the_newest) {
  const auto nine = program("a", "llvm-objdump-9"), fifteen = program("b", "llvm-objdump-15"),
             plain = program("b", "llvm-objdump");
  program("a", "llvm-objdump-15.old");
  program("a", "objdump");
  std::filesystem::create_directories(folder_.path() / "a" / "llvm-objdump");
  EXPECT_THAT(found("amd"), ElementsAre(plain, fifteen, nine));
}

TEST_F(Disassemblers, for_nvidia_are_nvdisasm_else_cuobjdump) {
  const auto cuobjdump = program("a", "cuobjdump"), nvdisasm = program("b", "nvdisasm");
  EXPECT_THAT(found("nvidia"), ElementsAre(nvdisasm, cuobjdump));
  EXPECT_EQ(find_disassemblers("nvidia", {folder_.path() / "a"}).front().options,
            std::vector<std::string>{"--dump-sass"});
}

TEST_F(Disassemblers, that_are_not_there_come_with_what_to_install) {
  for (const char* backend : {"amd", "nvidia", "host"}) {
    EXPECT_TRUE(found(backend).empty());
    EXPECT_THAT(no_disassembler(backend), HasSubstr("install"));
  }
}

TEST_F(Disassemblers, that_fail_are_followed_by_the_next) {
  program("a", "objdump", "echo 'cannot read it'; exit 1");
  program("b", "objdump", "echo \"$@\"");
  EXPECT_EQ(disassemble(find_disassemblers("host", {folder_.path() / "a", folder_.path() / "b"}), code(), text()),
            std::nullopt);
  EXPECT_EQ(test::text_of_file(text()), "--disassemble x.co\n");
}

TEST_F(Disassemblers, that_all_fail_leave_no_text_and_the_last_one_s_words) {
  program("a", "objdump", "echo 'cannot read it'; echo more; exit 1");
  const auto why_not = disassemble(find_disassemblers("host", {folder_.path() / "a"}), code(), text());
  EXPECT_EQ(why_not, (folder_.path() / "a/objdump").string() + ": cannot read it");
  EXPECT_FALSE(std::filesystem::exists(text()));
}

TEST_F(Disassemblers, whose_text_cannot_be_written_are_bad_input) {
  program("a", "objdump", "echo text");
  EXPECT_THROW(
      (void)disassemble(find_disassemblers("host", {folder_.path() / "a"}), code(), folder_.path() / "nowhere" / "x.s"),
      Error);
}

}  // namespace
}  // namespace hiptune
