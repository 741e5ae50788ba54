// Parameter extraction: evaluates the outputs of an init net by constant folding, without running it.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/constant_folding.hpp>

namespace plait {

struct extraction_options {
  constant_options constants = {};
  /// Return nothing for a net that declares no outputs, as detectron2 does, rather than the last version of every blob.
  bool declared_only = false;
};

namespace detail {

struct no_evaluator {
  template <class N, class Op>
  std::optional<tensor_value> operator()(N const&, Op const&, std::span<tensor_value const* const>) const {
    return std::nullopt;
  }
};

template <class N, class Evaluator>
class parameter_extractor {
 public:
  parameter_extractor(N const& n, Evaluator& evaluator, extraction_options const& options)
      : n_(n),
        ssa_(get_ssa(n, {.subnets = true})),
        evaluator_(evaluator),
        options_(options),
        values_(ssa_.value_count()) {}

  std::vector<parameter> run() {
    find_outputs();
    find_needed();
    op_index index = 0;
    for (auto&& op : plait::ops(n_)) {
      if (needed_[index]) evaluate(op, index);
      ++index;
    }
    std::vector<parameter> found;
    for (value v : outputs_) {
      std::size_t const at = ssa_.index(v);
      found.push_back({blob_label(ssa_, v.blob), *values_[at], devices_[ssa_.producing_op(v)]});
    }
    return found;
  }

 private:
  void find_outputs() {
    std::vector<bool> seen(ssa_.value_count());
    auto const add = [&](value v) {
      if (!seen[ssa_.index(v)]) outputs_.push_back(v);
      seen[ssa_.index(v)] = true;
    };
    for (value v : ssa_.external_outputs()) add(v);
    if (!outputs_.empty() || options_.declared_only) return;
    for (op_index op = 0; op != static_cast<op_index>(ssa_.op_count()); ++op)
      for (value v : ssa_.writes(op))
        if (v.version == ssa_.version(v.blob)) add(v);
  }
  void find_needed() {
    needed_.resize(ssa_.op_count());
    devices_.resize(ssa_.op_count());
    for (value v : outputs_) {
      op_index const by = ssa_.producing_op(v);
      if (by == npos) {
        std::string const blob = blob_label(ssa_, v.blob);
        raise(net_error("plait: no op of the init net writes its external output '" + blob + '\'', {}, blob));
      }
      needed_[by] = true;
    }
    for (auto op = static_cast<op_index>(ssa_.op_count()); op-- != 0;) {
      if (!needed_[op]) continue;
      for (value v : ssa_.reads(op)) {
        op_index const by = ssa_.producing_op(v);
        if (by == npos) {
          std::string const blob = blob_label(ssa_, v.blob);
          raise(net_error("plait: " + op_label(n_, op) + " of the init net reads '" + blob + "', which no op writes",
                          op, blob));
        }
        needed_[by] = true;
      }
    }
  }

  template <class Op>
  void evaluate(Op const& op, op_index index) {
    inputs_.clear();
    for (value v : ssa_.reads(index)) inputs_.push_back(&*values_[ssa_.index(v)]);
    std::span<tensor_value const* const> const inputs(inputs_);
    auto const writes = ssa_.writes(index);
    std::optional<tensor_value> made;
    if (writes.size() == 1) {
      made = evaluator_(n_, op, inputs);
      if (!made) made = evaluate_constant_op(n_, op, index, inputs, options_.constants);
    }
    if (!made)
      raise(net_error("plait: " + op_label(n_, index) + " of the init net is not a constant", index,
                      writes.empty() ? std::string() : blob_label(ssa_, writes[0].blob)));
    values_[ssa_.index(writes[0])] = std::move(made);
    if constexpr (device_net<N>) {
      if (op_type(n_, op) != "CopyGPUToCPU")
        devices_[index] = net_traits_of<N>::device(n_, op);
      else
        devices_[index] = device_spec{device_kind::cpu, std::nullopt};
    }
  }

  N const& n_;
  ssa_form<N> ssa_;
  Evaluator& evaluator_;
  extraction_options options_;
  std::vector<value> outputs_;
  std::vector<bool> needed_;                         // by op
  std::vector<std::optional<device_spec>> devices_;  // by op: device of its output
  std::vector<std::optional<tensor_value>> values_;  // by value
  std::vector<tensor_value const*> inputs_;
};

}  // namespace detail

/// Returns the external outputs of an init net, in their order, each once, with their values and devices (that of the
/// op that writes one; the host for CopyGPUToCPU). For a net that declares none, as the init nets of many predictors,
/// returns the last version of each blob that its ops write, in the order of the ops. Evaluates only the ops on which
/// these depend: by `evaluator(n, op, inputs)`, which returns std::optional<tensor_value>, and, where that returns
/// nullopt, by evaluate_constant_op.
///
/// Throws net_error, naming the op, for an op that is not constant (a random fill, say), as evaluate_constant_op does,
/// and for an output that the net does not write. O(ops + elements). Follows detectron2's get_params_from_init_net,
/// which runs the net.
template <argument_readable_net N, class Evaluator>
  requires has_text<N> && (!std::is_convertible_v<Evaluator, extraction_options>)
[[nodiscard]] std::vector<parameter> parameters_from_init_net(N const& n, Evaluator&& evaluator,
                                                              extraction_options const& options = {}) {
  return detail::parameter_extractor<N, std::remove_reference_t<Evaluator>>(n, evaluator, options).run();
}

template <argument_readable_net N>
  requires has_text<N>
[[nodiscard]] std::vector<parameter> parameters_from_init_net(N const& n, extraction_options const& options = {}) {
  return parameters_from_init_net(n, detail::no_evaluator{}, options);
}

}  // namespace plait
