#include "cache/fingerprint.hpp"

#include <gmock/gmock.h>

#include "cache/tokens.hpp"

namespace hiptune {
namespace {

using testing::ElementsAre;

void expect_same(const std::string& a, const std::string& b) {
  EXPECT_EQ(fingerprint_tokens(a), fingerprint_tokens(b)) << a << "\n--- and ---\n" << b;
}
void expect_different(const std::string& a, const std::string& b) {
  EXPECT_NE(fingerprint_tokens(a), fingerprint_tokens(b)) << a << "\n--- and ---\n" << b;
}

TEST(Fingerprint, of_bytes_is_xxh3_128_as_xxhsum_prints_it) {
  EXPECT_EQ(fingerprint_bytes(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Fingerprint, ignores_comments) {
  expect_same("int a = 1;", "int a = 1; // one");
  expect_same("int a = 1; // one", "int a = 1; // two");
  expect_same("int a = 1;", "int /* the\n answer's \" */ a = /**/ 1;");
  expect_same("int a;\nint b;", "int a; // goes on \\\n here\nint b;");
  expect_same("a/b", "a / b");
  expect_same("a", "a /* unterminated");
}

TEST(Fingerprint, ignores_layout) {
  expect_same("if (a) {\n  b();\n}\n", "if(a){b();}");
  expect_same("int a;\r\n#define B 1\r\nint c;\r\n", "int a;\n#define B 1\nint c;\n");
  expect_same("int a;\rint b;", "int a;\nint b;");
  expect_same("#define B 1\n", "  #  define   B   1");
  expect_same("#define B \\\n  1\n", "#define B 1\n");
  expect_same("#define B \\  \n  1\n", "#define B 1\n");
  expect_same("#define B /* two\nlines */ 1\n", "#define B 1\n");
  expect_same("int ab;", "int a\\\nb;");
  expect_same("#pragma once\n\n\n\nint a;", "#pragma once\nint a;\n");
}

TEST(Fingerprint, sees_operators_numbers_and_names) {
  expect_different("a + b", "a - b");
  expect_different("1", "2");
  expect_different("1.0f", "1.0");
  expect_different("ab", "a b");
  expect_different("a+ +b", "a++b");
  expect_different("a < <b", "a << b");
  expect_different("1e+5", "1e +5");
  expect_different("int a;", "");
}

TEST(Fingerprint, sees_what_literals_say) {
  expect_different(R"("a b")", R"("a  b")");
  expect_different(R"("a // b")", R"("a // c")");
  expect_different(R"("a\" // b")", R"("a\" // c")");
  expect_different("'a'", "'b'");
  expect_different(R"('"' // x)", R"('"' "x")");
  expect_different(R"(L"a")", R"(L "a")");
  expect_different("\"a\" /* x */", "\"a /* x */\"");
}

TEST(Fingerprint, keeps_raw_strings_verbatim) {
  expect_different(R"src(R"(a // b)")src", R"src(R"(a // c)")src");
  expect_different(R"src(R"x(a )" b)x")src", R"src(R"x(a )" c)x")src");
  expect_different("R\"(a\n b)\"", "R\"(a b)\"");
  expect_different("R\"(a\\\nb)\"", "R\"(ab)\"");
  expect_same("u8R\"(\")\" ; // x", "u8R\"(\")\";");
  expect_same("R\"(a\r\nb)\"", "R\"(a\nb)\"");
  expect_different("R\"(unterminated", "R\"(undetermined");
  expect_different("R\"unterminated", "R\"undetermined");
}

TEST(Fingerprint, sees_where_a_directive_ends) {
  expect_different("#define A 1\nint b;", "#define A 1 int b;");
  expect_different("#define A\n(1)", "#define A (1)");
  expect_different("a #define A", "a\n#define A");
  expect_different("#if A\nb\n#endif", "#if A b\n#endif");
}

TEST(Fingerprint, tells_a_function_like_macro_from_an_object_like_one) {
  expect_different("#define A(x) x", "#define A (x) x");
  expect_same("#define A(x) x", "#define A(  x ) x // y");
}

TEST(Fingerprint, survives_a_stray_quote) {
  expect_same("#error don't\nint a; // x", "#error don't\nint a;");
  expect_different("#error don't\nint a;", "#error don't\nint b;");
}

TEST(Tokens, are_those_of_the_preprocessor) {
  EXPECT_THAT(preprocessor_tokens("x<<=1'000.5e-3f+.5->*y...z;"),
              ElementsAre("x", "<<=", "1'000.5e-3f", "+", ".5", "->*", "y", "...", "z", ";"));
  EXPECT_THAT(preprocessor_tokens("#define F(a) #a##b\nu8\"x\"_s 'c'"),
              ElementsAre("#", "define", "F", "(…)", "(", "a", ")", "#", "a", "##", "b", "\n", "u8\"x\"_s", "'c'"));
  EXPECT_THAT(preprocessor_tokens(""), ElementsAre());
  EXPECT_THAT(preprocessor_tokens("\\"), ElementsAre("\\"));
}

TEST(Tokens, never_fail_on_a_prefix_of_a_source) {
  const std::string source = "#define A(x) \"\\\"\" R\"d(a)d\" 'c' 1'0 /* c */ // d\\\n e\n\\";
  for (std::size_t size = 0; size <= source.size(); ++size) {
    EXPECT_LE(preprocessor_tokens(source.substr(0, size)).size(), size + 1);
  }
}

TEST(Fingerprint, of_a_kernel_covers_each_file_on_its_own) {
  Kernel kernel;
  kernel.source.text = "int a; // a";
  kernel.reference.text = "int r;";
  kernel.device_layer.text = "int d;";
  kernel.space.canonical_text = "{}";
  const auto before = fingerprints_of(kernel);
  kernel.source.text = "int a;";
  EXPECT_EQ(fingerprints_of(kernel), before);
  kernel.reference.text = "int q;";
  const auto after = fingerprints_of(kernel);
  EXPECT_EQ(after.source, before.source);
  EXPECT_EQ(after.device_layer, before.device_layer);
  EXPECT_EQ(after.space, fingerprint_bytes("{}"));
  EXPECT_NE(after.reference, before.reference);
}

}  // namespace
}  // namespace hiptune
