#include "session/coordinator.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "cache/target_json.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"
#include "session/messages.hpp"
#include "session/survey.hpp"

namespace hiptune {

using Json = nlohmann::ordered_json;

namespace {

Json paths_to_json(const std::vector<std::filesystem::path>& paths) {
  Json json = Json::array();
  for (const auto& path : paths) json.push_back(path.string());
  return json;
}

PrecheckVerdict verdict_of(const WorkerAnswer& answer) {
  if (const auto* reply = std::get_if<Json>(&answer)) return precheck_verdict_from_json(*reply);
  // What takes too long may have nothing wrong with it.
  const bool is_late = std::holds_alternative<WorkerTimedOut>(answer);
  return {is_late ? PrecheckVerdict::Outcome::impossible : PrecheckVerdict::Outcome::rejected, describe(answer)};
}

}  // namespace

Coordinator::Coordinator(WorkerSettings settings) : settings_(std::move(settings)) {
  Options& options = settings_.options;
  const DeviceSettings device_settings{options.cxx_compiler, options.temporary_directory.string()};
  const bool opens_device = !settings_.architecture && !settings_.compile_for;
  if (opens_device) options.device = resolve_device({settings_.program, device_settings}, options.device);
  if (settings_.jobs > 1 && settings_.code_folder.empty()) {
    own_code_folder_ = std::make_unique<host::TemporaryFolder>(options.temporary_directory);
    settings_.code_folder = own_code_folder_->path();
  }
  start();
  if (settings_.jobs > 1 && opens_device) crew_ = make_crew();
}

Json Coordinator::open_request() const {
  const Options& options = settings_.options;
  Json message{{"op", "open"},
               {"device", options.device},
               {"kernel_paths", paths_to_json(options.kernel_paths)},
               {"environment_kernel_paths", paths_to_json(options.environment_kernel_paths)},
               {"cxx_compiler", options.cxx_compiler},
               {"temporary_directory", temporary_->path().string()}};
  if (settings_.architecture) message["architecture"] = *settings_.architecture;
  if (settings_.compile_for) message["compile_for"] = Json::parse(to_json(*settings_.compile_for).dump());
  if (!settings_.code_folder.empty()) message["code_folder"] = settings_.code_folder.string();
  if (own_code_folder_) message["owns_code_folder"] = true;
  return message;
}

void Coordinator::start() {
  temporary_ = std::make_unique<host::TemporaryFolder>(settings_.options.temporary_directory);
  worker_ = std::make_unique<WorkerProcess>(settings_.program, settings_.stop);
  const Json reply = request(open_request(), long_deadline());
  target_ = target_from_json(nlohmann::json::parse(reply.at("target").dump()));
  compiler_version_ = reply.at("compiler");
  host_compiler_version_ = reply.value("host_compiler", "");
}

std::function<CompileStep(std::stop_token)> compile_workers(WorkerSettings settings) {
  settings.jobs = 1;
  return [settings = std::move(settings)](std::stop_token stop) -> CompileStep {
    WorkerSettings own = settings;
    own.stop = std::move(stop);
    return [worker = std::make_shared<Coordinator>(std::move(own))](const CompileOrder& order) {
      return worker->compile(order.kernel, order.problem, order.config, order.code_file);
    };
  };
}

std::unique_ptr<CompileCrew> Coordinator::make_crew() const {
  // On the CPU a compiler would slow down what is timed meanwhile. A GPU's own clock times what runs on it.
  const CompilePace pace = target_.backend == "host" ? CompilePace::in_batches : CompilePace::ahead;
  return std::make_unique<CompileCrew>(settings_.jobs, pace, compile_workers(settings_beside()));
}

WorkerSettings Coordinator::settings_beside() const {
  WorkerSettings settings = settings_;
  settings.compile_for = target_;
  settings.jobs = 1;
  return settings;
}

CompileOrder Coordinator::order_for(const Config& config) const { return {kernel_, problem_, config, std::nullopt}; }

void Coordinator::expect(const std::vector<Config>& configs) {
  if (!crew_) return;
  std::vector<CompileOrder> orders;
  for (const Config& config : configs) orders.push_back(order_for(config));
  crew_->expect(orders);
}

std::size_t Coordinator::lookahead() const { return crew_ ? crew_->window() : 0; }

WorkerProcess& Coordinator::worker() {
  if (!worker_) {
    start();
    for (const Json& message : prepared_) (void)request(message, long_deadline());
  }
  return *worker_;
}

Json Coordinator::request(const Json& request, Seconds deadline) { return answer_to(request, deadline, ""); }

Json Coordinator::answer_to(const Json& request, Seconds deadline, const std::string& blame) {
  WorkerAnswer answer = worker().ask(request, deadline);
  if (auto* reply = std::get_if<Json>(&answer)) return std::move(*reply);
  worker_.reset();
  // What takes too long may have nothing wrong with it.
  throw failed((std::holds_alternative<WorkerDied>(answer) ? blame : std::string()) + describe(answer));
}

void Coordinator::prepare_in_worker(const Json& message) {
  const std::string oracle = message.at("kernel").get<std::string>() + ".reference.hip";
  (void)answer_to(message, long_deadline(), oracle + ": the oracle seems to be wrong, mend it: ");
}

void Coordinator::prepare(const std::string& kernel, const Problem& problem, std::uint64_t seed, GateDepth depth) {
  prepared_.clear();
  const Json message{{"op", "prepare"},
                     {"kernel", kernel},
                     {"problem", to_json(problem)},
                     {"seed", seed},
                     {"tuned_shape_only", depth == GateDepth::tuned_shape}};
  prepare_in_worker(message);
  prepared_ = {message};
  kernel_ = kernel;
  problem_ = problem;
}

void Coordinator::prepare_copies(const std::string& kernel, const Problem& problem, std::uint64_t seed) {
  const Json message{{"op", "prepare_copies"}, {"kernel", kernel}, {"problem", to_json(problem)}, {"seed", seed}};
  prepare_in_worker(message);
  prepared_.resize(1);  // one copy kernel at a time
  prepared_.push_back(message);
}

void Coordinator::compile_oracle(const std::string& kernel, const Problem& problem) {
  (void)request({{"op", "compile_oracle"}, {"kernel", kernel}, {"problem", to_json(problem)}}, long_deadline());
}

void Coordinator::restart() {
  worker_.reset();
  prepared_.clear();
}

std::variant<FinalsReport, std::string> Coordinator::finals(const FinalsRequest& request) {
  const Seconds budget(request.limits.budget);
  WorkerAnswer answer = worker().ask(to_json(request), settings_.deadline + budget);
  if (const auto* reply = std::get_if<Json>(&answer)) return finals_report_from_json(*reply);
  worker_.reset();
  const auto* died = std::get_if<WorkerDied>(&answer);
  const std::string phase = died != nullptr ? died->phase : std::get<WorkerTimedOut>(answer).phase;
  for (std::size_t i = 0; i < request.finalists(); ++i)
    if (phase == finals_phase(request, i))
      return FinalsReport{{}, {{i, {died != nullptr ? Outcome::crashed : Outcome::timed_out, describe(answer)}}}};
  return describe(answer);
}

Trial Coordinator::trial_of(const Json& request, const Config& config, Seconds sampling) {
  WorkerAnswer answer = worker().ask(request, settings_.deadline, sampling);
  if (const auto* reply = std::get_if<Json>(&answer)) return trial_from_json(*reply);
  worker_.reset();  // the next request starts another
  Trial trial;
  trial.config = config;
  trial.outcome = std::holds_alternative<WorkerDied>(answer) ? Outcome::crashed : Outcome::timed_out;
  trial.detail = describe(answer);
  return trial;
}

Trial Coordinator::run(const Config& config, const std::optional<TimingLimits>& limits) {
  const std::optional<Trial> ahead = crew_ ? crew_->take(order_for(config)) : std::nullopt;
  const bool is_over = ahead && ahead->outcome != Outcome::compiled && ahead->outcome != Outcome::invalid;
  if (is_over) return *ahead;
  Trial trial = run_in_worker(config, limits);
  if (ahead) trial.compile_seconds = ahead->compile_seconds;  // the worker had no more to do than to load it
  return trial;
}

Trial Coordinator::run_in_worker(const Config& config, const std::optional<TimingLimits>& limits) {
  Json message{{"op", "trial"}, {"config", to_json(config)}};
  if (limits) message["limits"] = to_json(*limits);
  // What the caller allows for samples, cold and warm, is no reason to call a variant late.
  return trial_of(message, config, limits ? Seconds(2 * limits->stop.budget) : Seconds(0));
}

WorkerAnswer Coordinator::ask_for_precheck(const std::string& kernel, const Problem& problem, const Config& config,
                                           std::uint64_t seed) {
  const Json message{{"op", "precheck"},
                     {"kernel", kernel},
                     {"problem", to_json(problem)},
                     {"config", to_json(config)},
                     {"seed", seed}};
  WorkerAnswer answer = worker().ask(message, long_deadline());  // a CPU takes its time
  if (!std::holds_alternative<Json>(answer)) worker_.reset();
  return answer;
}

PrecheckVerdict Coordinator::precheck(const std::string& kernel, const Problem& problem, const Config& config,
                                      std::uint64_t seed) {
  return verdict_of(ask_for_precheck(kernel, problem, config, seed));
}

std::vector<PrecheckVerdict> Coordinator::prechecks(const std::string& kernel, const Problem& problem,
                                                    const std::vector<Config>& configs, std::uint64_t seed) {
  const auto beside = prechecks_beside(kernel, problem, configs, seed);
  std::vector<PrecheckVerdict> verdicts;
  for (std::size_t i = 0; i < configs.size(); ++i)
    verdicts.push_back(beside[i] ? *beside[i] : precheck(kernel, problem, configs[i], seed));
  return verdicts;
}

// None of what did not pass: several processes and their compilers may have been too much for the machine's memory.
std::vector<std::optional<PrecheckVerdict>> Coordinator::prechecks_beside(const std::string& kernel,
                                                                          const Problem& problem,
                                                                          const std::vector<Config>& configs,
                                                                          std::uint64_t seed) const {
  std::vector<std::optional<PrecheckVerdict>> verdicts(configs.size());
  const std::size_t workers = std::min(settings_.jobs, configs.size());
  if (workers <= 1) return verdicts;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    Coordinator worker(settings_beside());
    for (std::size_t i = next++; i < configs.size(); i = next++) {
      const WorkerAnswer answer = worker.ask_for_precheck(kernel, problem, configs[i], seed);
      const PrecheckVerdict verdict = verdict_of(answer);
      const bool is_late = std::holds_alternative<WorkerTimedOut>(answer);
      if (verdict.outcome == PrecheckVerdict::Outcome::passed || is_late) verdicts[i] = verdict;
    }
  };
  std::vector<std::future<void>> all;
  for (std::size_t i = 0; i < workers; ++i) all.push_back(std::async(std::launch::async, work));
  for (std::future<void>& one : all) {
    try {
      one.get();
    } catch (const std::exception& error) {
      log().warn("a process that was to precheck beside others did not start: {}", error.what());
    }
  }
  return verdicts;
}

std::vector<CaughtFault> Coordinator::self_test(const Config& config) {
  return caught_faults_from_json(
      answer_to({{"op", "self_test"}, {"config", to_json(config)}}, long_deadline(), "self-test: "));
}

Trial Coordinator::compile(const std::string& kernel, const Problem& problem, const Config& config,
                           const std::optional<std::filesystem::path>& code_file) {
  Json message{{"op", "compile"}, {"kernel", kernel}, {"problem", to_json(problem)}, {"config", to_json(config)}};
  if (code_file) message["code_file"] = code_file->string();
  return trial_of(message, config, Seconds(0));
}

Samples Coordinator::time_device_copy(double bytes, const TimingLimits& limits) {
  const Seconds deadline = long_deadline() + Seconds(2 * limits.stop.budget);
  return samples_from_json(request({{"op", "copy"}, {"bytes", bytes}, {"limits", to_json(limits)}}, deadline));
}

void Coordinator::store(const std::string& kernel, const Problem& problem, const Config& config,
                        const std::filesystem::path& folder) {
  (void)request({{"op", "store"},
                 {"kernel", kernel},
                 {"problem", to_json(problem)},
                 {"config", to_json(config)},
                 {"folder", folder.string()}},
                long_deadline());
}

}  // namespace hiptune
