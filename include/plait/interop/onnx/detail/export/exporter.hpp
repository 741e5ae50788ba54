// ONNX exporter: converts the ops of a net in order, and names values by the versions of blobs.
//
// A write of a blob makes a new value: names are resolved through a chain of scopes, one for each net, as the ops are
// converted. An op that has no equivalent becomes a placeholder node; placeholders that an output needs are the
// problems of the net, the others are dropped with all nodes that no output needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/export/encode.hpp>
#include <plait/interop/onnx/detail/export/infer.hpp>
#include <plait/interop/onnx/detail/export/input_guess.hpp>
#include <plait/interop/onnx/detail/export/options.hpp>
#include <plait/interop/onnx/detail/export/prune.hpp>
#include <plait/interop/onnx/detail/export/source.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

class onnx_export_context;

/// Export rule: adds the ONNX nodes of an op through its context.
using onnx_export_rule = std::function<void(onnx_export_context&)>;

/// Export rules by op type.
class onnx_export_rules {
 public:
  void set(std::string type, onnx_export_rule rule) { rules_.insert_or_assign(std::move(type), std::move(rule)); }
  onnx_export_rule const* find(std::string_view type) const {
    auto const found = rules_.find(std::string(type));
    return found == rules_.end() ? nullptr : &found->second;
  }
  /// Returns the rules of plait's own operators.
  static onnx_export_rules const& standard();

 private:
  boost::unordered_flat_map<std::string, onnx_export_rule> rules_;
};

namespace detail::onnx_out {

/// Thrown by a rule for an op that it cannot express.
struct onnx_inexpressible {
  std::string reason;
  std::string alternative;
};

/// Values of the blobs of one net during export, by blob.
struct onnx_export_scope {
  onnx_export_scope const* outer = nullptr;  ///< none: the net sees no blobs of the net around it
  boost::unordered_flat_map<std::string, std::string> current = {};

  std::string const* find(std::string const& blob) const {
    for (onnx_export_scope const* at = this; at != nullptr; at = at->outer)
      if (auto const found = at->current.find(blob); found != at->current.end()) return &found->second;
    return nullptr;
  }
};

class onnx_exporter {
 public:
  onnx_exporter(onnx_source const& source, std::span<parameter const> parameters, onnx_export_options const& options,
                onnx_export_rules const& rules)
      : source_(source), options_(options), rules_(rules) {
    if (options.opset < 13 || options.opset > 21)
      fail({"operator-set version " + std::to_string(options.opset) + " is not supported", "13 to 21"});
    for (parameter const& p : parameters) parameters_.emplace(p.name, &p.value);
  }

  onnx_model run() {
    onnx_model made;
    graph_ = &made.graph;
    made.graph.name = source_.name.empty() ? "net" : source_.name;
    onnx_export_scope root;
    for (auto const& [blob, last] : source_.last) taken_.insert(blob);
    declare(root);
    convert(source_, root, true);
    add_outputs(root);
    auto unsaid = prune_onnx(made.graph, [&](std::string const& input) {
      return std::ranges::find(options_.inputs, input, &onnx_export_input::name) != options_.inputs.end();
    });
    for (std::size_t const k : unsaid) problems_.push_back(placeholders_[k]);
    if (!problems_.empty()) throw onnx_export_error(std::move(problems_));
    made.opsets.push_back({"", options_.opset});
    made.ir_version = options_.opset < 15 ? 7 : options_.opset < 19 ? 8 : options_.opset < 21 ? 9 : 10;
    return made;
  }

  // ---- for contexts
  std::int64_t opset() const noexcept { return options_.opset; }
  onnx_value_types& types() noexcept { return types_; }
  onnx_graph_def& graph() noexcept { return *graph_; }

  /// Returns a name that no value has.
  std::string unique(std::string const& base) {
    if (taken_.insert(base).second) return base;
    std::size_t& number = numbers_[base];
    std::string name;
    do name = base + '_' + std::to_string(++number);
    while (!taken_.insert(name).second);
    return name;
  }

  void add(onnx_node node) {
    infer_onnx(node, types_, options_.opset);
    graph_->nodes.push_back(std::move(node));
  }

  /// Adds an initializer and returns its name.
  std::string constant(tensor_value value, std::string const& base) {
    std::string name = unique(base);
    initialize(name, value);
    return name;
  }

  /// Converts the ops of a net in a scope. In the outermost net, the last version of a blob keeps its name.
  void convert(onnx_source const& net, onnx_export_scope& scope, bool outermost = false);

  /// Runs `build` with another graph as the one that receives nodes.
  template <class Build>
  onnx_graph_def inside(std::string const& name, Build&& build) {
    onnx_graph_def made;
    made.name = unique(name);
    struct restorer {
      onnx_graph_def*& at;
      onnx_graph_def* around;
      ~restorer() { at = around; }
    } const restore{graph_, std::exchange(graph_, &made)};
    build();
    return made;
  }

  /// Marks a value as a stack of workspaces, which no node computes.
  void set_scope(std::string const& name) { scopes_.insert(name); }
  bool is_scope(std::string const& name) const { return scopes_.contains(name); }

  /// Defines values that no node of ONNX computes, and the reason.
  void placeholder(std::vector<std::string> const& outputs, onnx_export_problem why,
                   std::vector<std::string> inputs = {}) {
    onnx_node made;
    made.inputs = std::move(inputs);
    made.type = std::to_string(placeholders_.size());
    made.domain = onnx_placeholder_domain;
    made.outputs = outputs;
    graph_->nodes.push_back(std::move(made));
    placeholders_.push_back(std::move(why));
  }

 private:
  [[noreturn]] static void fail(onnx_inexpressible const& why) {
    throw onnx_export_error({{std::nullopt, "", "", why.reason, why.alternative}});
  }

  void initialize(std::string const& name, tensor_value const& value) {
    onnx_tensor made = encode_onnx(value);
    made.name = name;
    types_.set(name, made.type, value.shape);
    if (made.type == onnx_type::int64 || made.type == onnx_type::int32)
      if (auto list = onnx_integers_of(value)) types_.set_integers(name, std::move(*list));
    main_initializers().push_back(std::move(made));
  }
  std::vector<onnx_tensor>& main_initializers() { return initializers_; }

  void declare(onnx_export_scope& root) {
    auto const input = [&](std::string const& blob) {
      if (!entries_.insert(blob).second) return;
      root.current.emplace(blob, blob);
      if (auto const found = parameters_.find(blob); found != parameters_.end()) {
        if (found->second->quantised) {
          placeholder({blob}, {std::nullopt, "", blob, "is a quantised parameter", "pass its values as float32"});
        } else if (!is_well_formed(*found->second)) {
          problems_.push_back({std::nullopt, "", blob, "is a parameter whose elements do not fill its shape"});
        } else {
          initialize(blob, *found->second);
        }
        return;
      }
      unknown_.push_back(blob);
    };
    for (std::string const& blob : source_.inputs) input(blob);
    for (std::string const& blob : source_.undefined) input(blob);
    for (std::string const& blob : unknown_) {
      onnx_value_info info;
      info.name = blob;
      info.kind = onnx_value_info::kinds::tensor;
      auto const given = std::ranges::find(options_.inputs, blob, &onnx_export_input::name);
      onnx_input_guess const guess = guess_onnx_input(source_, blob, types_);
      bool const listed = given != options_.inputs.end();
      info.type = listed && given->type != onnx_type::undefined ? given->type : guess.type;
      if (listed && given->dims)
        info.dims = given->dims;
      else if (guess.rank)
        info.dims = std::vector<std::int64_t>(*guess.rank, -1);
      types_.set(blob, info.type, info.dims);
      graph_->inputs.push_back(std::move(info));
    }
  }

  void add_outputs(onnx_export_scope const& root) {
    bool const declared = !source_.outputs.empty();
    boost::unordered_flat_set<std::string> listed;
    for (std::string const& blob : declared                 ? source_.outputs
                                   : source_.unread.empty() ? source_.written
                                                            : source_.unread) {
      std::string const* const found = root.find(blob);
      if (found == nullptr) {
        if (declared) problems_.push_back({std::nullopt, "", blob, "is an output that no op writes"});
        continue;
      }
      // Only ops of plait read a stack of workspaces, those of a backward pass, above all.
      if (is_scope(*found) || (!declared && undefined_.contains(*found))) continue;
      std::string name = *found;
      // An output of a graph is the output of a node, once.
      if (root_values_.contains(name) && listed.contains(name)) name = copy(name);
      if (!root_values_.contains(name)) name = copy(name);
      listed.insert(name);
      onnx_value_info info;
      info.name = name;
      info.kind = onnx_value_info::kinds::tensor;
      info.type = types_.type(name);
      info.dims = types_.dims(name);
      graph_->outputs.push_back(std::move(info));
    }
    if (graph_->outputs.empty() && problems_.empty())
      problems_.push_back({std::nullopt, "", source_.name, "the net has no outputs"});
    graph_->initializers = std::move(initializers_);
  }
  std::string copy(std::string const& name) {
    std::string made = unique(name);
    add({"Identity", "", made, {name}, {made}, {}});
    return made;
  }

  onnx_source const& source_;
  onnx_export_options const& options_;
  onnx_export_rules const& rules_;
  boost::unordered_flat_map<std::string, tensor_value const*> parameters_;
  boost::unordered_flat_set<std::string> taken_;
  boost::unordered_flat_map<std::string, std::size_t> numbers_;  // last suffix used for a name
  onnx_value_types types_;
  onnx_graph_def* graph_ = nullptr;
  std::vector<onnx_tensor> initializers_;
  std::vector<std::string> unknown_;                    // inputs without a value
  boost::unordered_flat_set<std::string> entries_;      // inputs and parameters
  boost::unordered_flat_set<std::string> root_values_;  // values that ops of the outermost net write
  boost::unordered_flat_set<std::string> undefined_;    // values that a rule left out
  boost::unordered_flat_set<std::string> scopes_;       // values that are stacks of workspaces
  std::vector<onnx_export_problem> placeholders_;
  std::vector<onnx_export_problem> problems_;
};

}  // namespace detail::onnx_out
}  // namespace plait

#include <plait/interop/onnx/detail/export/context.hpp>
