#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "session/trial.hpp"

namespace hiptune::cli {

// What an entry point of a plan needs: what its compiler says, and the LDS that the plan asks for.
struct EntryReport {
  std::string entry;
  Resources resources;
  std::int64_t dynamic_lds = 0;  // of the plan's launches of it, the most

  // Static and dynamic. None where the compiler does not say.
  [[nodiscard]] std::optional<std::int64_t> lds_bytes() const;
};

// A variant, compiled for an architecture.
struct VariantReport {
  Trial trial;
  std::vector<EntryReport> entries;  // empty where it did not compile
  std::optional<std::filesystem::path> code_file, disassembly;
};

[[nodiscard]] VariantReport report_of(Trial trial, const Space& space, const Problem& problem,
                                      const TargetFacts& facts);

// A line per entry point; the entry points have a column where a variant has several. Ends without a newline.
[[nodiscard]] std::string table_of(const std::vector<VariantReport>& reports);

// What the compiler does not say is null.
[[nodiscard]] nlohmann::ordered_json to_json(const VariantReport& report, const std::string& architecture,
                                             const std::string& problem);

}  // namespace hiptune::cli
