#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "hiptune/error.hpp"
#include "problem/space.hpp"

// Spaces that the tests of this folder share.
namespace hiptune::test {

inline std::filesystem::path tests_folder() { return std::filesystem::path(HIPTUNE_SOURCE_DIR) / "tests"; }

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline Space read_file(const std::filesystem::path& file) {
  return read_space(text_of_file(file), file.filename().string());
}

inline Space minimal_space() { return read_file(tests_folder() / "schema" / "good" / "minimal.json"); }
inline Space everything_space() { return read_file(tests_folder() / "schema" / "good" / "everything.json"); }
inline Space sixteen_bits_space() { return read_file(tests_folder() / "schema" / "good" / "sixteen_bits.json"); }

// The message of the Error(bad_input) that `action` throws, or "no error".
template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    return error.what();
  }
  return "no error";
}

inline Expression expression(const std::string& text) { return {text, {"space.json", "/here"}}; }

}  // namespace hiptune::test
