#include <plait/dataflow/detail/expressions.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace {

// a = f(x, x); b = f(x, y); c = f(x, x); d = g(); e = ?(x)
constexpr plait::dense_program make() {
  plait::dense_program p;
  auto const op = [&](std::vector<plait::blob_index> reads, plait::blob_index write) {
    for (auto const b : reads) p.read(b);
    p.write(write);
    p.end_op();
  };
  op({0, 0}, 2);
  op({0, 1}, 3);
  op({0, 0}, 4);
  op({}, 5);
  op({0}, 6);
  p.end_block();
  p.set_blob_count(7);
  return p;
}
constexpr bool check() {
  plait::dense_program const p = make();
  plait::dense_expressions all;
  for (int again = 0; again != 2; ++again) all.compute(p, std::array<std::uint32_t, 5>{3, 3, 3, 8, plait::npos});
  return all.size() == 3 && all.of(0) == 0 && all.of(1) == 1 && all.of(2) == 0 && all.of(3) == 2 &&
         all.of(4) == plait::npos && all.kind(1) == 3 && all.kind(2) == 8 && all.operands(2).empty() &&
         std::ranges::equal(all.operands(1), std::array{0u, 1u}) &&
         std::ranges::equal(all.readers(0), std::array{0u, 0u, 1u}) &&
         std::ranges::equal(all.readers(1), std::array{1u}) && all.readers(2).empty();
}
static_assert(check());

TEST_CASE("expressions: ops of one kind with the same operands compute one expression") {
  CHECK(check());
  plait::dense_program const p = make();
  std::array<std::uint32_t, 3> const too_few = {1, 1, 1};
  CHECK_THROWS_AS(plait::dense_expressions(p, too_few), plait::precondition_error);
}

}  // namespace
