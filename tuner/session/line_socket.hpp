#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace hiptune {

// Lines of text over a stream socket or pipe. Does not own the descriptor. Move-only use; for one thread.
class LineSocket {
 public:
  explicit LineSocket(int descriptor) : descriptor_(descriptor) {}

  // Adds the newline. False when the other side is gone.
  [[nodiscard]] bool write(const std::string& line) const;
  // Waits for a line; none at the end of the stream.
  [[nodiscard]] std::optional<std::string> read();

  // A complete line that is already buffered.
  [[nodiscard]] std::optional<std::string> take();
  // One read from the descriptor; false at the end of the stream.
  [[nodiscard]] bool fill();
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string buffer_;
};

}  // namespace hiptune
