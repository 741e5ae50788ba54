// Trained model: a net under construction, with the init net that creates its parameters.
//
//   plait::trained_model model("digits");
//   auto x = model.net.external_input("x");
//   auto y = model.net.relu(model.fc(x, "hidden", 784, 100));      // parameters hidden_w and hidden_b
//   …
//   model.net.edit([&](plait::netdef& n) {
//     auto gradients = plait::add_gradient_ops(n, {"loss"}, rules, {.only = model.parameters()});
//     auto update = plait::add_sgd(n, gradients, model.parameters());
//     model.init.edit([&](plait::netdef& init) { plait::add_init_ops(init, update); });
//   });
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/element_type.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/transform/detail/const_fill.hpp>

namespace plait {

/// Fill op that initialises a parameter; shape, type and seed are added.
struct parameter_fill {
  std::string type = "XavierFill";
  std::vector<net_argument> arguments = {};
  bool trained = true;  ///< false: frozen, and not among parameters()

  static parameter_fill constant(float value) { return {"ConstantFill", {{"value", value}}}; }
  static parameter_fill uniform(float least, float most) { return {"UniformFill", {{"min", least}, {"max", most}}}; }
};

struct trained_model_options {
  element_type type = element_type::float32;  ///< type of all parameters: float32 or float64
  /// Seed of random fills, incremented per parameter, so that runs are reproducible and no two parameters are alike.
  std::optional<std::int64_t> seed = {};
};

/// Net under construction and its init net, called <name> and <name>_init. Ops are added to `net` directly. Parameters
/// have full names, regardless of the name scope of `net` (net_builder::full_name).
class trained_model {
 public:
  /// Throws net_error for a type that parameters cannot have.
  explicit trained_model(std::string_view name = "net", trained_model_options const& options = {})
      : net(name), init(std::string(name) + "_init"), options_(options) {
    if (options_.type != element_type::float32 && options_.type != element_type::float64)
      throw net_error("plait: parameters are float32 or float64, not " + std::string(to_string(options_.type)));
  }

  net_builder net;
  net_builder init;

  element_type type() const noexcept { return options_.type; }
  /// Returns the type as the dtype argument of fills, with the number that TensorProto has for it.
  std::int64_t dtype() const noexcept {
    return static_cast<std::int64_t>(type() == element_type::float64 ? tensor_type::float64 : tensor_type::float32);
  }

  /// Returns the trained parameters, in the order of creation.
  std::vector<std::string> const& parameters() const noexcept { return trained_; }
  /// Returns the shape of a parameter, trained or frozen. Throws net_error if there is none of that name.
  std::vector<std::int64_t> const& parameter_shape(std::string_view name) const { return known(name)->second; }
  bool has_parameter(std::string_view name) const { return shapes_.contains(std::string(name)); }

  /// Creates a parameter: a fill op in the init net, and an external input of the net. A parameter that already exists
  /// is shared. Throws net_error naming it, and changes nothing, if it exists with another shape, or if another blob
  /// has the name.
  blob_handle parameter(std::string const& name, std::vector<std::int64_t> const& shape,
                        parameter_fill const& fill = {}) {
    if (auto const found = shapes_.find(name); found != shapes_.end()) {
      if (found->second != shape)
        throw net_error("plait: parameter '" + name + "' is " + text(found->second) + ", not " + text(shape), {}, name);
      return net.blob(name);
    }
    if (net.visible(name) || init.visible(name))
      throw net_error("plait: '" + name + "' cannot be a parameter, since another blob has this name", {}, name);
    if (!element_count(shape))
      throw net_error("plait: parameter '" + name + "' cannot have the shape " + text(shape), {}, name);
    std::vector<net_argument> arguments = fill.arguments;
    arguments.emplace_back("shape", shape);
    if (type() != element_type::float32) arguments.emplace_back("dtype", dtype());
    if (options_.seed && fill.type != "ConstantFill")
      arguments.emplace_back("seed",
                             static_cast<std::int64_t>(static_cast<std::uint64_t>(*options_.seed) + shapes_.size()));
    netdef one;
    append_op(one, {fill.type, {}, {name}, std::move(arguments)});
    init.append_ops(one);
    shapes_.emplace(name, shape);
    if (fill.trained) trained_.push_back(name);
    return net.blob_or_input(name);
  }

  /// Adds a fully connected layer y = x w' + b, called `name` within the name scope, with the parameters <name>_w
  /// (outputs × inputs) and <name>_b. The axes of x from `axis` on are those of the inputs.
  blob_handle fc(blob_operand x, std::string_view name, std::int64_t inputs, std::int64_t outputs,
                 std::int64_t axis = 1) {
    std::string const full = net.full_name(name);
    auto const w = parameter(full + "_w", {outputs, inputs});
    auto const b = parameter(full + "_b", {outputs}, parameter_fill::constant(0));
    std::vector<net_argument> arguments;
    if (axis != 1) arguments.emplace_back("axis", axis);
    return net.op("FC", {x, w, b}, name, std::move(arguments));
  }

  /// Replaces the fill of a parameter in the init net by these values. Throws net_error, and changes nothing, if there
  /// is no such parameter, it has another shape or type, or no op fills a tensor of the type (fill_options). O(init
  /// net).
  void set(plait::parameter const& values, fill_options const& options = {}) {
    auto const& shape = known(values.name)->second;
    if (values.value.shape != shape)
      throw net_error("plait: parameter '" + values.name + "' is " + text(shape) + ", but its new value is " +
                          text(values.value.shape),
                      {}, values.name);
    if (values.value.type() != type())
      throw net_error("plait: parameter '" + values.name + "' is " + std::string(to_string(type())) +
                          ", but its new value is " + std::string(to_string(values.value.type())),
                      {}, values.name);
    op_spec const made = const_fill_op(values, options);
    init.edit([&](netdef& n) {
      symbol const name = n.find(values.name);
      auto const writes = [&](op_def const& op) { return op.output.front() == name; };
      auto const at = std::ranges::find_if(n.op, writes) - n.op.begin();
      append_op(n, {made.type, {}, {values.name}, {made.arguments.begin(), made.arguments.end()}});
      std::swap(n.op[static_cast<std::size_t>(at)], n.op.back());
      n.op.pop_back();
    });
  }

 private:
  friend class model_rollback;

  using shape_map = boost::unordered_flat_map<std::string, std::vector<std::int64_t>>;

  shape_map::const_iterator known(std::string_view name) const {
    auto const found = shapes_.find(std::string(name));
    if (found == shapes_.end())
      throw net_error("plait: the model has no parameter '" + std::string(name) + '\'', {}, std::string(name));
    return found;
  }
  static std::string text(std::vector<std::int64_t> const& shape) {
    std::string made;
    for (std::int64_t const extent : shape) made += (made.empty() ? "" : "×") + std::to_string(extent);
    return made.empty() ? "a scalar" : made;
  }

  trained_model_options options_;
  shape_map shapes_;
  std::vector<std::string> trained_;
};

/// Rolls back what was added to a model, unless it is committed: for functions that add many ops, any of which may
/// throw. Ops, inputs and outputs of the model's nets may only have been appended.
class model_rollback {
 public:
  explicit model_rollback(trained_model& model)
      : model_(model),
        net_(marks_of(model.net.net())),
        init_(marks_of(model.init.net())),
        trained_(model.trained_.size()) {}
  model_rollback(model_rollback const&) = delete;
  model_rollback& operator=(model_rollback const&) = delete;
  ~model_rollback() {
    if (committed_) return;
    for (std::size_t i = init_.ops; i != model_.init.net().op.size(); ++i)
      model_.shapes_.erase(std::string(model_.init.net().text(model_.init.net().op[i].output.front())));
    model_.trained_.resize(trained_);
    cut(model_.net, net_);
    cut(model_.init, init_);
  }
  void commit() noexcept { committed_ = true; }
  /// Commits, but throws net_error if an added op writes a blob that the net had before, other than `carried`.
  void commit_new_blobs(std::string_view of, std::vector<std::string> const& carried = {}) {
    netdef const& n = model_.net.net();
    for (std::size_t i = net_.ops; i != n.op.size(); ++i)
      for (symbol const out : n.op[i].output)
        if (out.id < net_.symbols && std::ranges::find(carried, n.text(out)) == carried.end() && had(n, out))
          throw net_error("plait: " + std::string(of) + " would overwrite '" + std::string(n.text(out)) +
                              "', which the net already has",
                          {}, std::string(n.text(out)));
    commit();
  }

 private:
  struct marks {
    std::size_t ops;
    std::size_t inputs;
    std::size_t outputs;
    std::size_t symbols;
  };
  static marks marks_of(netdef const& n) {
    return {n.op.size(), n.external_input.size(), n.external_output.size(), n.symbols.size()};
  }
  // Returns true if the net had the blob before. O(net); only called for names that were in the net's table.
  bool had(netdef const& n, symbol blob) const {
    if (std::find(n.external_input.begin(), n.external_input.begin() + static_cast<std::ptrdiff_t>(net_.inputs),
                  blob) != n.external_input.begin() + static_cast<std::ptrdiff_t>(net_.inputs))
      return true;
    for (std::size_t i = 0; i != net_.ops; ++i)
      if (std::ranges::find(n.op[i].output, blob) != n.op[i].output.end()) return true;
    return false;
  }
  static void cut(net_builder& b, marks const& at) {
    b.edit([&](netdef& n) {
      n.op.resize(at.ops);
      n.external_input.resize(at.inputs);
      n.external_output.resize(at.outputs);
    });
  }

  trained_model& model_;
  marks net_;
  marks init_;
  std::size_t trained_;
  bool committed_ = false;
};

}  // namespace plait
