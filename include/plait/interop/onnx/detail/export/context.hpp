// Context of an ONNX export rule: the op to express, its arguments, and the graph to add nodes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/export/attributes.hpp>
#include <plait/interop/onnx/detail/export/exporter.hpp>
#include <plait/interop/onnx/detail/export/source.hpp>
#include <plait/interop/onnx/detail/export/value_types.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

/// The op that a rule expresses. Values are referred to by their names in the model.
class onnx_export_context {
 public:
  using names = std::vector<std::string>;
  using attributes = std::vector<onnx_attribute>;
  using list = std::vector<std::int64_t>;

  onnx_export_context(detail::onnx_out::onnx_exporter& exporter, detail::onnx_out::onnx_source_op const& op,
                      detail::onnx_out::onnx_export_scope& scope, names outputs)
      : exporter_(&exporter), op_(&op), scope_(&scope), outputs_(std::move(outputs)), given_(outputs_.size()) {}

  detail::onnx_out::onnx_source_op const& op() const noexcept { return *op_; }
  std::string const& type() const noexcept { return op_->type; }
  std::int64_t opset() const noexcept { return exporter_->opset(); }
  detail::onnx_out::onnx_exporter& exporter() const noexcept { return *exporter_; }
  detail::onnx_out::onnx_export_scope& scope() const noexcept { return *scope_; }

  // ---- operands
  std::size_t input_count() const noexcept { return op_->inputs.size(); }
  std::size_t output_count() const noexcept { return outputs_.size(); }
  /// Returns the value of an input. Reports an op that lacks the input, and one whose input has no value.
  std::string input(std::size_t i) const {
    if (i >= op_->inputs.size()) unsupported("it lacks input " + std::to_string(i));
    return value_of(op_->inputs[i]);
  }
  names inputs() const {
    names made;
    for (std::size_t i = 0; i != input_count(); ++i) made.push_back(input(i));
    return made;
  }
  /// Returns the value of a blob that the op reads.
  std::string value_of(std::string const& blob) const {
    std::string const* const found = scope_->find(blob);
    if (found == nullptr) unsupported("it reads '" + blob + "', which has no value");
    return *found;
  }
  /// Returns the name of an output that the rule defines.
  std::string output(std::size_t o) {
    if (o >= outputs_.size()) return temporary("unused");
    given_[o] = true;
    return outputs_[o];
  }
  bool is_given(std::size_t o) const { return given_[o]; }
  names const& output_names() const noexcept { return outputs_; }

  // ---- arguments; each getter reports an argument of another type
  bool has(std::string_view name) const { return op_->argument(name).has_value(); }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const {
    return get<std::int64_t>(name).value_or(fallback);
  }
  float real(std::string_view name, float fallback) const {
    auto const found = op_->argument(name);
    if (found)
      if (auto const* whole = std::get_if<std::int64_t>(&*found)) return static_cast<float>(*whole);
    return get<float>(name).value_or(fallback);
  }
  std::string text(std::string_view name, std::string const& fallback) const {
    return get<std::string>(name).value_or(fallback);
  }
  list integers(std::string_view name) const { return get<list>(name).value_or(list()); }
  std::vector<float> reals(std::string_view name) const {
    return get<std::vector<float>>(name).value_or(std::vector<float>());
  }
  std::vector<std::string> texts(std::string_view name) const {
    return get<std::vector<std::string>>(name).value_or(std::vector<std::string>());
  }
  /// Returns true if the op's images or rows have their channels in the last axis.
  bool channels_last() const { return text("order", "NCHW") == "NHWC"; }

  // ---- knowledge about values
  onnx_type type_of(std::string const& value) const { return exporter_->types().type(value); }
  detail::onnx_out::onnx_shape const& dims(std::string const& value) const { return exporter_->types().dims(value); }
  std::optional<std::size_t> rank(std::string const& value) const {
    auto const& found = dims(value);
    return found ? std::optional(found->size()) : std::nullopt;
  }
  /// Returns the rank of a value. Reports that it is unknown.
  std::size_t known_rank(std::string const& value) const {
    auto const found = rank(value);
    if (!found)
      unsupported("the number of axes of '" + value + "' is unknown", "list the shapes of inputs in the options");
    return *found;
  }
  /// Returns the extents of a value if all are known.
  detail::onnx_out::onnx_shape known_dims(std::string const& value) const {
    auto const& found = dims(value);
    if (found)
      for (std::int64_t const each : *found)
        if (each < 0) return std::nullopt;
    return found;
  }
  detail::onnx_out::onnx_shape const& elements(std::string const& value) const {
    return exporter_->types().integers(value);
  }
  void set_dims(std::string const& value, detail::onnx_out::onnx_shape shape) const {
    exporter_->types().set_dims(value, std::move(shape));
  }

  // ---- nodes
  /// Returns a new name for an intermediate value of this op.
  std::string temporary(std::string_view ending) const {
    return exporter_->unique((outputs_.empty() ? op_->type : outputs_.front()) + '/' + std::string(ending));
  }
  void add(std::string_view type, names inputs, names outputs, attributes with = {}) const {
    std::string const name = outputs.front();
    exporter_->add({std::string(type), "", name, std::move(inputs), std::move(outputs), std::move(with)});
  }
  /// Adds a node that computes an output of the op.
  void give(std::size_t o, std::string_view type, names inputs, attributes with = {}) {
    add(type, std::move(inputs), {output(o)}, std::move(with));
  }
  /// Adds a node with one output and returns the output.
  std::string step(std::string_view type, names inputs, attributes with = {}) const {
    std::string made = temporary(type);
    add(type, std::move(inputs), {made}, std::move(with));
    return made;
  }
  void forward(std::size_t o, std::string const& value) { give(o, "Identity", {value}); }
  std::string constant(tensor_value value, std::string_view ending = "constant") const {
    return exporter_->constant(std::move(value),
                               (outputs_.empty() ? op_->type : outputs_.front()) + '/' + std::string(ending));
  }
  std::string constant(list elements, std::string_view ending = "list") const {
    auto const count = std::ssize(elements);
    return constant(tensor_value{{count}, std::move(elements)}, ending);
  }
  /// Returns a scalar of the element type of `like`.
  std::string number(double value, std::string const& like) const {
    return constant(detail::onnx_filled(type_of(like), {}, value), "number");
  }
  /// Returns a value's shape, a constant where it is known.
  std::string shape_of(std::string const& value) const {
    if (auto const known = known_dims(value)) return constant(*known, "shape");
    return step("Shape", {value});
  }
  std::string reshape(std::string const& value, list shape) const {
    return step("Reshape", {value, constant(std::move(shape), "shape")});
  }
  std::string transpose(std::string const& value, list perm) const {
    return step("Transpose", {value}, {detail::onnx_out::onnx_attr("perm", std::move(perm))});
  }

  /// Reports that the op has no equivalent, why, and the nearest form that has.
  [[noreturn]] void unsupported(std::string reason, std::string alternative = {}) const {
    throw detail::onnx_out::onnx_inexpressible{std::move(reason), std::move(alternative)};
  }

 private:
  template <class T>
  std::optional<T> get(std::string_view name) const {
    std::optional<argument_value> found = op_->argument(name);
    if (!found) return std::nullopt;
    if (T* value = std::get_if<T>(&*found)) return std::move(*value);
    if constexpr (!std::is_same_v<T, std::int64_t> && !std::is_same_v<T, float> && !std::is_same_v<T, std::string>)
      if (auto const* empty = std::get_if<list>(&*found); empty != nullptr && empty->empty()) return T();
    unsupported("argument '" + std::string(name) + "' is of another type than expected");
  }

  detail::onnx_out::onnx_exporter* exporter_;
  detail::onnx_out::onnx_source_op const* op_;
  detail::onnx_out::onnx_export_scope* scope_;
  names outputs_;
  std::vector<bool> given_;
};

namespace detail::onnx_out {

inline void onnx_exporter::convert(onnx_source const& net, onnx_export_scope& scope, bool outermost) {
  for (onnx_source_op const& op : net.ops) {
    // Outputs and blobs that nested nets write get their names first, and replace the blobs' values afterwards.
    std::vector<std::string> names;
    for (std::size_t k = 0; k != op.writes.size(); ++k) {
      auto const& [blob, version] = op.writes[k];
      bool const last = outermost && version == net.last.at(blob);
      bool const repeated = std::ranges::find(op.writes.begin() + static_cast<std::ptrdiff_t>(k) + 1, op.writes.end(),
                                              blob, [](auto const& each) { return each.first; }) != op.writes.end();
      bool const keeps = last && !repeated && !entries_.contains(blob);
      // Versions before the last are <blob>_<version>.
      std::string const name = keeps                    ? blob
                               : outermost && !repeated ? unique(blob + '_' + std::to_string(version))
                                                        : unique(blob);
      names.push_back(name);
      if (outermost) root_values_.insert(name);
    }
    std::size_t const before = graph_->nodes.size();
    onnx_export_context c(*this, op, scope, names);
    std::optional<onnx_inexpressible> why;
    onnx_export_rule const* const rule = rules_.find(op.type);
    if (rule == nullptr) {
      why = {op.type.ends_with("Gradient") ? "is a gradient operator" : "has no equivalent in ONNX",
             op.type.ends_with("Gradient") ? "export the net without its backward pass" : ""};
    } else {
      try {
        (*rule)(c);
      } catch (onnx_inexpressible& e) {
        why = std::move(e);
      } catch (onnx_export_error const& e) {
        throw;
      } catch (error const& e) {
        why = {e.what(), ""};
      }
    }
    if (why) graph_->nodes.resize(before);
    std::vector<std::string> missing;
    for (std::size_t k = 0; k != names.size(); ++k)
      if (why || !c.is_given(k)) missing.push_back(names[k]);
    if (!missing.empty()) {
      std::string const first = op.outputs.empty() ? std::string() : op.outputs.front();
      if (!why) {
        for (std::string const& each : missing) {
          undefined_.insert(each);
          placeholder({each}, {op.index, op.type, first, "its output '" + each + "' has no equivalent in ONNX", ""});
        }
      } else {
        // The producers of what it reads are needed, so that their problems are listed, too.
        std::vector<std::string> read;
        auto const add_read = [&](std::string const& blob) {
          if (std::string const* const value = scope.find(blob)) read.push_back(*value);
        };
        for (std::string const& blob : op.inputs) add_read(blob);
        for (onnx_source_subnet const& nested : op.nets)
          for (std::string const& blob : nested.net->undefined) add_read(blob);
        placeholder(missing, {op.index, op.type, first, why->reason, why->alternative}, std::move(read));
      }
    }
    for (std::size_t k = 0; k != names.size(); ++k) scope.current[op.writes[k].first] = names[k];
  }
}

}  // namespace detail::onnx_out
}  // namespace plait
