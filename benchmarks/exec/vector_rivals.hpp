// Vectorised functions of other libraries, compiled for AVX2 whatever the rest of the program is compiled for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct rival {
  std::string library;
  std::string function;
  void (*run_float)(float const*, float*, std::size_t);
  void (*run_double)(double const*, double*, std::size_t);
};

/// Returns the functions of SLEEF (1 ulp) and Eigen, if found; none where the compiler cannot generate AVX2 code.
std::vector<rival> rivals();

}  // namespace bench
