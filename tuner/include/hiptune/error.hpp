#pragma once

#include <stdexcept>
#include <string>

namespace hiptune {

enum class ErrorKind {
  bad_input,    // what the caller gave is wrong: an argument, a kernel file, a cache file
  unavailable,  // a device or a tool that the request needs is not there
  failed,       // the environment refused: out of memory, a full disk, a vendor call
};

// The one exception type for everything a user can mend. The message names the place (file, JSON pointer, option),
// what is wrong, and what to do. Broken invariants of hiptune itself are std::logic_error instead.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

[[nodiscard]] inline Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }
[[nodiscard]] inline Error unavailable(const std::string& message) { return {ErrorKind::unavailable, message}; }
[[nodiscard]] inline Error failed(const std::string& message) { return {ErrorKind::failed, message}; }

}  // namespace hiptune
