// Shape equivalence classes of SSA values, by union-find: values whose shapes are equal for any input.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/operand_uses.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Shape classes of the values of a net, derived from ops that keep the shape of their first input (keeps_shape).
/// Refers to the net. Computed lazily by the first query, in nearly linear time.
template <gradient_net N>
class equal_shapes {
 public:
  explicit equal_shapes(forward_net<N> const& net) : net_(&net) {}

  /// Returns a value of the shape of `like` that satisfies `is_present`, preferably of the same blob; nothing if no
  /// value is known to have that shape.
  template <class IsPresent>
  std::optional<value> find(value like, IsPresent is_present) {
    compute();
    ssa_form<N> const& form = net_->form();
    std::uint32_t const of = root(form.index(like));
    if (value const last = net_->last(like.blob); root(form.index(last)) == of && is_present(last)) return last;
    for (std::uint32_t v = first_[of]; v != npos; v = next_[v])
      if (value const other = net_->value_at(v); is_present(other)) return other;
    return std::nullopt;
  }

 private:
  void compute() {
    if (!parent_.empty()) return;
    ssa_form<N> const& form = net_->form();
    auto const count = static_cast<std::uint32_t>(form.value_count());
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (op_index op = 0; op != form.op_count(); ++op)
      if (keeps_shape(net_->type(op)) && !form.reads(op).empty() && !form.writes(op).empty())
        parent_[root(form.index(form.writes(op)[0]))] = root(form.index(form.reads(op)[0]));
    first_.assign(count, npos);
    next_.assign(count, npos);
    for (std::uint32_t v = count; v-- != 0;) {
      std::uint32_t& first = first_[root(v)];
      next_[v] = first;
      first = v;
    }
  }
  std::uint32_t root(std::uint32_t v) {
    for (; parent_[v] != v; v = parent_[v]) parent_[v] = parent_[parent_[v]];
    return v;
  }

  forward_net<N> const* net_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> first_;  // first member of a class, by root
  std::vector<std::uint32_t> next_;   // next member of the class, by value
};

}  // namespace plait
