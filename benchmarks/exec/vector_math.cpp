// Elementary functions of 4,096 elements: plait's on each instruction set, a loop over the C library's, and SLEEF's and
// Eigen's with AVX2. "items_per_second" counts elements.
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>

#include "vector_rivals.hpp"

namespace {

constexpr std::size_t count = 4096;

template <class T, class Run>
void measure(benchmark::State& state, Run run) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> values(0.01, 5);
  std::vector<T> in(count);
  std::vector<T> out(count);
  for (T& x : in) x = static_cast<T>(values(random));
  for (auto _ : state) {
    run(in.data(), out.data(), count);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

template <class T, class F>
struct loop {
  void operator()(T const* in, T* out, std::size_t n) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = F{}(in[i]);
  }
};

template <class T, class Own, class Library>
void add_type(std::string const& name) {
  auto const add = [&](char const* what, auto run) {
    benchmark::RegisterBenchmark((name + '/' + what).c_str(),
                                 [run](benchmark::State& state) { measure<T>(state, run); });
  };
  using plait::instruction_set;
  add("libm", [](T const* in, T* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = Library{}(in[i]);
  });
  add("plait/portable", [](auto... args) { plait::detail::run_portable(loop<T, Own>{}, args...); });
#if PLAIT_X86_DISPATCH
  if (plait::available_instructions() >= instruction_set::avx2)
    add("plait/avx2", [](auto... args) { plait::detail::run_avx2(loop<T, Own>{}, args...); });
  if (plait::available_instructions() >= instruction_set::avx512)
    add("plait/avx512", [](auto... args) { plait::detail::run_avx512(loop<T, Own>{}, args...); });
#endif
}

template <class Own, class Library>
void add_function(std::string const& name) {
  add_type<float, Own, Library>(name + "/float");
  add_type<double, Own, Library>(name + "/double");
  for (bench::rival const& other : bench::rivals()) {
    if (other.function != name || plait::available_instructions() < plait::instruction_set::avx2) continue;
    benchmark::RegisterBenchmark((name + "/float/" + other.library).c_str(),
                                 [=](benchmark::State& state) { measure<float>(state, other.run_float); });
    benchmark::RegisterBenchmark((name + "/double/" + other.library).c_str(),
                                 [=](benchmark::State& state) { measure<double>(state, other.run_double); });
  }
}

#define PLAIT_OWN(name)                           \
  struct own_##name {                             \
    template <class T>                            \
    PLAIT_ALWAYS_INLINE T operator()(T x) const { \
      return plait::math::name(x);                \
    }                                             \
  };
PLAIT_OWN(exp)
PLAIT_OWN(log)
PLAIT_OWN(log1p)
PLAIT_OWN(tanh)
PLAIT_OWN(sigmoid)

#define PLAIT_LIBRARY(name, value) \
  struct library_##name {          \
    template <class T>             \
    T operator()(T x) const {      \
      return value;                \
    }                              \
  };
PLAIT_LIBRARY(exp, std::exp(x))
PLAIT_LIBRARY(log, std::log(x))
PLAIT_LIBRARY(log1p, std::log1p(x))
PLAIT_LIBRARY(tanh, std::tanh(x))
PLAIT_LIBRARY(sigmoid, T(1) / (T(1) + std::exp(-x)))

[[maybe_unused]] bool const registered = [] {
  add_function<own_exp, library_exp>("exp");
  add_function<own_log, library_log>("log");
  add_function<own_log1p, library_log1p>("log1p");
  add_function<own_tanh, library_tanh>("tanh");
  add_function<own_sigmoid, library_sigmoid>("sigmoid");
  return true;
}();

}  // namespace
