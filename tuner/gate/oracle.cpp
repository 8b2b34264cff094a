#include "gate/oracle.hpp"

#include <array>
#include <cstring>
#include <limits>

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
    if (argument.role != Role::out) add(static_cast<const void*>(images[buffer].data() + layout.first_byte));
    if (argument.role != Role::in) {
      const auto elements = static_cast<std::size_t>(layout.shape.elements());
      add(static_cast<void*>(outputs.emplace_back(elements, std::numeric_limits<double>::quiet_NaN()).data()));
    }
    ++buffer;
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
  return std::move(call.outputs);
}

}  // namespace hiptune
