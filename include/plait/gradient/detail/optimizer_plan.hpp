// Optimiser plan: collects the ops of an optimiser before it changes the net, for the strong guarantee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>
#include <plait/gradient/detail/optimizer_options.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait::detail {

/// A parameter and its gradient, updated as clipping and weight decay are added.
struct trained_parameter {
  std::string parameter;
  blob_gradient gradient;
  bool own = true;  ///< no other blob shares the gradient: ops may overwrite it
};

/// Returns the parameters with their gradients. Throws net_error if one is listed twice or has no gradient.
template <class Gradients, class Parameters>
std::vector<trained_parameter> gather_gradients(Gradients const& gradients, Parameters const& parameters) {
  boost::unordered_flat_map<std::string, std::size_t> uses;
  for (auto const& [blob, gradient] : gradients) ++uses[gradient.values];
  boost::unordered_flat_set<std::string> seen;
  std::vector<trained_parameter> made;
  for (auto const& given : parameters) {
    std::string name{std::string_view(given)};
    if (!seen.insert(name).second) throw net_error("plait: parameter '" + name + "' is listed twice", {}, name);
    auto const found = gradients.find(name);
    if (found == gradients.end()) throw net_error("plait: parameter '" + name + "' has no gradient", {}, name);
    blob_gradient const gradient = found->second;
    made.push_back({std::move(name), gradient, uses[gradient.values] == 1});
  }
  return made;
}

/// Collects ops for a net and for its init net, with the names of Caffe2's optimizer.py. The constructor is O(net): it
/// collects the names in use.
template <class N>
class optimizer_plan {
 public:
  optimizer_plan(N const& n, optimizer_placement placement) : placement_(placement), names_("", n) {
    if (placement_.type != element_type::float32 && placement_.type != element_type::float64)
      throw net_error("plait: optimisers take parameters of float32 or float64, not of " +
                      std::string(to_string(placement_.type)));
    for (auto&& op : plait::ops(n))
      for (auto const& name : plait::outputs(n, op))
        written_.insert(std::string(name_text(n, static_cast<name_t<N> const&>(name))));
  }

  void add(std::string_view type, std::vector<std::string> inputs, std::vector<std::string> outputs,
           std::vector<argument_spec> arguments = {}) {
    ops_.push_back({std::string(type), std::move(inputs), std::move(outputs), std::move(arguments), placement_.device});
  }
  /// Returns a name that is unused in the net and this plan.
  std::string fresh(std::string const& wanted) { return names_.next_blob(wanted); }
  bool is_double() const { return placement_.type == element_type::float64; }

  // ---- state
  /// Adds a state blob of zeros with the shape of a parameter and returns its name.
  std::string state(std::string const& parameter, std::string_view ending) {
    std::string name = parameter + std::string(ending);
    if (names_.taken(name))
      throw net_error(
          "plait: parameter '" + parameter + "' already has an optimiser: the net has a blob '" + name + '\'', {},
          parameter);
    init({parameter}, name, typed({{"value", 0.0f}}));
    return name;
  }
  std::string one() {
    if (one_.empty()) {
      one_ = "ONE_" + device_text("_") + (is_double() ? "_double" : "");
      init({}, one_, typed({{"shape", std::vector<std::int64_t>{1}}, {"value", 1.0f}}));
    }
    return one_;
  }
  std::string minus_one() {
    if (minus_one_.empty()) minus_one_ = constant("minus_one", -1.0f);
    return minus_one_;
  }
  std::string constant(std::string const& wanted, float value) {
    std::string name = fresh(wanted);
    init({}, name, typed({{"shape", std::vector<std::int64_t>{1}}, {"value", value}}));
    return name;
  }

  /// Adds the ops that count steps and compute the rate. Returns the rate's blob.
  std::string rate(std::string_view optimizer, float base, rate_schedule const& schedule) {
    if (!written_.contains(schedule.iteration)) {
      add("Iter", {schedule.iteration}, {schedule.iteration});
      init({}, schedule.iteration,
           {{"shape", std::vector<std::int64_t>{1}}, {"value", schedule.first_step - 1}, {"dtype", std::int64_t{10}}});
    }
    std::string name = schedule.rate;
    for (std::size_t k = 0; name.empty() || (schedule.rate.empty() && names_.taken(name)); ++k)
      name = std::string(optimizer) + "Optimizer_" + std::to_string(k) + "_lr_" + device_text("gpu");
    if (names_.taken(name))
      throw net_error("plait: the net already has a blob '" + name + "', which cannot be the rate", {}, name);
    names_.take(name);
    std::vector<argument_spec> arguments{{"base_lr", base}, {"policy", schedule.policy}};
    arguments.insert(arguments.end(), schedule.arguments.begin(), schedule.arguments.end());
    add("LearningRate", {schedule.iteration}, {name}, std::move(arguments));
    update_.rate = name;
    return name;
  }
  /// Returns the rate in the parameters' element type, for ops whose weights must have it. Adds a Cast if needed.
  std::string as_weight(std::string const& rate) {
    if (!is_double()) return rate;
    std::string name = fresh(rate + "_double");
    add("Cast", {rate}, {name}, {{"to", double_number}});
    return name;
  }

  // ---- gradients
  /// Sums duplicate rows of a sparse gradient, as Caffe2's DeduplicateGradientSlices does, whose UnsortedSegmentSum
  /// takes one-dimensional indices only.
  void deduplicate(trained_parameter& t) {
    std::string const unique = fresh(t.gradient.indices + "_unique");
    std::string const places = fresh(t.gradient.indices + "_places");
    std::string const values = fresh(t.gradient.values + "_unique");
    add("Unique", {t.gradient.indices}, {unique, places});
    add("SparseToDense", {places, t.gradient.values}, {values});
    t.gradient = blob_gradient::sparse(unique, values);
    t.own = true;
  }
  /// Sums duplicate rows of all sparse gradients, unless prepare() does.
  void deduplicate_rows(std::vector<trained_parameter>& all, gradient_preparation const& options) {
    if (options.clip_norm > 0 || options.clip_value > 0) return;
    for (trained_parameter& t : all)
      if (t.gradient.is_sparse()) deduplicate(t);
  }
  /// Returns the blob for a modified gradient: the old one (in place) unless another blob shares it.
  std::string successor(trained_parameter& t, std::string_view ending) {
    if (!t.own) {
      t.gradient.values = fresh(t.parameter + std::string(ending));
      t.own = true;
    }
    return t.gradient.values;
  }
  void prepare(std::vector<trained_parameter>& all, gradient_preparation const& options) {
    if (options.clip_norm > 0 || options.clip_value > 0)
      for (trained_parameter& t : all)
        if (t.gradient.is_sparse()) deduplicate(t);
    if (options.clip_norm > 0) clip_norms(all, options);
    if (options.clip_value > 0)
      for (trained_parameter& t : all) {
        std::string const from = t.gradient.values;
        add("Clip", {from}, {successor(t, "_grad_clipped")},
            {{"min", -options.clip_value}, {"max", options.clip_value}});
      }
    if (options.weight_decay != 0) decay_weights(all, options.weight_decay);
  }

  // ---- result
  /// Appends the collected ops to the net and declares external blobs. Call it once.
  optimizer_update apply(N& n, std::vector<trained_parameter> const& all) {
    using traits = net_traits_of<N>;
    for (trained_parameter const& t : all) update_.gradients.emplace(t.parameter, t.gradient);
    // A net that declares external blobs must declare parameters and state, too.
    boost::unordered_flat_set<std::string> in, out;
    for (auto const& name : plait::external_inputs(std::as_const(n))) in.insert(text(n, name));
    for (auto const& name : plait::external_outputs(std::as_const(n))) out.insert(text(n, name));
    bool const inputs = !in.empty();
    bool const outputs = !out.empty();

    for (op_spec const& op : ops_) traits::append_op(n, op);
    auto const declare = [&](std::string const& name) {
      if (inputs && !written_.contains(name) && in.insert(name).second)
        traits::add_external_input(n, make_name(n, name));
      if (outputs && out.insert(name).second) traits::add_external_output(n, make_name(n, name));
    };
    for (trained_parameter const& t : all) declare(t.parameter);
    for (std::string const& name : update_.state) declare(name);
    return std::move(update_);
  }

 private:
  static constexpr std::int64_t double_number = 13;  // TensorProto.DataType

  static std::string text(N const& n, name_t<N> const& name) { return std::string(name_text(n, name)); }
  // Returns "0_0" (device type and id), or with `how` == "gpu" "cpu", "gpu0".
  std::string device_text(std::string_view how) const {
    device_spec const where = placement_.device.value_or(device_spec());
    std::string const id = std::to_string(where.id.value_or(0));
    if (how == "gpu") return where.kind == device_kind::cpu ? "cpu" : "gpu" + id;
    return std::to_string(static_cast<int>(where.kind)) + '_' + id;
  }
  std::vector<argument_spec> typed(std::vector<argument_spec> arguments) const {
    if (is_double()) arguments.push_back({"dtype", double_number});
    return arguments;
  }
  void init(std::vector<std::string> inputs, std::string const& made, std::vector<argument_spec> arguments) {
    names_.take(made);
    update_.init_ops.push_back({"ConstantFill", std::move(inputs), {made}, std::move(arguments), placement_.device});
    update_.state.push_back(made);
  }

  void clip_norms(std::vector<trained_parameter>& all, gradient_preparation const& options) {
    boost::unordered_flat_map<std::string, std::string> squares;
    std::vector<std::string> listed;  // a gradient that two parameters share counts twice
    for (trained_parameter const& t : all) {
      auto const [at, is_new] = squares.try_emplace(t.gradient.values);
      if (is_new) {
        at->second = fresh(t.gradient.values + "_sqr_norm");
        add("SumSqrElements", {t.gradient.values}, {at->second});
      }
      listed.push_back(at->second);
    }
    auto const norm_of = [&](std::string const& square, std::string const& wanted) {
      std::string name = fresh(wanted);
      add("Sqrt", {square}, {name});
      return name;
    };
    std::string const together = options.each_parameter ? "" : norm_of(sum(listed), "gradient_l2_norm");
    for (std::size_t i = 0; i != all.size(); ++i) {
      trained_parameter& t = all[i];
      std::string const from = t.gradient.values;
      std::string const norm = options.each_parameter ? norm_of(listed[i], from + "_l2_norm") : together;
      add("ClipTensorByScaling", {from, norm}, {successor(t, "_grad_clipped")}, {{"threshold", options.clip_norm}});
    }
  }
  // Sum takes floats only, Add two operands only.
  std::string sum(std::vector<std::string> const& terms) {
    if (terms.size() == 1) return terms.front();
    std::string total = fresh("gradient_sqr_norm");
    if (!is_double())
      add("Sum", terms, {total});
    else
      for (std::size_t i = 1; i != terms.size(); ++i) add("Add", {i == 1 ? terms[0] : total, terms[i]}, {total});
    return total;
  }
  void decay_weights(std::vector<trained_parameter>& all, float decay) {
    std::string const weight = constant("wd", decay);
    for (trained_parameter& t : all) {
      if (t.gradient.is_sparse())
        throw net_error(
            "plait: parameter '" + t.parameter + "' has a sparse gradient, which weight decay would make dense", {},
            t.parameter);
      std::string const from = t.gradient.values;
      add("WeightedSum", {from, one(), t.parameter, weight}, {successor(t, "_grad_decayed")});
    }
  }

  optimizer_placement placement_;
  name_generator names_;
  boost::unordered_flat_set<std::string> written_;
  std::vector<op_spec> ops_;
  optimizer_update update_;
  std::string one_;
  std::string minus_one_;
};

}  // namespace plait::detail
