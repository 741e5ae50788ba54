// Device inference: host or GPU for every value of a net, from known devices and copies.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/status_inference.hpp>

namespace plait {

/// Spelling of a GPU: "gpu" or "cuda".
enum class device_name_style { caffe2, pytorch };

/// Returns "cpu", "gpu" or "cuda", and the names of caffe2.proto in lower case for other devices.
[[nodiscard]] constexpr std::string_view device_name(device_kind kind,
                                                     device_name_style style = device_name_style::caffe2) noexcept {
  switch (kind) {
    case device_kind::cpu:
      return "cpu";
    case device_kind::cuda:
      return style == device_name_style::caffe2 ? "gpu" : "cuda";
    case device_kind::mkldnn:
      return "mkldnn";
    case device_kind::opengl:
      return "opengl";
    case device_kind::opencl:
      return "opencl";
    case device_kind::ideep:
      return "ideep";
    case device_kind::hip:
      return "hip";
  }
  return "unknown device";
}

/// Returns the device of such a name, in either style; nullopt if there is none.
[[nodiscard]] constexpr std::optional<device_kind> device_from_name(std::string_view name) noexcept {
  if (name == "gpu" || name == "cuda") return device_kind::cuda;
  for (device_kind kind : {device_kind::cpu, device_kind::mkldnn, device_kind::opengl, device_kind::opencl,
                           device_kind::ideep, device_kind::hip})
    if (name == device_name(kind)) return kind;
  return std::nullopt;
}

/// Known device of a value, which is named by blob and version.
struct known_device {
  std::string blob;
  std::uint32_t version = 0;
  device_kind device = device_kind::cpu;
};

namespace detail {

// Transfer function: constraints of copies and other ops on the devices of their operands.
template <class N>
struct device_rules {
  N const* n;

  template <class Op>
  void operator()(Op const& op, std::span<std::optional<device_kind>> in,
                  std::span<std::optional<device_kind>> out) const {
    std::string_view const type = op_type(*n, op);
    if (type == "CopyCPUToGPU") {
      fill(in, device_kind::cpu);
      fill(out, device_kind::cuda);
    } else if (type == "CopyGPUToCPU") {
      fill(in, device_kind::cuda);
      fill(out, device_kind::cpu);
    } else if (std::optional<device_kind> const all = first(in, out)) {
      fill(in, *all);
      fill(out, *all);
    }
  }
  static void fill(std::span<std::optional<device_kind>> statuses, device_kind device) {
    for (auto& status : statuses) status = device;
  }
  static std::optional<device_kind> first(std::span<std::optional<device_kind> const> in,
                                          std::span<std::optional<device_kind> const> out) {
    for (auto const& statuses : {in, out})
      for (auto const& status : statuses)
        if (status) return status;
    return std::nullopt;
  }
};

template <class N>
std::vector<std::pair<value, device_kind>> known_values(ssa_form<N> const& ssa, std::span<known_device const> known) {
  using key = typename ssa_form<N>::key_type;
  std::vector<std::pair<value, device_kind>> values;
  for (known_device const& k : known) {
    value const v{ssa.find(key(std::string_view(k.blob))), k.version};
    if (!ssa.contains(v))
      raise(net_error("plait: a device is given for version " + std::to_string(k.version) + " of blob '" + k.blob +
                          "', which the net does not have",
                      {}, k.blob));
    values.emplace_back(v, k.device);
  }
  return values;
}

}  // namespace detail

/// Infers the device of every value, indexed by ssa.index(value): CopyCPUToGPU and CopyGPUToCPU read on one and write
/// on the other, all operands of any other op are on one. `known` is a range of pairs (value, device_kind). Errors,
/// options and cost are those of infer_status. Follows detectron2's infer_device_type; device_name spells devices in
/// both its styles.
template <typed_net N, std::ranges::input_range Known>
  requires(!std::same_as<std::ranges::range_value_t<Known>, known_device>)
[[nodiscard]] std::vector<std::optional<device_kind>> infer_devices(N const& n, ssa_form<N> const& ssa, Known&& known,
                                                                    status_options const& options = {}) {
  return infer_status<device_kind>(n, ssa, std::forward<Known>(known), detail::device_rules<N>{&n}, options,
                                   [](device_kind kind) { return std::string(device_name(kind)); });
}

/// Infers devices from known values that are named by blob and version.
template <typed_net N>
  requires has_text<N>
[[nodiscard]] std::vector<std::optional<device_kind>> infer_devices(N const& n, ssa_form<N> const& ssa,
                                                                    std::vector<known_device> const& known,
                                                                    status_options const& options = {}) {
  return infer_devices(n, ssa, detail::known_values(ssa, std::span<known_device const>(known)), options);
}

}  // namespace plait
