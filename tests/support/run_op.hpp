// Runs one op, or a few, on a backend, for tests of operators.
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
#include <plait/exec/backends/cuda/cublas.hpp>
#else
#include <plait/exec/backends/omp/omp.hpp>
#endif
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/types_run.hpp>
#if defined(PLAIT_TEST_DEVICE)
#include <support/emulated_device.hpp>
#elif defined(PLAIT_TEST_ALL_BACKENDS)
#include <support/thread_pool_backend.hpp>
#endif

// Backends differ only in how they start threads, and each costs as much to compile. CMake's PLAIT_TEST_ALL_BACKENDS
// selects all of them for every operator, and the test-only thread pool: it proves that operators require of a backend
// no more than its concept. Tests of kernels name their backends. PLAIT_TEST_CUDA selects the CUDA device instead, and
// PLAIT_TEST_DEVICE the emulated one.
#if defined(PLAIT_TEST_CUDA)
#define PLAIT_PARALLEL_BACKENDS plait::cuda
#define PLAIT_HOST_BACKENDS plait::cuda
#elif defined(PLAIT_TEST_DEVICE)
#define PLAIT_PARALLEL_BACKENDS test::emulated_device
#define PLAIT_HOST_BACKENDS test::emulated_device
#elif defined(PLAIT_TEST_ALL_BACKENDS)
#define PLAIT_PARALLEL_BACKENDS plait::omp, plait::tbb, test::thread_pool
#define PLAIT_HOST_BACKENDS plait::serial, PLAIT_PARALLEL_BACKENDS
#else
#define PLAIT_PARALLEL_BACKENDS plait::tbb
#define PLAIT_HOST_BACKENDS plait::tbb
#endif

namespace test {

/// Returns all operators; records the types that run. The tables are compiled once, for all programs.
template <class B>
plait::operators<B> const& table() {
  static plait::operators<B> const made = noting(plait::standard_operators<B>());
  return made;
}

/// Calls each(B()) for every backend with threads.
template <class Each>
void for_parallel_backends(Each const& each) {
  [&]<class... B>(std::type_identity<std::tuple<B...>>) {
    (each(B()), ...);
  }(std::type_identity<std::tuple<PLAIT_PARALLEL_BACKENDS>>());
}

/// Fed tensors by name.
template <class B>
using feeds = std::vector<std::pair<std::string, plait::tensor<B>>>;

template <class B, class T>
plait::tensor<B> of(plait::shape const& dims, std::vector<T> const& elements) {
  return plait::tensor<B>::from(elements, dims);
}

/// Returns true if both have the same bits; on a device, which uses fused multiply-add and other summation orders, if
/// they are within `tolerance`, relative to the larger of the element and 1.
template <class B, class T>
bool agree(std::vector<T> const& got, std::vector<T> const& wanted, double tolerance = 2e-6) {
  return std::ranges::equal(got, wanted, [tolerance](T a, T b) {
    if (!B::on_device || a == b) return a == b;
    auto const right = static_cast<double>(b);
    return std::abs(static_cast<double>(a) - right) <= tolerance * std::max(1.0, std::abs(right));
  });
}

/// Runs a net, given as text, once and returns the workspace.
template <class B>
plait::workspace<B> run_net(plait::operators<B> const& table, std::string_view net, feeds<B> const& fed) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : fed) blobs.feed(name, value.clone());
  auto plan = plait::compile(plait::read_netdef_text(net), table, blobs);
  plan.run();
  return blobs;
}

/// Runs one op: run_op(table, R"(type: "Relu" input: "x" output: "y")", {{"x", …}}).
template <class B>
plait::workspace<B> run_op(plait::operators<B> const& table, std::string const& op, feeds<B> const& fed) {
  return run_net(table, "op { " + op + " }", fed);
}

}  // namespace test
