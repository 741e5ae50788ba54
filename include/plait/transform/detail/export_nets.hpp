// Predictor export: a net and its parameters as a predict net and an init net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/const_fill.hpp>
#include <plait/transform/detail/parameter_fill.hpp>

namespace plait {

struct export_options {
  /// Follow Caffe2's mobile exporter of 2018 exactly, see export_nets.
  bool compatible = false;
  /// Let the init net fill every blob that has to be fed with a zero of shape [1, 1], for predictors that require it.
  bool fill_inputs = false;
  fill_options fill = {};
};

template <class N>
struct exported_nets {
  N init_net;
  N predict_net;
  std::vector<std::string> inputs;             ///< blobs to feed: external inputs that are no parameters
  std::vector<std::string> outputs;            ///< the predict net's external outputs
  std::vector<std::string> unused_parameters;  ///< given, but not read: not in the init net
};

template <class N>
concept exportable_net = std::movable<N> && init_net_buildable<N> && has_external_inputs<N> &&
                         has_external_outputs<N> && input_erasable_net<N> && output_erasable_net<N>;

namespace detail {

// Returns true for the first mention of each blob.
class first_mention {
 public:
  explicit first_mention(std::size_t blobs) : seen_(blobs) {}
  bool operator()(blob_index b) {
    bool const first = !seen_[b];
    seen_[b] = true;
    return first;
  }

 private:
  std::vector<bool> seen_;
};

// Externals of a predict net, computed before anything changes.
template <class N>
struct export_plan {
  using key = typename ssa_form<N>::key_type;
  ssa_form<N> ssa;
  std::vector<bool> given;  // by blob: a parameter
  std::vector<std::string> inputs;
  std::vector<std::string> external_inputs;
  std::vector<std::string> outputs;
  std::vector<bool> is_external_output;  // by blob: an external output

  template <class Parameters>
  export_plan(N const& n, Parameters const& parameters, ssa_options const& options)
      : ssa(get_ssa(n, options)), given(ssa.blob_bound()) {
    for (parameter const& p : parameters)
      if (blob_index const b = ssa.find(key(std::string_view(p.name))); b != npos) given[b] = true;
  }
  std::string text(blob_index b) const { return blob_label(ssa, b); }

  bool is_needed(blob_index b) const {
    if (!ssa.consumers({b, 0}).empty()) return true;
    return ssa.version(b) == 0 && is_external_output[b];
  }

  void plan_declared() {
    is_external_output.assign(ssa.blob_bound(), false);
    for (value v : ssa.external_outputs()) is_external_output[v.blob] = true;
    if (!ssa.unwritten_outputs().empty()) {
      std::string const blob = text(ssa.unwritten_outputs().front());
      raise(net_error("plait: the net declares the external output '" + blob +
                          "', which is neither written by an op nor an input of the net",
                      {}, blob));
    }
    first_mention is_new(ssa.blob_bound());
    auto const add = [&](blob_index b) {
      if (!is_new(b) || !is_needed(b)) return;
      external_inputs.push_back(text(b));
      if (!given[b]) inputs.push_back(text(b));
    };
    for (value v : ssa.external_inputs()) add(v.blob);
    for (blob_index b : ssa.undefined()) add(b);
    for (value v : ssa.external_outputs()) outputs.push_back(text(v.blob));
    if (!outputs.empty()) return;
    is_new = first_mention(ssa.blob_bound());
    for (op_index op = 0; op != ssa.op_count(); ++op)
      for (value v : ssa.writes(op))
        if (ssa.version(v.blob) == v.version && ssa.consumers(v).empty() && is_new(v.blob))
          outputs.push_back(text(v.blob));
  }

  // Removes the second output of each Dropout and LRN, as the exporter of 2018 does, which fails where it is missing.
  void leave_out_masks(N const& n, std::vector<bool>& made) const {
    if constexpr (typed_net<N>) {
      op_index index = 0;
      for (auto&& op : plait::ops(n)) {
        auto const writes = ssa.writes(index++);
        std::string_view const type = op_type(n, op);
        if (type != "Dropout" && type != "LRN") continue;
        if (writes.size() < 2 || !made[writes[1].blob])
          raise(net_error("plait: " + op_label(n, index - 1) + " has no second output that is written and never read",
                          index - 1));
        made[writes[1].blob] = false;
      }
    }
  }

  // Lists blobs as the dictionary of get_ssa of 2018 does: declared inputs, then as ops mention them, where inputs that
  // are not declared are missing if any is.
  void plan_compatible(N const& n) {
    std::vector<blob_index> order;
    first_mention is_new(ssa.blob_bound());
    std::vector<bool> read(ssa.blob_bound());
    auto const add = [&](value v) {
      if (is_new(v.blob)) order.push_back(v.blob);
    };
    for (value v : ssa.external_inputs()) add(v);
    bool const declares = !order.empty();
    for (op_index op = 0; op != ssa.op_count(); ++op) {
      for (value v : ssa.reads(op)) {
        read[v.blob] = true;
        if (!declares) add(v);
      }
      for (value v : ssa.writes(op)) add(v);
    }
    std::vector<bool> made(ssa.blob_bound());
    for (blob_index b : order) made[b] = ssa.version(b) != 0 && !read[b];
    leave_out_masks(n, made);
    for (blob_index b : order) {
      if (ssa.version(b) == 0 && !given[b]) inputs.push_back(text(b));
      if (made[b]) outputs.push_back(text(b));
    }
    external_inputs = inputs;
    for (auto const& name : plait::external_inputs(n)) external_inputs.emplace_back(name_text(n, name));
  }
};

template <class N>
void replace_externals(N& n, std::vector<std::string> const& inputs, std::vector<std::string> const& outputs) {
  using traits = net_traits_of<N>;
  auto const slots = [](auto&& range) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(std::ranges::distance(range)));
    std::iota(all.begin(), all.end(), 0U);
    return all;
  };
  if (auto const all = slots(plait::external_inputs(std::as_const(n))); !all.empty())
    traits::erase_external_inputs(n, all);
  if (auto const all = slots(plait::external_outputs(std::as_const(n))); !all.empty())
    traits::erase_external_outputs(n, all);
  for (std::string const& text : inputs) traits::add_external_input(n, make_name(n, text));
  for (std::string const& text : outputs) traits::add_external_output(n, make_name(n, text));
}

}  // namespace detail

/// Returns an init net that produces the parameters the net reads, in the order given, each an external output, and a
/// predict net: the net with the externals it needs. External inputs are the declared ones that are read (or passed
/// through) in their order, parameters among them, then blobs read without being declared; external outputs are the
/// declared ones, or, if there are none, the last versions of blobs that are not read. Reads of nested nets count.
///
/// With `compatible`, follows Caffe2's mobile_exporter.Export (2018): the init net fills all parameters and every other
/// blob that is given and never written with a zero of shape [1, 1], and declares nothing; the predict net's external
/// inputs are the latter, followed by all declared ones; its external outputs are the blobs that are written and never
/// read in any version, whatever was declared, except the second outputs of Dropout and LRN, which must be such blobs;
/// fills are fill_set::caffe2_2018.
///
/// Throws net_error for a declared output that is neither written nor given, two parameters of one name, and as
/// const_fill_op does. O(operands + elements). `n` is taken by value: move a net in that is not needed any more.
template <exportable_net N, std::ranges::forward_range Parameters>
  requires std::convertible_to<std::ranges::range_reference_t<Parameters const&>, parameter const&>
[[nodiscard]] exported_nets<N> export_nets(N n, Parameters const& parameters, export_options options = {}) {
  using traits = plait::detail::net_traits_of<N>;
  if (options.compatible) options.fill.fills = fill_set::caffe2_2018;
  exported_nets<N> made;
  std::vector<op_spec> fills = detail::fill_ops(parameters, options.fill);
  {
    detail::export_plan<N> plan(n, parameters, {.subnets = !options.compatible});
    if (options.compatible) {
      plan.plan_compatible(n);
    } else {
      plan.plan_declared();
      boost::unordered_flat_set<std::string_view> const needed(plan.external_inputs.begin(),
                                                               plan.external_inputs.end());
      std::erase_if(fills, [&](op_spec const& fill) {
        bool const unused = !needed.contains(fill.outputs.front());
        if (unused) made.unused_parameters.push_back(fill.outputs.front());
        return unused;
      });
    }
    made.inputs = std::move(plan.inputs);
    made.outputs = std::move(plan.outputs);
    detail::replace_externals(n, plan.external_inputs, made.outputs);
  }
  for (op_spec const& fill : fills) {
    traits::append_op(made.init_net, fill);
    if (!options.compatible) traits::add_external_output(made.init_net, make_name(made.init_net, fill.outputs.front()));
  }
  if (options.compatible || options.fill_inputs)
    for (std::string const& name : made.inputs) {
      traits::append_op(made.init_net, const_fill_op({name, {{1, 1}, std::vector<float>{0}}}));
      if (!options.compatible) traits::add_external_output(made.init_net, make_name(made.init_net, name));
    }
  made.predict_net = std::move(n);
  return made;
}

}  // namespace plait
