// How far it is: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "train.hpp"

namespace mlp {

class progress {
 public:
  /// `is_terminal` says whether a line can be written over.
  progress(std::ostream& out, bool is_terminal, std::int64_t steps)
      : out_(out), is_terminal_(is_terminal), steps_(steps) {}
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  /// Ends the line, wherever training ended.
  ~progress();

  void show(std::int64_t done, measurement const& last);

 private:
  using clock = std::chrono::steady_clock;

  std::string text(std::int64_t done, measurement const& last) const;

  std::ostream& out_;
  bool is_terminal_;
  std::int64_t steps_;
  clock::time_point begin_ = clock::now();
  clock::time_point shown_ = begin_;
};

}  // namespace mlp
