#pragma once

#include <string>

namespace hiptune {

// Throws Error(bad_input) unless `name` can name a source or a header in a folder that a compiler makes for itself: no
// slash, nothing that a compiler takes for an option, nothing that a #line directive cannot hold.
void require_plain_file_name(const std::string& name);

}  // namespace hiptune
