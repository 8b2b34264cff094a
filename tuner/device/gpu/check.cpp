#include "gpu/check.hpp"

#include <string_view>

#include "hiptune/error.hpp"

namespace hiptune::gpu {
namespace {

// A vendor keeps the last error of a thread; the next call must not meet it.
void forget_last_error() { static_cast<void>(hipGetLastError()); }

}  // namespace

std::string words_of(const char* call, hipError_t error) {
  const std::string_view text(call);
  return std::string(text.substr(0, text.find('('))) + ": " + hipGetErrorString(error) + " (" + hipGetErrorName(error) +
         ")";
}

void check(const char* call, hipError_t error) {
  if (error == hipSuccess) return;
  forget_last_error();
  if (is_fatal(error)) throw DeviceLost(words_of(call, error));
  throw failed(words_of(call, error));
}

void check_launch(const char* call, hipError_t error) {
  if (error == hipSuccess) return;
  forget_last_error();
  if (is_fatal_of_launch(error)) throw DeviceLost(words_of(call, error));
  throw LaunchFailure(words_of(call, error));
}

void ignore(hipError_t error) noexcept {
  if (error != hipSuccess) forget_last_error();
}

}  // namespace hiptune::gpu
