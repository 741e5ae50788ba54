// Compatibility test with the Thrust that the other tests do not use: loops of all host backends, and a plan.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>
#include <support/toy_operators.hpp>

namespace {

constexpr std::size_t size = 3 * plait::tile_size + 5;

bool runs_plans() {
  using B = plait::tbb;
  plait::netdef n;
  n.add_op("Reverse", {"x"}, {"y"});
  n.add_op("Mix", {"x", "y"}, {"x"});
  std::vector<float> x(size);
  std::vector<float> expected(size);
  for (std::size_t i = 0; i != size; ++i) {
    x[i] = static_cast<float>(i);
    expected[i] = x[i] + 2 * static_cast<float>(size - 1 - i);
  }
  plait::workspace<B> blobs;
  blobs.feed("x", x, {static_cast<std::int64_t>(size)});
  auto const table = test::toy_operators<B>();
  auto plan = plait::compile(n, table, blobs, {.parallel = true});
  plait::parallel_executor(plan).run();
  return blobs.fetch<float>("x") == expected;
}

template <class B>
bool runs_loops() {
  std::vector<std::size_t> seen(size);
  std::size_t* const at = seen.data();
  plait::for_each_index<B>(size, [=](std::size_t i) { at[i] = i; });
  return plait::find_index<B>(size, [=](std::size_t i) { return at[i] != i; }) == size;
}

}  // namespace

int main() {
  bool const loops = runs_loops<plait::serial>() && runs_loops<plait::omp>() && runs_loops<plait::tbb>();
  return loops && runs_plans() ? 0 : 1;
}
