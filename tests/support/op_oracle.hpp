// Helpers for tests of data movement ops: elements numbered in order, and the facts of an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>

#include <support/run_op.hpp>

namespace test {

using index = std::vector<std::int64_t>;

/// Returns first, first + 1, …, one number per element.
template <class T>
std::vector<T> numbered(plait::shape const& dims, T first = T(0)) {
  std::vector<T> made(static_cast<std::size_t>(dims.size()));
  std::iota(made.begin(), made.end(), first);
  return made;
}

template <class B, class T>
plait::tensor<B> counted(plait::shape const& dims, T first = T(0)) {
  return of<B, T>(dims, numbered<T>(dims, first));
}

/// Returns every index of a tensor in row-major order.
inline std::vector<index> indices(plait::shape const& dims) {
  std::vector<index> made;
  index at(dims.rank(), 0);
  for (std::int64_t left = dims.size(); left > 0; --left) {
    made.push_back(at);
    for (std::size_t axis = dims.rank(); axis-- != 0;) {
      if (++at[axis] < dims[axis]) break;
      at[axis] = 0;
    }
  }
  return made;
}

/// Returns the row-major offset of an index.
inline std::size_t place(plait::shape const& dims, index const& at) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis != dims.rank(); ++axis) sum = sum * dims[axis] + at[axis];
  return static_cast<std::size_t>(sum);
}

/// Returns "type: message" of the exec_error of an op; empty if there is none.
template <class B>
std::string error_of(plait::operators<B> const& table, std::string const& op, feeds<B> const& fed) {
  try {
    run_op(table, op, fed);
  } catch (plait::exec_error const& e) {
    return e.type + ": " + e.what();
  }
  return {};
}

inline bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace test
