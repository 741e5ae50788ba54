// Sequence lengths as ops of the outer net: integer check, clamping, defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait::detail {

/// Casts lengths to int64. Cast accepts any type; the added Mod refuses all but integers.
inline blob_handle lengths_as_int64(net_builder& net, blob_handle const& x) {
  return net.op("Cast", {net.add(x, net.op("Mod", x, {}, {{"divisor", 1}}))}, {}, {{"to", "int64"}});
}

/// Returns the blob with the lengths of the N sequences in x, T×N×…: `given`, clamped to 0 … T, or T for all.
inline std::string clamped_lengths(net_builder& net, blob_handle const& x, std::optional<std::string> const& given) {
  auto const shape = net.op("Shape", x);
  auto const extent = [&](std::int64_t axis) {
    return net.op("Slice", shape, {}, {{"starts", {axis}}, {"ends", {axis + 1}}});
  };
  auto const dtype = static_cast<std::int64_t>(tensor_type::int64);
  auto const zeros = net.op("ConstantFill", extent(1), {}, {{"input_as_shape", 1}, {"value", 0}, {"dtype", dtype}});
  auto const whole = net.add(zeros, extent(0));
  if (!given) return whole.name();
  auto const at_least = net.op("Max", {lengths_as_int64(net, net.blob(*given)), zeros});
  return net.op("Min", {at_least, whole}).name();
}

}  // namespace plait::detail
