#pragma once

#include <algorithm>

#include "search/strategy.hpp"

namespace hiptune {

// Goes through a list that was made beforehand, and learns nothing from what it is told.
class Listed : public Strategy {
 public:
  explicit Listed(std::vector<Assignment> configs) : configs_(std::move(configs)) {}
  std::optional<Assignment> ask() override {
    return next_ < configs_.size() ? std::optional(configs_[next_++]) : std::nullopt;
  }
  [[nodiscard]] std::vector<Assignment> ahead(std::size_t count) const override {
    const auto first = configs_.begin() + static_cast<std::ptrdiff_t>(next_);
    return {first, first + static_cast<std::ptrdiff_t>(std::min(count, configs_.size() - next_))};
  }
  void tell(const Assignment&, std::optional<double>) override {}

 private:
  std::vector<Assignment> configs_;
  std::size_t next_ = 0;
};

}  // namespace hiptune
