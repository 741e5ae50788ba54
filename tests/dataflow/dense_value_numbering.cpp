#include <plait/dataflow/detail/dense_value_numbering.hpp>

#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/ssa/detail/dense_construction.hpp>

namespace {

constexpr plait::static_graph edges({{0, 1}});

// a = f(x); then b = f(x), c = f(b), d = f(a), e = ?(x), f = ?(x)
constexpr bool check() {
  plait::dense_program p;
  auto const op = [&](plait::blob_index read, plait::blob_index write) {
    p.read(read);
    p.write(write);
    p.end_op();
  };
  op(0, 1);
  p.end_block();
  op(0, 2);
  op(2, 3);
  op(1, 4);
  op(0, 5);
  op(0, 6);
  p.end_block();
  p.set_blob_count(7);
  plait::flow_snapshot const g(edges);
  plait::dense_dominators const tree(g);
  plait::dense_construction form;
  form.compute(g, tree, p);
  auto const made = [&](plait::op_index by) { return form.writes(by).front(); };

  std::array<std::uint32_t, 6> const kinds = {7, 7, 7, 7, plait::npos, plait::npos};
  plait::dense_value_numbering values;
  values.compute(form, kinds);
  auto const instead = values.replacements(form, tree);
  bool const by_kind = values.are_equal(made(0), made(1)) && values.are_equal(made(2), made(3)) &&
                       !values.are_equal(made(0), made(2)) && !values.are_equal(made(4), made(5)) &&
                       instead[made(1)] == made(0) && instead[made(3)] == made(2) && instead[made(0)] == made(0);

  // With e as a copy of x, its value equals x.
  values.compute(form, kinds, [](plait::op_index by, std::size_t) { return by == 4 ? 0 : plait::npos; });
  return by_kind && values.leader(made(4)) == values.leader(form.reads(4).front()) &&
         !values.are_equal(made(4), made(5));
}
static_assert(check());

TEST_CASE("dense value numbering: ops of one kind with equal inputs are congruent") { CHECK(check()); }

}  // namespace
