#include "onnx_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/tensors.hpp>

namespace cli {

namespace {

// A graph, and the op whose argument it is.
struct open_graph {
  plait::onnx_graph_def const* from;
  plait::netdef* made;
  plait::netdef* around;  // nullptr: the model's graph
  std::size_t op;
};

std::string type_and_dims(plait::onnx_tensor const& tensor) {
  std::string made = to_string(tensor.type);
  char const* before = " ";
  for (std::int64_t const extent : tensor.dims) {
    made += before + std::to_string(extent);
    before = "x";
  }
  return made;
}

// A tensor with a few elements is shown with them, another one by its type and shape.
void add_tensor(plait::arg_def& to, plait::onnx_tensor const& tensor) {
  constexpr std::size_t most = 16;
  try {
    plait::tensor_value const value = plait::value_of(tensor);
    if (value.size() <= most && value.shape.size() < 2) {
      if (auto const* const integers = std::get_if<std::vector<std::int64_t>>(&value.data))
        return static_cast<void>(to.ints = *integers);
      if (auto const* const reals = std::get_if<std::vector<float>>(&value.data))
        return static_cast<void>(to.floats = *reals);
    }
  } catch (plait::error const&) {  // a type that plait does not hold
  }
  to.s = type_and_dims(tensor);
}

void add_attribute(plait::netdef& net, plait::op_def& op, plait::onnx_attribute const& from) {
  plait::arg_def& to = op.arg.emplace_back();
  to.name = net.intern(from.name);
  to.f = from.f;
  to.i = from.i;
  to.s = from.s;
  to.floats = from.floats;
  to.ints = from.ints;
  to.strings = from.strings;
  if (from.t) add_tensor(to, *from.t);
  if (from.g) to.n.emplace();
}

void add_node(plait::netdef& net, plait::onnx_node const& node) {
  plait::op_def& op = net.add_op(node.type, {}, {});
  for (std::string const& name : node.inputs)
    if (!name.empty()) op.input.push_back(net.intern(name));
  for (std::string const& name : node.outputs)
    if (!name.empty()) op.output.push_back(net.intern(name));
  if (!node.name.empty()) op.name = net.intern(node.name);
  if (!node.domain.empty()) op.edit_extras().domain = net.intern(node.domain);
  for (plait::onnx_attribute const& each : node.attributes) add_attribute(net, op, each);
}

// Adds the outer values that a subgraph reads to its external inputs, and to the inputs of its op.
void capture(open_graph const& at) {
  std::set<std::string, std::less<>> known;
  for (plait::symbol const s : at.made->external_input) known.emplace(at.made->text(s));
  auto const read = [&](plait::symbol const s) {
    if (!known.emplace(at.made->text(s)).second) return;
    at.made->external_input.push_back(s);
    auto& inputs = at.around->op[at.op].input;
    plait::symbol const outer = at.around->intern(at.made->text(s));
    if (std::ranges::find(inputs, outer) == inputs.end()) inputs.push_back(outer);
  };
  for (plait::op_def const& op : at.made->op) {
    for (plait::symbol const s : op.input) read(s);
    for (plait::symbol const s : op.output) known.emplace(at.made->text(s));
  }
  for (plait::symbol const s : at.made->external_output) read(s);
}

}  // namespace

plait::netdef graph_net(plait::onnx_model const& model) {
  plait::netdef made;
  std::vector<open_graph> graphs = {{&model.graph, &made, nullptr, 0}};
  for (std::size_t k = 0; k != graphs.size(); ++k) {
    open_graph const at = graphs[k];
    plait::netdef& net = *at.made;
    if (!at.from->name.empty()) net.name = net.intern(at.from->name);
    std::set<std::string_view> initialized;
    for (plait::onnx_tensor const& each : at.from->initializers) initialized.insert(each.name);
    for (plait::onnx_value_info const& each : at.from->inputs)
      if (!initialized.contains(each.name)) net.external_input.push_back(net.intern(each.name));
    for (plait::onnx_tensor const& each : at.from->initializers) net.external_input.push_back(net.intern(each.name));
    for (plait::onnx_node const& node : at.from->nodes) add_node(net, node);
    for (plait::onnx_value_info const& each : at.from->outputs) net.external_output.push_back(net.intern(each.name));
    for (std::size_t op = 0; op != net.op.size(); ++op)
      for (std::size_t a = 0; a != at.from->nodes[op].attributes.size(); ++a)
        if (auto const& attribute = at.from->nodes[op].attributes[a]; attribute.g)
          graphs.push_back({&*attribute.g, &*net.op[op].arg[a].n, &net, op});
  }
  for (std::size_t k = graphs.size(); k-- != 1;) capture(graphs[k]);  // the innermost first
  return made;
}

}  // namespace cli
