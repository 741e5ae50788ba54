// Source of an ONNX export: a net of any adapted type, flattened to ops with names, versions and nested nets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail::onnx_out {

struct onnx_source;

/// A nested net of an op.
struct onnx_source_subnet {
  std::string argument;  ///< the argument that holds it
  std::shared_ptr<onnx_source const> net;
  std::vector<std::pair<std::string, std::string>> bound = {};  ///< inner name in a Do, and the outer name bound to it
  std::shared_ptr<void const> owner = {};                       ///< the net that the ops' arguments refer to
};

struct onnx_source_op {
  std::size_t index = 0;  ///< in the outermost net
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<bool> used;  ///< by output: an op reads it, or it can be an output of the net
  /// The blobs that the op writes, with those that its nested nets write, and their versions afterwards.
  std::vector<std::pair<std::string, std::uint32_t>> writes;
  /// Returns the value of an argument; nothing if there is none, or if it is a net.
  std::function<std::optional<argument_value>(std::string_view)> argument;
  std::vector<onnx_source_subnet> nets;
};

struct onnx_source {
  std::string name;
  std::vector<onnx_source_op> ops;
  std::vector<std::string> inputs;                             ///< declared external inputs
  std::vector<std::string> outputs;                            ///< declared external outputs
  std::vector<std::string> undefined;                          ///< blobs read before any write
  boost::unordered_flat_map<std::string, std::uint32_t> last;  ///< the last version of each blob
  std::vector<std::string> written;                            ///< blobs written, in order of last write
  std::vector<std::string> unread;                             ///< blobs among them whose last version no op reads
};

/// Depth of nested nets that can be exported: conversion recurses over it.
inline constexpr std::size_t onnx_export_depth = 64;

// Returns the look-up of an op's arguments. An op that ops() yields as a temporary is copied.
template <net N>
std::function<std::optional<argument_value>(std::string_view)> onnx_source_argument(N const& n, op_ref_t<N> op) {
  if constexpr (!argument_readable_net<N>) {
    return [](std::string_view) { return std::nullopt; };
  } else {
    auto const look_up = [&n](auto const& at, std::string_view key) -> std::optional<argument_value> {
      if (net_traits_of<N>::has_argument(n, at, key)) return net_traits_of<N>::argument(n, at, key);
      return std::nullopt;
    };
    if constexpr (std::is_lvalue_reference_v<op_ref_t<N>>)
      return [look_up, at = &op](std::string_view key) { return look_up(*at, key); };
    else
      return [look_up, at = op](std::string_view key) { return look_up(at, key); };
  }
}

/// Flattens a net, which must outlive the result. Throws net_error for nested nets that cannot be read.
template <net N>
onnx_source onnx_source_of(N const& n, std::optional<std::size_t> outermost = {}, std::size_t depth = 0) {
  onnx_source made;
  auto const ssa = get_ssa(n, {.subnets = true});
  auto const text = [](auto const& key) { return std::string(std::string_view(key)); };
  if constexpr (requires { net_traits_of<N>::net_name(n); }) made.name = std::string(net_traits_of<N>::net_name(n));
  for (value const v : ssa.external_inputs()) made.inputs.push_back(text(ssa.name(v)));
  for (value const v : ssa.external_outputs()) made.outputs.push_back(text(ssa.name(v)));
  for (blob_index const b : ssa.undefined()) made.undefined.push_back(text(ssa.name(b)));
  for (blob_index const b : ssa.blobs()) made.last.emplace(text(ssa.name(b)), ssa.version(b));
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    onnx_source_op each;
    each.index = outermost.value_or(at);
    each.type = std::string(op_type(n, op));
    std::size_t slot = 0;
    for ([[maybe_unused]] auto&& blob : inputs(n, op)) each.inputs.push_back(text(ssa.name(ssa.reads(at)[slot++])));
    slot = 0;
    for ([[maybe_unused]] auto&& blob : outputs(n, op)) each.outputs.push_back(text(ssa.name(ssa.writes(at)[slot++])));
    for (std::size_t o = 0; o != each.outputs.size(); ++o) {
      value const v = ssa.writes(at)[o];
      auto const& declared = ssa.external_outputs();
      each.used.push_back(!ssa.consumers(v).empty() || declared.empty() ||
                          std::ranges::find(declared, v) != declared.end());
    }
    for (value const v : ssa.writes(at)) each.writes.emplace_back(text(ssa.name(v)), v.version);
    each.argument = onnx_source_argument<N>(n, op);
    if constexpr (has_subnets<N>) {
      for (auto const& nested : net_traits_of<N>::subnets(n, op)) {
        onnx_source_subnet inner;
        if constexpr (requires { nested.argument; }) inner.argument = nested.argument;
        if (inner.argument.starts_with("backward")) continue;
        if constexpr (requires { nested.bound; })
          for (auto const& [inside, outside] : nested.bound) inner.bound.emplace_back(inside, outside);
        if (depth == onnx_export_depth)
          raise(net_error("plait: nets nested more than " + std::to_string(onnx_export_depth) + " deep", each.index));
        if constexpr (std::is_convertible_v<decltype(nested.net), std::shared_ptr<void const>>)
          inner.owner = nested.net;
        inner.net = std::make_shared<onnx_source const>(onnx_source_of(*nested.net, each.index, depth + 1));
        each.nets.push_back(std::move(inner));
      }
    }
    made.ops.push_back(std::move(each));
    ++at;
  }
  boost::unordered_flat_map<std::string, bool> listed;
  for (op_index op = 0; op != ssa.op_count(); ++op)
    for (value const v : ssa.writes(op)) {
      if (v.version != ssa.version(v.blob)) continue;
      if (!listed.emplace(text(ssa.name(v)), true).second) continue;
      made.written.push_back(text(ssa.name(v)));
      if (ssa.consumers(v).empty()) made.unread.push_back(text(ssa.name(v)));
    }
  return made;
}

}  // namespace plait::detail::onnx_out
