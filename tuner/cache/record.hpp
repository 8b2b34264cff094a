#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/compiler.hpp"
#include "device/target.hpp"
#include "problem/config.hpp"

namespace hiptune {

struct TimingSummary {
  double median_ns = 0;
  double spread_ns = 0;  // half the width of the central 50 % of the samples
  int samples = 0;
};

// Both modes are recorded; the objective says which decides.
struct Timing {
  TimingSummary cold;
  TimingSummary warm;
};

enum class Objective { cold, warm };
[[nodiscard]] std::string to_string(Objective objective);
[[nodiscard]] std::optional<Objective> parse_objective(std::string_view text);
[[nodiscard]] const TimingSummary& summary_for(const Timing& timing, Objective objective);

struct RecordedBaseline {
  std::string name;
  Config config;
  std::optional<Timing> timing;  // none: it was not timed
  std::string outcome;           // "timed", or why not: "wrong: …"
};

// The faster of the tuned copy kernel and the device's own copy, moving the same bytes.
struct Yardstick {
  std::string name;  // "device copy" or "copy BLOCK_SIZE=256 …"
  Timing timing;
};

struct GateErrors {
  double max_absolute = 0;
  double max_relative = 0;
  double max_in_limits = 0;  // 1.0 is the tolerance itself
  int checks = 0;
  // Since schema version 2; entries of version 1 have none of these.
  std::optional<double> max_absolute_at_shape{};  // on random inputs at the tuned shape
  std::string worst{};                            // where max_in_limits was met
  std::string precheck{};                         // on the CPU: "passed", or why there was none
};

// Hashes over preprocessor tokens: comments and white space do not count.
struct Fingerprints {
  std::string source;
  std::string device_layer;
  std::string space;
  std::string reference;
  friend bool operator==(const Fingerprints&, const Fingerprints&) = default;
};

struct CompilerRecord {
  std::string version;
  std::string isa_hash;
  std::vector<Resources> resources;  // per entry point
};

struct Provenance {
  Fingerprints fingerprints;
  std::vector<CompilerRecord> compilers;
  Target target;
  std::string date;  // UTC, "2026-11-30T03:42:18.123Z"
  std::uint64_t seed = 0;
  std::string hiptune_version;
  // How often an entry was replaced whose date was not the earlier one: a clock that is off must not win for ever.
  std::int64_t revision = 0;
};
inline constexpr std::int64_t kMaxRevision = 1'000'000'000;

// One cache entry: a problem, the configuration that won it, and everything needed to trust it.
struct Record {
  std::vector<std::pair<std::string, std::int64_t>> dimensions;  // in the space's order
  Dtype dtype = Dtype::f32;
  Assignment traits;
  Config config;
  Objective objective = Objective::cold;
  Timing timing;
  double work_bytes = 0;
  std::optional<Yardstick> yardstick;  // none: it could not be measured
  std::vector<Config> ties;
  std::vector<RecordedBaseline> baselines;
  GateErrors gate;
  Provenance provenance;
};

// "rows=1024 cols=4096 dtype=f32": equal to to_string(space, problem), without needing the space.
[[nodiscard]] std::string problem_key(const Record& record);

// One line of JSON without a newline, keys sorted, with "checksum" over the rest.
[[nodiscard]] std::string to_json_line(const Record& record);
// Throws Error(bad_input) whose message says which field is wrong, or that the checksum is.
[[nodiscard]] Record record_from_json_line(const std::string& line);

}  // namespace hiptune
