#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/store.hpp"

namespace hiptune {

// The text of a cache file or of a segment. One JSON document, laid out so that git shows a change per entry and that
// a damaged file can still be read line by line:
//   {"about":{"kernel":"rmsnorm","schema_version":1},"entries":[
//   {entry},
//   {entry}
//   ]}
// Keys are sorted; the schema comes first, so that it survives truncation.
inline constexpr int kSchemaVersion = 1;

[[nodiscard]] std::string document_text(const std::string& kernel, const std::vector<Record>& records);

// Entries that are sound, in the file's order, and what is not. Throws Error(bad_input) for a newer schema.
[[nodiscard]] Loaded read_document(const std::string& text, const std::filesystem::path& file,
                                   const std::string& kernel);

// One record per problem, the newest, sorted by problem: numerically by dimensions, then dtype, then traits. Of two
// of the same date the greater checksum wins, so that every reader and writer agrees.
[[nodiscard]] std::vector<Record> newest_per_problem(const std::vector<Record>& records);

}  // namespace hiptune
