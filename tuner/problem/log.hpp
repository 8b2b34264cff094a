#pragma once

#include <memory>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace hiptune {

// Where the library warns: stderr. spdlog's default logger belongs to the application, and writes to stdout, where an
// application's results go. Any thread.
inline spdlog::logger& log() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("hiptune", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("hiptune: %l: %v");
    return made;
  }();
  return *logger;
}

}  // namespace hiptune
