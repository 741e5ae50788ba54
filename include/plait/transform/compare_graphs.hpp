// Graph equality of two nets up to names of blobs (alpha-equivalence): the invariant of renaming and sharing.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// First difference between two nets.
struct graph_difference {
  op_index op = npos;  ///< npos: the number of ops, or external outputs, differ
  std::string what;
};

namespace detail {
// Compares op by op; `differ(op_a, op_b, number)` returns what differs, or an empty string.
template <net A, net B, class Differ>
std::optional<graph_difference> first_difference(A const& a, B const& b, std::size_t ops_a, std::size_t ops_b,
                                                 Differ differ) {
  if (ops_a != ops_b) return graph_difference{npos, std::to_string(ops_a) + " ops and " + std::to_string(ops_b)};
  auto&& all_b = plait::ops(b);
  auto at_b = std::ranges::begin(all_b);
  op_index at = 0;
  for (auto&& op : plait::ops(a)) {
    std::string what = differ(op, *at_b, at);
    if (!what.empty()) return graph_difference{at, op_label(a, at) + ": " + what};
    ++at;
    ++at_b;
  }
  return std::nullopt;
}
}  // namespace detail

/// Returns nullopt if the nets have the same ops in the same order, by type and device, each of which reads the same
/// output of the same op, or an input of the net of the same name, and the same external outputs. Nested nets count by
/// what they read of the outer net. Arguments are not compared. O(operands + nested nets).
///
/// Follows Caffe2's memonger.verify_graph_equality, which ignores output slots and external outputs.
template <has_text A, has_text B>
[[nodiscard]] std::optional<graph_difference> compare_graphs(A const& a, B const& b) {
  ssa_options const all{.subnets = true, .control_inputs = true};
  auto const ssa_a = get_ssa(a, all);
  auto const ssa_b = get_ssa(b, all);
  auto const is_same = [&](value in_a, value in_b) {
    auto const from_a = ssa_a.producer(in_a);
    if (from_a != ssa_b.producer(in_b)) return false;
    auto const name_a = ssa_a.name(in_a);
    auto const name_b = ssa_b.name(in_b);
    return from_a || std::string_view(name_a) == std::string_view(name_b);
  };
  auto const names = [&](value in_a, value in_b) {
    return '\'' + std::string(std::string_view(ssa_a.name(in_a))) + "' and '" +
           std::string(std::string_view(ssa_b.name(in_b))) + '\'';
  };
  auto found = detail::first_difference(
      a, b, ssa_a.op_count(), ssa_b.op_count(), [&](auto const& op_a, auto const& op_b, op_index at) -> std::string {
        if constexpr (typed_net<A> && typed_net<B>)
          if (op_type(a, op_a) != op_type(b, op_b))
            return "type " + std::string(op_type(a, op_a)) + " and " + std::string(op_type(b, op_b));
        if constexpr (device_net<A> && device_net<B>)
          if (detail::net_traits_of<A>::device(a, op_a) != detail::net_traits_of<B>::device(b, op_b))
            return "different devices";
        if (ssa_a.writes(at).size() != ssa_b.writes(at).size()) return "different numbers of outputs";
        std::span<value const> const reads_a = ssa_a.reads(at);
        std::span<value const> const reads_b = ssa_b.reads(at);
        if (reads_a.size() != reads_b.size()) return "different numbers of inputs";
        for (std::size_t i = 0; i != reads_a.size(); ++i)
          if (!is_same(reads_a[i], reads_b[i]))
            return "input " + std::to_string(i) + ", " + names(reads_a[i], reads_b[i]) + ", is not the same value";
        return {};
      });
  if (found) return found;
  auto const left_a = ssa_a.external_outputs();
  auto const left_b = ssa_b.external_outputs();
  if (left_a.size() != left_b.size())
    return graph_difference{npos,
                            std::to_string(left_a.size()) + " external outputs and " + std::to_string(left_b.size())};
  for (std::size_t i = 0; i != left_a.size(); ++i)
    if (!is_same(left_a[i], left_b[i]))
      return graph_difference{npos, "external output " + std::to_string(i) + ", " + names(left_a[i], left_b[i]) +
                                        ", is not the same value"};
  return std::nullopt;
}

/// Returns nullopt if every op has the same outputs in place of the same inputs, by name, in both nets. Follows
/// Caffe2's memonger.verify_inplace_blobs, which checks one output for each input. O(operands).
template <has_text A, has_text B>
[[nodiscard]] std::optional<graph_difference> compare_in_place(A const& a, B const& b) {
  auto const count = [](auto const& n) { return static_cast<std::size_t>(std::ranges::distance(plait::ops(n))); };
  // For each input the outputs of the same name, then npos.
  auto const places = []<class N>(N const& n, auto const& op) {
    boost::unordered_flat_map<std::string, std::vector<std::size_t>> slots;
    std::size_t slot = 0;
    for (auto const& output : outputs(n, op))
      slots[std::string(name_text(n, static_cast<name_t<N> const&>(output)))].push_back(slot++);
    std::vector<std::size_t> found;
    for (auto const& input : inputs(n, op)) {
      auto const at = slots.find(std::string(name_text(n, static_cast<name_t<N> const&>(input))));
      if (at != slots.end()) found.insert(found.end(), at->second.begin(), at->second.end());
      found.push_back(npos);
    }
    return found;
  };
  return detail::first_difference(a, b, count(a), count(b),
                                  [&](auto const& op_a, auto const& op_b, op_index) -> std::string {
                                    return places(a, op_a) == places(b, op_b) ? "" : "different operands are in place";
                                  });
}

}  // namespace plait
