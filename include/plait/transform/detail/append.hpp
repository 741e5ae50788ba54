// Net concatenation: appends the ops of one net to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/assert.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct append_options {
  /// Device of the appended ops and of the ops nested in them; empty: they keep theirs.
  std::optional<device_spec> device = {};
};

/// Result of append_net.
struct appended_net {
  op_index first_op = 0;                      ///< position of the first appended op
  std::vector<std::string> external_inputs;   ///< newly declared
  std::vector<std::string> external_outputs;  ///< newly declared
};

/// A net to which ops of another net of its type can be appended.
template <class N>
concept appendable_net = has_text<N> && adopting_net<N> && external_extensible_net<N> && nameable_net<N>;

namespace detail {

// Sets the device of an op and of the ops nested in it.
template <class N, class Op>
void set_op_device(N& n, Op&& op, device_spec const& device) {
  net_traits_of<N>::set_device(n, op, device);
  if constexpr (nested_editable_net<N>)
    if (has_nested_nets(std::as_const(n), op))
      rename_nested(n, op, name_map(), [&](N& inner, subnet_scope) {
        for (auto&& inside : net_traits_of<N>::ops(inner)) net_traits_of<N>::set_device(inner, inside, device);
      });
}

}  // namespace detail

/// Appends the ops of `other` to those of `n`. External inputs of `other` that `n` neither declares nor writes become
/// external inputs, its external outputs are added where they are new. Follows Caffe2's Net.AppendNet; a name that
/// `other` declares twice is added once. Names do not change: a blob that both nets call `x` is one blob afterwards.
/// `other` must be another object than `n`.
///
/// A device in the options needs a net type with set_device. Throws net_error if a net nested in an op of `other`
/// cannot be read. O(operands of both). Returns what was added.
template <appendable_net N>
appended_net append_net(N& n, N const& other, append_options const& options = {}) {
  PLAIT_ASSERT(&n != &other, "append_net: a net cannot be appended to itself");
  using traits = detail::net_traits_of<N>;
  auto const text = [](N const& of, auto const& name) {
    return std::string(name_text(of, static_cast<name_t<N> const&>(name)));
  };
  boost::unordered_flat_set<std::string> inputs;  // declared or written
  boost::unordered_flat_set<std::string> promised;
  for (auto const& name : external_inputs(std::as_const(n))) inputs.insert(text(n, name));
  for (auto const& name : external_outputs(std::as_const(n))) promised.insert(text(n, name));
  appended_net added;
  for (auto&& op : plait::ops(std::as_const(n))) {
    for (auto const& name : outputs(std::as_const(n), op)) inputs.insert(text(n, name));
    ++added.first_op;
  }
  for (auto const& name : external_inputs(other))
    if (inputs.insert(text(other, name)).second) added.external_inputs.push_back(text(other, name));
  for (auto const& name : external_outputs(other))
    if (promised.insert(text(other, name)).second) added.external_outputs.push_back(text(other, name));
  if (options.device)  // an unreadable nested net throws before anything changes
    for (auto&& op : plait::ops(other)) visit_nested_names(other, op, [](std::string_view) {});

  for (auto&& op : plait::ops(other)) traits::adopt_op(n, other, op);
  for (std::string const& name : added.external_inputs) traits::add_external_input(n, make_name(n, name));
  for (std::string const& name : added.external_outputs) traits::add_external_output(n, make_name(n, name));
  if constexpr (device_mutable_net<N>) {
    if (options.device) {
      op_index at = 0;
      for (auto&& op : traits::ops(n))
        if (at++ >= added.first_op) detail::set_op_device(n, op, *options.device);
    }
  } else {
    PLAIT_ASSERT(!options.device, "append_net: the net type has no set_device");
  }
  return added;
}

}  // namespace plait
