#include <plait/dataflow/detail/dense_dead_code.hpp>

#include <doctest/doctest.h>

#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/ssa/detail/dense_construction.hpp>

#include <support/dense_loop.hpp>

namespace {

using namespace test::dense_loop;

// The loop's value is dead unless it is a program result.
constexpr bool check() {
  auto const g = graph();
  plait::dense_dominators const tree(g);
  plait::dense_construction form;
  form.compute(g, tree, code());
  plait::dense_program quiet;
  quiet.read(n);
  quiet.write(i);
  quiet.end_op();
  quiet.end_block();
  quiet.read(i);
  quiet.write(i);
  quiet.end_op();
  quiet.end_block();
  quiet.end_block();
  quiet.set_blob_count(2);
  plait::dense_construction unread;
  unread.compute(g, tree, quiet);
  auto const nothing = [](plait::op_index) { return false; };

  plait::dense_dead_code live;
  live.compute(g, form, nothing);
  bool const needed = live.is_live_op(0) && live.is_live_op(1) && live.is_live_op(2) && live.is_live_branch(1);
  live.compute(g, unread, nothing, {.remove_loops = true});
  bool const dead = !live.is_live_op(0) && !live.is_live_op(1) && !live.is_live_branch(1) && live.jump(1) == 2;
  live.compute(g, unread, nothing);  // the loop may be endless
  bool const kept = live.is_live_branch(1) && live.jump(1) == plait::npos;
  live.compute(g, unread, [](plait::op_index op) { return op == 0; }, {.remove_loops = true});
  return needed && dead && kept && live.is_live_op(0) && !live.is_live_op(1);
}
static_assert(check());

TEST_CASE("dense dead code: loops without effect are dead with remove_loops") { CHECK(check()); }

}  // namespace
