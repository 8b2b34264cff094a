#include "session/worker.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cache/code_store.hpp"
#include "cache/target_json.hpp"
#include "device/backends.hpp"
#include "device/host/cpu_features.hpp"
#include "gate/oracle.hpp"
#include "gate/precheck.hpp"
#include "hiptune/error.hpp"
#include "hiptune/options.hpp"
#include "session/bench.hpp"
#include "session/dispatch_check.hpp"
#include "session/lifeline.hpp"
#include "session/line_socket.hpp"
#include "session/messages.hpp"
#include "session/stored_compiler.hpp"
#include "session/survey.hpp"

namespace hiptune {

using Json = nlohmann::ordered_json;

namespace {

std::vector<std::filesystem::path> paths_from_json(const Json& json) {
  std::vector<std::filesystem::path> paths;
  for (const Json& path : json) paths.emplace_back(path.get<std::string>());
  return paths;
}

std::optional<TimingLimits> limits_of(const Json& request) {
  return request.contains("limits") ? std::optional(timing_limits_from_json(request.at("limits"))) : std::nullopt;
}

void write_file(const std::filesystem::path& file, const std::vector<std::byte>& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw bad_input(file.string() + ": cannot be written; choose another folder");
}

// What a worker holds between requests.
class Worker {
 public:
  Worker(LineSocket& lines, Lifeline& lifeline) : lines_(lines), lifeline_(lifeline) {}

  Json answer(const Json& request) {
    const auto op = request.at("op").get<std::string>();
    if (op == "open") return open(request);
    if (op == "prepare") return prepare(request);
    if (op == "prepare_copies") return prepare_copies(request);
    if (op == "compile_oracle") return compile_oracle(request);
    if (op == "trial") return trial(request);
    if (op == "self_test") return self_test(request);
    if (op == "precheck") return precheck(request);
    if (op == "compile") return compile(request);
    if (op == "copy") return copy(request);
    if (op == "store") return store(request);
    if (op == "finals") return to_json(bench_->finals(finals_request_from_json(request), announcer(), copies_.get()));
    if (op == "dispatch") return dispatch(request);
    if (op == "survey") return answer_survey(request);
    throw std::logic_error("a request that no worker knows: " + op);
  }

 private:
  Json open(const Json& request) {
    options_.device = request.at("device");
    options_.kernel_paths = paths_from_json(request.at("kernel_paths"));
    options_.environment_kernel_paths = paths_from_json(request.at("environment_kernel_paths"));
    options_.cxx_compiler = request.at("cxx_compiler");
    options_.temporary_directory = request.at("temporary_directory").get<std::string>();
    lifeline_.own(options_.temporary_directory);
    if (request.contains("code_folder")) code_folder_ = request.at("code_folder").get<std::string>();
    if (request.contains("owns_code_folder")) lifeline_.own(code_folder_);
    // Compilers that take no folder get it so, and what they leave when they are killed goes with it.
    ::setenv("TMPDIR", options_.temporary_directory.c_str(), 1);
    if (request.contains("compile_for"))
      open_compiler_beside(target_from_json(nlohmann::json::parse(request.at("compile_for").dump())));
    else if (request.contains("architecture"))
      open_compiler_only(request.at("architecture"));
    else
      open_devices();
    Json reply{{"target", Json::parse(to_json(target_).dump())}, {"compiler", compiler_->version()}};
    if (host_compiler_) reply["host_compiler"] = host_compiler_->version();
    return reply;
  }

  void open_devices() {
    const DeviceSettings settings = device_settings();
    device_ = open_device(options_.device, settings);
    target_ = device_->target();
    compiler_ = with_store(open_compiler(target_.backend, settings), target_.backend);
    // A compiler that does not know the device is the machine's fault, and no variant's.
    static_cast<void>(compiler_->facts(target_.architecture));
    open_host();
  }

  void open_host() {
    host_ = open_device("host", device_settings());
    host_compiler_ = with_store(open_compiler("host", device_settings()), "host");
  }

  // For a device that another worker has open, and that its threads may be needed for at once: a launch that comes late
  // is a gap in what is timed, code that comes late is not.
  void open_compiler_beside(Target target) {
    constexpr int kNiceness = 10;
    (void)::nice(kNiceness);
    target_ = std::move(target);
    compiler_ = with_store(open_compiler(target_.backend, device_settings()), target_.backend);
  }

  [[nodiscard]] std::unique_ptr<Compiler> with_store(std::unique_ptr<Compiler> compiler,
                                                     const std::string& backend) const {
    if (code_folder_.empty()) return compiler;
    // Code for the CPU may use all that this one can do.
    return std::make_unique<StoredCompiler>(std::move(compiler), CodeStore(code_folder_),
                                            backend == "host" ? host::cpu_features() : "", loaded_build());
  }

  void open_compiler_only(const std::string& architecture) {
    const Backend& backend = backend_for_architecture(architecture);
    compiler_ = backend.compiler(device_settings());
    target_.backend = target_.id = backend.name;
    target_.architecture = target_.name = architecture;
    target_.facts = compiler_->facts(architecture);
  }

  [[nodiscard]] DeviceSettings device_settings() const {
    return {options_.cxx_compiler, options_.temporary_directory.string()};
  }

  [[nodiscard]] Kernel load(const std::string& kernel) const {
    return KernelPath(options_.kernel_paths, options_.environment_kernel_paths).load(kernel);
  }

  Json prepare(const Json& request) {
    copies_.reset();
    bench_.reset();  // before the next one takes its memory
    bench_ = make_bench(request, request.at("tuned_shape_only") ? GateDepth::tuned_shape : GateDepth::all_cases);
    return Json::object();
  }

  Json prepare_copies(const Json& request) {
    copies_.reset();
    copies_ = make_bench(request, GateDepth::tuned_shape);
    return Json::object();
  }

  [[nodiscard]] std::unique_ptr<Bench> make_bench(const Json& request, GateDepth depth) {
    return std::make_unique<Bench>(load(request.at("kernel")), problem_from_json(request.at("problem")), *device_,
                                   *compiler_, *host_, *host_compiler_, request.at("seed").get<std::uint64_t>(), depth);
  }

  Json compile_oracle(const Json& request) {
    const Kernel kernel = load(request.at("kernel"));
    const Oracle oracle(kernel, problem_from_json(request.at("problem")), *host_, *host_compiler_);
    return Json::object();
  }

  Json trial(const Json& request) {
    return to_json(bench_->run(assignment_from_json(request.at("config")), limits_of(request), announcer()));
  }

  Json self_test(const Json& request) {
    return to_json(bench_->self_test(assignment_from_json(request.at("config")), announcer()));
  }

  Json precheck(const Json& request) {
    const auto name = request.at("kernel").get<std::string>();
    const Problem problem = problem_from_json(request.at("problem"));
    if (!host_) open_host();
    if (!prechecked_ || prechecked_->kernel.name != name || prechecked_->problem != problem) {
      prechecked_.reset();
      prechecked_ = std::make_unique<Prechecked>(load(name), problem);
      prechecked_->precheck.emplace(prechecked_->kernel, problem, target_.facts, *host_, *host_compiler_,
                                    options_.temporary_directory.string(), request.at("seed").get<std::uint64_t>());
    }
    return to_json(prechecked_->precheck->check(assignment_from_json(request.at("config")), announcer()));
  }

  Json compile(const Json& request) {
    const auto name = request.at("kernel").get<std::string>();
    if (!kernel_ || kernel_->name != name) kernel_ = load(name);
    const Compilation compilation = compile_config(*kernel_, problem_from_json(request.at("problem")), target_,
                                                   assignment_from_json(request.at("config")), *compiler_, announcer());
    if (compilation.code && request.contains("code_file"))
      write_file(request.at("code_file").get<std::string>(), compilation.code->bytes);
    return to_json(compilation.trial);
  }

  [[nodiscard]] PhaseListener announcer() {
    return [this](const std::string& phase) { (void)lines_.write(Json{{"phase", phase}}.dump()); };
  }

  Json copy(const Json& request) {
    return to_json(Bench::time_device_copy(*device_, static_cast<std::size_t>(request.at("bytes").get<double>()),
                                           limits_of(request).value()));
  }

  Json store(const Json& request) {
    const Config config = assignment_from_json(request.at("config"));
    const Kernel kernel = load(request.at("kernel"));
    const Variant variant = make_variant(kernel, problem_from_json(request.at("problem")), target_.facts, config);
    const CodeStore folder(request.at("folder").get<std::string>());
    (void)folder.find_or_compile(variant, target_, compiler_.get());
    return Json::object();
  }

  Json dispatch(const Json& request) {
    Options options = options_;
    options.cache = request.at("cache").get<std::string>();
    return check_dispatch(options, request.at("kernel"), problem_from_json(request.at("problem")),
                          request.at("seed").get<std::uint64_t>());
  }

  // The precheck of one problem, with the kernel that it refers to.
  struct Prechecked {
    Kernel kernel;
    Problem problem;
    std::optional<Precheck> precheck{};
  };

  LineSocket& lines_;
  Lifeline& lifeline_;
  Options options_;
  Target target_;
  std::filesystem::path code_folder_;  // of what was compiled already; empty: nothing is kept
  std::unique_ptr<Device> device_, host_;
  std::unique_ptr<Compiler> compiler_, host_compiler_;
  std::optional<Kernel> kernel_;  // of the last `compile`
  std::unique_ptr<Prechecked> prechecked_;
  std::unique_ptr<Bench> bench_, copies_;  // last: they use the devices
};

Json reply_to(Worker& worker, const std::string& line) {
  try {
    return {{"reply", worker.answer(Json::parse(line))}};
  } catch (const Error& error) {
    return {{"error", to_json(error)}};
  } catch (const DeviceLost& error) {
    return {{"lost_device", error.what()}};
  }
}

}  // namespace

int serve_worker(int socket) {
  const rlimit no_core{0, 0};  // a variant that crashes is a result, and maps a GPU's memory
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);  // a compiler that outlives the worker must not hold the line open
  LineSocket lines(socket);
  Lifeline lifeline(socket);
  Worker worker(lines, lifeline);
  while (const auto line = lines.read()) {
    const Json reply = reply_to(worker, *line);
    if (!lines.write(to_line(reply)) || reply.contains("lost_device")) break;
  }
  return 0;
}

}  // namespace hiptune
