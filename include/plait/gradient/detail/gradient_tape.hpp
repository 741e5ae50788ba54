// Gradient tape (Wengert list): the ops of a backward pass in SSA form, before their values have names.
//
// Gradients are values, never names: a value only has a wish, the name it requests. Names are assigned when all ops are
// known (value_names.hpp), so that no value is overwritten while it is live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/gradient_operand.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Ops in order, their operands, and the wishes of values. Values below forward_count() are those of the forward net,
/// numbered by its ssa_form. O(1) each.
class gradient_tape {
 public:
  struct details {
    std::string name;
    std::vector<argument_spec> arguments;
    std::vector<std::pair<std::string, std::shared_ptr<netdef const>>> nets;
    std::vector<std::pair<gradient_operand, std::string>> bound;  // operands by their names in nested nets
    std::vector<gradient_operand> shapes;                         // inputs whose shape alone nested nets read
  };
  struct op {
    symbol type;              // none: a recomputation of the source with other outputs
    op_index source = npos;   // the forward op that it is derived from
    std::uint32_t first = 0;  // operands: inputs, then outputs
    std::uint32_t inputs = 0;
    std::uint32_t outputs = 0;
    std::uint32_t more = npos;  // index of its details
    inherited takes;
    bool not_in_place = false;  // no output may have the name of an input
  };
  struct made_value {
    symbol wish = {};
    std::uint32_t like = npos;   // replaces the wish: gets the name of that value
    std::uint32_t maker = npos;  // the op that defines it; npos: an input of the tape
    std::uint32_t position = 0;  // among the outputs of its maker
    std::uint32_t split = npos;  // a contribution to a sum: requests `_<name>_autosplit_<split>`
    bool of_blob = false;        // the wish is a blob, whose gradient's name is requested
    bool forced = false;         // gets its name even from a live value, which it deliberately overwrites
  };
  static constexpr std::string_view gradient_suffix = "_grad";

  explicit gradient_tape(std::size_t forward_values = 0) : forward_(static_cast<std::uint32_t>(forward_values)) {}

  /// Reserves memory for an estimate: growth would touch each page of a large tape several times.
  void reserve(std::size_t ops, std::size_t values, std::size_t operands) {
    ops_.reserve(ops);
    values_.reserve(values);
    operands_.reserve(operands);
  }

  symbol_table texts;  ///< names of blobs and op types

  // ---- values
  std::uint32_t forward_count() const noexcept { return forward_; }
  std::size_t value_count() const noexcept { return forward_ + values_.size(); }
  bool is_made(gradient_operand v) const noexcept { return v.id >= forward_ && v.id != npos; }
  gradient_operand make_value(symbol wish) {
    values_.push_back({.wish = wish});
    return {static_cast<std::uint32_t>(value_count() - 1)};
  }
  gradient_operand make_value(std::string_view wish) { return make_value(texts.intern(wish)); }
  /// Returns a new value with the wish `<blob>_grad`. Does not intern it: in a large net the look-up is slow, and
  /// value_names batches them.
  gradient_operand make_gradient(symbol blob) {
    values_.push_back({.wish = blob, .of_blob = true});
    return {static_cast<std::uint32_t>(value_count() - 1)};
  }
  gradient_operand make_value_like(gradient_operand other) {
    values_.push_back({.like = other.id});
    return {static_cast<std::uint32_t>(value_count() - 1)};
  }
  made_value& made(gradient_operand v) {
    PLAIT_ASSERT(is_made(v), "gradient_tape: a value of the net has a name already");
    return values_[v.id - forward_];
  }
  made_value const& made(gradient_operand v) const { return const_cast<gradient_tape*>(this)->made(v); }
  /// Returns the name that a value requests; empty for forward values and values with the name of another one.
  std::string wish(gradient_operand v) const {
    std::string name;
    if (is_made(v)) write_wish(made(v), name);
    return name;
  }
  void write_wish(made_value const& of, std::string& to) const {
    to.assign(of.split == npos ? "" : "_").append(texts[of.wish]);
    if (of.of_blob) to.append(gradient_suffix);
    if (of.split != npos) to.append("_autosplit_").append(std::to_string(of.split));
  }

  // ---- ops
  std::vector<op> const& ops() const noexcept { return ops_; }
  op& operator[](std::size_t i) { return ops_[i]; }
  op const& operator[](std::size_t i) const { return ops_[i]; }
  std::span<gradient_operand> inputs(std::size_t i) { return {operands_.data() + ops_[i].first, ops_[i].inputs}; }
  std::span<gradient_operand> outputs(std::size_t i) {
    return {operands_.data() + ops_[i].first + ops_[i].inputs, ops_[i].outputs};
  }
  std::span<gradient_operand const> operands(std::size_t i) const {
    return {operands_.data() + ops_[i].first, std::size_t{ops_[i].inputs} + ops_[i].outputs};
  }
  details& edit_details(std::size_t i) {
    if (ops_[i].more == npos) {
      ops_[i].more = static_cast<std::uint32_t>(details_.size());
      details_.emplace_back();
    }
    return details_[ops_[i].more];
  }
  details const* find_details(std::size_t i) const { return ops_[i].more == npos ? nullptr : &details_[ops_[i].more]; }

  /// Appends an op and returns its number.
  template <class Inputs, class Outputs>
  std::uint32_t add(std::string_view type, op_index source, Inputs const& ins, Outputs const& outs, inherited takes) {
    auto const number = static_cast<std::uint32_t>(ops_.size());
    op& added = ops_.emplace_back();
    added.type = texts.intern(type);
    added.source = source;
    added.first = static_cast<std::uint32_t>(operands_.size());
    for (gradient_operand in : ins) operands_.push_back(in);
    for (gradient_operand out : outs) {
      PLAIT_ASSERT(made(out).maker == npos, "gradient_tape: a value is made by one op");
      made(out).maker = number;
      made(out).position = added.outputs++;
      operands_.push_back(out);
    }
    added.inputs = static_cast<std::uint32_t>(std::size(ins));
    added.takes = takes;
    return number;
  }

 private:
  std::uint32_t forward_;
  std::vector<made_value> values_;
  std::vector<op> ops_;
  std::vector<gradient_operand> operands_;
  std::vector<details> details_;
};

}  // namespace plait
