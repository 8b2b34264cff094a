#include "session/dispatch_check.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>

#include "device/backends.hpp"
#include "dispatch/argument_types.hpp"
#include "dispatch/binding.hpp"
#include "gate/gate.hpp"
#include "hiptune/error.hpp"
#include "measure/statistics.hpp"
#include "session/memory.hpp"
#include "session/messages.hpp"

namespace hiptune {
namespace {

Assignment given_traits(const Space& space, const Problem& problem) {
  Assignment given;
  for (const auto& trait : problem.traits)
    if (space.find_trait(trait.first)->source == TraitSource::given) given.push_back(trait);
  return given;
}

Config config_of(const Space& space, const Explanation& explanation) {
  std::istringstream words(explanation.config);
  const std::vector<std::string> texts{std::istream_iterator<std::string>(words), {}};
  return make_config(space, parse_tunables(space, texts), "the dispatcher's configuration");
}

// One bound kernel with one set of buffers.
struct Call {
  const detail::Binding& binding;
  ArgumentList list;
  std::vector<void*> arguments;

  Call(const detail::Binding& bound, const Space& space, const Problem& problem, const CallValues& values)
      : binding(bound), list(space, problem, values), arguments(space.arguments.size() + detail::kMaxWorkspaces) {
    std::copy_n(list.pointers(), space.arguments.size(), arguments.begin());
  }
  void launch(Stream stream) {
    const Status status = binding.launch(stream, arguments.data());
    if (status != Status::success) throw failed(std::string(to_string(status)) + " " + last_error());
  }
};

// Of one launch among so many that the clock's resolution does not count, in about a second of waiting.
double median_time(Device& device, Call& call) {
  constexpr int kSamples = 11;
  constexpr Nanoseconds kBatch{2e5}, kWait{1e9};
  const auto time = [&](int launches) {
    const auto enqueue = [&](Stream stream) {
      for (int i = 0; i < launches; ++i) call.launch(stream);
    };
    return device.time(enqueue).time.count() / launches;
  };
  const auto start = std::chrono::steady_clock::now();
  const Nanoseconds one{time(1)};
  const Nanoseconds waited = std::chrono::steady_clock::now() - start;
  const double wanted = std::min(kBatch / one, kWait / (kSamples * waited));
  const int launches = static_cast<int>(std::clamp(wanted, 1.0, 100.0));
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) samples.push_back(time(launches));
  return median(samples);
}

nlohmann::ordered_json judge(const GateCase& one, const Images& after, const Limit& limit) {
  nlohmann::ordered_json reply{{"failure", nullptr}};
  ErrorSummary errors;
  std::size_t output = 0;
  for (std::size_t i = 0; i < one.layouts.size(); ++i) {
    if (!one.layouts[i].buffer.has_results()) continue;
    const Comparison comparison = compare(one.layouts[i], after[i], one.oracle[output++], limit);
    errors.merge(comparison.errors);
    if (comparison.failure) reply["failure"] = one.layouts[i].buffer.name + *comparison.failure;
  }
  reply.update(to_json(errors));
  return reply;
}

}  // namespace

nlohmann::ordered_json check_dispatch(const Options& options, const std::string& name, const Problem& problem,
                                      std::uint64_t seed) {
  const auto state = std::make_shared<detail::DispatcherState>(options);
  const Kernel kernel = state->kernels().load(name);
  const Space& space = kernel.space;
  const detail::Binding binding(state, name, problem.dtype, given_traits(space, problem), untyped_arguments(space));

  const DeviceSettings settings{options.cxx_compiler, options.temporary_directory.string()};
  const auto host = open_device("host", settings);
  const auto host_compiler = open_compiler("host", settings);
  Device& device = state->device();
  const TargetFacts& facts = device.target().facts;
  require_memory(kernel.space, problem, device, *host, 1);
  const Oracle oracle(kernel, problem, *host, *host_compiler);
  const GateCase one = tuned_case(kernel, problem, facts, oracle, seed, 0);
  const BufferSet buffers(device, one.layouts);
  upload(device, buffers, one.images);

  Call call(binding, space, problem, {buffers.addresses(), strides_of(space, one.layouts), one.scalars, {}});
  const Explanation explanation = binding.explain(call.arguments.data());
  call.launch(nullptr);
  device.synchronize(nullptr);
  const Config config = config_of(space, explanation);
  auto reply = judge(one, download(device, buffers), tolerance_of(space, problem, facts, config));
  reply["choice"] = to_string(explanation.choice);
  reply["config"] = explanation.config;
  reply["tuned_for"] = explanation.tuned_for;
  reply["reason"] = explanation.reason;
  reply["median_ns"] = median_time(device, call);
  reply["bytes"] = work_of(space, problem, facts).bytes;
  return reply;
}

}  // namespace hiptune
