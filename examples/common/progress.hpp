// Progress display: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace example {

class progress {
 public:
  /// `is_terminal` says whether a line can be written over.
  progress(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  /// Ends the line, wherever it ended.
  ~progress();

  /// `part` of the whole is done, more than 0 and at most 1; `more` is asked for the end of the line where one is
  /// written. Elsewhere than on a terminal there is a line for each tenth.
  void show(double part, std::function<std::string()> const& more);

 private:
  using clock = std::chrono::steady_clock;

  std::string text(double part, std::string const& more) const;

  std::ostream& out_;
  bool is_terminal_;
  int tenths_ = 0;
  clock::time_point begin_ = clock::now();
  clock::time_point shown_ = {};
};

}  // namespace example
