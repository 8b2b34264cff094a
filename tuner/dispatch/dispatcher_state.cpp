#include "dispatch/dispatcher_state.hpp"

#include "device/backends.hpp"
#include "dispatch/catalog.hpp"
#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune::detail {
namespace {

DeviceSettings device_settings(const Options& options) {
  return {options.cxx_compiler, options.temporary_directory.string()};
}

std::unique_ptr<Compiler> compiler_if_any(const std::string& backend, const Options& options) {
  try {
    return open_compiler(backend, device_settings(options));
  } catch (const Error& error) {
    log().debug("no compiler: {}", error.what());
    return nullptr;
  }
}

}  // namespace

DispatcherState::DispatcherState(const Options& options)
    : device_(open_device(options.device, device_settings(options))),
      compiler_(compiler_if_any(device_->target().backend, options)),
      kernels_(options.kernel_paths, options.environment_kernel_paths),
      caches_(cache_roots(options)),
      code_(options.cache.empty() ? options.cache : options.cache / "objects") {}

ReadyPlan DispatcherState::load(const Variant& variant, const Space& space, const Problem& problem,
                                const Config& config, const std::vector<std::string>& varying) const {
  const CodeObject code = code_.find_or_compile(variant, device_->target(), compiler_.get());
  const std::lock_guard lock(loading_);
  return make_ready(*device_, space, problem, config, code, variant.plan, varying);
}

}  // namespace hiptune::detail
