#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "cli/code_folder.hpp"
#include "cli/compile_report.hpp"
#include "cli/problem_options.hpp"
#include "cli/session_options.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "device/backends.hpp"
#include "hiptune/error.hpp"
#include "problem/enumeration.hpp"
#include "problem/nearest.hpp"
#include "problem/parts.hpp"
#include "problem/utf8.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompileOptions {
  ProblemOptions problem;
  VariantOptions variants;
  std::string architectures;
  const CLI::Option* arch = nullptr;
  const CLI::Option* device = nullptr;
  const CLI::Option* isa = nullptr;
};

// The variants of one problem.
struct Part {
  Problem problem;
  ChosenVariants chosen;
};

// All that is to be compiled for one architecture.
struct Job {
  std::string architecture;
  std::unique_ptr<Coordinator> coordinator;
  std::unique_ptr<CompileCrew> crew;
  std::vector<Part> parts;
  std::optional<CodeFolder> folder;
  std::map<std::string, VariantReport> done;  // by what reaches the compiler: dimensions do not
};

// Compilers get it as a word of their command line, and messages repeat it.
void require_plain_name(const std::string& name) {
  constexpr std::size_t kLongest = 80;
  const bool plain = std::ranges::all_of(
      name, [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || std::strchr("_-+:.", c) != nullptr); });
  if (!plain || name.size() > kLongest)
    throw bad_input("--arch " + excerpt(valid_utf8(name)) + ": no name of an architecture; one is gfx90a or sm_90");
}

std::vector<std::string> parse_architectures(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& name : split(text, ',')) {
    if (name.empty()) throw bad_input("--arch " + excerpt(text) + ": a name is missing; give a list: gfx90a,sm_90");
    if (std::ranges::count(names, name) > 0)
      throw bad_input("--arch: " + excerpt(name) + " is listed twice; keep one of them");
    require_plain_name(name);
    (void)backend_for_architecture(name);
    names.push_back(name);
  }
  return names;
}

// None, without --arch, is that of the device: what is there needs no name.
std::vector<std::optional<std::string>> architectures(const CompileOptions& options, const Options& shared) {
  if (options.arch->count() == 0) return {std::nullopt};
  if (options.device->count() > 0)
    throw bad_input("--arch " + excerpt(options.architectures) + " --device " + excerpt(shared.device) +
                    ": both say what to compile for; drop one of them");
  const std::vector<std::string> names = parse_architectures(options.architectures);
  return {names.begin(), names.end()};
}

Job make_job(const std::optional<std::string>& architecture, const CompileOptions& options, const Options& shared,
             const Space& space, const std::vector<Problem>& problems) {
  WorkerSettings settings = options.variants.worker_settings(shared);
  settings.architecture = architecture;
  auto coordinator = std::make_unique<Coordinator>(settings);
  const std::string name = coordinator->target().architecture;
  settings.architecture = name;
  auto crew = std::make_unique<CompileCrew>(options.variants.jobs, CompilePace::ahead, compile_workers(settings));
  Job job{name, std::move(coordinator), std::move(crew), {}, {}, {}};
  for (const Problem& problem : problems) {
    job.parts.push_back({problem, options.variants.configs(space, problem, job.coordinator->target().facts)});
  }
  return job;
}

void open_folders(std::vector<Job>& jobs, const CompileOptions& options, const Options& shared) {
  if (options.isa->count() == 0) return;
  const auto root = options.isa->as<std::string>();
  if (root.empty()) throw bad_input("--isa: the folder's name is empty");
  if (root.starts_with("-"))
    throw bad_input("--isa " + excerpt(valid_utf8(root)) + ": no folder but an option; write ./" + root +
                    " for a folder of that name");
  if (valid_utf8(root) != root)  // it travels to the workers as JSON
    throw bad_input("--isa: " + valid_utf8(root) + ": the path is not UTF-8; choose another");
  for (Job& job : jobs)
    job.folder.emplace(root, job.architecture, job.coordinator->target().backend, shared.tool_folders);
}

bool differ_in_code(const std::vector<Problem>& problems) {
  return std::ranges::any_of(problems, [&](const Problem& problem) {
    return problem.dtype != problems.front().dtype || problem.traits != problems.front().traits;
  });
}

class Compiling {
 public:
  Compiling(const Space& space, bool names_problem, bool json)
      : space_(space), names_problem_(names_problem), json_(json) {}

  // Compiles and prints; returns every trial.
  std::vector<Trial> run(Job& job) {
    std::vector<Trial> all;
    for (const Part& part : job.parts)
      for (VariantReport& report : run(job, part)) all.push_back(std::move(report.trial));
    return all;
  }

 private:
  std::vector<VariantReport> run(Job& job, const Part& part) {
    const std::string problem = to_string(space_, part.problem);
    if (!json_ && std::exchange(started_, true)) print("");
    if (!json_)
      print(fmt::format("{} {} for {} ({}): {}", space_.kernel, problem, job.architecture,
                        job.coordinator->compiler_version(), counted_variants(part.chosen)));
    std::vector<VariantReport> reports;
    expect(job, part);
    for (const Config& config : part.chosen.configs) {
      reports.push_back(compile(job, part.problem, config));
      if (json_) print_json(to_json(reports.back(), job.architecture, problem));
    }
    if (!json_) print_text(reports);
    return reports;
  }

  [[nodiscard]] CompileOrder order(const Job& job, const Problem& problem, const Config& config) const {
    CompileOrder order{space_.kernel, problem, config, std::nullopt};
    if (job.folder) order.code_file = job.folder->code_file(code_name(space_.kernel, problem, config, names_problem_));
    return order;
  }

  void expect(Job& job, const Part& part) const {
    std::vector<CompileOrder> orders;
    for (const Config& config : part.chosen.configs) {
      orders.push_back(order(job, part.problem, config));
      const bool is_new = !job.done.contains(code_name(space_.kernel, part.problem, config, names_problem_));
      if (job.folder && is_new) job.folder->clear(*orders.back().code_file);
    }
    job.crew->expect(orders);
  }

  VariantReport compile(Job& job, const Problem& problem, const Config& config) {
    const TargetFacts& facts = job.coordinator->target().facts;
    const std::string name = code_name(space_.kernel, problem, config, names_problem_);
    if (const auto known = job.done.find(name); known != job.done.end()) {
      VariantReport report = report_of(known->second.trial, space_, problem, facts);
      report.code_file = known->second.code_file;
      report.disassembly = known->second.disassembly;
      return report;
    }
    const CompileOrder wanted = order(job, problem, config);
    // What was compiled before is known above.
    VariantReport report = report_of(job.crew->take(wanted).value(), space_, problem, facts);
    if (job.folder && report.trial.is_good()) {
      report.code_file = wanted.code_file;
      report.disassembly = job.folder->disassemble(*wanted.code_file);
    }
    return job.done.emplace(name, std::move(report)).first->second;
  }

  static void print_text(const std::vector<VariantReport>& reports) {
    std::vector<Trial> trials;
    for (const VariantReport& report : reports) trials.push_back(report.trial);
    print(table_of(reports));
    const Tally tally = tally_of(trials);
    print(fmt::format("{} of {} compiled; failures: {}", tally.good, counted(tally.tried, "variant"),
                      failures_by_kind(trials)) +
          rejected_variants(trials) + first_failure(trials));
  }

  const Space& space_;
  bool names_problem_;
  bool json_;
  bool started_ = false;
};

std::uint64_t invalid_of(const Job& job) {
  std::uint64_t count = 0;
  for (const Part& part : job.parts) count += part.chosen.invalid.count;
  return count;
}

void print_result(const std::vector<Job>& jobs, const std::vector<Trial>& all, bool json) {
  const Tally tally = tally_of(all);
  std::uint64_t invalid = 0;
  std::vector<std::string> notes;
  for (const Job& job : jobs) {
    invalid += invalid_of(job);
    if (job.folder) notes.insert(notes.end(), job.folder->notes().begin(), job.folder->notes().end());
    if (job.folder && !json) print("written to " + job.folder->path().string());
  }
  if (json)
    return print_json({{"result", tally.is_good() ? "compiled" : "failed"},
                       {"compiled", tally.good},
                       {"variants", tally.tried},
                       {"rejected", tally.rejected},
                       {"invalid", invalid},
                       {"failures", failures_by_kind(all)},
                       {"notes", notes}});
  for (const std::string& note : notes) print("note: " + note);
}

int run(Context& context, const CompileOptions& options) {
  const Space& space = context.kernel->space;
  const std::vector<Problem> problems = options.problem.problems(space);
  (void)parse_restriction(space, options.variants.fixed);
  // Whatever is bad input or not there shows before anything is compiled.
  std::vector<Job> jobs;
  for (const auto& architecture : architectures(options, context.options))
    jobs.push_back(make_job(architecture, options, context.options, space, problems));
  open_folders(jobs, options, context.options);
  Compiling compiling(space, differ_in_code(problems), context.json);
  std::vector<Trial> all;
  for (Job& job : jobs) std::ranges::move(compiling.run(job), std::back_inserter(all));
  print_result(jobs, all, context.json);
  return tally_of(all).is_good() ? kDone : kNothingUsable;
}

Action configure(CLI::App& command, const Context& context) {
  auto options = std::make_shared<CompileOptions>();
  if (context.kernel) options->problem.add_to(command, context.kernel->space);
  options->arch =
      command
          .add_option("--arch", options->architectures,
                      "what to compile for, separated by commas: gfx90a,gfx1030,sm_90 (default: what the device is)")
          ->type_name("NAME")
          ->group("Code");
  options->isa = command.add_option("--isa", "writes code objects and their disassembly into DIR/ARCH")
                     ->type_name("DIR")
                     ->group("Code");
  options->device = command.get_option("--device");
  options->variants.add_fix_to(command, context.kernel ? &context.kernel->space : nullptr);
  options->variants.add_timeout_to(command);
  options->variants.add_covering_to(command);
  options->variants.add_jobs_to(command);
  return [options](Context& run_context) { return run(run_context, *options); };
}

}  // namespace

Verb compile_verb() {
  return {"compile", "Compile variants for any architecture, without a GPU, and tell what they need",
          Verb::Takes::kernel, configure, false};
}

}  // namespace hiptune::cli
