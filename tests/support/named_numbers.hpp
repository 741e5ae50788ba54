// Reproducible numbers for the blobs of a net, and distances between results.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>

namespace test {

using numbers = std::vector<double>;

/// Returns numbers between -0.7 and 0.7 that depend on the name only.
inline numbers values(std::string const& name, std::int64_t count) {
  numbers made;
  double turn = 0;
  for (char const letter : name) turn = std::fmod(31 * turn + letter, 1009);
  turn *= 0.7548776662466927;  // without it every name would give the same numbers
  for (std::int64_t i = 0; i != count; ++i) {
    turn += 0.61803398874989485;
    made.push_back(1.4 * (turn - std::floor(turn)) - 0.7);
  }
  return made;
}
inline plait::tensor<plait::serial> filled(std::string const& name, plait::shape const& dims) {
  return plait::tensor<plait::serial>::from(values(name, dims.size()), dims);
}

/// Returns the largest difference; infinite for lists of different lengths, NaN if one is NaN.
inline double apart(numbers const& a, numbers const& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i != a.size(); ++i) {
    double const between = std::abs(a[i] - b[i]);
    most = between <= most ? most : between;
    if (std::isnan(most)) break;
  }
  return most;
}
inline double apart(std::vector<numbers> const& a, std::vector<numbers> const& b) {
  if (a.size() != b.size()) return INFINITY;
  numbers all;
  for (std::size_t i = 0; i != a.size(); ++i) all.push_back(apart(a[i], b[i]));
  return apart(all, numbers(all.size(), 0));
}

/// Returns the concatenated contents of blobs.
inline numbers joined(plait::workspace<plait::serial> const& blobs, std::vector<std::string> const& names) {
  numbers made;
  for (std::string const& name : names) {
    numbers const one = blobs.fetch<double>(name);
    made.insert(made.end(), one.begin(), one.end());
  }
  return made;
}

}  // namespace test
