// Runs nets on every rank of an MPI program. The tests are run by mpirun: each rank runs the same test cases.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/mpi.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/runtime/extern_templates.hpp>

namespace test {

using B = plait::serial;

/// Returns fills, arithmetic and MPI operators.
inline plait::operators<B> ranks_table(plait::mpi_options const& options = {.timeout = std::chrono::seconds(60)}) {
  plait::operators<B> made;
  plait::add_fill_operators(made);
  plait::add_arithmetic_operators(made);
  plait::add_mpi_operators(made, options);
  return made;
}

/// Returns a net that begins with a communicator 'comm'.
inline plait::netdef with_communicator(std::string const& ops) {
  return plait::read_netdef_text("op { type: 'MPICreateCommonWorld' output: 'comm' } " + ops);
}

template <class T>
plait::tensor<B> of(plait::shape const& dims, std::vector<T> const& elements) {
  return plait::tensor<B>::from(elements, dims);
}

using fed = std::vector<std::pair<std::string, plait::tensor<B>>>;

/// Runs a net of ops on the communicator 'comm' once, and returns the workspace.
inline plait::workspace<B> run_ranks(std::string const& ops, fed const& given) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : given) blobs.feed(name, value);
  plait::compile(with_communicator(ops), ranks_table(), blobs).run();
  return blobs;
}

/// Returns the mpi_error that an exception of a plan has nested in it.
inline plait::mpi_error cause_of(plait::error const& problem) {
  try {
    std::rethrow_if_nested(problem);
  } catch (plait::mpi_error const& found) {
    return found;
  } catch (plait::error const& other) {
    return cause_of(other);
  }
  throw problem;
}

}  // namespace test
