#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "device/host/temporary_folder.hpp"
#include "device/target.hpp"
#include "gate/precheck.hpp"
#include "hiptune/options.hpp"
#include "session/bench.hpp"
#include "session/compile_crew.hpp"
#include "session/trial.hpp"
#include "session/worker_process.hpp"

namespace hiptune {

struct WorkerSettings {
  std::filesystem::path program;  // the hiptune executable
  Options options;                // device, kernel paths, compiler
  Seconds deadline{60};           // of each phase of a trial
  // Opens the compiler that builds for it, and no device: all that the coordinator then does is compile.
  std::optional<std::string> architecture = std::nullopt;
  // Likewise, for a device that another worker has open: its compiler works in the background.
  std::optional<Target> compile_for = std::nullopt;
  // Where code objects are kept and looked for, in later runs too; see StoredCompiler. Empty: for as long as the
  // coordinator lives where there are several jobs, else nowhere.
  std::filesystem::path code_folder{};
  // So many processes compile what is expected; with one, the worker that runs variants compiles them too.
  std::size_t jobs = 1;
  std::stop_token stop{};  // ends its worker, see WorkerProcess
};

// Runs variants in a worker process and outlives whatever they do: it opens no device itself, records a death or a
// hang as the trial's outcome, starts another worker and goes on. For one thread.
class Coordinator {
 public:
  // Starts a worker and opens the device, or the compiler, in it. Throws the Error that this met.
  explicit Coordinator(WorkerSettings settings);

  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const std::string& compiler_version() const { return compiler_version_; }
  // Of the compiler that builds for the CPU.
  [[nodiscard]] const std::string& host_compiler_version() const { return host_compiler_version_; }

  // Sets a kernel and problem up in the worker. Throws Error, also when the worker dies of it: then it names the
  // oracle, which is all that runs.
  void prepare(const std::string& kernel, const Problem& problem, std::uint64_t seed,
               GateDepth depth = GateDepth::all_cases);

  // Sets the copy kernel up beside what is prepared, at the tuned shape alone, for finals with copies. Throws Error.
  void prepare_copies(const std::string& kernel, const Problem& problem, std::uint64_t seed);

  // Ends the worker, so that the next request starts in a fresh process, with nothing prepared.
  void restart();

  // What `run` will be asked for next, in this order: it may be compiled ahead, while other variants are timed on a
  // GPU, and in batches between them on the CPU. Requires prepare.
  void expect(const std::vector<Config>& configs);
  // So many configurations are worth expecting.
  [[nodiscard]] std::size_t lookahead() const;

  // Compiles the oracle of a problem. Throws Error, which names it, when it does not compile.
  void compile_oracle(const std::string& kernel, const Problem& problem);

  // `limits` none: gate only. Requires prepare.
  [[nodiscard]] Trial run(const Config& config, const std::optional<TimingLimits>& limits);

  // See Bench::self_test. Requires prepare. Throws Error, also when the worker dies of it.
  [[nodiscard]] std::vector<CaughtFault> self_test(const Config& config);

  // On the CPU; needs no prepare. A worker's death rejects the configuration; a hang says that the CPU cannot run it.
  [[nodiscard]] PrecheckVerdict precheck(const std::string& kernel, const Problem& problem, const Config& config,
                                         std::uint64_t seed);
  // The same of several, in order, side by side in as many processes as there are jobs; once more and alone what
  // did not pass so: a process or its compiler may have died for want of memory.
  [[nodiscard]] std::vector<PrecheckVerdict> prechecks(const std::string& kernel, const Problem& problem,
                                                       const std::vector<Config>& configs, std::uint64_t seed);

  // Finals in the worker. Requires prepare. A worker's death or a hang is told in words; for as far as it is
  // known whose doing it was, that finalist is in the report's failures instead.
  [[nodiscard]] std::variant<FinalsReport, std::string> finals(const FinalsRequest& request);

  // Compiles only; needs no prepare. Where it compiled, `code_file` gets the code object; its folder must exist.
  [[nodiscard]] Trial compile(const std::string& kernel, const Problem& problem, const Config& config,
                              const std::optional<std::filesystem::path>& code_file);

  // The device's own copy moving `bytes` (read + written).
  [[nodiscard]] Samples time_device_copy(double bytes, const TimingLimits& limits);

  // Compiles a configuration into the store of code objects at `folder`; needs no prepare.
  void store(const std::string& kernel, const Problem& problem, const Config& config,
             const std::filesystem::path& folder);

  // A request of the caller's own; a worker's death becomes Error(failed).
  [[nodiscard]] nlohmann::ordered_json request(const nlohmann::ordered_json& request, Seconds deadline);

 private:
  void start();
  [[nodiscard]] nlohmann::ordered_json open_request() const;
  [[nodiscard]] std::unique_ptr<CompileCrew> make_crew() const;
  [[nodiscard]] WorkerAnswer ask_for_precheck(const std::string& kernel, const Problem& problem, const Config& config,
                                              std::uint64_t seed);
  [[nodiscard]] std::vector<std::optional<PrecheckVerdict>> prechecks_beside(const std::string& kernel,
                                                                             const Problem& problem,
                                                                             const std::vector<Config>& configs,
                                                                             std::uint64_t seed) const;
  // Of a worker that opens no device and has the same target.
  [[nodiscard]] WorkerSettings settings_beside() const;
  [[nodiscard]] CompileOrder order_for(const Config& config) const;
  // As request; `blame` begins the message of a worker's death.
  [[nodiscard]] nlohmann::ordered_json answer_to(const nlohmann::ordered_json& request, Seconds deadline,
                                                 const std::string& blame);
  void prepare_in_worker(const nlohmann::ordered_json& message);
  [[nodiscard]] Trial run_in_worker(const Config& config, const std::optional<TimingLimits>& limits);
  // Of a request that tries `config`: a worker's death and a hang are outcomes.
  [[nodiscard]] Trial trial_of(const nlohmann::ordered_json& request, const Config& config, Seconds sampling);
  [[nodiscard]] Seconds long_deadline() const { return settings_.deadline * 10; }
  [[nodiscard]] WorkerProcess& worker();

  WorkerSettings settings_;
  Target target_;
  std::string compiler_version_, host_compiler_version_;
  // Of the current worker: a worker that is killed cannot clear up after itself.
  std::unique_ptr<host::TemporaryFolder> temporary_;
  std::unique_ptr<host::TemporaryFolder> own_code_folder_;
  std::unique_ptr<WorkerProcess> worker_;
  std::vector<nlohmann::ordered_json> prepared_;  // the prepare requests, sent again to a new worker
  std::string kernel_;                            // of the first of them, as is
  Problem problem_;                               // this
  std::unique_ptr<CompileCrew> crew_;             // none with one job; last: it uses the folders
};

// For a crew: workers that compile and open no device, one at each call. `settings` names an architecture, or a target.
[[nodiscard]] std::function<CompileStep(std::stop_token)> compile_workers(WorkerSettings settings);

}  // namespace hiptune
