// ONNX converter: translates graphs to nets, node by node in topological order, with error recovery.
//
// Floats of 16 bits are computed as float32: constants are widened when the model is read, inputs and outputs of such a
// type are cast, and only Cast rounds values between.
//
// A node that cannot be converted poisons its outputs. The nodes after it are converted nevertheless, to report all
// problems at once, but not those that only follow from a reported one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/check_signature.hpp>
#include <plait/interop/onnx/detail/check_versions.hpp>
#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/node_order.hpp>
#include <plait/interop/onnx/detail/options.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/tensors.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait::detail {

/// Replaces extents above 2^40 by -1, unknown, so that sums of a few do not overflow.
inline std::vector<std::int64_t> known_extents(std::vector<std::int64_t> dims) {
  for (std::int64_t& extent : dims)
    if (extent > std::int64_t{1} << 40) extent = -1;
  return dims;
}

/// Converter of one model. A subgraph is converted by its node's rule, through inside().
class onnx_converter {
 public:
  onnx_converter(onnx_model const& model, onnx_options const& options, onnx_rules const& rules)
      : model_(model),
        options_(options),
        rules_(rules),
        root_(model.graph.name.empty() ? "onnx" : model.graph.name),
        free_names_(model.graph) {
    for (onnx_value_info const& output : model.graph.outputs)
      if (is_half(output.type)) half_outputs_.insert(output.name);
  }

  onnx_net run() {
    check_versions(model_, problems_);
    reserve_names();
    level top(model_.graph, root_, nullptr);
    here_ = &top;
    read_initializers(top);
    for (onnx_value_info const& input : model_.graph.inputs) declare_input(top, input);
    convert_all(model_.graph);
    for (onnx_value_info const& output : model_.graph.outputs) add_output(output);
    for (onnx_problem& each : deferred_problems_)
      if (!each.needed_by.empty()) problems_.push_back(std::move(each));
    if (!problems_.empty()) throw onnx_error(std::move(problems_));
    made_.net = root_.take();
    return std::move(made_);
  }

  bool training() const { return options_.training; }

  // ---- values
  /// Looks a value up in the current graph, then in the enclosing ones; nullptr for an undefined name.
  onnx_value* find(std::string const& name) {
    for (level* each = here_; each != nullptr; each = each->is_function ? nullptr : each->around)
      if (auto const found = each->values.find(name); found != each->values.end()) {
        onnx_value& value = found->second;
        reads_poisoned_ = reads_poisoned_ || value.is_poisoned;
        if (value.deferred_problem != npos) {
          std::vector<std::string>& readers = deferred_problems_[value.deferred_problem].needed_by;
          if (readers.empty() || readers.back() != reader_) readers.push_back(reader_);
        }
        return &value;
      }
    return nullptr;
  }
  /// Returns a value; for an undefined name, which has been reported, a poisoned one.
  onnx_value& value(std::string const& name) {
    if (onnx_value* const found = find(name)) return *found;
    reads_poisoned_ = true;
    nothing_ = poisoned(name);
    return nothing_;
  }
  /// Returns the elements of an input, of integers or booleans, that follow from declared extents; nothing if one is
  /// unknown.
  std::optional<std::vector<std::int64_t>> declared_elements(onnx_context const& c, std::size_t i);
  /// Adds an op to the current net that refuses other elements of an input at run time than those.
  void check_declared_elements(onnx_context const& c, std::size_t i);

  /// State of error recovery, to undo a trial conversion.
  struct mark {
    std::size_t problems;
    std::vector<onnx_problem> deferred_problems;
    bool reads_poisoned;
  };
  mark set_mark() const { return {problems_.size(), deferred_problems_, reads_poisoned_}; }
  bool has_problems_since(mark const& at) const { return problems_.size() != at.problems; }
  /// Drops the problems since a mark, and the outputs of the current node.
  void roll_back(mark at, onnx_node const& node) {
    problems_.erase(problems_.begin() + static_cast<std::ptrdiff_t>(at.problems), problems_.end());
    deferred_problems_ = std::move(at.deferred_problems);
    reads_poisoned_ = at.reads_poisoned;
    for (std::string const& name : node.outputs) here_->values.erase(name);
  }
  /// Notes that a rule has queried something unknown of a value, and whether that value is poisoned.
  void note_unknown(bool is_poisoned) { unknown_is_poisoned_ = is_poisoned; }
  /// Returns the blob of a value; a constant becomes a parameter.
  std::string const& blob(std::string const& name) {
    onnx_value& known = value(name);
    if (known.blob.empty()) {
      if (!has_runtime_type(known.type))
        throw onnx_unsupported{"reads '" + name + "', which is of " + to_string(known.type) +
                               ": the runtime has no tensors of it"};
      known.blob = constant_blob(*known.constant, name);
    }
    return see(known.blob);
  }
  /// Adds a parameter to the top-level net, in whatever subgraph it is read, and returns its blob.
  std::string constant_blob(tensor_value constant, std::string_view wanted) {
    std::string name = claim(wanted);
    root_.external_input(name);
    made_.parameters.push_back({name, std::move(constant)});
    return see(name);
  }
  /// Captures a blob from the outer net, unless the current net has it.
  std::string const& see(std::string const& name) {
    if (!net().visible(name)) net().external_input(name);
    return name;
  }
  /// Defines an output of a node and returns its blob: the model's name, made unique in a subgraph.
  std::string define(std::string const& name) {
    onnx_value made;
    auto const renamed = here_->renamed.find(name);
    if (here_->around != nullptr)
      made.blob = renamed != here_->renamed.end() ? renamed->second : claim(name);
    else
      made.blob = half_outputs_.contains(name) ? claim(name + "/float32") : name;
    if (auto const found = here_->infos.find(name); found != here_->infos.end()) {
      made.type = computed_type(found->second->type);
      made.dims = found->second->dims;
      made.is_declared = made.dims.has_value();
    }
    return set(name, std::move(made)).blob;
  }
  /// Defines a value of the current graph. Reports a redefinition.
  onnx_value& set(std::string const& name, onnx_value made) {
    auto const [at, added] = here_->values.try_emplace(name, std::move(made));
    if (!added) throw onnx_unsupported{"defines '" + name + "', which is already defined"};
    return at->second;
  }
  onnx_value* known(std::string const& name) {
    auto const found = here_->values.find(name);
    return found == here_->values.end() ? nullptr : &found->second;
  }
  /// Reserves a name that no blob and no value of the model's graph has.
  std::string claim(std::string_view wanted) {
    std::string name(wanted);
    if (taken_.insert(name).second) return name;
    std::size_t& number = numbers_.try_emplace(name, 1).first->second;
    do {
      name = std::string(wanted) + '_' + std::to_string(++number);
    } while (!taken_.insert(name).second);
    return name;
  }

  /// Reserves the name of a state of a recurrent net, together with those of its outputs, <name>_all and <name>_last.
  std::string claim_state(std::string_view wanted) {
    while (true) {
      std::string name = claim(wanted);
      if (claim(name + "_all") == name + "_all" && claim(name + "_last") == name + "_last") return name;
    }
  }

  // ---- ops
  net_builder& net() { return *here_->net; }

  /// Converts a node that a rule composes its own node of, in the current graph, by version `opset` of the operators.
  /// Throws onnx_unsupported.
  void expand(onnx_node const& node, std::int64_t opset) {
    onnx_rule const* const rule = rules_.find(node.domain, node.type);
    if (rule == nullptr) throw onnx_unsupported{"there is no rule for " + node.type + ", which it is composed of"};
    bool const reads_poisoned = std::ranges::any_of(
        node.inputs, [&](std::string const& name) { return !name.empty() && value(name).is_poisoned; });
    convert(onnx_context(*this, node, opset), *rule);
    for (std::string const& name : node.outputs)
      if (onnx_value* const made = name.empty() ? nullptr : known(name))
        made->is_poisoned = made->is_poisoned || reads_poisoned;
  }

  /// Converts a subgraph to a nested net, with `inputs` as the values of its inputs, and returns its outputs. An output
  /// that is a constant or an outer value is not a blob of the nested net yet.
  std::vector<onnx_value> inside(onnx_graph_def const& graph, net_builder& net, std::vector<onnx_value> inputs) {
    seen_.insert(&graph);
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
      if (info.name.empty()) throw onnx_unsupported{"an input of its graph has no name"};
      if (given.type == onnx_type::undefined) given.type = computed_type(info.type);
      if (info.type != onnx_type::undefined && computed_type(info.type) != given.type)
        throw onnx_unsupported{"input '" + info.name + "' of its graph is " + to_string(info.type) +
                               ", where it gets " + to_string(given.type)};
      if (!given.dims) given.dims = info.dims;
      given.is_declared = given.is_declared || !given.constant;
      set(info.name, std::move(given));
    }
    convert_all(graph);
    std::vector<onnx_value> made;
    for (onnx_value_info const& output : graph.outputs) {
      if (find(output.name) == nullptr) problems_.push_back(undefined_output(output));
      made.push_back(value(output.name));
      if (made.back().type == onnx_type::undefined) made.back().type = computed_type(output.type);
      std::optional<std::vector<std::int64_t>>& dims = made.back().dims;
      if (!dims) dims = output.dims;
      if (output.dims && output.dims->size() == dims->size())
        for (std::size_t axis = 0; axis != dims->size(); ++axis)
          if ((*dims)[axis] < 0) (*dims)[axis] = (*output.dims)[axis];
    }
    return made;
  }

 private:
  // Scope of a graph during its conversion.
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
    bool is_function = false;  // the body of a function, which sees no values outside
    boost::unordered_flat_map<std::string, std::string> renamed = {};  // blobs of a function's outputs
  };

  // Reserves the names of the top-level graph's values, so that no earlier blob takes them.
  void reserve_names() {
    onnx_graph_def const& g = model_.graph;
    for (auto const* list : {&g.inputs, &g.outputs})
      for (onnx_value_info const& info : *list) taken_.insert(info.name);
    for (onnx_node const& node : g.nodes)
      for (std::string const& name : node.outputs) taken_.insert(name);
  }

  // Returns a poisoned value, of which only the model's declaration is known.
  onnx_value poisoned(std::string const& name) const {
    onnx_value made{name.empty() ? "nothing" : name};  // a value without a blob would be a constant
    made.is_poisoned = true;
    if (auto const found = here_->infos.find(name); found != here_->infos.end()) {
      made.type = computed_type(found->second->type);
      made.dims = found->second->dims;
    }
    return made;
  }
  // Poisons a value for a problem that is reported only if something reads the value.
  onnx_value deferred(onnx_value made, onnx_problem why) {
    made.is_poisoned = true;
    made.deferred_problem = static_cast<std::uint32_t>(deferred_problems_.size());
    deferred_problems_.push_back(std::move(why));
    return made;
  }

  void read_initializers(level& at);

  void declare_input(level& at, onnx_value_info const& input);

  // Returns a float blob of an input of 16-bit floats. The input may be fed as float, too.
  std::string widened(std::string const& input) {
    std::string made = claim(input + "/float32");
    root_.op_n("Cast", {input}, std::vector<std::string>{made}, {{"to", 1}});
    return made;
  }

  static std::string no_tensors(onnx_type type) {
    return "is of " + to_string(type) + ", of which the runtime has no tensors";
  }

  static onnx_value fixed_value(tensor_value const& value) {
    onnx_value made;
    made.constant = value;
    made.dims = known_extents(value.shape);
    made.type = onnx_type_of(value.type());
    return made;
  }

  // Converts all nodes, also those after one that cannot be run, to report their own problems.
  void convert_all(onnx_graph_def const& graph) {
    onnx_node_order const order(graph, free_names_);
    for (std::uint32_t const n : order.nodes())
      if (!order.cycle(n).empty())
        for (std::string const& name : graph.nodes[n].outputs)
          if (!name.empty()) here_->values.emplace(name, poisoned(name));
    for (std::uint32_t const n : order.nodes()) convert(graph.nodes[n], order.cycle(n));
  }

  // `cycle` is an input of the node that depends on the node's own outputs; empty if there is none.
  void convert(onnx_node const& node, std::string_view cycle) {
    std::string const type = node.domain.empty() ? node.type : node.domain + '.' + node.type;
    std::string const around = std::exchange(reader_, type + " '" + label(node) + '\'');
    bool const outer_reads_poisoned = std::exchange(reads_poisoned_, false);
    bool const outer_unknown_is_poisoned = std::exchange(unknown_is_poisoned_, false);
    std::size_t const before = problems_.size();
    auto const report = [&](std::string_view reason) { problems_.push_back({type, label(node), std::string(reason)}); };
    onnx_rule const* const rule = rules_.find(node.domain, node.type);
    onnx_function const* const function = rule == nullptr ? find_function(node) : nullptr;
    if (rule == nullptr && function == nullptr) report("there is no rule for it");
    if (!cycle.empty()) report("is in a cycle: it reads '" + std::string(cycle) + "', which depends on its output");
    if (cycle.empty())
      for (std::string const& name : node.inputs)
        if (!name.empty() && find(name) == nullptr) report("reads '" + name + "', which is undefined");
    bool runs = (rule != nullptr || function != nullptr) && cycle.empty();
    for (auto name = node.outputs.begin(); name != node.outputs.end(); ++name) {
      if (!cycle.empty() || name->empty() ||
          (known(*name) == nullptr && std::find(node.outputs.begin(), name, *name) == name))
        continue;
      report("defines '" + *name + "', which is already defined");
      runs = false;
    }

    bool done = false;
    try {
      if (runs) {
        onnx_context const context(*this, node, opset(node.domain));
        if (function != nullptr) {
          call(context, *function);
        } else {
          if (node.domain.empty()) onnx_signature_check(context).run();
          convert(context, *rule);
        }
      }
      done = runs;
    } catch (onnx_unsupported const& why) {
      if (!unknown_is_poisoned_ || why.reason.find(onnx_must_be_known) == why.reason.npos) report(why.reason);
    } catch (error const& e) {
      if (!reads_poisoned_) report(without_prefix(e.what()));
    } catch (std::bad_alloc const&) {
      report("out of memory");
    } catch (std::length_error const&) {
      report("out of memory");
    }
    if (!done) convert_subgraphs_of(node);

    bool const may_be_constant = std::ranges::all_of(node.inputs, [&](std::string const& name) {
      onnx_value const* const read = name.empty() ? nullptr : find(name);
      return read == nullptr || read->constant || (read->is_poisoned && read->may_be_constant);
    });
    bool const is_poisoned = reads_poisoned_ || !done || problems_.size() != before;
    for (std::string const& name : node.outputs) {
      if (name.empty() || (!runs && known(name) != nullptr)) continue;
      if (!done)
        here_->values.insert_or_assign(name, poisoned(name));
      else if (known(name) == nullptr)
        here_->values.emplace(
            name, deferred(poisoned(name), {type, label(node), "does not define its output '" + name + '\''}));
      onnx_value& made = *known(name);
      made.is_poisoned = made.is_poisoned || is_poisoned;
      made.may_be_constant = may_be_constant;
    }
    reader_ = around;
    reads_poisoned_ = reads_poisoned_ || outer_reads_poisoned;
    unknown_is_poisoned_ = outer_unknown_is_poisoned;
  }

  // Makes the outputs constants, or calls the rule and records what is known of the outputs' elements.
  void convert(onnx_context const& context, onnx_rule const& rule);

  // Converts the remaining subgraphs of a node that was not converted, to report their problems.
  void convert_subgraphs_of(onnx_node const& node) {
    for (onnx_attribute const& a : node.attributes) {
      if (!a.g || seen_.contains(&*a.g)) continue;
      std::vector<onnx_value> inputs;
      for (onnx_value_info const& input : a.g->inputs) {
        inputs.push_back({input.name});
        inputs.back().is_poisoned = true;
      }
      net_builder unused("unused");
      try {
        static_cast<void>(inside(*a.g, unused, std::move(inputs)));
      } catch (onnx_unsupported const& why) {
        problems_.push_back({"GraphProto", a.g->name, why.reason});
      }
    }
  }

  static std::string label(onnx_node const& node) {
    if (!node.name.empty()) return node.name;
    for (std::string const& name : node.outputs)
      if (!name.empty()) return name;
    return {};
  }

  onnx_function const* find_function(onnx_node const& node) const;

  // Converts the body of a function in place of a node that calls it.
  void call(onnx_context const& c, onnx_function const& function);

  std::int64_t opset(std::string const& domain) const {
    if (!functions_.empty())
      for (onnx_opset const& each : functions_.back()->opsets)
        if (each.domain == domain) return each.version;
    for (onnx_opset const& each : model_.opsets)
      if (each.domain == domain) return each.version;
    return 1;
  }

  static onnx_problem undefined_output(onnx_value_info const& output) {
    return {"GraphProto", output.name, "this output is undefined"};
  }

  void add_output(onnx_value_info const& output) {
    made_.outputs.push_back(output.name);
    reader_ = "output '" + output.name + '\'';
    onnx_value const* const found = find(output.name);
    if (found == nullptr) return problems_.push_back(undefined_output(output));
    if (found->is_poisoned) return;
    try {
      if (!is_half(output.type) || !inputs_.contains(output.name)) {
        std::string const made = blob(output.name);
        if (is_half(output.type))
          root_.op_n("Cast", {made}, std::vector<std::string>{output.name},
                     {{"to", output.type == onnx_type::float16 ? "FLOAT16" : "BFLOAT16"}});
        else if (made != output.name)
          root_.copy(made, output.name);
      }
      root_.external_outputs(output.name);
    } catch (onnx_unsupported const& why) {
      problems_.push_back({"GraphProto", output.name, why.reason});
    }
  }

  onnx_model const& model_;
  onnx_options const& options_;
  onnx_rules const& rules_;
  onnx_net made_;
  net_builder root_;
  boost::unordered_flat_set<std::string> taken_;
  boost::unordered_flat_map<std::string, std::size_t> numbers_;  // last suffix used for a name
  level* here_ = nullptr;
  onnx_free_names free_names_;
  std::vector<onnx_problem> problems_;
  std::vector<onnx_problem> deferred_problems_;  // reported only if something reads the value concerned
  std::string reader_;                           // the current node
  bool reads_poisoned_ = false;                  // the current node reads a poisoned value
  bool unknown_is_poisoned_ = false;             // the last unknown that its rule queried is poisoned
  onnx_value nothing_;                           // value() of an undefined name
  boost::unordered_flat_set<std::string_view> inputs_;
  boost::unordered_flat_set<std::string> half_outputs_;    // outputs of 16-bit floats
  boost::unordered_flat_set<onnx_graph_def const*> seen_;  // converted subgraphs
  std::vector<onnx_function const*> functions_;            // those being called, innermost last
  std::deque<onnx_graph_def> bodies_;                      // of all calls
};

}  // namespace plait::detail

#include <plait/interop/onnx/detail/constant_folding.hpp>
#include <plait/interop/onnx/detail/context_queries.hpp>
#include <plait/interop/onnx/detail/function_calls.hpp>
#include <plait/interop/onnx/detail/graph_inputs.hpp>
