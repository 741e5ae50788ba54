// Redundant phi removal (Braun et al. 2013): sets of phis whose arguments, apart from each other, are a single value.
//
// Algorithm 5 of M. Braun, S. Buchwald, S. Hack, R. Leißa, C. Mallach, A. Zwinkau, "Simple and Efficient Construction
// of Static Single Assignment Form" (CC 2013, LNCS 7791, pp. 102–122), section 3.2: processes strongly connected
// components of phis, operands first. A component with a single outer argument is replaced by it; in one with several,
// the phis without outer arguments are processed again among themselves. The result is minimal in the sense of Cytron
// et al. (1991), also on irreducible graphs, where removing trivial phis one by one is not enough.
//
// O(phi arguments) time per nesting level of components, of which there are at most as many as phis and rarely more
// than two; O(values + phi arguments) space; no recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

namespace detail {

class redundant_phi_remover {
 public:
  constexpr explicit redundant_phi_remover(dense_ssa& s) : s_(s) {
    replaced_by_.resize(s.value_count(), 0);
    for (value_index v = 0; v != s.value_count(); ++v) replaced_by_[v] = v;
    number_.assign(s.phi_count(), npos);
    set_.assign(s.phi_count(), 0);
  }

  constexpr std::size_t run(std::vector<value_index>* replaced_by) {
    std::vector<phi_index> all(s_.phi_count(), 0);
    for (phi_index phi = 0; phi != all.size(); ++phi) all[phi] = phi;
    tasks_.push_back({std::move(all), false});
    while (!tasks_.empty()) {
      task const now = std::move(tasks_.back());
      tasks_.pop_back();
      ++set_count_;
      for (phi_index const phi : now.phis) set_[phi] = set_count_;
      if (now.is_component)
        process_component(now.phis);
      else
        find_components(now.phis);
    }
    std::size_t const removed = apply();
    if (replaced_by != nullptr) {
      replaced_by->clear();
      for (value_index v = 0; v != s_.value_count(); ++v) replaced_by->push_back(current(v));
    }
    return removed;
  }

 private:
  struct task {
    std::vector<phi_index> phis;
    bool is_component;
  };
  struct visit {
    phi_index phi;
    std::uint32_t next;  // argument
  };

  constexpr value_index current(value_index v) {
    while (replaced_by_[v] != v) v = replaced_by_[v] = replaced_by_[replaced_by_[v]];
    return v;
  }
  // Returns the phi of the current set that defines a value, or npos.
  constexpr phi_index in_set(value_index v) const {
    ssa_site const made = s_.definition(v);
    return made.is_phi() && set_[made.phi()] == set_count_ ? made.phi() : npos;
  }

  // Finds components with Tarjan's algorithm along the arguments: a component comes after its operands.
  constexpr void find_components(std::vector<phi_index> const& phis) {
    std::size_t const first = tasks_.size();
    std::uint32_t count = 0;
    std::vector<visit> path;
    std::vector<phi_index> open;
    std::vector<std::uint32_t> low(phis.size(), 0);
    auto const enter = [&](phi_index phi) {
      low[count] = count;
      number_[phi] = count++;
      open.push_back(phi);
      path.push_back({phi, 0});
    };
    for (phi_index const start : phis) {
      if (number_[start] != npos) continue;
      enter(start);
      while (!path.empty()) {
        phi_index const phi = path.back().phi;
        std::span<value_index const> const arguments = s_.arguments(phi);
        if (path.back().next != arguments.size()) {
          phi_index const other = in_set(current(arguments[path.back().next++]));
          if (other == npos) continue;
          if (number_[other] == npos)
            enter(other);
          else
            low[number_[phi]] = std::min(low[number_[phi]], low[number_[other]]);
          continue;
        }
        path.pop_back();
        std::uint32_t const reached = low[number_[phi]];
        if (!path.empty()) low[number_[path.back().phi]] = std::min(low[number_[path.back().phi]], reached);
        if (reached != number_[phi]) continue;
        auto const begin = std::find(open.rbegin(), open.rend(), phi).base() - 1;
        for (auto it = begin; it != open.end(); ++it) low[number_[*it]] = npos;  // closed
        tasks_.push_back({std::vector<phi_index>(begin, open.end()), true});
        open.erase(begin, open.end());
      }
    }
    for (phi_index const phi : phis) number_[phi] = npos;
    std::reverse(tasks_.begin() + static_cast<std::ptrdiff_t>(first), tasks_.end());  // tasks are popped from the end
  }

  constexpr void process_component(std::vector<phi_index> const& phis) {
    std::vector<phi_index> inner;
    value_index outer = npos;
    bool several = false;
    for (phi_index const phi : phis) {
      bool is_inner = true;
      for (value_index const argument : s_.arguments(phi)) {
        value_index const v = current(argument);
        if (in_set(v) != npos) continue;
        is_inner = false;
        several = several || (outer != npos && outer != v);
        outer = v;
      }
      if (is_inner) inner.push_back(phi);
    }
    if (!several && outer != npos) {
      for (phi_index const phi : phis) replaced_by_[s_.result(phi)] = outer;
    } else if (several && !inner.empty()) {
      tasks_.push_back({std::move(inner), false});
    }
  }

  constexpr std::size_t apply() {
    auto const resolve = [&](csr<value_index>& rows) {
      for (std::size_t row = 0; row != rows.size(); ++row)
        for (value_index& v : rows[row]) v = current(v);
    };
    resolve(s_.op_reads);
    resolve(s_.block_results);
    std::size_t const before = s_.phi_count();
    csr<value_index> arguments;
    std::vector<phi_index> first_phi;
    phi_index left = 0;
    for (std::uint32_t b = 0; b != s_.block_count(); ++b) {
      first_phi.push_back(left);
      for (phi_index const phi : s_.phis(b)) {
        value_index const result = s_.result(phi);
        bool const gone = current(result) != result;
        s_.definitions[result] = gone ? ssa_site() : ssa_site::of_phi(left);
        if (gone) continue;
        for (value_index const v : s_.arguments(phi)) arguments.push(current(v));
        arguments.end_row();
        s_.phi_results[left] = result;
        s_.phi_block[left] = b;
        ++left;
      }
    }
    first_phi.push_back(left);
    s_.first_phi = std::move(first_phi);
    s_.phi_arguments = std::move(arguments);
    s_.phi_results.resize(left, 0);
    s_.phi_block.resize(left, 0);
    s_.index_uses();
    return before - left;
  }

  dense_ssa& s_;
  std::vector<value_index> replaced_by_;
  std::vector<task> tasks_;
  std::vector<std::uint32_t> number_;  // by phi: Tarjan's number
  std::vector<std::uint32_t> set_;     // by phi: the last set it was in
  std::uint32_t set_count_ = 0;
};

}  // namespace detail

/// Removes all redundant phis of a form in SSA form and returns how many. Values keep their numbers; nothing defines or
/// reads those of removed phis. Sets `replaced_by`, by value, to its replacement or itself.
constexpr std::size_t remove_redundant_phis(dense_ssa& s, std::vector<value_index>* replaced_by = nullptr) {
  return detail::redundant_phi_remover(s).run(replaced_by);
}

}  // namespace plait
