// Bidirectional dataflow solver: each op propagates states among all its operands, inputs and outputs alike.
//
//   struct my_problem {
//     using value_type = …;                                 // an element of a lattice of finite height
//     value_type initial() const;                           // unknown
//     void transfer(std::uint32_t op, std::span<value_type> in, std::span<value_type> out);   // refines both
//     // joins the state `said` of an operand into the known one; true if that has changed. May throw.
//     bool join(std::uint32_t op, std::uint32_t slot, bool is_output, value_type& known, value_type const& said);
//   };
//   plait::bidirectional_solver<my_problem::value_type> solver;
//   solver.reset(form.value_count(), problem.initial());
//   solver[v] = …;                                          // initial facts
//   solver.solve(form, problem);
//
// For devices, types, layouts and other properties that an op also propagates from its outputs to its inputs. sweep()
// visits each op once forward and once backward, which suffices where ops are connected by more than shared external
// inputs. solve() iterates to the fixed point with a deduplicated worklist: it visits an op once, and then at most once
// for each change of one of its operands. O(operands × height) calls.
//
// `form` is an operand_graph: ops by number that read and write values. ssa_operand_graph adapts a dense_ssa and treats
// phis as ops.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <plait/dataflow/detail/state_vector.hpp>
#include <plait/dataflow/problem.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

/// Operand graph: ops by number, and values that index(v) numbers. visit_ops(v, f) calls f(op) for the ops that read or
/// write a value.
template <class F>
concept operand_graph = requires(F const& f, std::uint32_t op) {
  { f.op_count() } -> std::convertible_to<std::size_t>;
  { f.reads(op) } -> std::ranges::input_range;
  { f.writes(op) } -> std::ranges::input_range;
  { f.index(*std::ranges::begin(f.reads(op))) } -> std::convertible_to<std::size_t>;
  f.visit_ops(*std::ranges::begin(f.reads(op)), [](std::uint32_t) {});
};

template <class P>
concept bidirectional_problem =
    has_flow_value<P> && requires(P& p, std::uint32_t n, std::span<typename P::value_type> some, bool is_output,
                                  typename P::value_type& known, typename P::value_type const& said) {
      { p.initial() } -> std::convertible_to<typename P::value_type>;
      p.transfer(n, some, some);
      { p.join(n, n, is_output, known, said) } -> std::convertible_to<bool>;
    };

/// Operand graph of a program in SSA form: ops keep their numbers, phis follow as ops. Refers to the form, which must
/// not move.
class ssa_operand_graph {
 public:
  constexpr explicit ssa_operand_graph(dense_ssa const& form) : form_(&form) {}

  constexpr std::size_t op_count() const { return form_->op_count() + form_->phi_count(); }
  constexpr bool is_phi(std::uint32_t op) const { return op >= form_->op_count(); }
  constexpr std::span<value_index const> reads(std::uint32_t op) const {
    return is_phi(op) ? form_->arguments(phi(op)) : form_->reads(op);
  }
  constexpr std::span<value_index const> writes(std::uint32_t op) const {
    if (!is_phi(op)) return form_->writes(op);
    return std::span(form_->phi_results).subspan(phi(op), 1);
  }
  static constexpr std::size_t index(value_index v) noexcept { return v; }
  template <class Visit>
  constexpr void visit_ops(value_index v, Visit visit) const {
    auto const go = [&](ssa_site site) {
      if (site.is_op()) visit(site.op());
      if (site.is_phi()) visit(static_cast<std::uint32_t>(form_->op_count()) + site.phi());
    };
    go(form_->definition(v));
    for (ssa_use const& use : form_->uses(v)) go(use.site);
  }

 private:
  constexpr phi_index phi(std::uint32_t op) const { return op - static_cast<phi_index>(form_->op_count()); }
  dense_ssa const* form_;
};

/// States of values. reset() reuses the memory. After an exception the states are those that were known by then.
template <std::copyable Value>
class bidirectional_solver {
 public:
  constexpr void reset(std::size_t values, Value const& initial) { states_.assign(values, initial); }

  constexpr std::size_t size() const noexcept { return states_.size(); }
  constexpr Value& operator[](std::size_t v) { return states_[v]; }
  constexpr Value const& operator[](std::size_t v) const { return states_[v]; }
  constexpr std::span<Value const> states() const noexcept { return states_; }
  constexpr detail::state_vector<Value> take() { return std::move(states_); }

  /// Visits each op from the first to the last, then in reverse.
  template <operand_graph Form, bidirectional_problem Problem>
    requires std::same_as<typename Problem::value_type, Value>
  constexpr void sweep(Form const& form, Problem& problem) {
    auto const count = static_cast<std::uint32_t>(form.op_count());
    auto const ignore = [](auto const&) {};
    for (std::uint32_t op = 0; op != count; ++op) visit(form, problem, op, ignore);
    for (std::uint32_t op = count; op-- != 0;) visit(form, problem, op, ignore);
  }

  /// Visits ops until no state changes.
  template <operand_graph Form, bidirectional_problem Problem>
    requires std::same_as<typename Problem::value_type, Value>
  constexpr void solve(Form const& form, Problem& problem) {
    auto const count = static_cast<std::uint32_t>(form.op_count());
    queued_.assign(count, 1);
    queue_.clear();
    for (std::uint32_t op = 0; op != count; ++op) queue_.push_back(op);
    // The consumed front is erased when it exceeds the number of ops: each op is queued at most once, so the vector
    // holds at most twice as many.
    for (std::size_t next = 0; next != queue_.size(); ++next) {
      if (next > count) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(next));
        next = 0;
      }
      std::uint32_t const op = queue_[next];
      queued_[op] = 0;
      visit(form, problem, op, [&](auto const& v) {
        form.visit_ops(v, [&](std::uint32_t other) {
          if (std::exchange(queued_[other], char{1}) == 0) queue_.push_back(other);
        });
      });
    }
  }

 private:
  template <class Form, class Problem, class Learned>
  constexpr void visit(Form const& form, Problem& problem, std::uint32_t op, Learned learned) {
    in_.clear();
    out_.clear();
    for (auto const& v : form.reads(op)) in_.push_back(states_[form.index(v)]);
    for (auto const& v : form.writes(op)) out_.push_back(states_[form.index(v)]);
    problem.transfer(op, std::span<Value>(in_), std::span<Value>(out_));
    auto const store = [&](auto&& values, detail::state_vector<Value> const& said, bool is_output) {
      std::uint32_t slot = 0;
      for (auto const& v : values) {
        if (problem.join(op, slot, is_output, states_[form.index(v)], said[slot])) learned(v);
        ++slot;
      }
    };
    store(form.reads(op), in_, false);
    store(form.writes(op), out_, true);
  }

  detail::state_vector<Value> states_;
  detail::state_vector<Value> in_;
  detail::state_vector<Value> out_;
  std::vector<std::uint32_t> queue_;
  std::vector<char> queued_;
};

}  // namespace plait
