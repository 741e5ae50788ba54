// Nodes of ONNX graphs become ops of a net, graph by graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/context.hpp>
#include <plait/interop/onnx/model.hpp>
#include <plait/interop/onnx/options.hpp>
#include <plait/interop/onnx/rules.hpp>
#include <plait/interop/onnx/tensors.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait::detail {

/// As many axes as a tensor of the runtime can have.
inline constexpr std::size_t most_axes = 8;

/// Extents that are as good as unknown are taken for that, so that sums of a few do not overflow.
inline std::vector<std::int64_t> known_extents(std::vector<std::int64_t> dims) {
  for (std::int64_t& extent : dims)
    if (extent > std::int64_t{1} << 40) extent = -1;
  return dims;
}

class onnx_converter {
 public:
  onnx_converter(onnx_model const& model, onnx_options const& options, onnx_rules const& rules)
      : model_(model), options_(options), rules_(rules), root_(model.graph.name.empty() ? "onnx" : model.graph.name) {}

  onnx_net run() {
    reserve_names();
    level top(model_.graph, root_, nullptr);
    here_ = &top;
    read_initializers(top);
    for (onnx_value_info const& input : model_.graph.inputs) declare_input(top, input);
    for (onnx_node const& node : model_.graph.nodes) convert(node);
    for (onnx_value_info const& output : model_.graph.outputs) promise(output);
    if (!problems_.empty()) throw onnx_error(std::move(problems_));
    made_.net = root_.take();
    return std::move(made_);
  }

  bool training() const { return options_.training; }

  // ---- values
  /// Of a graph inside a node: its own values, then those around it. Reports a name that nothing makes.
  onnx_value& value(std::string const& name) {
    for (level* each = here_; each != nullptr; each = each->around)
      if (auto const found = each->values.find(name); found != each->values.end()) {
        if (!found->second.usable) throw onnx_unusable();
        return found->second;
      }
    throw onnx_unsupported{"reads '" + name + "', which nothing makes"};
  }
  /// The blob of a value; a constant becomes a parameter.
  std::string const& blob(std::string const& name) {
    onnx_value& known = value(name);
    if (known.blob.empty()) known.blob = constant_blob(*known.constant, name);
    return see(known.blob);
  }
  /// Runs once before all nodes: wherever it is read, it is a blob of the whole net.
  std::string constant_blob(tensor_value constant, std::string_view wanted) {
    std::string name = claim(wanted);
    root_.external_input(name);
    made_.parameters.push_back({name, std::move(constant)});
    return see(name);
  }
  /// A net inside takes blobs from around it as they are asked for.
  std::string const& see(std::string const& name) {
    if (!net().visible(name)) net().external_input(name);
    return name;
  }
  /// The blob that an output of a node is to be: called as the model calls it, if no other graph has the name.
  std::string define(std::string const& name) {
    onnx_value made;
    made.blob = here_->around == nullptr ? name : claim(name);
    if (auto const found = here_->infos.find(name); found != here_->infos.end()) {
      made.type = found->second->type;
      made.dims = found->second->dims;
    }
    return set(name, std::move(made)).blob;
  }
  /// Throws net_error for a value of the graph that has been made already.
  onnx_value& set(std::string const& name, onnx_value made) {
    auto const [at, added] = here_->values.try_emplace(name, std::move(made));
    if (!added) throw net_error("plait: the model makes '" + name + "' twice", {}, name);
    return at->second;
  }
  onnx_value* known(std::string const& name) {
    auto const found = here_->values.find(name);
    return found == here_->values.end() ? nullptr : &found->second;
  }
  /// A name that no blob has, nor any value of the model's graph.
  std::string claim(std::string_view wanted) {
    std::string name(wanted);
    if (taken_.insert(name).second) return name;
    std::size_t& number = numbers_.try_emplace(name, 1).first->second;
    do {
      name = std::string(wanted) + '_' + std::to_string(++number);
    } while (!taken_.insert(name).second);
    return name;
  }

  /// The same of a state of a recurrent net, after which outputs of the net are called.
  std::string claim_state(std::string_view wanted) {
    while (true) {
      std::string name = claim(wanted);
      if (claim(name + "_all") == name + "_all" && claim(name + "_last") == name + "_last") return name;
    }
  }

  // ---- ops
  net_builder& net() { return *here_->net; }

  /// Converts a graph of a node into a net inside: `inputs` are what stands for its inputs. What its outputs are; those
  /// that are constants, or come from around, are no blobs of the net yet.
  std::vector<onnx_value> inside(onnx_graph_def const& graph, net_builder& net, std::vector<onnx_value> inputs) {
    level below(graph, net, here_);
    here_ = &below;
    struct leave {
      level*& at;
      level* before;
      ~leave() { at = before; }
    } const back{here_, below.around};
    read_initializers(below);
    for (std::size_t i = 0; i != graph.inputs.size(); ++i) {
      onnx_value given = std::move(inputs[i]);
      onnx_value_info const& info = graph.inputs[i];
      if (given.type == onnx_type::undefined) given.type = info.type;
      if (!given.dims) given.dims = info.dims;
      set(info.name, std::move(given));
    }
    for (onnx_node const& node : graph.nodes) convert(node);
    std::vector<onnx_value> made;
    for (onnx_value_info const& output : graph.outputs) {
      made.push_back(value(output.name));
      if (made.back().type == onnx_type::undefined) made.back().type = output.type;
      if (!made.back().dims) made.back().dims = output.dims;
    }
    return made;
  }

 private:
  // A graph that is being converted.
  struct level {
    level(onnx_graph_def const& g, net_builder& n, level* outside) : graph(&g), net(&n), around(outside) {
      for (auto const* list : {&g.values, &g.outputs})
        for (onnx_value_info const& info : *list) infos.insert_or_assign(info.name, &info);
    }
    onnx_graph_def const* graph;
    net_builder* net;
    std::unordered_map<std::string, onnx_value> values = {};  // rules hold references
    boost::unordered_flat_map<std::string_view, onnx_value_info const*> infos = {};
    level* around;
  };

  // Blobs of the graph itself are called as its values are, whatever comes before them.
  void reserve_names() {
    onnx_graph_def const& g = model_.graph;
    for (auto const* list : {&g.inputs, &g.outputs})
      for (onnx_value_info const& info : *list) taken_.insert(info.name);
    for (onnx_node const& node : g.nodes)
      for (std::string const& name : node.outputs) taken_.insert(name);
  }

  void read_initializers(level& at) {
    if (at.graph->sparse_initializers)
      problems_.push_back({"GraphProto", at.graph->name, "sparse initializers are not supported"});
    for (onnx_tensor const& tensor : at.graph->initializers) {
      onnx_value made;
      made.type = tensor.type;
      made.constant = value_of(tensor);
      made.dims = known_extents(made.constant->shape);
      set(tensor.name, std::move(made));
    }
  }

  void declare_input(level& at, onnx_value_info const& input) {
    auto const fixed = options_.constants.find(input.name);
    if (auto const found = at.values.find(input.name); found != at.values.end()) {
      // A default that may be overridden: from version 4 of the format on, inputs that must not be are none.
      if (fixed != options_.constants.end() && model_.ir_version >= 4) {
        found->second = fixed_value(fixed->second);
        taken_.erase(input.name);
      } else if (model_.ir_version >= 4) {
        found->second.blob = input.name;
        root_.external_input(input.name);
        made_.parameters.push_back({input.name, *std::exchange(found->second.constant, std::nullopt)});
      } else {
        taken_.erase(input.name);
      }
      return;
    }
    onnx_value made;
    made.blob = input.name;
    made.type = input.type;
    made.dims = input.dims;
    if (input.kind == onnx_value_info::kinds::other) {
      problems_.push_back({"GraphProto", input.name, "inputs that are no tensors are not supported"});
      made.usable = false;
    }
    if (fixed != options_.constants.end()) {
      bool const usable = made.usable;
      made = fixed_value(fixed->second);
      made.usable = usable;
      taken_.erase(input.name);
    } else {
      root_.external_input(input.name);
      made_.inputs.push_back(input.name);
    }
    at.values.emplace(input.name, std::move(made));
  }

  static onnx_value fixed_value(tensor_value const& value) {
    onnx_value made;
    made.constant = value;
    made.dims = known_extents(value.shape);
    made.type = onnx_type_of(value.type());
    return made;
  }

  void convert(onnx_node const& node) {
    onnx_rule const* const rule = rules_.find(node.domain, node.type);
    try {
      if (rule == nullptr) throw onnx_unsupported{"there is no rule for it"};
      for (std::string const& name : node.inputs)
        if (!name.empty()) static_cast<void>(value(name));
      (*rule)(onnx_context(*this, node, opset(node.domain)));
      return;
    } catch (onnx_unsupported& why) {
      std::string const type = node.domain.empty() ? node.type : node.domain + '.' + node.type;
      problems_.push_back({type, label(node), std::move(why.reason)});
    } catch (onnx_unusable) {
      // What it reads has been reported.
    }
    for (std::string const& name : node.outputs) {
      onnx_value lost;
      lost.usable = false;
      if (!name.empty()) here_->values.insert_or_assign(name, std::move(lost));
    }
  }

  static std::string label(onnx_node const& node) {
    if (!node.name.empty()) return node.name;
    for (std::string const& name : node.outputs)
      if (!name.empty()) return name;
    return {};
  }

  std::int64_t opset(std::string const& domain) const {
    for (onnx_opset const& each : model_.opsets)
      if (each.domain == domain) return each.version;
    return 1;
  }

  void promise(onnx_value_info const& output) {
    made_.outputs.push_back(output.name);
    try {
      std::string const made = blob(output.name);
      if (made != output.name) root_.copy(made, output.name);
      root_.external_outputs(output.name);
    } catch (onnx_unsupported const&) {
      problems_.push_back({"GraphProto", output.name, "nothing makes this output"});
    } catch (onnx_unusable) {
      // It has been reported.
    }
  }

  onnx_model const& model_;
  onnx_options const& options_;
  onnx_rules const& rules_;
  onnx_net made_;
  net_builder root_;
  boost::unordered_flat_set<std::string> taken_;
  boost::unordered_flat_map<std::string, std::size_t> numbers_;  // the last that was given to a name
  level* here_ = nullptr;
  std::vector<onnx_problem> problems_;
};

}  // namespace plait::detail

namespace plait {

inline bool onnx_context::training() const { return converter_->training(); }

inline std::string onnx_context::input(std::size_t i) const {
  if (!has_input(i)) unsupported("input " + std::to_string(i) + " is missing");
  return converter_->blob(node_->inputs[i]);
}

inline onnx_context::names onnx_context::inputs() const {
  std::size_t count = input_count();
  while (count != 0 && !has_input(count - 1)) --count;
  names made;
  for (std::size_t i = 0; i != count; ++i) made.push_back(input(i));
  return made;
}

inline onnx_value const& onnx_context::value(std::size_t i) const {
  if (!has_input(i)) unsupported("input " + std::to_string(i) + " is missing");
  return converter_->value(node_->inputs[i]);
}

inline tensor_value const* onnx_context::constant(std::size_t i) const {
  onnx_value const& known = value(i);
  return known.constant ? &*known.constant : nullptr;
}

inline std::vector<std::int64_t> onnx_context::known_integers(std::size_t i, std::string_view what) const {
  tensor_value const* const known = constant(i);
  if (known == nullptr) unsupported(std::string(what) + " must be known before the model is run");
  if (auto const* wide = std::get_if<std::vector<std::int64_t>>(&known->data)) return *wide;
  if (auto const* narrow = std::get_if<std::vector<std::int32_t>>(&known->data))
    return {narrow->begin(), narrow->end()};
  unsupported(std::string(what) + " must be int32 or int64");
}

inline std::optional<double> onnx_context::known_number(std::size_t i) const {
  tensor_value const* const known = constant(i);
  if (known == nullptr || known->size() != 1) return std::nullopt;
  return std::visit(
      []<class T>(std::vector<T> const& elements) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<T>)
          return static_cast<double>(elements[0]);
        else
          return std::nullopt;
      },
      known->data);
}

inline std::size_t onnx_context::rank(std::size_t i) const {
  dims_type const& known = dims(i);
  if (!known) unsupported("the number of axes of '" + node_->inputs[i] + "' must be known before the model is run");
  return known->size();
}

inline std::size_t onnx_context::axis(std::size_t i, std::int64_t at) const {
  auto const count = static_cast<std::int64_t>(at < 0 || dims(i) ? rank(i) : detail::most_axes);
  if (at < -count || at >= count) unsupported("its input has no axis " + std::to_string(at));
  return static_cast<std::size_t>(at < 0 ? at + count : at);
}

inline std::int64_t onnx_context::integer(std::string_view name, std::int64_t fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::i, "integer");
  return a == nullptr ? fallback : a->i.value_or(0);
}
inline float onnx_context::real(std::string_view name, float fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::f, "float");
  return a == nullptr ? fallback : a->f.value_or(0.0f);
}
inline std::string onnx_context::text(std::string_view name, std::string_view fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::s, "text");
  return a == nullptr ? std::string(fallback) : a->s.value_or("");
}
inline std::vector<std::int64_t> onnx_context::integers(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::ints, "list of integers");
  return a == nullptr ? std::vector<std::int64_t>() : a->ints;
}
inline std::vector<float> onnx_context::reals(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::floats, "list of floats");
  return a == nullptr ? std::vector<float>() : a->floats;
}
inline std::vector<std::string> onnx_context::texts(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::strings, "list of texts");
  return a == nullptr ? std::vector<std::string>() : a->strings;
}
inline onnx_tensor const* onnx_context::tensor(std::string_view name) const {
  onnx_attribute const* const a = find(name);
  return a == nullptr || !a->t ? nullptr : &*a->t;
}
inline onnx_graph_def const& onnx_context::graph(std::string_view name) const {
  onnx_attribute const* const a = find(name);
  if (a == nullptr || !a->g) unsupported("the graph '" + std::string(name) + "' is missing");
  return *a->g;
}

inline std::string onnx_context::output(std::size_t o) const {
  if (!wants(o)) return temporary("unused");
  return converter_->define(node_->outputs[o]);
}
inline onnx_context::names onnx_context::outputs() const {
  names made;
  for (std::size_t o = 0; o != node_->outputs.size(); ++o) made.push_back(output(o));
  return made;
}
inline void onnx_context::set_type(std::size_t o, onnx_type type) const {
  if (wants(o)) converter_->known(node_->outputs[o])->type = type;
}
inline void onnx_context::set_dims(std::size_t o, dims_type dims) const {
  if (wants(o)) converter_->known(node_->outputs[o])->dims = std::move(dims);
}
inline void onnx_context::as_input(std::size_t o, std::size_t i) const {
  set_type(o, type(i));
  set_dims(o, dims(i));
}
inline void onnx_context::set_constant(std::size_t o, tensor_value constant) const {
  if (!wants(o)) return;
  onnx_value made;
  made.type = onnx_type_of(constant.type());
  made.dims = detail::known_extents(constant.shape);
  made.constant = std::move(constant);
  converter_->set(node_->outputs[o], std::move(made));
}
inline void onnx_context::forward(std::size_t o, std::size_t i) const {
  if (!wants(o)) return;
  if (constant(i) != nullptr) return set_constant(o, *constant(i));
  add("Copy", {input(i)}, {output(o)});
  as_input(o, i);
}

inline net_builder& onnx_context::net() const { return converter_->net(); }
inline std::string onnx_context::temporary(std::string_view ending) const {
  std::string base = node_->name;
  for (std::string const& name : node_->outputs)
    if (base.empty()) base = name;
  return converter_->claim(base + '/' + std::string(ending));
}
inline std::string onnx_context::constant_blob(tensor_value constant, std::string_view ending) const {
  return converter_->constant_blob(std::move(constant), temporary(ending));
}

}  // namespace plait
