// ONNX export: converts a net and its parameters to a model.
//
//   std::string const model = plait::write_onnx(net, parameters, {.inputs = {{"x", {{-1, 3, 224, 224}}}}});
//
// Each version of a blob becomes a value. The last one has the blob's name unless the blob is an input, which keeps its
// own; the others are <blob>_<version>. Nested nets become subgraphs that capture outer values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/export/exporter.hpp>
#include <plait/interop/onnx/detail/export/options.hpp>
#include <plait/interop/onnx/detail/export/serialize.hpp>
#include <plait/interop/onnx/detail/export/source.hpp>
#include <plait/interop/onnx/detail/export/standard_rules.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Converts a net to a model. Parameters become initializers, other external inputs, and blobs read before any write,
/// its inputs. Its outputs are the net's or, if it declares none, the blobs whose last version no op reads. Ops that no
/// output needs are dropped. Throws onnx_export_error, which lists everything that has no equivalent in ONNX, and
/// net_error for nested nets that cannot be read. O(net + parameters).
template <net N>
  requires has_text<N> && typed_net<N>
[[nodiscard]] onnx_model to_onnx(N const& n, std::span<parameter const> parameters = {},
                                 onnx_export_options const& options = {},
                                 onnx_export_rules const& rules = onnx_export_rules::standard()) {
  detail::onnx_out::onnx_source const source = detail::onnx_out::onnx_source_of(n);
  return detail::onnx_out::onnx_exporter(source, parameters, options, rules).run();
}

/// Converts like to_onnx() and returns the model in ONNX's binary format.
template <net N>
  requires has_text<N> && typed_net<N>
[[nodiscard]] std::string write_onnx(N const& n, std::vector<parameter> const& parameters = {},
                                     onnx_export_options const& options = {},
                                     onnx_export_rules const& rules = onnx_export_rules::standard()) {
  return serialize_onnx(to_onnx(n, parameters, options, rules), options.producer);
}

}  // namespace plait
