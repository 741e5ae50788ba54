// Whether two nets are the same graph, whatever their blobs are called: what renaming and sharing have to leave as it
// was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/net/op_label.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Where two nets differ first.
struct graph_difference {
  op_index op = npos;  ///< npos: they have another number of ops
  std::string what;
};

namespace detail {
// Op by op; `differ(op_a, op_b, number)` returns what differs, or an empty string.
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

/// Nothing if the nets have the same ops in the same order, by type and device, each of which reads what the same
/// output of the same op has made, or a blob of the same name that is given to the net; nets inside ops count by what
/// they read of the net around. Arguments are not compared. O(operands + nested nets).
///
/// Follows Caffe2's memonger.verify_graph_equality, which compares ops without outputs.
template <has_text A, has_text B>
[[nodiscard]] std::optional<graph_difference> compare_graphs(A const& a, B const& b) {
  ssa_options const all{.subnets = true, .control_inputs = true};
  auto const ssa_a = get_ssa(a, all);
  auto const ssa_b = get_ssa(b, all);
  return detail::first_difference(
      a, b, ssa_a.op_count(), ssa_b.op_count(), [&](auto const& op_a, auto const& op_b, op_index at) -> std::string {
        if constexpr (typed_net<A> && typed_net<B>)
          if (op_type(a, op_a) != op_type(b, op_b))
            return "type " + std::string(op_type(a, op_a)) + " and " + std::string(op_type(b, op_b));
        if constexpr (device_net<A> && device_net<B>)
          if (detail::net_traits_of<A>::device(a, op_a) != detail::net_traits_of<B>::device(b, op_b))
            return "another device";
        if (ssa_a.writes(at).size() != ssa_b.writes(at).size()) return "another number of outputs";
        std::span<value const> const reads_a = ssa_a.reads(at);
        std::span<value const> const reads_b = ssa_b.reads(at);
        if (reads_a.size() != reads_b.size()) return "another number of inputs";
        for (std::size_t i = 0; i != reads_a.size(); ++i) {
          auto const from_a = ssa_a.producer(reads_a[i]);
          auto const from_b = ssa_b.producer(reads_b[i]);
          std::string_view const name_a = ssa_a.name(reads_a[i]);
          std::string_view const name_b = ssa_b.name(reads_b[i]);
          if (from_a != from_b || (!from_a && name_a != name_b))
            return "input " + std::to_string(i) + ", '" + std::string(name_a) + "' and '" + std::string(name_b) +
                   "', is not the same value";
        }
        return {};
      });
}

/// Nothing if the same outputs stand where the same inputs do, by name, in all ops. Follows Caffe2's
/// memonger.verify_inplace_blobs, which looks at one output for each input. O(operands).
template <has_text A, has_text B>
[[nodiscard]] std::optional<graph_difference> compare_in_place(A const& a, B const& b) {
  auto const count = [](auto const& n) { return static_cast<std::size_t>(std::ranges::distance(plait::ops(n))); };
  struct pair {
    std::size_t input;
    std::size_t output;
    bool operator==(pair const&) const = default;
  };
  auto const pairs = []<class N>(N const& n, auto const& op) {
    std::vector<pair> found;
    std::size_t i = 0;
    for (auto const& input : inputs(n, op)) {
      std::size_t o = 0;
      for (auto const& output : outputs(n, op)) {
        if (name_text(n, static_cast<name_t<N> const&>(input)) == name_text(n, static_cast<name_t<N> const&>(output)))
          found.push_back({i, o});
        ++o;
      }
      ++i;
    }
    return found;
  };
  return detail::first_difference(a, b, count(a), count(b),
                                  [&](auto const& op_a, auto const& op_b, op_index) -> std::string {
                                    return pairs(a, op_a) == pairs(b, op_b) ? "" : "other operands are in place";
                                  });
}

}  // namespace plait
