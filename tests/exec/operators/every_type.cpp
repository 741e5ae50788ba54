// Coverage of op types: each must be run by a test on each backend. ctest runs the tests of operators before and passes
// the folder in which they recorded the types they ran (support/types_run.hpp).
#include <plait/exec/operators.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <support/run_op.hpp>
#include <support/skip.hpp>

namespace {

TEST_CASE_TEMPLATE("operator table: tests have run every op type", B, PLAIT_HOST_BACKENDS) {
  char const* const folder = std::getenv("PLAIT_TYPES_RUN_BEFORE");
  if (folder == nullptr) return test::skip("only ctest knows what ran: PLAIT_TYPES_RUN_BEFORE is not set");
  std::set<std::string> ran;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) ran.insert(line);
  }
  for (plait::op_schema const* schema : test::table<B>().schemas()) {
    CAPTURE(schema->type());
    CHECK(ran.contains(std::string(B::name) + ' ' + schema->type()));
  }
}

}  // namespace
