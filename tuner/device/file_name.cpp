#include "device/file_name.hpp"

#include "hiptune/error.hpp"

namespace hiptune {

void require_plain_file_name(const std::string& name) {
  const bool plain = !name.empty() && name != "." && name != ".." && name.front() != '-';
  if (plain && name.find_first_of("/\\\"\n") == std::string::npos) return;
  throw bad_input("'" + name + "' cannot name a source or a header: give a plain file name");
}

}  // namespace hiptune
