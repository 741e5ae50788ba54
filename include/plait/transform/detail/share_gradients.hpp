// Buffer sharing of gradients in training nets, by their names in Caffe2, and of activations in inference nets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/share_blobs.hpp>

namespace plait {

struct gradient_share_options {
  /// Gradients of parameters, which are read after the net has run.
  std::vector<std::string> parameter_gradients = {};
  /// Name scope of the gradients and of the shared blobs.
  std::string scope = {};
  /// Blobs to keep.
  std::vector<std::string> keep = {};
  /// Share also the outputs of layers: blobs that an op writes which reads `<blob>_w`, except the last two.
  bool share_activations = false;
  /// See share_options.
  std::function<std::optional<std::uint64_t>(std::string_view)> bytes = {};
};

/// Shares gradients for runtimes that run ops in any order their dependences allow: blobs called `<scope>…_grad`, or
/// `_<scope>…_grad` as summands are, that are no gradients of parameters. Follows Caffe2's memonger.share_grad_blobs,
/// except that `keep` is respected, that blobs which the net does not produce itself stay, and that every gradient can
/// share, from whichever loss it can be reached. See share_blobs.
template <fully_renamable_net N>
blob_sharing share_gradient_blobs(N& n, gradient_share_options const& options = {}) {
  std::string const scope = options.scope.empty() || options.scope.ends_with('/') ? options.scope : options.scope + '/';
  boost::unordered_flat_set<std::string_view> const of_parameters(options.parameter_gradients.begin(),
                                                                  options.parameter_gradients.end());
  std::vector<std::string> activations;
  if (options.share_activations) {
    for (auto&& op : plait::ops(std::as_const(n))) {
      boost::unordered_flat_set<std::string> read;
      for (auto const& name : inputs(std::as_const(n), op))
        read.emplace(name_text(std::as_const(n), static_cast<name_t<N> const&>(name)));
      for (auto const& name : outputs(std::as_const(n), op)) {
        std::string text(name_text(std::as_const(n), static_cast<name_t<N> const&>(name)));
        if (read.contains(text + "_w")) activations.push_back(std::move(text));
      }
    }
    activations.resize(activations.size() - std::min<std::size_t>(activations.size(), 2));
  }
  boost::unordered_flat_set<std::string_view> const of_layers(activations.begin(), activations.end());
  return share_blobs(n, {.keep = options.keep,
                         .only =
                             [&](std::string_view name) {
                               if (of_layers.contains(name)) return true;
                               std::string_view inner = name;
                               if (inner.starts_with('_') && !inner.starts_with(scope)) inner.remove_prefix(1);
                               return name.ends_with("_grad") && inner.starts_with(scope) &&
                                      !of_parameters.contains(name);
                             },
                         .any_order = true,
                         .scope = options.scope,
                         .bytes = options.bytes});
}

/// Shares the intermediate blobs of a net for inference, for runtimes that run ops in any order their dependences
/// allow. Follows Caffe2's memonger.optimize_inference_for_dag. Throws net_error, changing nothing, if an op is marked
/// as a gradient op, and if one reads a blob that no op before it writes and the net is not given.
template <fully_renamable_net N>
blob_sharing share_activation_blobs(N& n, share_options options = {}) {
  op_index at = 0;
  for (auto&& op : plait::ops(std::as_const(n))) {
    if constexpr (requires { detail::net_traits_of<N>::is_gradient(std::as_const(n), op); })
      if (detail::net_traits_of<N>::is_gradient(std::as_const(n), op))
        raise(net_error(
            "plait: " + op_label(std::as_const(n), at) + " is a gradient op, where a net for inference was expected",
            at));
    ++at;
  }
  auto const ssa = get_ssa(std::as_const(n), {.subnets = true, .control_inputs = true});
  std::vector<bool> given(ssa.blob_bound());
  for (value v : ssa.external_inputs()) given[v.blob] = true;
  for (blob_index b : ssa.undefined()) {
    if (given[b]) continue;
    std::string const name(std::string_view(ssa.name(b)));
    op_index const reader = ssa.consumers({b, 0}).front().op;
    raise(net_error("plait: " + op_label(std::as_const(n), reader) + " reads '" + name +
                        "', which is no external input and is not written before",
                    reader, name));
  }
  options.any_order = true;
  return share_blobs(n, options);
}

}  // namespace plait
