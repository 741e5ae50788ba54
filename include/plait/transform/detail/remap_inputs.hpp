// Input remapping: lets one op read other blobs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/rename_blobs.hpp>

namespace plait {

/// Renames the inputs of one op and nothing else (Caffe2's remap_input): the op reads other blobs then. Returns the
/// input slots that changed. Throws net_error for a position the net does not have, and if a net nested in the op
/// mentions a blob to be replaced, or is bound to one that the op also writes.
template <fully_renamable_net N>
std::vector<std::uint32_t> remap_inputs(N& n, op_index at, name_map const& names) {
  std::size_t next = 0;
  auto&& all = detail::net_traits_of<N>::ops(n);
  auto it = std::ranges::begin(all);
  while (it != std::ranges::end(all) && next != at) ++it, ++next;
  if (it == std::ranges::end(all))
    raise(net_error("plait: the net has " + std::to_string(next) + " ops, none at " + std::to_string(at), at));
  auto&& op = *it;

  std::vector<std::uint32_t> slots;
  std::vector<name_t<N>> made;
  std::uint32_t slot = 0;
  std::vector<std::string> old;
  for (auto const& name : inputs(std::as_const(n), op)) {
    std::string_view const from = name_text(n, static_cast<name_t<N> const&>(name));
    if (names[from] != from) {
      slots.push_back(slot);
      old.emplace_back(from);
    }
    ++slot;
  }
  visit_nested_names(std::as_const(n), op, [&](std::string_view name) {
    if (std::ranges::find(old, name) != old.end())
      raise(net_error(
          "plait: " + op_label(std::as_const(n), at) + " holds a net that mentions input '" + std::string(name) + "'",
          at, std::string(name)));
  });
  if (binds_nested_net(std::as_const(n), op))
    for (auto const& name : outputs(std::as_const(n), op)) {
      std::string const text(name_text(n, static_cast<name_t<N> const&>(name)));
      if (std::ranges::find(old, text) != old.end())
        raise(net_error("plait: " + op_label(std::as_const(n), at) + " holds a net that knows '" + text +
                            "' by one name, but the op would write it and read another blob in its place",
                        at, text));
    }
  for (std::string const& from : old) made.push_back(make_name(n, names[from]));
  for (std::size_t i = 0; i != slots.size(); ++i) detail::net_traits_of<N>::set_input(n, op, slots[i], made[i]);
  return slots;
}

}  // namespace plait
