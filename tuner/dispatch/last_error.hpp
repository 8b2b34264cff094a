#pragma once

#include <string_view>

#include "hiptune/dispatcher.hpp"

namespace hiptune::detail {

// Keeps the words for last_error() of this thread, and returns the status. Without memory for them there are none.
Status remember(Status status, std::string_view words) noexcept;

}  // namespace hiptune::detail
