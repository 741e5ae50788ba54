#include "vector_rivals.hpp"

#if defined(__AVX2__) && defined(PLAIT_BENCH_SLEEF)
#include <immintrin.h>

#include <sleef.h>
#endif
#if defined(__AVX2__) && defined(PLAIT_BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace bench {
namespace {

#if defined(__AVX2__) && defined(PLAIT_BENCH_SLEEF)
template <auto F>
void sleef_float(float const* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i + 8 <= count; i += 8) _mm256_storeu_ps(out + i, F(_mm256_loadu_ps(in + i)));
}
template <auto F>
void sleef_double(double const* in, double* out, std::size_t count) {
  for (std::size_t i = 0; i + 4 <= count; i += 4) _mm256_storeu_pd(out + i, F(_mm256_loadu_pd(in + i)));
}
__m256 sigmoid_float(__m256 x) {
  __m256 const one = _mm256_set1_ps(1);
  return _mm256_div_ps(one, _mm256_add_ps(one, Sleef_expf8_u10avx2(_mm256_sub_ps(_mm256_setzero_ps(), x))));
}
__m256d sigmoid_double(__m256d x) {
  __m256d const one = _mm256_set1_pd(1);
  return _mm256_div_pd(one, _mm256_add_pd(one, Sleef_expd4_u10avx2(_mm256_sub_pd(_mm256_setzero_pd(), x))));
}
#endif

#if defined(__AVX2__) && defined(PLAIT_BENCH_EIGEN)
template <class T, class F>
void eigen(T const* in, T* out, std::size_t count) {
  using array = Eigen::Array<T, Eigen::Dynamic, 1>;
  auto const n = static_cast<Eigen::Index>(count);
  Eigen::Map<array>(out, n) = F{}(Eigen::Map<array const>(in, n));
}
struct eigen_exp {
  auto operator()(auto const& x) const { return x.exp(); }
};
struct eigen_log {
  auto operator()(auto const& x) const { return x.log(); }
};
struct eigen_log1p {
  auto operator()(auto const& x) const { return x.log1p(); }
};
struct eigen_tanh {
  auto operator()(auto const& x) const { return x.tanh(); }
};
struct eigen_sigmoid {
  auto operator()(auto const& x) const { return x.logistic(); }
};
#endif

}  // namespace

std::vector<rival> rivals() {
  std::vector<rival> found;
#if defined(__AVX2__) && defined(PLAIT_BENCH_SLEEF)
  found.push_back({"sleef", "exp", sleef_float<Sleef_expf8_u10avx2>, sleef_double<Sleef_expd4_u10avx2>});
  found.push_back({"sleef", "log", sleef_float<Sleef_logf8_u10avx2>, sleef_double<Sleef_logd4_u10avx2>});
  found.push_back({"sleef", "log1p", sleef_float<Sleef_log1pf8_u10avx2>, sleef_double<Sleef_log1pd4_u10avx2>});
  found.push_back({"sleef", "tanh", sleef_float<Sleef_tanhf8_u10avx2>, sleef_double<Sleef_tanhd4_u10avx2>});
  found.push_back({"sleef", "sigmoid", sleef_float<sigmoid_float>, sleef_double<sigmoid_double>});
#endif
#if defined(__AVX2__) && defined(PLAIT_BENCH_EIGEN)
  found.push_back({"eigen", "exp", eigen<float, eigen_exp>, eigen<double, eigen_exp>});
  found.push_back({"eigen", "log", eigen<float, eigen_log>, eigen<double, eigen_log>});
  found.push_back({"eigen", "log1p", eigen<float, eigen_log1p>, eigen<double, eigen_log1p>});
  found.push_back({"eigen", "tanh", eigen<float, eigen_tanh>, eigen<double, eigen_tanh>});
  found.push_back({"eigen", "sigmoid", eigen<float, eigen_sigmoid>, eigen<double, eigen_sigmoid>});
#endif
  return found;
}

}  // namespace bench
