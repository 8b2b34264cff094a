#include "session/compile_crew.hpp"

#include <algorithm>
#include <utility>

namespace hiptune {
namespace {

// What reaches the compiler; dimensions do not.
std::string name_of(const CompileOrder& order) {
  return order.kernel + ' ' + to_string(order.problem.dtype) + ' ' + to_string(order.problem.traits) + ' ' +
         to_string(order.config);
}

}  // namespace

CompileCrew::CompileCrew(std::size_t jobs, CompilePace pace, std::function<CompileStep(std::stop_token)> hire)
    : jobs_(jobs), pace_(pace), hire_(std::move(hire)) {}

CompileCrew::~CompileCrew() {
  for (std::jthread& thread : threads_) thread.request_stop();  // all, before the first is waited for
}

void CompileCrew::expect(const std::vector<CompileOrder>& orders) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  waiting_.clear();
  for (const CompileOrder& order : orders) {
    const std::string name = name_of(order);
    if (!names.insert(name).second || compiled_.contains(name) || results_.contains(name)) continue;
    waiting_.push_back(order);
  }
  // What nobody will take would be in the way for ever.
  std::erase_if(results_, [&](const auto& result) {
    return !std::holds_alternative<std::monostate>(result.second) && !names.contains(result.first);
  });
  expected_ = std::move(names);
  if (pace_ == CompilePace::ahead) hire_for_work();
}

std::optional<Trial> CompileCrew::take(const CompileOrder& order) {
  const std::string name = name_of(order);
  std::unique_lock lock(mutex_);
  if (compiled_.contains(name)) return std::nullopt;
  if (!is_ready(name)) {
    put_first(order, name);
    wanted_ = name;
    batch_left_ = pace_ == CompilePace::in_batches ? window() : 0;
    hire_for_work();
    changed_.wait(lock, [&] { return is_ready(name) && is_batch_done(); });
    wanted_.clear();
    batch_left_ = 0;
  }
  const Result result = std::move(results_.extract(name).mapped());
  changed_.notify_all();  // there is room for another
  if (const auto* thrown = std::get_if<std::exception_ptr>(&result)) std::rethrow_exception(*thrown);
  const auto& trial = std::get<Trial>(result);
  if (trial.outcome == Outcome::compiled) compiled_.insert(name);
  return trial;
}

// Unless it has begun.
void CompileCrew::put_first(const CompileOrder& order, const std::string& name) {
  if (results_.contains(name)) return;
  std::erase_if(waiting_, [&](const CompileOrder& other) { return name_of(other) == name; });
  waiting_.push_front(order);
}

bool CompileCrew::is_ready(const std::string& name) const {
  const auto found = results_.find(name);
  return found != results_.end() && !std::holds_alternative<std::monostate>(found->second);
}

bool CompileCrew::is_batch_done() const {
  return pace_ == CompilePace::ahead || (running_ == 0 && (batch_left_ == 0 || waiting_.empty()));
}

bool CompileCrew::may_start() const {
  if (waiting_.empty()) return false;
  if (pace_ == CompilePace::in_batches) return batch_left_ > 0;
  return results_.size() < window() || name_of(waiting_.front()) == wanted_;
}

void CompileCrew::hire_for_work() {
  changed_.notify_all();
  const std::size_t wanted = std::min(jobs_, running_ + waiting_.size());
  while (threads_.size() < wanted) threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

void CompileCrew::work(const std::stop_token& stop) {
  CompileStep step;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return may_start(); }) && !stop.stop_requested()) {
    run_next(
        [&](const CompileOrder& order) {
          if (!step) step = hire_(stop);
          return step(order);
        },
        lock);
  }
}

void CompileCrew::run_next(const CompileStep& step, std::unique_lock<std::mutex>& lock) {
  const CompileOrder order = std::move(waiting_.front());
  const std::string name = name_of(order);
  waiting_.pop_front();
  results_[name] = std::monostate();
  if (batch_left_ > 0) --batch_left_;
  ++running_;
  lock.unlock();
  Result result;
  try {
    result = step(order);
  } catch (...) {
    result = std::current_exception();
  }
  lock.lock();
  --running_;
  if (expected_.contains(name) || name == wanted_)
    results_[name] = std::move(result);
  else
    results_.erase(name);  // it was given up while it ran
  changed_.notify_all();
}

}  // namespace hiptune
