// Device assignment: sets the device options of ops from the devices of their blobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/device_inference.hpp>

namespace plait {

namespace detail {

// Returns the ops that must run on the GPU.
template <typed_net N>
std::vector<op_index> ops_on_gpu(N const& n, ssa_form<N> const& ssa,
                                 std::vector<std::optional<device_kind>> const& devices) {
  std::vector<op_index> found;
  op_index index = 0;
  for (auto&& op : plait::ops(n)) {
    std::string_view const type = op_type(n, op);
    std::optional<device_kind> common;
    if (type == "CopyCPUToGPU" || type == "CopyGPUToCPU") {
      common = device_kind::cuda;
    } else {
      for (auto const& values : {ssa.reads(index), ssa.writes(index)})
        for (value v : values) {
          std::optional<device_kind> const device = devices[ssa.index(v)];
          if (!common) common = device;
          if (!device || device == common) continue;
          std::string const blob = blob_label(ssa, v.blob);
          raise(net_error("plait: " + op_label(n, index) + " has blobs on " + std::string(device_name(*common)) +
                              ", but '" + blob + "' (version " + std::to_string(v.version) + ") is on " +
                              std::string(device_name(*device)),
                          index, blob));
        }
    }
    if (common == device_kind::cuda) found.push_back(index);
    ++index;
  }
  return found;
}

template <device_mutable_net N>
void set_devices(N& n, std::vector<op_index> const& which, device_spec const& device) {
  if (which.empty()) return;
  auto next = which.begin();
  op_index index = 0;
  for (auto&& op : net_traits_of<N>::ops(n)) {
    if (next != which.end() && *next == index++) {
      net_traits_of<N>::set_device(n, op, device);
      ++next;
    }
  }
}

}  // namespace detail

/// Assigns the device `gpu` to copies between host and GPU and to every op whose blobs are on a GPU; other ops keep
/// theirs. `devices` is the result of infer_devices. Returns the ops assigned. Throws net_error, changing nothing,
/// naming an op whose blobs are on different devices and one such blob. O(operands).
template <class N>
  requires typed_net<N> && device_mutable_net<N>
std::vector<op_index> assign_device_options(N& n, ssa_form<N> const& ssa,
                                            std::vector<std::optional<device_kind>> const& devices,
                                            device_spec const& gpu = {device_kind::cuda, 0}) {
  std::vector<op_index> assigned = detail::ops_on_gpu(n, ssa, devices);
  detail::set_devices(n, assigned, gpu);
  return assigned;
}

/// Ops that assign_device_options changed in two nets.
struct device_assignment {
  std::vector<op_index> predict_ops;
  std::vector<op_index> init_ops;
};

/// Assigns devices in a predict net and in the init net that produces its parameters: `known` devices of the predict
/// net's values determine all others, and the init net's external outputs live where the predict net reads them;
/// outputs it does not read keep their devices (detectron2's _assign_device_option). Throws as infer_devices does,
/// changing neither net.
template <class N>
  requires typed_net<N> && device_mutable_net<N> && has_text<N>
device_assignment assign_device_options(N& predict_net, N& init_net, std::vector<known_device> const& known,
                                        device_spec const& gpu = {device_kind::cuda, 0}) {
  using key = typename ssa_form<N>::key_type;
  auto const predict = get_ssa(std::as_const(predict_net));
  auto const devices = infer_devices(std::as_const(predict_net), predict, known);
  auto const init = get_ssa(std::as_const(init_net));
  std::vector<std::pair<value, device_kind>> wanted;
  for (value v : init.external_outputs()) {
    value const used{predict.find(key(init.name(v))), 0};
    if (!predict.contains(used)) continue;
    if (auto const& device = devices[predict.index(used)]) wanted.emplace_back(v, *device);
  }
  auto const init_devices = infer_devices(std::as_const(init_net), init, wanted, {.allow_unknown = true});
  device_assignment made{detail::ops_on_gpu(std::as_const(predict_net), predict, devices),
                         detail::ops_on_gpu(std::as_const(init_net), init, init_devices)};
  detail::set_devices(predict_net, made.predict_ops, gpu);
  detail::set_devices(init_net, made.init_ops, gpu);
  return made;
}

}  // namespace plait
