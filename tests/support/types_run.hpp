// Records the op types that the tests of a program run, for tests/exec/operators/every_type.cpp.
#pragma once

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace test {

/// Collects lines "backend type" and writes them to the file that PLAIT_TYPES_RUN names when the program ends.
class types_run {
 public:
  static void add(std::string const& line) {
    static types_run all;
    std::lock_guard const lock(all.mutex_);
    all.lines_.insert(line);
  }

 private:
  types_run() = default;
  ~types_run() {
    char const* const file = std::getenv("PLAIT_TYPES_RUN");
    if (file == nullptr) return;
    std::ofstream out(file);
    for (std::string const& line : lines_) out << line << '\n';
  }

  std::mutex mutex_;
  std::set<std::string> lines_;
};

/// Returns a table that records each op before a run with new shapes.
template <class B>
plait::operators<B> noting(plait::operators<B> table) {
  auto const note = [](plait::op_arguments const& a) -> plait::shape_check {
    std::string const line = std::string(B::name) + ' ' + a.schema().type();
    if (!a.schema().has_results_after_run()) return [line](plait::shape_context const&) { types_run::add(line); };
    types_run::add(line);  // no shape inference
    return {};
  };
  plait::operators<B> made = table;
  for (plait::op_schema const* schema : table.schemas()) made.restrict(schema->type(), note);
  return made;
}

}  // namespace test
