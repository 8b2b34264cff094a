#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "dispatch/last_error.hpp"
#include "dispatch/paths.hpp"
#include "hiptune/dispatcher.hpp"
#include "hiptune/hiptune.h"

// hiptune.h over the C++ interface: codes for exceptions, and handles for objects.

struct hiptune_dispatcher {
  hiptune::Dispatcher dispatcher;
};

struct hiptune_kernel {
  hiptune::UntypedKernel call;
};

namespace hiptune {
namespace {

static_assert(static_cast<int>(Status::kernel_fault) == HIPTUNE_KERNEL_FAULT);
static_assert(static_cast<int>(Status::not_ready) == HIPTUNE_NOT_READY);
static_assert(static_cast<int>(Status::invalid_dimension) == HIPTUNE_INVALID_DIMENSION);
static_assert(static_cast<int>(Status::success) == HIPTUNE_SUCCESS);

int fail(std::string_view words) noexcept {
  detail::remember(Status::success, words);
  return HIPTUNE_FAILED;
}

// Runs an action from which no exception may escape.
template <class Action>
int guarded(const Action& action) noexcept {
  try {
    action();
    return HIPTUNE_SUCCESS;
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    return fail("an exception that is no std::exception");
  }
}

// "hiptune_bind: name is NULL".
int refuse_null(const char* function, std::string_view what, std::string_view which = {}) noexcept {
  try {
    return fail(fmt::format("{}: {}{} is NULL", function, what, which));
  } catch (const std::exception&) {
    return HIPTUNE_FAILED;
  }
}

// What is wrong with a call's handle or its array, before any value is read. Success: nothing.
int check_call(const char* function, const hiptune_kernel* kernel, void* const* arguments) noexcept {
  if (kernel == nullptr) return refuse_null(function, "kernel");
  if (arguments == nullptr) return refuse_null(function, "arguments");
  const std::vector<std::string>& names = kernel->call.arguments();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (arguments[i] == nullptr) return refuse_null(function, "the address of argument ", names[i]);
  return HIPTUNE_SUCCESS;
}

Options options_of(const char* device, const char* cache, const char* kernel_path) {
  Options options = Options::from_environment();
  if (device != nullptr) options.device = device;
  if (cache != nullptr) options.cache = cache;
  if (kernel_path != nullptr) options.kernel_paths = split_paths(kernel_path);
  return options;
}

std::map<std::string, std::string> traits_of(const hiptune_trait* traits, std::size_t count) {
  std::map<std::string, std::string> given;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_new = given.emplace(traits[i].name, traits[i].value).second;
    if (!is_new)
      throw bad_input(std::string("hiptune_bind: trait ") + traits[i].name + " is given twice; leave one out");
  }
  return given;
}

std::string text_of(const Explanation& explanation) {
  return fmt::format("{}\n{}\n{}\n{}\n", to_string(explanation.choice), explanation.config, explanation.tuned_for,
                     explanation.reason);
}

void write_text(const std::string& from, char* to, std::size_t size) {
  if (size == 0) return;
  const std::size_t written = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), written);
  to[written] = '\0';
}

}  // namespace
}  // namespace hiptune

using namespace hiptune;

extern "C" {

int hiptune_abi_version() { return HIPTUNE_ABI_VERSION; }

const char* hiptune_version() { return HIPTUNE_VERSION; }

const char* hiptune_status_text(int status) {
  if (status == HIPTUNE_FAILED) return "The request failed; hiptune_last_error() says why.";
  return to_string(static_cast<Status>(status));
}

const char* hiptune_last_error() { return last_error().c_str(); }

int hiptune_open(const char* device, const char* cache, const char* kernel_path, hiptune_dispatcher** dispatcher) {
  if (dispatcher == nullptr) return refuse_null("hiptune_open", "dispatcher");
  *dispatcher = nullptr;
  return guarded([&] { *dispatcher = new hiptune_dispatcher{Dispatcher(options_of(device, cache, kernel_path))}; });
}

const char* hiptune_device(const hiptune_dispatcher* dispatcher) {
  return dispatcher == nullptr ? nullptr : dispatcher->dispatcher.device().c_str();
}

void hiptune_close(hiptune_dispatcher* dispatcher) { delete dispatcher; }

int hiptune_bind(const hiptune_dispatcher* dispatcher, const char* name, const char* dtype, const hiptune_trait* traits,
                 size_t trait_count, hiptune_kernel** kernel) {
  if (kernel == nullptr) return refuse_null("hiptune_bind", "kernel");
  *kernel = nullptr;
  if (dispatcher == nullptr) return refuse_null("hiptune_bind", "dispatcher");
  if (name == nullptr) return refuse_null("hiptune_bind", "name");
  if (dtype == nullptr) return refuse_null("hiptune_bind", "dtype");
  if (traits == nullptr && trait_count > 0) return refuse_null("hiptune_bind", "traits");
  for (size_t i = 0; i < trait_count; ++i)
    if (traits[i].name == nullptr || traits[i].value == nullptr)
      return refuse_null("hiptune_bind", "a trait's name or value");
  return guarded([&] {
    *kernel = new hiptune_kernel{dispatcher->dispatcher.bind_untyped(name, dtype, traits_of(traits, trait_count))};
  });
}

void hiptune_release(hiptune_kernel* kernel) { delete kernel; }

size_t hiptune_argument_count(const hiptune_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->call.arguments().size();
}

const char* hiptune_argument_name(const hiptune_kernel* kernel, size_t index) {
  return index < hiptune_argument_count(kernel) ? kernel->call.arguments()[index].c_str() : nullptr;
}

int hiptune_launch(const hiptune_kernel* kernel, void* stream, void* const* arguments) {
  const int wrong = check_call("hiptune_launch", kernel, arguments);
  return wrong != HIPTUNE_SUCCESS ? wrong : static_cast<int>(kernel->call(stream, arguments));
}

int hiptune_prepare(const hiptune_kernel* kernel, void* const* arguments) {
  const int wrong = check_call("hiptune_prepare", kernel, arguments);
  return wrong != HIPTUNE_SUCCESS ? wrong : guarded([&] { kernel->call.prepare(arguments); });
}

int hiptune_forget(const hiptune_kernel* kernel, void* stream) {
  if (kernel == nullptr) return refuse_null("hiptune_forget", "kernel");
  kernel->call.forget(stream);
  return HIPTUNE_SUCCESS;
}

int hiptune_explain(const hiptune_kernel* kernel, void* const* arguments, char* text, size_t size, size_t* length) {
  if (const int wrong = check_call("hiptune_explain", kernel, arguments)) return wrong;
  if (text == nullptr && size > 0) return refuse_null("hiptune_explain", "text");
  return guarded([&] {
    const std::string whole = text_of(kernel->call.explain(arguments));
    write_text(whole, text, size);
    if (length != nullptr) *length = whole.size();
  });
}
}
