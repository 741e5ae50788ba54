// Reduction operators and their gradients: sums and means along axes, normalisation, softmax, losses, ranking.
#pragma once

#include <plait/exec/detail/operators/batch_norm.hpp>
#include <plait/exec/detail/operators/batch_norm_gradient.hpp>
#include <plait/exec/detail/operators/group_norm.hpp>
#include <plait/exec/detail/operators/group_norm_gradient.hpp>
#include <plait/exec/detail/operators/layer_norm_gradient.hpp>
#include <plait/exec/detail/operators/losses.hpp>
#include <plait/exec/detail/operators/losses_gradients.hpp>
#include <plait/exec/detail/operators/normalization.hpp>
#include <plait/exec/detail/operators/normalization_gradients.hpp>
#include <plait/exec/detail/operators/ranking.hpp>
#include <plait/exec/detail/operators/ranking_gradients.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/detail/operators/reductions_gradients.hpp>
#include <plait/exec/detail/operators/softmax_with_loss.hpp>
#include <plait/exec/detail/operators/softmax_with_loss_gradients.hpp>
