#include "cache/code_store.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "device/host/cpu_features.hpp"
#include "made_up.hpp"

namespace hiptune {
namespace {

using made_up::error_of;
using testing::HasSubstr;

CodeObject code_of(const std::string& text) {
  CodeObject code;
  for (const char c : text) code.bytes.push_back(static_cast<std::byte>(c));
  code.isa_hash = "abc";
  return code;
}

Variant variant_of(const std::string& source) {
  Variant variant;
  variant.source = {"k.hip", source};
  variant.headers = {{"hiptune_config.h", "constexpr int A = 1;"}};
  variant.entry_points = {"k"};
  return variant;
}

// Counts what it is asked for, and fails for the source "bad".
class CountingCompiler : public Compiler {
 public:
  std::string version() const override {
    if (version_text.empty()) throw unavailable("no compiler");
    return version_text;
  }
  TargetFacts facts(const std::string&) override { return {}; }
  CompileResult compile(const CompileRequest& request) override {
    ++compiled;
    if (request.source.text == "bad") return CompileFailure{"k.hip:1: no such thing"};
    return code_of(request.source.text);
  }
  std::atomic<int> compiled{0};
  std::string version_text = "counting";  // empty: it cannot run
};

class CodeStoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) return entry.path();
    return {};
  }
  made_up::Folder folder_;
  CodeStore store_{folder_.path() / "objects"};
  CountingCompiler compiler_;
};

TEST_F(CodeStoreTest, what_was_put_is_found_byte_for_byte) {
  const CodeObject code = code_of(std::string("a\nb\0c", 5));
  store_.put("0123", "counting", code);
  const auto found = store_.find("0123", "counting");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, code.bytes);
  EXPECT_EQ(found->isa_hash, "abc");
  EXPECT_FALSE(store_.find("0124", "counting"));
}

TEST_F(CodeStoreTest, compiles_once_and_then_needs_no_compiler) {
  (void)store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  (void)store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  EXPECT_EQ(compiler_.compiled, 1);
  EXPECT_EQ(store_.find_or_compile(variant_of("good"), made_up::target(), nullptr).bytes, code_of("good").bytes);
}

TEST_F(CodeStoreTest, every_part_of_a_variant_and_its_target_counts_for_the_key) {
  const std::string key = CodeStore::key_of(variant_of("good"), made_up::target());
  EXPECT_EQ(CodeStore::key_of(variant_of("good"), made_up::target()), key);
  EXPECT_NE(CodeStore::key_of(variant_of("good "), made_up::target()), key);
  Variant variant = variant_of("good");
  variant.headers[0].text = "constexpr int A = 2;";
  EXPECT_NE(CodeStore::key_of(variant, made_up::target()), key);
  variant = variant_of("good");
  variant.entry_points = {"other"};
  EXPECT_NE(CodeStore::key_of(variant, made_up::target()), key);
  Target target = made_up::target();
  target.architecture = "x86_64-wave64";
  EXPECT_NE(CodeStore::key_of(variant_of("good"), target), key);
  target = made_up::target();
  target.name = "another processor";
  EXPECT_NE(CodeStore::key_of(variant_of("good"), target), key);
  target = made_up::target();
  EXPECT_EQ(CodeStore::key_of(variant_of("good"), target, host::cpu_features()), key);
  EXPECT_NE(CodeStore::key_of(variant_of("good"), target, host::cpu_features() + "flags=avx1024\n"), key);
}

TEST_F(CodeStoreTest, of_another_compiler_is_compiled_again_but_serves_where_there_is_none) {
  (void)store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  compiler_.version_text = "newer";
  (void)store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  EXPECT_EQ(compiler_.compiled, 2);
  compiler_.version_text = "";
  EXPECT_EQ(store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_).bytes, code_of("good").bytes);
  EXPECT_EQ(store_.find_or_compile(variant_of("good"), made_up::target(), nullptr).bytes, code_of("good").bytes);
  EXPECT_EQ(compiler_.compiled, 2);
}

TEST(CpuFeatures, are_the_first_cpu_s_flags_in_any_order) {
  std::istringstream one("processor\t: 0\nmodel name\t: X\nflags\t\t: avx sse\n\nprocessor\t: 1\nflags\t\t: fpu\n");
  std::istringstream other("flags : sse avx\nbugs : many\n");
  std::istringstream arm("Features\t: fp sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(host::cpu_features(one), "flags=avx\nflags=sse\n");
  EXPECT_EQ(host::cpu_features(other), "flags=avx\nflags=sse\n");
  EXPECT_EQ(host::cpu_features(arm), "CPU implementer=0x41\nCPU part=0xd40\nFeatures=fp\nFeatures=sve\n");
}

TEST_F(CodeStoreTest, a_damaged_file_is_compiled_again_and_mended) {
  (void)store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  const std::string text = made_up::text_of(file());
  for (const std::string& damage : {text.substr(0, text.size() - 1), text.substr(0, 20), std::string(), "x" + text}) {
    made_up::write_text(file(), damage);
    EXPECT_FALSE(store_.find(CodeStore::key_of(variant_of("good"), made_up::target()), "counting"));
    EXPECT_EQ(store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_).bytes, code_of("good").bytes);
    EXPECT_EQ(made_up::text_of(file()), text);
  }
}

TEST_F(CodeStoreTest, a_source_that_does_not_compile_is_bad_input_with_its_log) {
  const Error error = error_of([&] { (void)store_.find_or_compile(variant_of("bad"), made_up::target(), &compiler_); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("k.hip:1: no such thing"));
}

TEST_F(CodeStoreTest, without_code_and_compiler_it_is_unavailable) {
  const Error error = error_of([&] { (void)store_.find_or_compile(variant_of("good"), made_up::target(), nullptr); });
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
}

TEST_F(CodeStoreTest, a_folder_that_cannot_be_written_is_no_reason_not_to_run) {
  made_up::write_text(folder_.path() / "objects", "a file where the folder should be");
  EXPECT_THROW(store_.put("0123", "counting", code_of("a")), Error);
  EXPECT_EQ(store_.find_or_compile(variant_of("good"), made_up::target(), &compiler_).bytes, code_of("good").bytes);
}

TEST_F(CodeStoreTest, an_empty_path_keeps_nothing) {
  const CodeStore nowhere{std::filesystem::path()};
  nowhere.put("0123", "counting", code_of("a"));
  EXPECT_FALSE(nowhere.find("0123", "counting"));
  (void)nowhere.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  (void)nowhere.find_or_compile(variant_of("good"), made_up::target(), &compiler_);
  EXPECT_EQ(compiler_.compiled, 2);
}

TEST_F(CodeStoreTest, threads_that_store_the_same_code_leave_one_good_file) {
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) store_.put("0123", "counting", code_of("the same"));
      });
  }
  EXPECT_TRUE(store_.find("0123", "counting"));
  const auto files = std::filesystem::directory_iterator(file().parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace hiptune
