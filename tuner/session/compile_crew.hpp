#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "problem/config.hpp"
#include "session/trial.hpp"

namespace hiptune {

struct CompileOrder {
  std::string kernel;
  Problem problem;
  Config config;
  std::optional<std::filesystem::path> code_file;  // what gets the code object
};

// What compiles, one order at a time. Made and used on one thread; it returns early once a stop is requested.
using CompileStep = std::function<Trial(const CompileOrder&)>;

// When orders are compiled.
enum class CompilePace {
  ahead,       // while the results before them are being used
  in_batches,  // only while `take` waits: whoever uses results shares the processor with the crew and measures time
};

// Compiles what will be needed next, several orders at a time and a bounded number ahead. What is taken, and in which
// order, does not depend on how many compile. For one thread, which expects and takes.
class CompileCrew {
 public:
  // `hire` makes what compiles, at most `jobs` times, each on a thread of its own and only when there is work for it.
  CompileCrew(std::size_t jobs, CompilePace pace, std::function<CompileStep(std::stop_token)> hire);
  ~CompileCrew();
  CompileCrew(const CompileCrew&) = delete;
  CompileCrew& operator=(const CompileCrew&) = delete;

  // What will be taken next, in this order. Replaces what was expected before. What compiled once, for another problem
  // too, is left out: dimensions do not reach the code.
  void expect(const std::vector<CompileOrder>& orders);

  // Waits until the order, which need not be expected, has been compiled. None: it compiled when it was taken before.
  // Throws what the step threw.
  [[nodiscard]] std::optional<Trial> take(const CompileOrder& order);

  // So many results wait to be taken at most.
  [[nodiscard]] std::size_t window() const { return kAheadPerJob * jobs_; }

 private:
  static constexpr std::size_t kAheadPerJob = 4;
  using Result = std::variant<std::monostate, Trial, std::exception_ptr>;  // the first: it is being compiled

  void work(const std::stop_token& stop);
  [[nodiscard]] bool may_start() const;
  void run_next(const CompileStep& step, std::unique_lock<std::mutex>& lock);
  void put_first(const CompileOrder& order, const std::string& name);
  void hire_for_work();
  [[nodiscard]] bool is_ready(const std::string& name) const;
  [[nodiscard]] bool is_batch_done() const;

  std::size_t jobs_;
  CompilePace pace_;
  std::function<CompileStep(std::stop_token)> hire_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<CompileOrder> waiting_;
  std::map<std::string, Result> results_;  // not taken yet
  std::set<std::string> compiled_;         // taken
  std::set<std::string> expected_;         // by the last `expect`: of others no result is kept
  std::string wanted_;                     // what `take` waits for
  std::size_t batch_left_ = 0;             // orders of this batch that have not begun
  std::size_t running_ = 0;
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace hiptune
