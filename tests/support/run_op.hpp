// Runs one op, or a few, on a backend: what tests of operators are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(PLAIT_TEST_CUDA)
#include <plait/exec/cublas.hpp>
#else
#include <plait/exec/omp.hpp>
#endif
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/serial.hpp>
#include <plait/exec/tbb.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/types_run.hpp>
#if defined(PLAIT_TEST_DEVICE)
#include <support/emulated_device.hpp>
#endif

// Backends differ in who starts the threads only, and each costs as much to compile. CMake's PLAIT_TEST_ALL_BACKENDS
// has them all for every operator, the tests of kernels have them always. PLAIT_TEST_CUDA has the device instead, and
// PLAIT_TEST_DEVICE the one that the host emulates.
#if defined(PLAIT_TEST_CUDA)
#define PLAIT_PARALLEL_BACKENDS plait::cuda
#define PLAIT_HOST_BACKENDS plait::cuda
#elif defined(PLAIT_TEST_DEVICE)
#define PLAIT_PARALLEL_BACKENDS test::emulated_device
#define PLAIT_HOST_BACKENDS test::emulated_device
#elif defined(PLAIT_TEST_ALL_BACKENDS)
#define PLAIT_PARALLEL_BACKENDS plait::omp, plait::tbb
#define PLAIT_HOST_BACKENDS plait::serial, PLAIT_PARALLEL_BACKENDS
#else
#define PLAIT_PARALLEL_BACKENDS plait::tbb
#define PLAIT_HOST_BACKENDS plait::tbb
#endif

namespace test {

/// All operators, which are noted when they run. The tables are compiled once, for all programs.
template <class B>
plait::operators<B> const& table() {
  static plait::operators<B> const made = noting(plait::standard_operators<B>());
  return made;
}

/// each(B()) for every backend that has threads.
template <class Each>
void for_parallel_backends(Each const& each) {
  [&]<class... B>(std::type_identity<std::tuple<B...>>) {
    (each(B()), ...);
  }(std::type_identity<std::tuple<PLAIT_PARALLEL_BACKENDS>>());
}

/// What is fed, by name.
template <class B>
using feeds = std::vector<std::pair<std::string, plait::tensor<B>>>;

template <class B, class T>
plait::tensor<B> of(plait::shape const& dims, std::vector<T> const& elements) {
  return plait::tensor<B>::from(elements, dims);
}

/// The same bits; on a device, which rounds sums of products once and adds in orders of its own, so near, relative to
/// the larger of the element and 1.
template <class B, class T>
bool agree(std::vector<T> const& got, std::vector<T> const& wanted, double tolerance = 2e-6) {
  return std::ranges::equal(got, wanted, [tolerance](T a, T b) {
    if (!B::on_device || a == b) return a == b;
    auto const right = static_cast<double>(b);
    return std::abs(static_cast<double>(a) - right) <= tolerance * std::max(1.0, std::abs(right));
  });
}

/// The workspace after a net, given as text, has run once.
template <class B>
plait::workspace<B> run_net(plait::operators<B> const& table, std::string_view net, feeds<B> const& fed) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : fed) blobs.feed(name, value.clone());
  auto plan = plait::compile(plait::read_netdef_text(net), table, blobs);
  plan.run();
  return blobs;
}

/// One op: run_op(table, R"(type: "Relu" input: "x" output: "y")", {{"x", …}}).
template <class B>
plait::workspace<B> run_op(plait::operators<B> const& table, std::string const& op, feeds<B> const& fed) {
  return run_net(table, "op { " + op + " }", fed);
}

}  // namespace test
