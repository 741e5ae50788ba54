// Sparse problem of conditional constant propagation, by number; see constant_propagation.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

/// Lattice of constant propagation: unknown (top), a constant, or varying (bottom).
template <class Constant>
struct constant_state {
  std::optional<Constant> constant;
  bool varies = false;

  constexpr bool is_unknown() const { return !varies && !constant; }
  friend constexpr bool operator==(constant_state const&, constant_state const&) = default;
};

/// Sparse problem of constant propagation, by number. evaluate(op, in, out) reads `in`, a span of
/// std::optional<Constant>, nullopt where an input varies, and sets the outputs that are constant in `out`, initially
/// all nullopt. decide(op, in, out) is called with the last op of a block that has several successors and returns the
/// number of the successor that control goes to, as a std::optional: nullopt if it varies. Both must be deterministic,
/// and monotone: more constant inputs must not give less.
template <std::equality_comparable Constant, class Evaluate, class Decide>
class constant_problem {
 public:
  using value_type = constant_state<Constant>;

  constexpr constant_problem(dense_graph const& g, dense_ssa const& form, Evaluate& evaluate, Decide& decide)
      : graph_(&g), form_(&form), evaluate_(&evaluate), decide_(&decide) {}

  constexpr value_type initial() const { return {}; }
  constexpr value_type boundary(value_index) const { return {std::nullopt, true}; }
  constexpr bool join(value_type& into, value_type const& from) const {
    if (into.varies || from.is_unknown() || into == from) return false;
    if (into.is_unknown())
      into = from;
    else
      into = {std::nullopt, true};
    return true;
  }
  constexpr void transfer(op_index op, std::span<value_type const> in, std::span<value_type> out) {
    if (!load(in)) return;
    out_.assign(out.size(), std::nullopt);
    (*evaluate_)(op, std::span<std::optional<Constant> const>(in_), std::span<std::optional<Constant>>(out_));
    for (std::size_t i = 0; i != out.size(); ++i)
      join(out[i], out_[i] ? value_type{out_[i], false} : value_type{std::nullopt, true});
  }
  template <class States, class Take>
  constexpr void branch(std::uint32_t block, States const& states, Take take) {
    std::size_t const successors = graph_->successors(block).size();
    std::optional<std::size_t> decided;
    if (successors > 1 && !form_->ops(block).empty()) {
      op_index const last = form_->first_op[block + 1] - 1;
      cells_.clear();
      for (value_index const v : form_->reads(last)) cells_.push_back(states[v]);
      if (!load(cells_)) return;
      out_.clear();
      for (value_index const v : form_->writes(last)) out_.push_back(states[v].constant);
      decided = (*decide_)(last, std::span<std::optional<Constant> const>(in_),
                           std::span<std::optional<Constant> const>(out_));
    }
    if (decided) return take(*decided);
    for (std::size_t i = 0; i != successors; ++i) take(i);
  }

 private:
  // Returns false while some input is unknown.
  constexpr bool load(std::span<value_type const> in) {
    in_.clear();
    for (value_type const& state : in) {
      if (state.is_unknown()) return false;
      in_.push_back(state.constant);
    }
    return true;
  }

  dense_graph const* graph_;
  dense_ssa const* form_;
  Evaluate* evaluate_;
  Decide* decide_;
  std::vector<std::optional<Constant>> in_;
  std::vector<std::optional<Constant>> out_;
  std::vector<value_type> cells_;
};

}  // namespace plait
