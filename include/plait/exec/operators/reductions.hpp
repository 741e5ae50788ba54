// Reduction operators and their gradients: sums and means along axes, normalisation, softmax, losses, ranking.
#pragma once

#include <plait/exec/detail/operators/batch_norm.hpp>
#include <plait/exec/detail/operators/batch_norm_gradient.hpp>
#include <plait/exec/detail/operators/group_norm.hpp>
#include <plait/exec/detail/operators/group_norm_gradient.hpp>
#include <plait/exec/detail/operators/layer_norm_gradient.hpp>
#include <plait/exec/detail/operators/local_response_norm.hpp>
#include <plait/exec/detail/operators/losses.hpp>
#include <plait/exec/detail/operators/losses_gradients.hpp>
#include <plait/exec/detail/operators/lp_norm.hpp>
#include <plait/exec/detail/operators/normalization.hpp>
#include <plait/exec/detail/operators/normalization_gradients.hpp>
#include <plait/exec/detail/operators/perplexity.hpp>
#include <plait/exec/detail/operators/ranking.hpp>
#include <plait/exec/detail/operators/ranking_gradients.hpp>
#include <plait/exec/detail/operators/reduce_product.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/detail/operators/reductions_gradients.hpp>
#include <plait/exec/detail/operators/rms_norm.hpp>
#include <plait/exec/detail/operators/scans.hpp>
#include <plait/exec/detail/operators/softmax_with_loss.hpp>
#include <plait/exec/detail/operators/softmax_with_loss_gradients.hpp>
#include <plait/exec/detail/operators/summarize.hpp>
#include <plait/exec/detail/operators/weighted_sigmoid_loss.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all reduction operators.
template <backend B>
void add_reductions(operators<B>& table) {
  add_local_response_norm_operators(table);
  add_loss_gradient_operators(table);
  add_loss_operators(table);
  add_lp_norm_operators(table);
  add_normalization_gradient_operators(table);
  add_normalization_operators(table);
  add_perplexity_operator(table);
  add_ranking_gradient_operators(table);
  add_ranking_operators(table);
  add_reduce_product_operators(table);
  add_reduction_gradient_operators(table);
  add_reduction_operators(table);
  add_rms_norm_operators(table);
  add_scan_operators(table);
  add_softmax_with_loss_gradient_operators(table);
  add_softmax_with_loss_operators(table);
  add_summarize_operator(table);
  add_weighted_sigmoid_loss_operators(table);
}

}  // namespace plait
