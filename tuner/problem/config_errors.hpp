#pragma once

#include "hiptune/error.hpp"
#include "problem/config.hpp"

namespace hiptune {

// Runs `action`. What it throws as bad input is about one configuration of many, and so the message names it.
template <typename Action>
auto naming(const Config& config, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input || config.empty()) throw;
    throw bad_input(std::string(error.what()) + "; for " + to_string(config));
  }
}

}  // namespace hiptune
