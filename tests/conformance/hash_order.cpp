#include "hash_order.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/traits.hpp>

namespace conformance {

namespace {

using plait::netdef;
using plait::op_def;

template <class Range>
void sort_from(netdef const& n, Range& operands, std::size_t first) {
  if (operands.size() > first)
    std::sort(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(),
              [&](plait::symbol a, plait::symbol b) { return n.text(a) < n.text(b); });
}

bool is_control(std::string_view type) { return type == "If" || type == "While" || type == "Do"; }

// Binds names to names instead of indices, so that the order of operands may change: pairs sorted by the inner name.
void sort_bindings(netdef& n, op_def& op) {
  auto* const inner = plait::find_argument(n, op, "inner_blobs");
  auto* const outer = plait::find_argument(n, op, "outer_blobs_idx");
  if (inner == nullptr || outer == nullptr || inner->strings.size() != outer->ints.size()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < op.input.size(); ++i) names.emplace_back(n.text(op.input[i]));
  for (std::size_t i = 0; i + 1 < op.output.size(); ++i) names.emplace_back(n.text(op.output[i]));
  std::vector<std::pair<std::string, std::string>> bound;
  for (std::size_t i = 0; i != inner->strings.size(); ++i)
    bound.emplace_back(inner->strings[i], names.at(static_cast<std::size_t>(outer->ints[i])));
  std::ranges::sort(bound);
  inner->strings.clear();
  outer->ints.clear();
  for (auto& [a, b] : bound) {
    inner->strings.push_back(a);
    inner->strings.push_back(b);
  }
}

// Numbers split gradients in the order in which ops write them.
void number_splits(netdef& n) {
  std::map<std::string, std::size_t> next;
  plait::name_map names;
  for (op_def const& op : n.op)
    for (plait::symbol const blob : op.output) {
      std::string const text(n.text(blob));
      std::size_t const at = text.find("_autosplit_");
      if (at == std::string::npos || names.contains(text)) continue;
      std::string const stem = text.substr(0, at + 11);
      names.set(text, stem + "#" + std::to_string(next[stem]++));
    }
  if (names.empty()) return;
  for (op_def& op : n.op) {
    for (plait::symbol& blob : op.input) blob = n.intern(names[n.text(blob)]);
    for (plait::symbol& blob : op.output) blob = n.intern(names[n.text(blob)]);
    if (plait::has_nested_nets(n, op)) plait::rename_nested(n, op, names, [](netdef&, plait::subnet_scope) {});
  }
}

void order_nets(op_def& op) {
  for (plait::arg_def& argument : op.arg)
    if (argument.n) argument.n = ordered(*argument.n);
}

}  // namespace

netdef ordered(netdef const& net) {
  netdef n = net;
  number_splits(n);
  for (op_def& op : n.op) {
    std::string_view const type = n.text(op.type);
    if (type == "Sum") sort_from(n, op.input, 1);
    if (type == "RecurrentNetwork") {
      if (auto* const recomputed = plait::find_argument(n, op, "recompute_blobs_on_backward"))
        std::ranges::sort(recomputed->strings);
      order_nets(op);
    }
    if (!is_control(type)) continue;
    if (type == "Do") sort_bindings(n, op);
    std::size_t const first = type == "Do" ? 0 : 1;
    sort_from(n, op.input, first);
    sort_from(n, op.output, 0);
    if (auto* const saved = plait::find_argument(n, op, "saved_fwd_blobs")) std::ranges::sort(saved->strings);
    order_nets(op);
  }
  for (auto from = n.op.begin(); from != n.op.end();) {
    auto const is_sum = [&](op_def const& op) { return n.text(op.type) == "Sum"; };
    from = std::find_if(from, n.op.end(), is_sum);
    auto const to = std::find_if_not(from, n.op.end(), is_sum);
    std::vector<op_def> sums(from, to);
    std::vector<op_def*> sorted;  // pointers, since stable algorithms do not align ops: see op_def
    sorted.reserve(sums.size());
    for (op_def& op : sums) sorted.push_back(&op);
    std::ranges::stable_sort(sorted, {}, [&](op_def const* op) { return n.text(*op->output.begin()); });
    for (op_def* const op : sorted) *from++ = std::move(*op);
  }
  return n;
}

}  // namespace conformance
