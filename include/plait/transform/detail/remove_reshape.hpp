// Reshape elimination: removes Reshape ops that only flatten the input of an FC.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/reshape_subgraphs.hpp>

namespace plait {

/// Result of remove_reshape_for_fc. Positions are those before the removal.
struct reshape_removal {
  std::vector<op_index> removed_ops;
  std::vector<operand> rewired_inputs;          ///< inputs of FC ops that now read what the Reshape read
  std::vector<std::uint32_t> renamed_outputs;   ///< external outputs that now name what the Reshape read
  std::vector<std::string> removed_parameters;  ///< no longer read; also removed from the external inputs
};

template <class N>
concept reshape_removable_net = typed_net<N> && has_text<N> && renamable_net<N> && renamable_externals<N> &&
                                op_erasable_net<N> && (!has_external_inputs<N> || input_erasable_net<N>);

namespace detail {

template <class N>
class reshape_remover {
 public:
  explicit reshape_remover(N const& n) : n_(n), ssa_(get_ssa(n, {.subnets = true, .control_inputs = true})) {
    gone_.resize(ssa_.op_count());
    inside_.resize(ssa_.op_count());
    is_external_output_.resize(ssa_.value_count());
    for (value v : ssa_.external_outputs()) is_external_output_[ssa_.index(v)] = true;
    for (auto&& op : plait::ops(n)) is_fc_.push_back(op_type(n, op) == "FC");
  }

  void plan() {
    for (std::vector<op_index> const& subgraph : identify_reshape_subgraphs(n_, ssa_)) {
      for (op_index op : subgraph) inside_[op] = true;
      if (is_removable(subgraph)) {
        reshapes_.push_back(subgraph.back());
        for (op_index op : subgraph) gone_[op] = true;
      }
      for (op_index op : subgraph) inside_[op] = false;
    }
  }

  // Returns the parameters that only removed ops read, in the order in which these do.
  template <class Parameters>
  std::vector<value> unused_parameters(Parameters const& parameters) const {
    using key = typename ssa_form<N>::key_type;
    std::vector<bool> known(ssa_.blob_bound());
    for (auto const& name : parameters)
      if (blob_index const b = ssa_.find(key(std::string_view(name))); b != npos) known[b] = true;
    std::vector<value> unused;
    for (op_index op = 0; op != gone_.size(); ++op) {
      if (!gone_[op]) continue;
      for (value v : ssa_.reads(op)) {
        if (v.version != 0 || !known[v.blob] || is_external_output_[ssa_.index(v)]) continue;
        known[v.blob] = false;  // checked once, however many ops read it
        if (std::ranges::any_of(ssa_.consumers(v), [&](operand reader) { return !gone_[reader.op]; })) continue;
        unused.push_back(v);
      }
    }
    return unused;
  }

  reshape_removal apply(N& n, std::vector<value> const& unused) {
    using traits = net_traits_of<N>;
    reshape_removal done;
    op_list<N> ops(n);
    for (op_index reshape : reshapes_) {
      auto&& inputs = plait::inputs(std::as_const(n), ops[reshape]);
      name_t<N> const data = *std::ranges::begin(inputs);
      value const flat = ssa_.writes(reshape)[0];
      for (operand reader : ssa_.consumers(flat)) {
        traits::set_input(n, ops[reader.op], reader.slot, data);
        done.rewired_inputs.push_back(reader);
      }
      if constexpr (has_external_outputs<N>) {
        if (!is_external_output_[ssa_.index(flat)]) continue;
        std::uint32_t slot = 0;
        for (value v : ssa_.external_outputs()) {
          if (v == flat) {
            traits::set_external_output(n, slot, data);
            done.renamed_outputs.push_back(slot);
          }
          ++slot;
        }
      }
    }
    std::vector<bool> drop(ssa_.blob_bound());
    for (value v : unused) {
      done.removed_parameters.emplace_back(std::string_view(ssa_.name(v)));
      drop[v.blob] = true;
    }
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; value v : ssa_.external_inputs()) {
      if (drop[v.blob]) slots.push_back(slot);
      ++slot;
    }
    for (op_index op = 0; op != gone_.size(); ++op)
      if (gone_[op]) done.removed_ops.push_back(op);
    traits::erase_ops(n, done.removed_ops);
    if constexpr (has_external_inputs<N>)
      if (!slots.empty()) traits::erase_external_inputs(n, slots);
    return done;
  }

 private:
  bool is_removable(std::vector<op_index> const& subgraph) const {
    op_index const reshape = subgraph.back();
    value const data = ssa_.reads(reshape)[0];
    auto const writes = ssa_.writes(reshape);
    if (writes.empty() || data.version == 0) return false;
    value const flat = writes[0];
    auto const readers = ssa_.consumers(flat);
    if (readers.empty()) return false;
    for (operand reader : readers)
      if (!is_fc_[reader.op] || reader.slot != 0 || !shows(data, reader.op)) return false;
    if (is_external_output_[ssa_.index(flat)] && !shows(data, static_cast<op_index>(ssa_.op_count()))) return false;

    for (op_index op : subgraph) {
      for (value v : ssa_.reads(op)) {
        op_index const by = ssa_.producing_op(v);
        bool const from_outside = by == npos || !inside_[by];
        if (from_outside && v.version != 0 && v != data) return false;
      }
      for (value v : ssa_.writes(op)) {
        if (v == flat) continue;
        if (is_external_output_[ssa_.index(v)]) return false;
        for (operand reader : ssa_.consumers(v))
          if (!inside_[reader.op]) return false;
      }
    }
    return true;
  }

  // Returns true if an op at `reader` finds `data` under its name once the current subgraph is removed.
  bool shows(value data, op_index reader) const {
    for (std::uint32_t version = data.version + 1; version <= ssa_.version(data.blob); ++version) {
      op_index const by = ssa_.producing_op({data.blob, version});
      if (by == npos) continue;
      if (by >= reader) return true;
      if (!inside_[by]) return false;
    }
    return true;
  }

  N const& n_;
  ssa_form<N> ssa_;
  std::vector<bool> is_fc_;               // by op
  std::vector<bool> gone_;                // by op
  std::vector<bool> inside_;              // by op: in the current subgraph
  std::vector<bool> is_external_output_;  // by value: an external output
  std::vector<op_index> reshapes_;
};

}  // namespace detail

/// Removes each Reshape whose readers are all data inputs of FC ops, with the ops that compute its shape; the FC reads
/// the Reshape's data, and so does an external output that named its result. An FC flattens its input itself; like
/// detectron2's remove_reshape_for_fc, which this follows, it does not verify that the result is the same.
///
/// A Reshape stays if the data has version 0 (an external input or a parameter), if its ops depend on another value of
/// the net or provide one to it (its old shape, say), if it has no reader, and if the data is overwritten before an FC
/// reads it. `parameters` are names. A parameter without remaining reader is removed from the external inputs and
/// listed; others, and those still in use, stay, whereas detectron2 removes shared ones, too.
///
/// Throws net_error for a Reshape that does not have two inputs. O(operands) beyond identify_reshape_subgraphs.
template <reshape_removable_net N, std::ranges::input_range Parameters>
  requires std::convertible_to<std::ranges::range_reference_t<Parameters const&>, std::string_view>
reshape_removal remove_reshape_for_fc(N& n, Parameters const& parameters) {
  detail::reshape_remover<N> remover(n);
  remover.plan();
  return remover.apply(n, remover.unused_parameters(parameters));
}

}  // namespace plait
