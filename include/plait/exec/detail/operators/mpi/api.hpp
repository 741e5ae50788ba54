// Access to the MPI library: its header without the C++ bindings, and its error codes and types in terms of plait's.
#pragma once

// The bindings of C++ were removed from MPI 3, yet installations still declare them, and need a library for them.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>

#include <plait/exec/detail/operators/mpi/error.hpp>

static_assert(MPI_VERSION > 3 || (MPI_VERSION == 3 && MPI_SUBVERSION >= 1), "plait: MPI 3.1 or later is needed");

namespace plait::detail::mpi {

/// Throws transport_failure for the code of a failed call.
inline void check(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw transport_failure(std::string(call) + " has failed: " + text);
}

/// Returns MPI's type for elements of a sum or a copy. Signed integers are summed as unsigned ones, which wrap.
template <class T>
MPI_Datatype datatype_of() {
  if constexpr (std::same_as<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::same_as<T, double>)
    return MPI_DOUBLE;
  else if constexpr (sizeof(T) == 1)
    return MPI_UINT8_T;
  else if constexpr (sizeof(T) == 2)
    return MPI_UINT16_T;
  else if constexpr (sizeof(T) == 4)
    return MPI_UINT32_T;
  else
    return MPI_UINT64_T;
}

/// Maximum number of elements in one call, whose counts are of type int.
inline constexpr std::size_t most_elements = std::size_t{1} << 28;
static_assert(most_elements <= std::numeric_limits<int>::max());

}  // namespace plait::detail::mpi
