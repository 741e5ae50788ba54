// The nets of cells.cpp on a backend.
#pragma once

#include <string>

#include <plait/exec/operators/data_movement.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>
#include <plait/exec/operators/reductions.hpp>

#include "cells.hpp"

namespace bench {

template <plait::backend B>
plait::operators<B> cell_operators() {
  plait::operators<B> made;
  plait::add_activation_operators(made);
  plait::add_activation_gradient_operators(made);
  plait::add_arithmetic_operators(made);
  plait::add_arithmetic_gradient_operators(made);
  plait::add_concat_split_operators(made);
  plait::add_function_operators(made);
  plait::add_layer_norm_gradient_operator(made);
  plait::add_fully_connected_operators(made);
  plait::add_matmul_operators(made);
  plait::add_fully_connected_gradient_operators(made);
  plait::add_normalization_operators(made);
  plait::add_recurrent_network_operators(made);
  plait::add_recurrent_network_gradient_operators(made);
  plait::add_reshape_operators(made);
  plait::add_sum_operators(made);
  plait::add_unit_operators(made);
  plait::add_unit_gradient_operators(made);
  return made;
}

template <plait::backend B>
void time_cell(char const* name, unsigned threads, cell_run const& r) {
  sequence_net const made = make_cell_net(r);
  running_net<B> net(made, cell_operators<B>());
  time_runs(name, threads, r.text(), r.c.flops(r.trains, made.gates), r.steps, [&] { net.run(); });
  if (!r.folder.empty()) net.write_results(std::string(r.folder), made.options.fetch);
}

}  // namespace bench
