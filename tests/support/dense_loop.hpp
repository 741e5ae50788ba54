// A small dense program with a loop: i = f(n); do { t = g(i, k); i = h(t, n); } while (…); return i.
#pragma once

#include <initializer_list>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace test::dense_loop {

constexpr plait::blob_index n = 0, i = 1, k = 2, t = 3, unused = 4;

constexpr plait::static_graph edges({{0, 1}, {1, 1}, {1, 2}});
constexpr auto graph() { return plait::flow_snapshot(edges); }

/// Returns the program: op 0 is in block 0, 1 and 2 are in block 1.
constexpr plait::dense_program code() {
  plait::dense_program p;
  auto const op = [&](std::initializer_list<plait::blob_index> reads, plait::blob_index write) {
    for (plait::blob_index const b : reads) p.read(b);
    p.write(write);
    p.end_op();
  };
  p.add_external_input(n);
  p.add_external_input(k);
  op({n}, i);
  p.end_block();
  op({i, k}, t);
  op({t, n}, i);
  p.end_block();
  p.result(i);
  p.end_block();
  p.set_blob_count(5);
  return p;
}

}  // namespace test::dense_loop
