// Random access to the ops of a program by number, for analyses that revisit ops.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>  // and std::addressof, for which <memory> would take 0.1 s
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

/// Stores ops as ops(net) yields them, and their nets: pointers to lvalues, copies of handles. Refers to the program,
/// which must not move. compute() again reuses the memory. Not copyable: handles may refer to the nets stored here.
template <program P>
class op_handles {
  using net_type = block_t<P>;
  using block_ref = decltype(plait::block(std::declval<P const&>(), std::declval<node_t<P> const&>()));
  using range = detail::ops_range_t<net_type>;
  static constexpr bool keeps_nets = !std::is_lvalue_reference_v<block_ref>;
  static constexpr bool keeps_ranges = !std::is_lvalue_reference_v<range>;
  static constexpr bool by_reference = std::is_lvalue_reference_v<op_ref_t<net_type>>;
  using handle =
      std::conditional_t<by_reference, std::add_pointer_t<op_ref_t<net_type>>, std::remove_cvref_t<op_ref_t<net_type>>>;
  struct nothing {};

 public:
  constexpr op_handles() = default;
  constexpr op_handles(P const& p, program_snapshot<P> const& snapshot) { compute(p, snapshot); }
  op_handles(op_handles&&) noexcept = default;
  op_handles& operator=(op_handles&&) noexcept = default;

  constexpr void compute(P const& p, program_snapshot<P> const& snapshot) {
    handles_.clear();
    nets_.clear();
    ranges_.clear();
    net_of_.clear();
    // No reallocation: handles refer to the nets and ranges.
    std::size_t const blocks = snapshot.graph().size();
    if constexpr (keeps_nets) nets_.reserve(blocks);
    if constexpr (keeps_ranges) ranges_.reserve(blocks);
    for (auto const& node : snapshot.graph().order()) {
      net_type const* net = nullptr;
      if constexpr (keeps_nets)
        net = std::addressof(nets_.emplace_back(plait::block(p, node)));
      else
        net = std::addressof(plait::block(p, node));
      if constexpr (keeps_ranges)
        add(*net, ranges_.emplace_back(plait::ops(*net)));
      else
        add(*net, plait::ops(*net));
    }
  }

  constexpr std::size_t size() const noexcept { return handles_.size(); }
  /// Returns f(net, op).
  template <class F>
  constexpr decltype(auto) call(op_index op, F&& f) const {
    PLAIT_ASSERT(op < size(), "op_handles: no such op");
    if constexpr (by_reference)
      return std::invoke(f, *net_of_[op], *handles_[op]);
    else
      return std::invoke(f, *net_of_[op], handles_[op]);
  }

 private:
  template <class Range>
  constexpr void add(net_type const& net, Range& all) {
    for (auto&& op : all) {
      if constexpr (by_reference)
        handles_.push_back(std::addressof(op));
      else
        handles_.push_back(std::forward<decltype(op)>(op));
      net_of_.push_back(std::addressof(net));
    }
  }

  std::vector<handle> handles_;
  std::vector<net_type const*> net_of_;  // by op
  std::vector<std::conditional_t<keeps_nets, net_type, nothing>> nets_;
  std::vector<std::conditional_t<keeps_ranges, std::remove_cvref_t<range>, nothing>> ranges_;
};

}  // namespace plait
