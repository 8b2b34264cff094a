#include "cache/document.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "cache/json_field.hpp"
#include "cache/json_reason.hpp"
#include "cache/json_unique.hpp"
#include "cache/record_json.hpp"
#include "hiptune/error.hpp"

namespace hiptune {
namespace {

using nlohmann::json;

constexpr int kFirstEntryLine = 2;
constexpr const char* kLastLine = "]}";
constexpr const char* kNotOurs = "move it out of the cache, or restore the file from version control";

std::string first_line(const std::string& kernel) {
  const json about{{"kernel", kernel}, {"schema_version", kSchemaVersion}};
  return "{\"about\":" + about.dump() + ",\"entries\":[";
}

// Not an Error of damage: it must end the reading.
struct NewerSchema {
  std::int64_t version;
};

class DocumentReader {
 public:
  DocumentReader(const std::filesystem::path& file, const std::string& kernel) : file_(file), kernel_(kernel) {}

  Loaded read(const std::string& text) {
    try {
      if (const auto document = parse_or_read_lines(text)) read_whole(text, *document);
    } catch (const json::exception& error) {
      read_lines(text, 0, "not valid JSON: " + json_reason(error, text));
    }
    return std::move(loaded_);
  }

 private:
  // None: not JSON as a whole, and read line by line.
  std::optional<json> parse_or_read_lines(const std::string& text) {
    try {
      return parse_unique(text);
    } catch (const json::parse_error& error) {
      read_lines(text, position_of(error, text).line, "not valid JSON: " + json_reason(error, text));
    } catch (const Error& error) {
      read_lines(text, 0, error.what());
    }
    return std::nullopt;
  }

  void damage(int line, const std::string& what) { loaded_.damage.push_back({file_, line, one_line(what)}); }

  // Neither the first line nor any entry is ours. What else is wrong would only repeat that, line by line.
  void damage_as_a_whole(int line, const std::string& what, const std::string& advice) {
    loaded_.damage = {Damage{file_, line, one_line(what), advice}};
  }
  [[nodiscard]] bool nothing_is_ours() const { return !about_is_ours_ && loaded_.records.empty(); }

  void check_about(const Field& root) {
    const auto about = root.at("about");
    about.allow_only({"kernel", "schema_version"});
    const auto version = about.at("schema_version").integer(1);
    if (version > kSchemaVersion) throw NewerSchema{version};
    const auto kernel = about.at("kernel").text();
    about_is_ours_ = true;
    of_another_kernel_ = kernel != kernel_;
    if (of_another_kernel_) throw about.wrong("the file holds entries of the kernel \"" + kernel + "\"");
  }

  // `check` throws Error where something is wrong.
  template <typename Check>
  void report(int line, Check check) {
    try {
      check();
    } catch (const Error& error) {
      damage(line, error.what());
      loaded_.damage.back().claims = std::exchange(claims_, std::nullopt);
    }
  }

  // Valid JSON, in our layout or not: somebody may have formatted it.
  void read_whole(const std::string& text, const json& document) {
    const Field root(document);
    report(1, [&] {
      check_about(root);
      root.allow_only({"about", "entries"});
    });
    if (of_another_kernel_) return;
    report(1, [&] { read_entries(text, root.at("entries").items()); });
    if (nothing_is_ours()) damage_as_a_whole(0, "is JSON, but no hiptune cache: " + why_not_ours(root), kNotOurs);
  }

  [[nodiscard]] std::string why_not_ours(const Field& root) const {
    const bool has_about = root.value().is_object() && root.find("about");
    return has_about ? loaded_.damage.front().what : "no /about with a kernel and a schema version";
  }

  void read_entries(const std::string& text, const std::vector<Field>& entries) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const bool our_layout = lines == entries.size() + kFirstEntryLine;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const int line = our_layout ? static_cast<int>(i) + kFirstEntryLine : 0;
      report(line, [&] { read_entry(entries[i].value()); });
    }
  }

  void read_entry(const json& entry) {
    claims_ = claims_of(entry);
    loaded_.records.push_back(record_from_json(entry));
    claims_.reset();
  }

  // Not JSON as a whole: cut off, with the marks of a merge conflict in it, or with a field that stands twice.
  void read_lines(const std::string& text, int wrong_line, const std::string& what) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; !of_another_kernel_ && std::getline(lines, line); ++number) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ',')) line.pop_back();
      if (line.empty() || line == kLastLine) continue;
      report(number, [&] { read_line(line, number); });
    }
    if (nothing_is_ours()) return damage_as_a_whole(wrong_line, what, kRestore);
    const bool told = std::ranges::count(loaded_.damage, wrong_line, &Damage::line) > 0;
    const bool told_at_its_line = wrong_line == 0 && !loaded_.damage.empty();
    if (!told && !told_at_its_line) damage(wrong_line, what);
  }

  void read_line(const std::string& line, int number) {
    if (number > 1) return read_entry(json_from_line(line));
    try {
      const auto header = parse_unique(line + kLastLine);
      check_about(Field(header));
    } catch (const json::exception&) {
      throw bad_input("not the first line of a cache file: " + first_line(kernel_));
    }
  }

  std::filesystem::path file_;
  std::string kernel_;
  Loaded loaded_;
  std::optional<Record> claims_;  // of the entry that is being read
  bool about_is_ours_ = false;
  bool of_another_kernel_ = false;  // its entries are not for us
};

auto problem_of(const Record& record) {
  return std::make_tuple(record.dimensions, to_string(record.dtype), record.traits);
}

// The text of a date sorts like the time itself once the closing 'Z' is gone.
std::string sortable(const std::string& date) { return date.substr(0, date.size() - 1); }

bool is_made_from(const Record& record, const Fingerprints* sources) {
  return sources != nullptr && record.provenance.fingerprints == *sources;
}

// Whether `a` takes the place of `b`.
bool replaces(const Record& a, const Record& b, const Fingerprints* sources) {
  const bool current_a = is_made_from(a, sources), current_b = is_made_from(b, sources);
  if (current_a != current_b) return current_a;
  return is_newer(a, b) || (!is_newer(b, a) && checksum_of(a) > checksum_of(b));
}

}  // namespace

bool is_newer(const Record& a, const Record& b) {
  if (a.provenance.revision != b.provenance.revision) return a.provenance.revision > b.provenance.revision;
  return sortable(a.provenance.date) > sortable(b.provenance.date);
}

std::string document_text(const std::string& kernel, const std::vector<Record>& records) {
  auto text = first_line(kernel);
  for (std::size_t i = 0; i < records.size(); ++i) text += (i == 0 ? "\n" : ",\n") + to_json_line(records[i]);
  return text + "\n" + kLastLine + "\n";
}

Loaded read_document(const std::string& text, const std::filesystem::path& file, const std::string& kernel) {
  try {
    return DocumentReader(file, kernel).read(text);
  } catch (const NewerSchema& newer) {
    throw bad_input(file.string() + ": written by a newer hiptune (schema " + std::to_string(newer.version) +
                    ", this one reads " + std::to_string(kSchemaVersion) + "): upgrade, or use another --cache folder");
  }
}

std::vector<Record> newest_per_problem(const std::vector<Record>& records, const Fingerprints* sources) {
  std::map<decltype(problem_of(records.front())), const Record*> newest;
  for (const auto& record : records) {
    const auto [position, inserted] = newest.try_emplace(problem_of(record), &record);
    if (!inserted && replaces(record, *position->second, sources)) position->second = &record;
  }
  std::vector<Record> result;
  for (const auto& entry : newest) result.push_back(*entry.second);
  return result;
}

}  // namespace hiptune
