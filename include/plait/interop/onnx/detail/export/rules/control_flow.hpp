// Export rules of control flow: If, While as Loop, and Do, whose net becomes part of the net around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>

namespace plait {
namespace detail::onnx_out {

inline onnx_source_subnet const* onnx_subnet(onnx_export_context const& c, std::string_view argument) {
  for (onnx_source_subnet const& each : c.op().nets)
    if (each.argument == argument) return &each;
  return nullptr;
}

inline onnx_value_info onnx_info_of(onnx_export_context const& c, std::string const& value) {
  onnx_value_info made;
  made.name = value;
  made.kind = onnx_value_info::kinds::tensor;
  made.type = c.type_of(value);
  made.dims = c.dims(value);
  return made;
}

/// Adds an output to a graph under construction: a copy, since an output must be the output of a node of the graph.
inline void onnx_yield_value(onnx_export_context const& c, std::string const& value) {
  if (c.exporter().is_scope(value)) c.unsupported("a nested net makes a stack of workspaces");
  std::string const made = c.step("Identity", {value});
  c.exporter().graph().outputs.push_back(onnx_info_of(c, made));
}

/// Returns a condition of any one-element shape as a scalar.
inline std::string onnx_condition(onnx_export_context const& c, std::string const& value) {
  if (c.rank(value) == 0U) return value;
  return c.reshape(value, {});
}

/// The blobs that an op with nested nets writes, each once, and the slots of their last writes.
inline std::vector<std::pair<std::string, std::size_t>> onnx_written_blobs(onnx_export_context const& c) {
  std::vector<std::pair<std::string, std::size_t>> made;
  auto const& writes = c.op().writes;
  for (std::size_t k = 0; k != writes.size(); ++k) {
    std::erase_if(made, [&](auto const& each) { return each.first == writes[k].first; });
    made.emplace_back(writes[k].first, k);
  }
  return made;
}

inline void onnx_export_if(onnx_export_context& c) {
  std::string const condition = onnx_condition(c, c.input(0));
  onnx_source_subnet const* const nets[] = {onnx_subnet(c, "then_net"), onnx_subnet(c, "else_net")};
  // A blob that one branch leaves without a value has none afterwards.
  std::vector<std::pair<std::string, std::size_t>> results;
  for (auto const& each : onnx_written_blobs(c)) {
    bool const before = c.scope().find(each.first) != nullptr;
    if (before && c.exporter().is_scope(*c.scope().find(each.first))) {
      c.exporter().set_scope(c.output(each.second));
      continue;
    }
    bool const everywhere = std::ranges::all_of(nets, [&](auto const* net) {
      return net != nullptr && net->net->last.contains(each.first) && net->net->last.at(each.first) > 0;
    });
    if (before || everywhere) results.push_back(each);
  }
  if (results.empty() && !c.op().writes.empty() && !c.is_given(0))
    c.unsupported("only one of its branches writes '" + c.op().writes.front().first + '\'',
                  "a value of the blob before it, or in the other branch");
  if (results.empty()) return;
  std::vector<onnx_attribute> with;
  for (std::size_t b = 0; b != 2; ++b) {
    char const* const name = b == 0 ? "then_branch" : "else_branch";
    onnx_graph_def branch = c.exporter().inside(c.temporary(name), [&] {
      onnx_export_scope inner{&c.scope()};
      if (nets[b] != nullptr) c.exporter().convert(*nets[b]->net, inner);
      for (auto const& [blob, slot] : results) onnx_yield_value(c, *inner.find(blob));
    });
    with.push_back(onnx_attr(name, std::move(branch)));
  }
  std::vector<std::string> outputs;
  for (auto const& [blob, slot] : results) outputs.push_back(c.output(slot));
  auto const then_outputs = with[0].g->outputs;
  auto const else_outputs = with[1].g->outputs;
  c.add("If", {condition}, outputs, std::move(with));
  for (std::size_t o = 0; o != outputs.size(); ++o) {
    onnx_shape dims = then_outputs[o].dims;
    auto const& other = else_outputs[o].dims;
    if (!dims || !other || dims->size() != other->size()) dims.reset();
    for (std::size_t axis = 0; dims && axis != dims->size(); ++axis)
      if ((*dims)[axis] != (*other)[axis]) (*dims)[axis] = -1;
    c.exporter().types().set(outputs[o], then_outputs[o].type, std::move(dims));
  }
}

/// Relaxes the shapes of loop-carried values to those that the body makes from them; returns true if any has changed.
/// Each call that returns true makes an extent or a rank unknown, so that repetition ends.
inline bool onnx_relax_shapes(std::vector<onnx_shape>& shapes, onnx_graph_def const& body) {
  bool changed = false;
  for (std::size_t k = 0; k != shapes.size(); ++k) {
    onnx_shape& shape = shapes[k];
    onnx_shape const& made = body.outputs[k + 1].dims;
    if (!shape) continue;
    if (!made || made->size() != shape->size()) {
      shape.reset();
      changed = true;
      continue;
    }
    for (std::size_t axis = 0; axis != shape->size(); ++axis) {
      changed = changed || ((*shape)[axis] >= 0 && (*made)[axis] != (*shape)[axis]);
      if ((*made)[axis] != (*shape)[axis]) (*shape)[axis] = -1;
    }
  }
  return changed;
}

/// While becomes Loop. Blobs that the body writes and that have a value before the loop are loop-carried; others have
/// no value behind it, since the body may never run.
inline void onnx_export_while(onnx_export_context& c) {
  onnx_source_subnet const* const body_net = onnx_subnet(c, "loop_net");
  onnx_source_subnet const* const condition_net = onnx_subnet(c, "cond_net");
  if (body_net == nullptr) c.unsupported("it has no loop_net");
  std::string const condition_blob = c.op().inputs.empty() ? std::string() : c.op().inputs.front();
  onnx_export_scope before{&c.scope()};
  if (condition_net != nullptr) c.exporter().convert(*condition_net->net, before);
  std::string const* const first = before.find(condition_blob);
  if (first == nullptr) c.unsupported("its condition '" + condition_blob + "' has no value");
  std::vector<std::pair<std::string, std::size_t>> carried;
  std::vector<std::string> inputs{"", onnx_condition(c, *first)};
  for (auto const& each : onnx_written_blobs(c)) {
    std::string const* const value = before.find(each.first);
    if (value == nullptr) continue;
    if (c.exporter().is_scope(*value)) {
      c.exporter().set_scope(c.output(each.second));
      continue;
    }
    carried.push_back(each);
    inputs.push_back(*value);
  }
  // Shapes of loop-carried values are those before the loop, as far as the body preserves them.
  std::vector<onnx_shape> shapes;
  for (std::size_t k = 0; k != carried.size(); ++k) shapes.push_back(c.dims(inputs[k + 2]));
  auto const build = [&] {
    return c.exporter().inside(c.temporary("body"), [&] {
      auto const declare = [&](std::string const& name, onnx_type type, onnx_shape dims) {
        c.exporter().types().set(name, type, std::move(dims));
        c.exporter().graph().inputs.push_back(onnx_info_of(c, name));
      };
      declare(c.temporary("iteration"), onnx_type::int64, std::vector<std::int64_t>());
      declare(c.temporary("condition"), onnx_type::boolean, std::vector<std::int64_t>());
      onnx_export_scope inner{&c.scope()};
      for (std::size_t k = 0; k != carried.size(); ++k) {
        std::string const name = c.temporary(carried[k].first);
        declare(name, c.type_of(inputs[k + 2]), shapes[k]);
        inner.current[carried[k].first] = name;
      }
      c.exporter().convert(*body_net->net, inner);
      if (condition_net != nullptr) c.exporter().convert(*condition_net->net, inner);
      onnx_yield_value(c, onnx_condition(c, *inner.find(condition_blob)));
      for (auto const& [blob, slot] : carried) onnx_yield_value(c, *inner.find(blob));
    });
  };
  onnx_graph_def body = build();
  while (onnx_relax_shapes(shapes, body)) body = build();
  std::vector<std::string> outputs;
  for (auto const& [blob, slot] : carried) outputs.push_back(c.output(slot));
  if (outputs.empty()) return;
  std::vector<onnx_type> types;
  for (std::size_t k = 0; k != carried.size(); ++k) types.push_back(body.outputs[k + 1].type);
  c.add("Loop", std::move(inputs), outputs, {onnx_attr("body", std::move(body))});
  for (std::size_t o = 0; o != outputs.size(); ++o) c.exporter().types().set(outputs[o], types[o], shapes[o]);
}

/// Do runs its net in a workspace of its own, with names bound to blobs outside.
inline void onnx_export_do(onnx_export_context& c) {
  onnx_source_subnet const* const net = onnx_subnet(c, "net");
  if (net == nullptr) c.unsupported("it has no net");
  if (c.integer("reuse_workspace", 0) != 0)
    c.unsupported("it runs in a workspace that another op has left", "pass the blobs as inputs and outputs");
  onnx_export_scope inner;
  for (auto const& [inside, outside] : net->bound)
    if (std::string const* const value = c.scope().find(outside)) inner.current[inside] = *value;
  c.exporter().convert(*net->net, inner);
  for (auto const& [blob, slot] : onnx_written_blobs(c)) {
    std::string const* value = nullptr;
    for (auto const& [inside, outside] : net->bound)
      if (outside == blob) value = inner.find(inside);
    if (value == nullptr) value = c.scope().find(blob);
    if (value == nullptr) continue;
    if (c.exporter().is_scope(*value))
      c.exporter().set_scope(c.output(slot));
    else
      c.forward(slot, *value);
  }
}

}  // namespace detail::onnx_out

inline void add_onnx_control_flow_export(onnx_export_rules& rules) {
  rules.set("If", detail::onnx_out::onnx_export_if);
  rules.set("While", detail::onnx_out::onnx_export_while);
  rules.set("Do", detail::onnx_out::onnx_export_do);
  // A stack of workspaces is no tensor: only Do reads it.
  rules.set("CreateScope", [](onnx_export_context& c) { c.exporter().set_scope(c.output(0)); });
}

}  // namespace plait
