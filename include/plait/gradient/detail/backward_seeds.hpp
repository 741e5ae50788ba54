// Seeds of a backward pass: the initial adjoints of its outputs, and names of enclosing nets that it must not use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/backward_problems.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/gradient_sums.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/value_names.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Seeds of a backward pass on its tape: fills of ones, and blobs that already hold gradients. Refers to its
/// constructor arguments. O(1) per seed.
template <gradient_net N>
class backward_seeds {
 public:
  backward_seeds(std::vector<gradient_seed> ys, forward_net<N> const& net, gradient_tape& tape,
                 gradient_options const& options)
      : ys_(std::move(ys)), net_(&net), tape_(&tape), options_(&options) {}

  std::size_t size() const noexcept { return ys_.size(); }
  /// Returns true if a value has a seed.
  bool contains(std::uint32_t value) const { return seeded_[value] != 0; }

  /// Reserves a name that belongs to an enclosing net: no gradient gets it. Call it before start().
  void reserve_name(std::string name) { taken_.push_back(std::move(name)); }

  /// Calls begin(value, gradient_source) for each seed, in order; contains() is true by then. Reports a seed that is
  /// not a blob of the net or contradicts another one; in Caffe2 the former has a gradient that flows nowhere.
  template <class Begin>
  void start(backward_problems<N>& problems, Begin begin) {
    seeded_.assign(net_->form().value_count(), 0);
    for (std::string const& name : taken_) (void)given(name);
    for (std::uint32_t number = 0; number != ys_.size(); ++number) {
      gradient_seed const& y = ys_[number];
      blob_index const b = net_->find(y.blob);
      if (b == npos) {
        if (options_->as_caffe2)
          note_unknown(y);
        else
          problems.add(std::nullopt, y.blob, "the net has no blob '" + y.blob + "' to start from");
        continue;
      }
      value const v = net_->last(b);
      std::uint32_t const at = net_->form().index(v);
      if (seeded_[at] == 0) {
        seeded_[at] = number + 1;
        begin(v, y.gradient ? gradient_source{given(*y.gradient), npos, false}
                            : ones(y.blob, net_->operand(v), net_->form().producing_op(v)));
      } else if (ys_[seeded_[at] - 1].gradient != y.gradient)
        problems.add(std::nullopt, y.blob, "seed '" + y.blob + "' has two different gradients");
    }
  }

  /// Calls f(blob, gradient_operands) for the seeds that are not blobs of the net (as_caffe2).
  template <class F>
  void for_each_unknown(F f) const {
    for (auto const& [blob, gradient] : unknown_) f(blob, gradient);
  }

  /// Assigns names to values of enclosing nets: they hold them from the start and, unless as_caffe2, to the end.
  void hold_names(value_names& names) const {
    for (auto const& [name, v] : outside_) {
      names.hold({name}, v);
      if (!options_->as_caffe2) names.keep(v);
    }
  }

 private:
  gradient_source ones(std::string const& blob, gradient_operand like, op_index producer) {
    gradient_operand const made = tape_->make_value(blob + "_autogen_grad");
    if (options_->as_caffe2) producer = npos;
    std::uint32_t const op =
        tape_->add("ConstantFill", producer, std::array{like}, std::array{made}, {producer != npos, false, false});
    tape_->edit_details(op).arguments.push_back({"value", 1.0f});
    return {{made, {}}, producer, true};
  }
  void note_unknown(gradient_seed const& y) {
    auto const [at, added] = unknown_.try_emplace(y.blob);
    if (added) at->second = y.gradient ? given(*y.gradient) : ones(y.blob, given(y.blob), npos).gradient;
  }
  gradient_operands given(blob_gradient const& g) {
    gradient_operands made{given(g.values), {}};
    if (g.is_sparse()) made.indices = given(g.indices);
    return made;
  }
  // Returns the operand of a blob that holds a given gradient: a blob of the net or of an enclosing one.
  gradient_operand given(std::string const& name) {
    if (blob_index const b = net_->find(name); b != npos) return net_->operand(net_->last(b));
    symbol const wish = tape_->texts.intern(name);
    auto const [at, added] = outside_.try_emplace(wish.id);
    if (added) at->second = tape_->make_value(wish);
    return at->second;
  }

  std::vector<gradient_seed> ys_;
  forward_net<N> const* net_;
  gradient_tape* tape_;
  gradient_options const* options_;
  std::vector<std::string> taken_;
  std::vector<std::uint32_t> seeded_;                                   // by value: 1 + its first seed, 0 if none
  boost::unordered_flat_map<std::uint32_t, gradient_operand> outside_;  // by name, a symbol's number
  std::map<std::string, gradient_operands> unknown_;                    // as_caffe2: seeds that are not in the net
};

}  // namespace plait
