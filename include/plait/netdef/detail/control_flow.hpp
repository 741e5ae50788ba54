// If, While and Do ops from the nets of their branches and bodies.
//
// Follows Caffe2's add_if_op and add_while_op (control_ops_util.py): the net of a branch stands in a Do op, which runs
// it in a workspace of its own, bound to the blobs around it by name. What a branch reads before it writes it must be
// in the lexical scope; of what it writes, blobs in the scope are written outside, all others are its own. Differences:
// names are in order of first appearance, where the original has hash order; the condition is an input once, also where
// a branch reads it; names of workspaces are unique in the net, not in the process.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/hash.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/detail/control_options.hpp>
#include <plait/netdef/detail/control_plan.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

namespace detail {

// Adds the ops with their undeclared inputs and all their outputs as externals, as Caffe2's helpers do.
inline control_blobs apply_control_plan(netdef& n, control_plan plan) {
  std::vector<bool> defined(n.symbols.size());
  std::vector<bool> promised(n.symbols.size());
  auto const mark = [](std::vector<bool>& marks, symbol s) {
    if (s.id >= marks.size()) marks.resize(s.id + std::size_t{1});
    bool const before = marks[s.id];
    marks[s.id] = true;
    return !before;
  };
  for (symbol const s : n.external_input) mark(defined, s);
  for (op_def const& op : n.op)
    for (symbol const s : op.output) mark(defined, s);
  for (symbol const s : n.external_output) mark(promised, s);
  for (built_op& op : plan.ops) {
    append_op(n, std::move(op));
    op_def const& made = n.op.back();
    for (symbol const s : made.input)
      if (mark(defined, s)) n.external_input.push_back(s);
    for (symbol const s : made.output) mark(defined, s);
  }
  for (symbol const s : n.op.back().output)
    if (mark(promised, s)) n.external_output.push_back(s);
  return std::move(plan.blobs);
}

inline std::string control_name(netdef const& n, std::string const& wanted) {
  return wanted.empty() ? std::string(n.text(n.name)) : wanted;
}

template <class Scope>
class scope_set {
 public:
  explicit scope_set(Scope const& names) {
    for (auto const& name : names) names_.insert(std::string(std::string_view(name)));
  }
  bool operator()(std::string_view name) const { return names_.contains(name); }

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return hash_text(name); }
  };
  boost::unordered_flat_set<std::string, hash, std::equal_to<>> names_;
};

}  // namespace detail

template <class Scope>
concept lexical_scope = std::ranges::input_range<Scope const> &&
                        std::constructible_from<std::string_view, std::ranges::range_reference_t<Scope const>>;

/// Adds an If op to `n`, with the CreateScope ops of its workspaces before it; what it reads that `n` neither declares
/// nor writes becomes an external input, what it writes, with the workspaces, external outputs. `condition` is a blob
/// of one bool. Without an else net nothing is written where the condition is false. Throws net_error, and changes
/// nothing, where the condition or a blob that a branch reads before it writes it is not in the scope. O(operands of
/// all three nets): to add many, use net_builder, which is linear in the whole.
template <lexical_scope Scope>
control_blobs add_if(netdef& n, std::string_view condition, Scope const& scope, netdef then_net,
                     std::optional<netdef> else_net = {}, control_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_if_op(names, std::string(condition), detail::scope_set<Scope>(scope), std::move(then_net),
                            std::move(else_net), options));
}

/// Adds a While op, likewise: the body runs as long as the condition holds; the condition net, if there is one, before
/// each look at it, and it must write the condition. A condition that is not in the scope is made first, false. What
/// the body writes outside is an input too, for a loop that never runs leaves it as it was.
template <lexical_scope Scope>
control_blobs add_while(netdef& n, std::string_view condition, Scope const& scope, netdef body,
                        std::optional<netdef> condition_net = {}, control_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_while_op(names, std::string(condition), detail::scope_set<Scope>(scope), std::move(body),
                               std::move(condition_net), options));
}

/// Adds a Do op, likewise: a net that runs once, in a workspace of its own. Throws net_error where the bindings do not
/// fit: a blob bound twice, or not used, or read but not bound or not in the scope.
template <lexical_scope Scope>
control_blobs add_do(netdef& n, Scope const& scope, netdef inner, do_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_do_op(names, detail::scope_set<Scope>(scope), std::move(inner), options));
}

}  // namespace plait
