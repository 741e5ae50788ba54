#include <plait/dataflow/detail/dense_reaching_definitions.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <plait/core/detail/npos.hpp>

#include <support/dense_loop.hpp>

namespace {

using namespace test::dense_loop;
using ops = std::vector<plait::op_index>;

constexpr bool check() {
  plait::dense_program const p = code();
  plait::dense_reaching_definitions reaching;
  for (int again = 0; again != 2; ++again) reaching.compute(graph(), p);
  auto const in = [&](std::uint32_t block, plait::blob_index b) {
    ops found;
    reaching.visit_in(block, b, [&](plait::op_index op) { found.push_back(op); });
    return found;
  };
  auto const before = [&](plait::op_index op, plait::blob_index b) {
    ops found;
    reaching.visit_before(p, op, b, [&](plait::op_index made) { found.push_back(made); });
    return found;
  };
  ops at_end;
  reaching.visit_end(p, 1, i, [&](plait::op_index op) { at_end.push_back(op); });
  return reaching.is_exposed(i) && reaching.is_exposed(n) && !reaching.is_exposed(t) && in(0, n) == ops{plait::npos} &&
         in(1, i) == ops{0, 2} && in(2, i) == ops{2} && before(2, t) == ops{1} && before(1, i) == ops{0, 2} &&
         at_end == ops{2};
}
static_assert(check());

TEST_CASE("dense reaching definitions: definitions before and in a loop reach its header") { CHECK(check()); }

}  // namespace
