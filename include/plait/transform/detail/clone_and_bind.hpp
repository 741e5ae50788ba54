// Net instantiation: a clone whose inputs are bound to given blobs and whose own blobs get a prefix.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/clone_net.hpp>

namespace plait {

/// Returns a clone called `name` in which `bound` renames blobs; a blob read before any write, and an external output
/// without producer, keep their names, all others get `prefix`. Follows Caffe2's clone_and_bind_net (without its schema
/// records); `names` of the result is its full map: those bound, then all the others. Throws as clone does. O(operands
/// + nested nets).
template <clonable_net N>
[[nodiscard]] net_clone<N> clone_and_bind(N const& n, std::string_view name, std::string_view prefix,
                                          name_map const& bound = {}, name_capture capture = name_capture::refuse) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  clone_options options{.blob_remap = bound, .ops = {}, .capture = capture};
  auto const call = [&](blob_index b, std::string_view before) {
    std::string const from(std::string_view(ssa.name(b)));
    if (!options.blob_remap.contains(from)) options.blob_remap.set(from, std::string(before) + from);
  };
  for (blob_index b : ssa.undefined()) call(b, {});
  for (blob_index b : ssa.unwritten_outputs()) call(b, {});
  for (op_index op = 0; op != ssa.op_count(); ++op)
    for (value v : ssa.writes(op)) call(v.blob, prefix);
  for (blob_index b : ssa.blobs()) call(b, prefix);  // declared, but neither read nor written
  net_clone<N> made = clone(n, name, options);
  made.names = std::move(options.blob_remap);
  return made;
}

}  // namespace plait
