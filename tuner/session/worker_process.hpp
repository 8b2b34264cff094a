#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "session/line_socket.hpp"

namespace hiptune {

using Seconds = std::chrono::duration<double>;

// A worker that ended while it was asked something.
struct WorkerDied {
  std::string how;         // "was killed by signal 11 (Segmentation fault)", "exited with code 3"
  std::string phase;       // what it was doing: "gate"
  std::string last_words;  // the end of its stdout and stderr
  // The vendor's words where its device is lost (class DeviceLost), which ends a worker.
  std::optional<std::string> lost_device = std::nullopt;
};

// A worker that did not finish a phase in time, and was killed.
struct WorkerTimedOut {
  std::string phase;
  Seconds deadline;
};

using WorkerAnswer = std::variant<nlohmann::ordered_json, WorkerDied, WorkerTimedOut>;

// Of an answer that is no reply: "the worker was killed by signal 11 (Segmentation fault) during gate; its last words:
// …"
[[nodiscard]] std::string describe(const WorkerAnswer& answer);

// A `hiptune worker` process and the socket to it. Killed, with everything it started, when destroyed. For one thread.
class WorkerProcess {
 public:
  // `program` is the hiptune executable. Throws Error(failed) when it cannot be started. Once `stop` is requested, on
  // any thread, the worker is killed and what was asked of it is late.
  explicit WorkerProcess(const std::filesystem::path& program, std::stop_token stop = {});
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // One request. Each phase that the worker announces, and the time before the first, may last `deadline`. After a
  // death or a time-out the object is of no more use. An {"error": …} is thrown as the Error it was.
  // The phase "time" may last `sampling` longer.
  [[nodiscard]] WorkerAnswer ask(const nlohmann::ordered_json& request, Seconds deadline,
                                 Seconds sampling = Seconds(0));

 private:
  enum class Event { line, closed, late };
  [[nodiscard]] Event wait(std::chrono::steady_clock::time_point until);
  void keep_last_words();
  [[nodiscard]] WorkerDied bury(const std::string& phase);

  int process_ = 0;
  int socket_ = -1;
  int output_ = -1;
  int end_ = -1;  // becomes readable when the process ends
  std::stop_token stop_;
  LineSocket lines_{-1};
  std::string last_words_;
};

}  // namespace hiptune
