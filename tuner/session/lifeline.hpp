#pragma once

#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

namespace hiptune {

// Ends a worker whose coordinator is gone, however that went and whatever the worker is doing: removes the
// coordinator's temporary folders, then kills the worker's process group, and so the compilers that it started.
class Lifeline {
 public:
  // `socket` is the line to the coordinator. The process must lead its group, as the coordinator starts it.
  explicit Lifeline(int socket);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  // What goes with the coordinator. May be called for several folders.
  void own(std::filesystem::path folder);

 private:
  void watch(const std::stop_token& stop);
  void remove_folders();

  int socket_;
  std::mutex mutex_;
  std::vector<std::filesystem::path> folders_;
  std::jthread thread_;
};

}  // namespace hiptune
