#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/store.hpp"

namespace hiptune {

// The text of a cache file or of a segment. One JSON document, laid out so that git shows a change per entry and that
// a damaged file can still be read line by line:
//   {"about":{"kernel":"rmsnorm","schema_version":2},"entries":[
//   {entry},
//   {entry}
//   ]}
// Keys are sorted; the schema comes first, so that it survives truncation.
inline constexpr int kSchemaVersion = 2;

[[nodiscard]] std::string document_text(const std::string& kernel, const std::vector<Record>& records);

// Entries that are sound, in the file's order, and what is not. Throws Error(bad_input) for a newer schema.
[[nodiscard]] Loaded read_document(const std::string& text, const std::filesystem::path& file,
                                   const std::string& kernel);

// Of a later revision or, in the same one, of a later date.
[[nodiscard]] bool is_newer(const Record& a, const Record& b);

// One record per problem, sorted by problem: numerically by dimensions, then dtype, then traits. One made from
// `sources`, where they are known, wins over one that was not; then the newer one; of two equally new ones that with
// the greater checksum, so that every reader and writer agrees.
[[nodiscard]] std::vector<Record> newest_per_problem(const std::vector<Record>& records,
                                                     const Fingerprints* sources = nullptr);

}  // namespace hiptune
