// Export pipeline: prepares the predict net and init net of a converter for deployment, by the transforms of this
// folder in the order in which detectron2 exports a model (caffe2_export.py, export_caffe2_detection_model).
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/alias_placeholder.hpp>
#include <plait/transform/detail/const_fill.hpp>
#include <plait/transform/detail/constant_folding.hpp>
#include <plait/transform/detail/copy_fusion.hpp>
#include <plait/transform/detail/device_assignment.hpp>
#include <plait/transform/detail/device_inference.hpp>
#include <plait/transform/detail/group_norm.hpp>
#include <plait/transform/detail/parameter_extraction.hpp>
#include <plait/transform/detail/parameter_fill.hpp>
#include <plait/transform/detail/remove_reshape.hpp>

namespace plait {

struct pipeline_options {
  /// Devices of the first external inputs of the predict net, in their order; others follow from the ops. No device is
  /// assigned, and no copy fused, if none of them is a GPU.
  std::vector<device_kind> input_devices = {};
  device_spec gpu = {device_kind::cuda, 0};
  alias_options aliases = {};
  constant_options constants = {};
  fill_options fills = {};
};

/// Results of the steps, in their order.
struct pipeline_report {
  alias_fusion aliases;
  copy_fusion copies;
  dead_ops_report dead_init_ops;
  device_assignment devices;
  reshape_removal reshapes;
  std::vector<std::string> skipped_parameters;  ///< left out of the init net, see init_net_from_parameters
  std::vector<op_index> group_norms;
};

template <class N>
concept pipeline_net =
    std::copyable<N> && alias_fusible_net<N> && copy_fusible_net<N> && reshape_removable_net<N> &&
    init_net_buildable<N> && argument_readable_net<N> && argument_mutable_net<N> && retypable_net<N> &&
    device_mutable_net<N> && named_net<N> && has_external_inputs<N> && has_external_outputs<N>;

/// Runs the pipeline: applies the names that AliasWithName requests; if an input is on a GPU, fuses copies between
/// devices, removes dead ops of the init net and assigns devices to ops; extracts the parameters from the init net,
/// without running it; removes Reshapes before FC, with parameters that only they read; rebuilds the init net from the
/// remaining parameters; replaces ATen's group_norm by GroupNorm.
///
/// Throws what the steps throw (net_error with op and blob), changing neither net. O(operands + elements).
template <pipeline_net N>
pipeline_report run_export_pipeline(N& predict_net, N& init_net, pipeline_options const& options = {}) {
  using traits = detail::net_traits_of<N>;
  N predict = predict_net;
  N init = init_net;
  pipeline_report done;
  done.aliases = fuse_alias_placeholders(predict, init, options.aliases);
  if (std::ranges::find(options.input_devices, device_kind::cuda) != options.input_devices.end()) {
    done.copies = fuse_copies(predict);
    // Without declared outputs, all that the init net writes is an output.
    if (!std::ranges::empty(external_outputs(std::as_const(init)))) done.dead_init_ops = remove_dead_ops(init);
    std::vector<known_device> known;
    auto device = options.input_devices.begin();
    for (auto const& input : external_inputs(std::as_const(predict))) {
      if (device == options.input_devices.end()) break;
      known.push_back({std::string(name_text(predict, input)), 0, *device++});
    }
    done.devices = assign_device_options(predict, init, known, options.gpu);
  }

  std::vector<parameter> parameters = parameters_from_init_net(std::as_const(init), {.constants = options.constants});
  std::vector<std::string_view> names;
  for (parameter const& p : parameters) names.push_back(p.name);
  done.reshapes = remove_reshape_for_fc(predict, names);
  boost::unordered_flat_set<std::string_view> const gone(done.reshapes.removed_parameters.begin(),
                                                         done.reshapes.removed_parameters.end());
  std::erase_if(parameters, [&](parameter const& p) { return gone.contains(p.name); });

  init_net_result<N> made = init_net_from_parameters<N>(parameters, options.fills);
  traits::set_net_name(made.net, std::string(std::string_view(traits::net_name(std::as_const(init)))));
  done.skipped_parameters = std::move(made.skipped);
  done.group_norms = replace_group_norm(predict);
  predict_net = std::move(predict);
  init_net = std::move(made.net);
  return done;
}

}  // namespace plait
