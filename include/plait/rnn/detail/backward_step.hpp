// Backward step net of a cell: backpropagation through one time step, with recomputation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>

namespace plait::detail {

/// Returns the blobs to recompute, each once. States are excluded, since they are kept anyway; Caffe2 includes them.
inline std::vector<std::string> recomputed_blobs(recurrent_net_options const& options) {
  boost::unordered_flat_set<std::string_view> seen;
  if (!options.as_caffe2)
    for (auto const& state : options.states) seen.insert(state.out);
  std::vector<std::string> made;
  for (std::string const& name : options.recompute_on_backward)
    if (seen.insert(name).second) made.push_back(name);
  return made;
}

/// Backward step net, in the order of Caffe2's recurrent_net: recomputed ops, then gradient ops. Its external inputs
/// are the blobs saved by forward steps, the gradients of the states, and the externals of the cell.
class backward_step {
 public:
  /// Differentiates a cell that declares its captures. Throws gradient_error.
  backward_step(netdef const& cell, recurrent_net_options const& options, gradient_rules const& rules,
                std::vector<std::string> const& wanted)
      : cell_(cell), o_(options) {
    net.name = net.intern("RecurrentBackwardStep");
    net.type = net.intern("simple");
    backward_net<netdef> made = backward_pass(
        cell, seeds(), rules, {.only = o_.as_caffe2 ? std::vector<std::string>() : wanted, .as_caffe2 = o_.as_caffe2});
    gradients_ = std::move(made.gradients);
    saved = std::move(made.saved);
    recompute(rules);
    for (op_def const& op : made.net.op) net.op.push_back(net.adopt(op, made.net));
    declare();
    if (o_.as_caffe2) accumulate();
  }

  /// Returns the gradient of an external input of the cell, empty if it has none. Throws net_error if it is sparse.
  std::string gradient(std::string const& blob) const {
    auto const found = gradients_.find(blob);
    if (found == gradients_.end()) return {};
    if (found->second.is_sparse())
      throw net_error(
          "plait: recurrent net: the gradient of '" + blob + "' is sparse; only dense gradients are summed over steps",
          {}, blob);
    return found->second.values;
  }
  /// Returns the gradient of an external input. Throws net_error if it has none, or a sparse one.
  std::string needed_gradient(std::string const& blob) const {
    std::string name = gradient(blob);
    if (name.empty())
      throw net_error("plait: recurrent net: '" + blob +
                          "' has no gradient: no state of the next step depends on it in a differentiable way",
                      {}, blob);
    return name;
  }

  netdef net;
  std::vector<saved_value> saved;  ///< copies that the forward cell must save

 private:
  std::vector<gradient_seed> seeds() const {
    std::vector<gradient_seed> made;
    auto const add = [&](std::string const& y) { made.emplace_back(y, y + "_grad"); };
    if (o_.as_caffe2)
      for (symbol const y : cell_.external_output) add(std::string(cell_.text(y)));
    else
      for (auto const& state : o_.states) add(state.out);
    return made;
  }

  void recompute(gradient_rules const& rules) {
    std::vector<std::string> const names = recomputed_blobs(o_);
    boost::unordered_flat_set<std::string_view> const listed(names.begin(), names.end());
    for (std::size_t i = 0; i != cell_.op.size(); ++i) {
      op_def const& op = cell_.op[i];
      if (std::ranges::none_of(op.output, [&](symbol y) { return listed.contains(cell_.text(y)); })) continue;
      gradient_rule const* const rule = rules.find(cell_.text(op.type));
      if (!o_.as_caffe2 && rule != nullptr && !rule->repeatable)
        throw net_error("plait: recurrent net: an op that is to be recomputed is " + std::string(cell_.text(op.type)) +
                            ", which is not repeatable",
                        i, std::string(cell_.text(op.output.front())));
      net.op.push_back(net.adopt(op, cell_));
    }
  }

  void declare() {
    boost::unordered_flat_set<std::uint32_t> read_first, written, listed;
    for (op_def const& op : net.op) {
      for (symbol const x : op.input)
        if (!written.contains(x.id)) read_first.insert(x.id);
      for (symbol const y : op.output) written.insert(y.id);
    }
    auto const add = [&](std::string_view blob) {
      symbol const s = net.intern(blob);
      if (listed.insert(s.id).second || o_.as_caffe2) net.external_input.push_back(s);
    };
    boost::unordered_flat_set<std::string_view> passed;
    for (symbol const y : cell_.external_output) passed.insert(cell_.text(y));
    // External inputs that the cell overwrites come first, since Caffe2 iterates over versions of blobs.
    boost::unordered_flat_set<std::uint32_t> made;
    for (op_def const& op : cell_.op)
      for (symbol const y : op.output) made.insert(y.id);
    std::vector<symbol> order;
    for (symbol const x : cell_.external_input)
      if (made.contains(x.id)) order.push_back(x);
    for (op_def const& op : cell_.op) order.insert(order.end(), op.output.begin(), op.output.end());
    for (symbol const y : order) {
      std::string_view const blob = cell_.text(y);
      symbol const s = net.find(blob);
      if (s && read_first.contains(s.id) && passed.insert(blob).second) add(blob);
    }
    for (auto const& state : o_.states) add(state.out + "_grad");
    for (symbol const x : cell_.external_input) add(cell_.text(x));
    for (symbol const y : cell_.external_output) add(cell_.text(y));
  }

  // Accumulates the cell's own contributions to gradients that arrive from the next step, instead of overwriting them.
  // Caffe2 accumulates recomputed blobs, too; from the second sum on it wrongly declares the addend as an external
  // input; and it fails at the second such output of an op.
  void accumulate() {
    boost::unordered_flat_set<std::uint32_t> given;
    for (symbol const s : net.external_input) given.insert(s.id);
    std::vector<op_def> ops = std::exchange(net.op, {});
    bool first = true;
    for (std::size_t i = 0; i != ops.size(); ++i) {
      std::vector<std::pair<symbol, symbol>> sums;
      for (symbol& y : ops[i].output) {
        if (!given.contains(y.id) || std::ranges::count(ops[i].input, y) != 0) continue;
        symbol const added = net.intern(std::string(net.text(y)) + "_accum");
        sums.emplace_back(y, added);
        y = added;
        if (sums.size() > 1)
          throw net_error("plait: recurrent net: Caffe2 fails where one op of the backward step adds to two blobs", i,
                          std::string(net.text(sums.back().first)));
      }
      net.op.push_back(std::move(ops[i]));
      for (auto const& [y, added] : sums) {
        op_def& sum = net.op.emplace_back();
        sum.type = net.intern("Sum");
        sum.input = {y, added};
        sum.output = {y};
        if (!std::exchange(first, false)) net.external_input.push_back(added);
      }
    }
  }

  netdef const& cell_;
  recurrent_net_options const& o_;
  gradient_map gradients_;
};

}  // namespace plait::detail
