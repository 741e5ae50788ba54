// Conversion rules for ONNX's control flow: If, Loop and Scan become If and While ops with nested nets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/subgraphs.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/detail/while_loop.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait {
namespace detail {

// Converts the branch of an If whose condition is known, in place of the node. The other one is not checked.
inline void onnx_inline_branch(onnx_context const& c, char const* name) {
  onnx_graph_def const& graph = c.graph(name);
  std::size_t const count = c.node().outputs.size();
  if (graph.outputs.size() != count || !graph.inputs.empty())
    c.unsupported(std::string(name) + " must have " + std::to_string(count) + " outputs and no inputs");
  std::vector<onnx_value> const made = c.converter().inside(graph, c.net(), {});
  for (std::size_t o = 0; o != count; ++o) {
    if (made[o].constant && !made[o].is_poisoned) {
      c.set_constant(o, *made[o].constant);
      continue;
    }
    c.add("Copy", {onnx_capture(c.net(), made[o].blob).name()}, {c.output(o)});
    c.set_type(o, made[o].type);
    c.set_dims(o, made[o].dims);
  }
}

// Returns what is known of a shape that is one of two.
inline onnx_dims common_dims(onnx_dims a, onnx_dims const& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  for (std::size_t axis = 0; axis != a->size(); ++axis)
    if ((*a)[axis] != (*b)[axis]) (*a)[axis] = -1;
  return a;
}

// Converts both branches, unless one adds problems since `start`: then returns false.
inline bool onnx_branches(onnx_context const& c, std::optional<onnx_converter::mark> const& start) {
  std::string const condition = c.input(0);
  std::vector<std::string> const outputs = c.outputs();
  std::vector<onnx_value> then_values;
  auto const branch = [&](char const* name) {
    onnx_graph_def const& graph = c.graph(name);
    if (graph.outputs.size() != outputs.size() || !graph.inputs.empty())
      c.unsupported(std::string(name) + " must have " + std::to_string(outputs.size()) + " outputs and no inputs");
    net_builder inside(c.temporary(name));
    std::vector<onnx_value> const made = c.converter().inside(graph, inside, {});
    for (std::size_t o = 0; o != outputs.size(); ++o) onnx_yield(c, inside, made[o], outputs[o]);
    for (std::size_t o = 0; o != outputs.size(); ++o) {
      c.set_type(o, made[o].type);
      if (!then_values.empty()) c.set_dims(o, common_dims(then_values[o].dims, made[o].dims));
    }
    then_values = made;
    return inside.take();
  };
  netdef then_net = branch("then_branch");
  netdef else_net = branch("else_branch");
  if (start && c.converter().has_problems_since(*start)) return false;
  onnx_add_if(c.net(), c.training(), condition, std::move(then_net), std::move(else_net), outputs);
  return true;
}

// If: a condition that follows from constants chooses the branch. One that follows from declared extents is left to the
// run, which may have larger inputs, unless a branch cannot be converted: then it chooses, and is checked at run time.
inline void onnx_if(onnx_context const& c) {
  require_scalar(c, 0, true);
  if (auto const known = c.known_number(0)) return onnx_inline_branch(c, *known != 0 ? "then_branch" : "else_branch");
  auto const declared = c.converter().declared_elements(c, 0);
  if (!declared || declared->size() != 1) {
    static_cast<void>(onnx_branches(c, std::nullopt));
    return;
  }
  auto const start = c.converter().set_mark();
  try {
    if (onnx_branches(c, start)) return;
  } catch (onnx_unsupported const&) {
  }
  c.converter().roll_back(start, c.node());
  c.converter().check_declared_elements(c, 0);
  onnx_inline_branch(c, declared->front() != 0 ? "then_branch" : "else_branch");
}

inline void onnx_loop(onnx_context const& c) {
  std::size_t const count = std::max<std::size_t>(c.input_count(), 2) - 2;
  std::size_t const outputs = c.node().outputs.size();
  if (outputs < count) c.unsupported("it must have an output for each loop-carried value");
  onnx_while_loop loop(c);
  auto const& given = c.graph("body").inputs;
  for (std::size_t const i : {0U, 1U}) {
    if (!c.has_input(i)) continue;
    require_scalar(c, i, true);
    if (i < given.size() && given[i].dims) require_rank(c, i, given[i].dims->size(), given[i].dims->size());
  }
  if (c.has_input(0)) loop.max_trip_count = c.input(0);
  loop.has_condition_output = true;
  loop.obeys_condition = c.has_input(1);
  // A constant true needs no initial condition.
  if (loop.obeys_condition && c.known_number(1) != 1.0) loop.condition = c.input(1);
  for (std::size_t k = 0; k != count; ++k) {
    loop.states.push_back(c.output(k));
    c.add("Copy", {c.input(k + 2)}, {loop.states.back()});
    c.set_type(k, c.type(k + 2));
  }
  for (std::size_t k = count; k != outputs; ++k) loop.scan_outputs.push_back({c.output(k), false});
  loop.run([&](net_builder&) {
    // In the body the condition is always true.
    onnx_value holds;
    holds.type = onnx_type::boolean;
    holds.dims.emplace();
    holds.constant = tensor_value{{}, std::vector<bool>{true}};
    std::vector<onnx_value> made{onnx_blob(loop.counter, onnx_type::int64, std::vector<std::int64_t>()), holds};
    for (std::size_t k = 0; k != count; ++k) made.push_back(onnx_blob(loop.states[k], c.type(k + 2)));
    return made;
  });
  for (std::size_t k = count; k != outputs; ++k) {
    onnx_value const& one = loop.result(k);
    c.set_type(k, one.type);
    if (!one.dims) continue;
    std::vector<std::int64_t> dims = *one.dims;
    dims.insert(dims.begin(), -1);
    c.set_dims(k, std::move(dims));
  }
}

/// Scan since version 9. Version 8 scans a batch of sequences of different lengths: supported for a batch of one.
class onnx_scan {
 public:
  explicit onnx_scan(onnx_context const& c)
      : c_(c), batched_(c.opset() < 9), first_(batched_ ? 1 : 0), outputs_(c.node().outputs.size()) {
    auto const sequences = c.integer("num_scan_inputs", 0);
    if (sequences < 1 || static_cast<std::size_t>(sequences) + first_ > c.input_count())
      c.unsupported("num_scan_inputs does not fit its inputs");
    sequences_ = static_cast<std::size_t>(sequences);
    states_ = c.input_count() - first_ - sequences_;
    if (outputs_ < states_) c.unsupported("it must have an output for each state");
    if (batched_ && c.has_input(0)) c.unsupported("lengths of sequences");
    std::size_t const stacks = outputs_ - states_;
    check_list(batched_ ? "directions" : "scan_input_directions", sequences_, true);
    if (batched_) return;
    check_list("scan_output_directions", stacks, true);
    check_list("scan_input_axes", sequences_, false);
    check_list("scan_output_axes", stacks, false);
  }

  void run() {
    onnx_while_loop scan(c_);
    std::vector<std::string> sequences;
    for (std::size_t k = 0; k != sequences_; ++k) {
      std::size_t const i = first_ + states_ + k;
      std::int64_t const axis = attribute("scan_input_axes", k);
      std::string const x = without_batch(i);
      sequences.push_back(axis == 0 ? x : moved(x, c_.rank(i), static_cast<std::int64_t>(c_.axis(i, axis)), true));
    }
    scan.max_trip_count = steps_of(sequences);
    for (std::size_t k = 0; k != states_; ++k) {
      scan.states.push_back(batched_ ? c_.temporary("state") : c_.output(k));
      c_.add("Copy", {without_batch(first_ + k)}, {scan.states.back()});
    }
    for (std::size_t k = 0; k + states_ != outputs_; ++k) {
      bool const direct = !batched_ && attribute("scan_output_axes", k) == 0;
      scan.scan_outputs.push_back(
          {direct ? c_.output(states_ + k) : c_.temporary("stack"), attribute("scan_output_directions", k) != 0});
    }
    scan.run([&](net_builder& inside) { return inputs(inside, scan, sequences); });
    for (std::size_t k = 0; k != states_; ++k) give(k, scan.states[k], scan.result(k), false);
    for (std::size_t k = 0; k + states_ != outputs_; ++k)
      give(states_ + k, scan.scan_outputs[k].blob, scan.result(states_ + k), true);
  }

 private:
  // Reports a list attribute that is present with another length than `count`, or with flags other than 0 and 1.
  void check_list(char const* name, std::size_t count, bool flags) const {
    auto const list = c_.integers(name);
    if (c_.has(name) && list.size() != count)
      c_.unsupported(std::string(name) + " has " + std::to_string(list.size()) + " numbers, not " +
                     std::to_string(count));
    for (std::int64_t const each : list)
      if (flags && each != 0 && each != 1) c_.unsupported(std::string(name) + " has " + std::to_string(each));
  }
  // Returns the trip count: the length of all sequences. Where lengths are unknown, Max refuses unequal ones at run
  // time.
  std::string steps_of(std::vector<std::string> const& sequences) const {
    std::int64_t known = -1;
    bool alike = true;
    for (std::size_t k = 0; k != sequences_; ++k) {
      std::size_t const i = first_ + states_ + k;
      std::int64_t const axis = attribute("scan_input_axes", k);
      std::int64_t const extent = c_.dims(i) ? (*c_.dims(i))[batched_ ? 1 : c_.axis(i, axis)] : -1;
      if (extent >= 0 && known >= 0 && extent != known)
        c_.unsupported("its sequences have " + std::to_string(known) + " and " + std::to_string(extent) + " steps");
      alike = alike && extent >= 0;
      known = std::max(known, extent);
    }
    auto const steps = [&](std::size_t k) {
      return c_.step("Slice", {c_.step("Shape", {sequences[k]})}, {{"starts", {0}}, {"ends", {1}}});
    };
    if (alike || sequences_ == 1) return c_.step("Squeeze", {steps(0)}, {{"dims", {0}}});
    std::vector<std::string> lists;
    for (std::size_t k = 0; k != sequences_; ++k) lists.push_back(c_.step("Range", {steps(k)}));
    return c_.step("Size", {c_.step("Max", lists)});
  }
  std::int64_t attribute(char const* name, std::size_t k) const {
    auto const list = c_.integers(name);
    return k < list.size() ? list[k] : 0;
  }
  std::string without_batch(std::size_t i) const {
    if (!batched_) return c_.input(i);
    require_rank(c_, i, i < first_ + states_ ? 1 : 2);
    if (!c_.dims(i) || (!c_.dims(i)->empty() && c_.dims(i)->front() < 0))
      c_.unsupported("the extent of the batch must be known before the model is run");
    if (c_.dims(i)->empty() || c_.dims(i)->front() != 1) c_.unsupported("a batch of other than one");
    return c_.step("Squeeze", {c_.input(i)}, {{"dims", {0}}});
  }
  // Transposes: moves `axis` to the front, or the first axis to `axis`.
  std::string moved(std::string const& x, std::size_t rank, std::int64_t axis, bool to_front) const {
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) c_.unsupported("it names an axis that does not exist");
    std::vector<std::int64_t> order;
    for (std::int64_t a = 0; a != static_cast<std::int64_t>(rank); ++a)
      if (a != (to_front ? axis : 0)) order.push_back(a);
    order.insert(order.begin() + (to_front ? 0 : axis), to_front ? axis : 0);
    return c_.step("Transpose", {x}, {{"axes", order}});
  }

  std::vector<onnx_value> inputs(net_builder& inside, onnx_while_loop const& scan,
                                 std::vector<std::string> const& sequences) const {
    std::vector<onnx_value> made;
    auto const& declared = c_.graph("body").inputs;
    for (std::size_t k = 0; k != states_; ++k) {
      onnx_dims dims = c_.dims(first_ + k);
      if (!batched_ && k < declared.size() && declared[k].dims)
        require_dims(c_, k, *declared[k].dims, "as its graph has it");
      if (batched_ && dims) dims->erase(dims->begin());
      made.push_back(onnx_blob(scan.states[k], c_.type(first_ + k), dims));
    }
    char const* const directions = batched_ ? "directions" : "scan_input_directions";
    for (std::size_t k = 0; k != sequences_; ++k) {
      blob_handle at = onnx_capture(inside, scan.counter);
      if (attribute(directions, k) != 0) {
        auto const next = inside.add(at, onnx_capture(inside, scan.number(1)), c_.temporary("next"));
        at = inside.sub(onnx_capture(inside, scan.max_trip_count), next, c_.temporary("place"));
      }
      // Gathers with a list of one index: a scalar index has no gradient.
      auto const list = inside.op("ExpandDims", at, c_.temporary("places"), {{"dims", {0}}});
      auto const row = inside.gather(onnx_capture(inside, sequences[k]), list, c_.temporary("row"));
      std::string const slice = c_.temporary("slice");
      inside.op("Squeeze", row, slice, {{"dims", {0}}});
      std::size_t const i = first_ + states_ + k;
      onnx_dims dims = c_.dims(i);
      if (dims) {
        std::size_t const axis = batched_ ? 1 : c_.axis(i, attribute("scan_input_axes", k));
        dims->erase(dims->begin() + static_cast<std::ptrdiff_t>(axis));
        if (batched_) dims->erase(dims->begin());
      }
      made.push_back(onnx_blob(slice, c_.type(i), std::move(dims)));
    }
    return made;
  }

  void give(std::size_t o, std::string x, onnx_value const& one, bool stacked) const {
    onnx_dims dims = one.dims;
    if (stacked) {
      if (dims) dims->insert(dims->begin(), -1);
      std::int64_t axis = attribute("scan_output_axes", o - states_);
      if (axis != 0) {
        if (!dims) c_.unsupported("the number of axes of its outputs must be known before the model is run");
        auto const rank = static_cast<std::int64_t>(dims->size());
        if (axis < -rank || axis >= rank) c_.unsupported("its output has no axis " + std::to_string(axis));
        axis = axis < 0 ? axis + rank : axis;
        x = moved(x, dims->size(), axis, false);
        dims->erase(dims->begin());
        dims->insert(dims->begin() + axis, -1);
      }
      if (!batched_ && attribute("scan_output_axes", o - states_) != 0) c_.add("Copy", {x}, {c_.output(o)});
    }
    if (batched_) {
      c_.add("ExpandDims", {x}, {c_.output(o)}, {{"dims", {0}}});
      if (dims) dims->insert(dims->begin(), 1);
    }
    c_.set_type(o, one.type);
    c_.set_dims(o, std::move(dims));
  }

  onnx_context const& c_;
  bool batched_;
  std::size_t first_;  // index of the first state: in version 8 input 0 is the lengths
  std::size_t outputs_;
  std::size_t sequences_ = 0;
  std::size_t states_ = 0;
};

}  // namespace detail

inline void add_onnx_control_flow_rules(onnx_rules& rules) {
  rules.set("If", detail::onnx_if);
  rules.set("Loop", detail::onnx_loop);
  rules.set("Scan", [](onnx_context const& c) { detail::onnx_scan(c).run(); });
}

}  // namespace plait
