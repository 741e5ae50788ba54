// Arguments of Caffe2's ops that hold nets (If, While, Do, RecurrentNetwork), decoded for any representation of NetDef.
// A representation provides a view of one op:
//
//   argument_count()              how many arguments it has
//   argument_name(i)              std::string_view
//   argument_string(i)            pointer to the std::string it holds, nullptr if none
//   argument_strings(i)           reference to a range of std::string
//   argument_integers(i)          range of integers, with size() and operator[]
//   rename_argument(i, text)      only to rename
//   input_count(), output_count(), input(i), output(i)    blobs, as text
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/name_map.hpp>

namespace plait::detail {

inline constexpr std::string_view rename_suffix = ".rename";

inline bool is_recurrence(std::string_view op_type) { return op_type.starts_with("RecurrentNetwork"); }

/// Returns the scope in which Caffe2 runs the nets of an op type. Unknown types count as `shared`, which hides nothing.
inline subnet_scope nested_scope(std::string_view op_type) {
  if (op_type == "Do") return subnet_scope::closed;
  return is_recurrence(op_type) ? subnet_scope::child : subnet_scope::shared;
}

/// Returns true if a string argument is a net in text form.
inline bool holds_text_net(std::string_view op_type, std::string_view argument) {
  return is_recurrence(op_type) && argument.ends_with("step_net");
}

/// Returns the index of an argument, or argument_count() if there is none.
template <class Op>
[[nodiscard]] std::size_t argument_index(Op const& op, std::string_view name) {
  std::size_t i = 0;
  while (i != op.argument_count() && op.argument_name(i) != name) ++i;
  return i;
}

/// Returns the bindings of a Do, as pairs (name inside, name outside). Inconsistent bindings are left out.
template <class Op>
[[nodiscard]] std::vector<std::pair<std::string, std::string>> bound_blobs(Op const& op) {
  std::vector<std::pair<std::string, std::string>> made;
  std::size_t const inner = argument_index(op, "inner_blobs");
  std::size_t const outer = argument_index(op, "outer_blobs_idx");
  if (inner == op.argument_count() || outer == op.argument_count()) return made;
  auto const& names = op.argument_strings(inner);
  auto const& places = op.argument_integers(outer);
  if (names.size() != places.size() || op.input_count() == 0 || op.output_count() == 0) return made;
  std::size_t const inputs = op.input_count() - 1;  // the last input and the last output are the workspace
  std::size_t i = 0;
  for (std::string const& name : names) {
    auto const at = static_cast<std::size_t>(*(places.begin() + static_cast<std::ptrdiff_t>(i++)));
    if (at >= inputs + op.output_count() - 1) continue;
    made.emplace_back(name, at < inputs ? op.input(at) : op.output(at - inputs));
  }
  return made;
}

/// Returns the names that a recurrence binds in its step nets: the inner ends of its links, under the names that the
/// memory planner's arguments `<blob>.rename` give them, and the time step.
template <class Op>
[[nodiscard]] std::vector<std::string> step_locals(Op const& op) {
  std::vector<std::string> bound;
  for (std::string_view const links : {"link_internal", "backward_link_internal"}) {
    std::size_t const at = argument_index(op, links);
    if (at == op.argument_count()) continue;
    for (std::string const& blob : op.argument_strings(at)) {
      std::size_t const renamed = argument_index(op, blob + std::string(rename_suffix));
      bool const has_other = renamed != op.argument_count() && op.argument_string(renamed) != nullptr;
      bound.push_back(has_other ? *op.argument_string(renamed) : blob);
    }
  }
  std::size_t const timestep = argument_index(op, "timestep");
  bool const is_given = timestep != op.argument_count() && op.argument_string(timestep) != nullptr;
  bound.push_back(is_given ? *op.argument_string(timestep) : "timestep");
  return bound;
}

/// Completes the nets found in an op with the bindings of a Do and the locals of step nets. Backward nets run in the
/// workspace of the forward step and see everything it wrote: for_each_output(net, visit) visits the outputs of a net.
template <class Op, class Nested, class ForEachOutput>
void bind_nested(Op const& op, std::vector<Nested>& found, ForEachOutput for_each_output) {
  if (found.empty()) return;
  if (found.front().scope == subnet_scope::closed)
    for (Nested& nested : found) nested.bound = bound_blobs(op);
  if (found.front().scope != subnet_scope::child) return;
  std::vector<std::string> const bound = step_locals(op);
  std::vector<std::string> made;
  for (Nested const& nested : found)
    if (!nested.argument.starts_with("backward"))
      for_each_output(*nested.net, [&](std::string_view blob) { made.emplace_back(blob); });
  for (Nested& nested : found) {
    nested.locals = bound;
    if (nested.argument.starts_with("backward")) nested.locals.insert(nested.locals.end(), made.begin(), made.end());
  }
}

/// Returns the blobs that the arguments of a recurrence name: every list of strings, the timestep and both sides of
/// `<blob>.rename`. Views into the op; no other op names blobs in arguments.
template <class Op>
[[nodiscard]] std::vector<std::string_view> recurrence_argument_blobs(Op const& op) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i != op.argument_count(); ++i) {
    std::string_view const name = op.argument_name(i);
    for (std::string const& text : op.argument_strings(i)) found.push_back(text);
    std::string const* const held = op.argument_string(i);
    if (held == nullptr) continue;
    if (name.ends_with(rename_suffix)) {
      found.push_back(name.substr(0, name.size() - rename_suffix.size()));
      found.push_back(*held);
    } else if (name == "timestep") {
      found.push_back(*held);
    }
  }
  return found;
}

/// Renames the blobs that recurrence_argument_blobs lists. Follows the remap function of Caffe2's recurrent networks,
/// but also renames in `<blob>.rename`, where Caffe2 leaves a dangling name.
template <class Op>
void rename_recurrence_arguments(Op const& op, name_map const& names) {
  auto const rename = [&](std::string& text) {
    if (auto const to = names.find(text)) text = *to;
  };
  for (std::size_t i = 0; i != op.argument_count(); ++i) {
    std::string_view const name = op.argument_name(i);
    for (std::string& text : op.argument_strings(i)) rename(text);
    std::string* const held = op.argument_string(i);
    if (held == nullptr) continue;
    if (name.ends_with(rename_suffix)) {
      rename(*held);
      if (auto const to = names.find(name.substr(0, name.size() - rename_suffix.size())))
        op.rename_argument(i, std::string(*to) += rename_suffix);
    } else if (name == "timestep") {
      rename(*held);
    }
  }
}

}  // namespace plait::detail
