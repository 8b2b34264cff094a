#include "gate/oracle.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include <spdlog/fmt/fmt.h>

#include "hiptune/error.hpp"

namespace hiptune {
namespace {

CodeObject compile_reference(const Kernel& kernel, const Variant& variant, Device& host, Compiler& compiler) {
  CompileResult result =
      compiler.compile({variant.source, variant.headers, variant.entry_points, host.target().architecture});
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(kernel.reference.name + ": the oracle does not compile; mend it:\n" + failure->log);
  return std::get<CodeObject>(std::move(result));
}

// All ones: a NaN that no arithmetic makes.
double not_written() { return std::bit_cast<double>(~std::uint64_t{0}); }
bool is_unwritten(double value) { return std::bit_cast<std::uint64_t>(value) == ~std::uint64_t{0}; }

// What the oracle did wrong is the oracle's fault, and no variant's.
void check_output(const OracleOutput& output, const BufferShape& shape, const std::string& place) {
  if (!output.guards_intact())
    throw bad_input(place +
                    ": the oracle wrote outside of it; an oracle's outputs are dense, row r begins at r * cols");
  if (const std::int64_t gap = output.unwritten(); gap >= 0)
    throw bad_input(fmt::format("{}: the oracle did not write [{}, {}]; it must loop over everything by grid stride",
                                place, gap / shape.cols, gap % shape.cols));
}

// The oracle's arguments: as the space's, but an out buffer is a dense double*, and an inout buffer is two.
struct OracleCall {
  const Space& space;
  const Problem& problem;
  const std::vector<BufferLayout>& layouts;
  const Images& images;
  const std::vector<double>& scalars;
  std::vector<std::int64_t> strides = strides_of(space, layouts);
  OracleOutputs outputs{};
  std::vector<std::array<std::byte, 8>> slots{};
  std::size_t buffer = 0, stride = 0, scalar = 0;

  template <class T>
  void add(const T& value) {
    std::memcpy(slots.emplace_back().data(), &value, sizeof(T));
  }
  void operator()(const BufferArgument& argument) {
    const BufferLayout& layout = layouts[buffer];
    if (argument.role != Role::out) add(input());
    if (argument.role != Role::in) add(static_cast<void*>(outputs.emplace_back(layout.shape.elements()).data()));
    ++buffer;
  }
  // In place, what the output's memory held before.
  [[nodiscard]] const void* input() const {
    const ProblemBuffer& read = layouts[buffer].buffer;
    if (read.is_absent) return nullptr;
    const std::size_t place = read.memory_of.value_or(buffer);
    return images[place].data() + layouts[place].first_byte;
  }
  void operator()(const DimensionArgument& argument) {
    const auto index = space.find_dimension(argument.name) - space.dimensions.data();
    add(problem.dimensions[static_cast<std::size_t>(index)]);
  }
  void operator()(const StrideArgument&) { add(strides[stride++]); }
  void operator()(const ScalarArgument& argument) {
    store_from_double(slots.emplace_back().data(), argument.type, scalars[scalar++]);
  }
  std::vector<void*> pointers() {
    for (const Argument& argument : space.arguments) std::visit(*this, argument);
    std::vector<void*> pointers;
    for (auto& slot : slots) pointers.push_back(slot.data());
    return pointers;
  }
};

}  // namespace

OracleOutput::OracleOutput(std::int64_t elements)
    : guarded_(filled(static_cast<std::size_t>(elements) + 2 * kGuard, not_written())) {}

bool OracleOutput::guards_intact() const {
  return std::all_of(guarded_.begin(), guarded_.begin() + kGuard, is_unwritten) &&
         std::all_of(guarded_.end() - kGuard, guarded_.end(), is_unwritten);
}

std::int64_t OracleOutput::unwritten() const {
  const auto count = static_cast<std::int64_t>(size());
  std::atomic<std::int64_t> first{count};
  in_parallel(count, [&](std::int64_t from, std::int64_t to) {
    const std::int64_t found = std::find_if(data() + from, data() + to, is_unwritten) - data();
    std::int64_t earliest = first;
    while (found < to && found < earliest && !first.compare_exchange_weak(earliest, found)) {
    }
  });
  return first < count ? first.load() : -1;
}

Oracle::Oracle(const Kernel& kernel, const Problem& problem, Device& host, Compiler& compiler)
    : kernel_(&kernel), host_(&host) {
  const Variant variant = make_reference(kernel, problem, host.target().facts);
  plan_ = std::make_unique<LoadedPlan>(host, compile_reference(kernel, variant, host, compiler), variant.plan);
}

OracleOutputs Oracle::outputs(const Problem& problem, const std::vector<BufferLayout>& layouts, const Images& images,
                              const std::vector<double>& scalars) const {
  OracleCall call{kernel_->space, problem, layouts, images, scalars};
  const std::vector<void*> arguments = call.pointers();
  plan_->launch(batch_values(kernel_->space, problem), arguments.data(), nullptr);
  host_->synchronize(nullptr);
  std::size_t output = 0;
  for (const BufferLayout& layout : layouts) {
    if (!layout.buffer.has_results()) continue;
    check_output(call.outputs[output++], layout.shape, kernel_->reference.name + ": " + layout.buffer.name);
  }
  return std::move(call.outputs);
}

}  // namespace hiptune
