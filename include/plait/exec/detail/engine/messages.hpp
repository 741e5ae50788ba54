// Errors and events of a plan. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
std::string engine<B>::op_text(op_index op, std::string_view type) const {
  std::string text = "plait: op " + std::to_string(op) + " (" + std::string(type);
  if (!op_names_[op].empty()) text += " '" + op_names_[op] + '\'';
  return text + "): ";
}

template <backend B>
auto engine<B>::problem(op_index op, std::string const& why, std::string_view blob) const -> own_error {
  std::string text = op_text(op) + std::string(detail::without_prefix(why)) + ';';
  auto const list = [&](std::span<value_number const> values) {
    std::string all;
    for (value_number v : values) {
      all += (all.empty() ? " " : ", ") + std::string(value_name(v));
      if (slots_[v].type.type != element_type::none) all += ": " + to_string(slots_[v].type);
    }
    return all;
  };
  text += " inputs" + list(layout_.reads(op)) + "; outputs" + list(layout_.writes(op));
  return {*this, text, op, blob};
}

// The first op that reads a value that is given; 0 where an op writes it without having read it.
template <backend B>
op_index engine<B>::reader_of(value_number v) const {
  for (op_index op = 0; op != op_count(); ++op)
    if (std::ranges::find(layout_.reads(op), v) != layout_.reads(op).end()) return op;
  return 0;
}

// Calls f, which takes memory for something of a value. `op` is the one to blame; npos: the first that reads it.
template <backend B>
template <class F>
void engine<B>::take_memory(op_index op, std::string_view what, value_number v, F const& f) const {
  try {
    f();
  } catch (memory_error const& e) {
    std::string_view const name = value_name(v);
    std::throw_with_nested(problem(
        op == npos ? reader_of(v) : op,
        "no memory for " + std::string(what) + " '" + std::string(name) + "', " + std::to_string(e.bytes) + " bytes",
        name));
  }
}

// There is no memory for what an op writes, or needs besides.
template <backend B>
auto engine<B>::problem(typename plan_memory<B>::shortage const& of) const -> own_error {
  std::string const bytes = std::to_string(of.bytes) + " bytes";
  if (of.value == npos) return problem(of.op, "no memory for the " + bytes + " that it needs besides its outputs");
  op_index op = of.op;
  for (op_index at = 0; op == npos; ++at)
    if (std::ranges::find(layout_.writes(at), of.value) != layout_.writes(at).end()) op = at;
  return problem(op, "no memory for output '" + std::string(value_name(of.value)) + "', " + bytes,
                 value_name(of.value));
}

// Throws what is being handled once more, as what became of an op.
template <backend B>
void engine<B>::rethrow(op_index op) const {
  try {
    throw;
  } catch (own_error const& e) {
    if (e.of == this) throw;
    std::throw_with_nested(problem(op, e.what()));  // of a plan that a kernel or an observer has run
  } catch (run_cancelled const&) {
    throw run_cancelled(op);  // not the op of a nested net
  } catch (nested_net_error const& e) {
    std::throw_with_nested(own_error(*this, op_text(op) + std::string(detail::without_prefix(e.what())), op, e.blob));
  } catch (shape_error const& e) {
    auto const reads = layout_.reads(op);
    bool const known = e.input && *e.input < reads.size();
    std::throw_with_nested(problem(op, detail::reason_of(e), known ? value_name(reads[*e.input]) : std::string_view()));
  } catch (std::exception const& e) {
    std::throw_with_nested(problem(op, detail::reason_of(e)));
  } catch (...) {
    std::throw_with_nested(problem(op, "the kernel threw something that is no std::exception"));
  }
}

template <backend B>
std::vector<std::string_view> engine<B>::required_inputs() const {
  std::vector<std::string_view> made;
  for (input const& in : inputs_)
    if (in.required) made.push_back(value_name(in.value));
  return made;
}

template <backend B>
std::vector<std::string_view> engine<B>::published_names() const {
  std::vector<std::string_view> made;
  for (value_number v : layout_.published()) made.push_back(value_name(v));
  return made;
}

template <backend B>
op_event engine<B>::event(op_index op, run_options const& options) const {
  auto const names = [&](std::span<value_number const> values) {
    std::vector<std::string_view> made;
    for (value_number v : values) made.push_back(value_name(v));
    return made;
  };
  return {op,
          schema(op).type(),
          op_names_[op],
          steps_[op].context.inputs(),
          steps_[op].context.outputs(),
          names(layout_.reads(op)),
          names(layout_.writes(op)),
          options.within};
}

template <backend B>
op_event engine<B>::event(fused_group<B>& group, run_options const& options) const {
  auto const last = static_cast<op_index>(group.first + group.size());
  op_event made = event(group.first, options);
  bool const labelled = !group.label.empty();
  for (op_index op = group.first; op != last; ++op) {
    if (!labelled) group.label += (op == group.first ? "" : "+") + schema(op).type();
    for (value_number v : layout_.writes(op))
      if (op != group.first) made.output_names.push_back(value_name(v));
  }
  made.type = group.label;
  made.inputs = made.outputs = {};
  made.count = group.size();
  return made;
}

}  // namespace plait
