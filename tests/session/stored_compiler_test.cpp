#include "session/stored_compiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "hiptune/error.hpp"
#include "session_bench.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;

// Code that holds its source, and a count of how often it was made.
class CountingCompiler : public Compiler {
 public:
  CountingCompiler(int& count, std::string version) : count_(count), version_(std::move(version)) {}
  [[nodiscard]] std::string version() const override { return version_; }
  [[nodiscard]] TargetFacts facts(const std::string&) override { return {}; }
  [[nodiscard]] CompileResult compile(const CompileRequest& request) override {
    ++count_;
    if (request.source.text == "bad") return CompileFailure{"bad it is"};
    CodeObject code;
    for (const char c : request.source.text) code.bytes.push_back(static_cast<std::byte>(c));
    code.isa_hash = "isa of " + request.source.text;
    code.resources = {{101, std::nullopt, 1000, 0, 7}, {}};
    return code;
  }

 private:
  int& count_;
  std::string version_;
};

class StoredCompilerTest : public testing::Test {
 protected:
  [[nodiscard]] StoredCompiler compiler(const std::string& version = "1", const std::string& machine = "",
                                        const std::string& build = "built") {
    return {std::make_unique<CountingCompiler>(count_, version), CodeStore(folder()), machine, build};
  }
  [[nodiscard]] fs::path folder() const { return folder_.path() / "compiled"; }
  [[nodiscard]] fs::path file() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder()))
      if (entry.is_regular_file()) return entry.path();
    return {};
  }

  const CompileRequest request_{{"k.hip", "good"}, {{"hiptune_config.h", "constexpr int A = 1;"}}, {"k"}, "gfx90a"};
  test::TemporaryFolder folder_;
  int count_ = 0;
};

TEST_F(StoredCompilerTest, compiles_once_for_all_that_have_the_folder) {
  const auto first = std::get<CodeObject>(compiler().compile(request_));
  const auto second = std::get<CodeObject>(compiler().compile(request_));
  EXPECT_EQ(count_, 1);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(second.isa_hash, "isa of good");
  ASSERT_EQ(second.resources.size(), 2U);
  EXPECT_EQ(second.resources[0].vgprs, 101);
  EXPECT_EQ(second.resources[0].sgprs, std::nullopt);
  EXPECT_EQ(second.resources[0].lds_bytes, 1000);
  EXPECT_EQ(second.resources[0].scratch_bytes, 0);
  EXPECT_EQ(second.resources[0].spilled_registers, 7);
  EXPECT_EQ(second.resources[1].vgprs, std::nullopt);
}

TEST_F(StoredCompilerTest, compiles_again_whatever_of_its_input_differs) {
  (void)compiler().compile(request_);
  std::vector<CompileRequest> others(5, request_);
  others[0].source.text = "gone";
  others[1].headers[0].text = "constexpr int A = 2;";
  others[2].entry_points = {"other"};
  others[3].architecture = "gfx1030";
  others[4].source.name = "other.hip";
  for (const CompileRequest& other : others) (void)compiler().compile(other);
  EXPECT_EQ(count_, 6);
  (void)compiler("2").compile(request_);
  (void)compiler("1", "another CPU").compile(request_);
  (void)compiler("1", "", "built again").compile(request_);
  EXPECT_EQ(count_, 9);
  (void)compiler().compile(request_);
  EXPECT_EQ(count_, 9);
}

TEST_F(StoredCompilerTest, a_source_that_does_not_compile_is_asked_for_each_time) {
  CompileRequest bad = request_;
  bad.source.text = "bad";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(std::get<CompileFailure>(compiler().compile(bad)).log, "bad it is");
  EXPECT_EQ(count_, 2);
}

TEST_F(StoredCompilerTest, a_damaged_file_is_compiled_again_and_mended) {
  (void)compiler().compile(request_);
  const std::string whole = test::text_of_file(file());
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(file(), std::ios::binary) << damaged;
    const int before = count_;
    EXPECT_EQ(std::get<CodeObject>(compiler().compile(request_)).bytes.size(), 4U);
    EXPECT_EQ(count_, before + 1) << at;
    EXPECT_EQ(test::text_of_file(file()), whole);
  }
  fs::resize_file(file(), whole.size() - 1);
  (void)compiler().compile(request_);
  EXPECT_EQ(test::text_of_file(file()), whole);
}

TEST_F(StoredCompilerTest, a_folder_that_cannot_be_written_is_no_reason_not_to_compile) {
  std::ofstream(folder()) << "a file where the folder should be";
  EXPECT_EQ(std::get<CodeObject>(compiler().compile(request_)).isa_hash, "isa of good");
}

TEST_F(StoredCompilerTest, what_was_used_last_stays_when_the_store_shrinks) {
  std::vector<CompileRequest> requests(4, request_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].source.text = "good" + std::to_string(i);
    (void)compiler().compile(requests[i]);
    for (const auto& entry : fs::recursive_directory_iterator(folder()))  // an hour passes
      fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::hours(1));
  }
  (void)compiler().compile(requests[0]);  // counts as used now
  const std::uintmax_t size = fs::file_size(file());
  CodeStore(folder()).shrink_to(2 * size);
  EXPECT_EQ(count_, 4);
  for (const std::size_t i : {0, 3}) (void)compiler().compile(requests[i]);
  EXPECT_EQ(count_, 4);
  for (const std::size_t i : {1, 2}) (void)compiler().compile(requests[i]);
  EXPECT_EQ(count_, 6);
}

TEST_F(StoredCompilerTest, a_store_that_is_not_there_shrinks_to_nothing) {
  CodeStore(folder()).shrink_to(0);
  (void)compiler().compile(request_);
  CodeStore(folder()).shrink_to(0);
  EXPECT_EQ(file(), fs::path());
}

TEST(LoadedBuild, is_the_same_for_the_same_program) {
  EXPECT_FALSE(loaded_build().empty());
  EXPECT_EQ(loaded_build(), loaded_build());
}

}  // namespace
}  // namespace hiptune
