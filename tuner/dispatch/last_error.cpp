#include "dispatch/last_error.hpp"

#include <new>

namespace hiptune {
namespace {

thread_local std::string last_error_text;

}  // namespace

const std::string& last_error() { return last_error_text; }

Status detail::remember(Status status, std::string_view words) noexcept {
  try {
    last_error_text = words;
  } catch (const std::bad_alloc&) {
    last_error_text.clear();
  }
  return status;
}

}  // namespace hiptune
