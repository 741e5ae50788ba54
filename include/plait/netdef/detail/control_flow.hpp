// Control flow ops: adds If, While and Do ops, built from the nets of their branches and bodies.
//
// Follows Caffe2's add_if_op and add_while_op (control_ops_util.py): the net of a branch becomes the net of a Do op,
// which runs it in a child workspace and binds outer blobs by name. Upward-exposed reads of a branch (blobs read before
// they are written) must be in the lexical scope; a blob that it writes is the outer one if that is in the scope, and
// local otherwise. Differences: names are in order of first appearance, where the original has hash order; the
// condition is an input once, even if a branch reads it; workspace names are unique in the net, not in the process.
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

// Appends the ops of a plan; their undefined inputs become external inputs and the outputs of the last op external
// outputs, as with Caffe2's helpers.
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

/// Appends an If op to `n`, after the CreateScope ops of its workspaces. What it reads and `n` neither declares nor
/// writes becomes an external input; what it writes, with the workspaces, becomes external outputs. `condition` is a
/// blob of one bool. Without an else net, a false condition writes nothing. Throws net_error, and changes nothing, if
/// the condition or an upward-exposed read of a branch is not in the scope. O(operands of all three nets); to add many
/// ops, use net_builder, which is linear in total.
template <lexical_scope Scope>
control_blobs add_if(netdef& n, std::string_view condition, Scope const& scope, netdef then_net,
                     std::optional<netdef> else_net = {}, control_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_if_op(names, std::string(condition), detail::scope_set<Scope>(scope), std::move(then_net),
                            std::move(else_net), options));
}

/// Appends a While op like add_if(): the body runs while the condition holds. A condition net runs before each test of
/// the condition, and must write it. A condition that is not in the scope is created first, as false. Outer blobs that
/// the body writes are inputs, too, since a loop without iterations leaves them unchanged.
template <lexical_scope Scope>
control_blobs add_while(netdef& n, std::string_view condition, Scope const& scope, netdef body,
                        std::optional<netdef> condition_net = {}, control_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_while_op(names, std::string(condition), detail::scope_set<Scope>(scope), std::move(body),
                               std::move(condition_net), options));
}

/// Appends a Do op like add_if(): a net that runs once, in a child workspace. Throws net_error for invalid bindings: a
/// blob that is bound twice, bound but not used, read but not bound, or not in the scope.
template <lexical_scope Scope>
control_blobs add_do(netdef& n, Scope const& scope, netdef inner, do_options options = {}) {
  options.name = detail::control_name(n, options.name);
  name_generator names(options.name, n);
  return detail::apply_control_plan(
      n, detail::plan_do_op(names, detail::scope_set<Scope>(scope), std::move(inner), options));
}

}  // namespace plait
