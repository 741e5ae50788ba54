// What memory a plan will take, said before it is run.
//
//   auto plan = plait::compile(net, operators, workspace);
//   plait::write_forecast(std::cout, plait::forecast_memory(plan));
#pragma once

#include <cstddef>
#include <ostream>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/plan.hpp>

namespace plait {

/// Bytes, each block as large as the backend's pool makes it. They are those of runs after the first, which has at most
/// as many; what ops take for themselves while they run (packed weights, partial sums) is not among them. The largest
/// number stands for more.
struct memory_forecast {
  std::size_t given = 0;         ///< fed tensors that are read, and copies in order of those with strides
  std::size_t kept = 0;          ///< values that are the blobs' when the run is over
  std::size_t intermediate = 0;  ///< blocks that other values take turns in
  std::size_t inside = 0;        ///< what ops hold that run nets: states, what their steps keep
  std::size_t peak() const {
    return detail::add_sat(detail::add_sat(given, kept), detail::add_sat(intermediate, inside));
  }
};

/// For what the workspace holds now. Nothing is run, and no memory of tensors is kept; the next run infers shapes
/// again. Throws exec_error where shapes are known only in the run: of ops whose shapes come from elements that are
/// neither fed nor told by types (as the extents that Concat lists are), and of those that run nets and do not say
/// before what they will make, which are all but RecurrentNetwork and its gradient. O(operands).
template <backend B>
[[nodiscard]] memory_forecast forecast_memory(plan<B>& p) {
  typename plan<B>::given_types given;
  memory_forecast made;
  for (std::size_t i = 0; i != p.layout().given().size(); ++i) {
    blob<B> const& from = *p.source(i);
    given.push_back({from.spec(), from.object, {}, from.is_set && from.object == nullptr ? &from.value : nullptr});
    if (!from.is_set || from.object != nullptr) continue;
    std::size_t const bytes = memory_pool<B>::block_size(from.value.bytes());
    made.given = detail::add_sat(made.given, from.value.is_contiguous() ? bytes : detail::mul_sat(2, bytes));
  }
  typename plan<B>::forecast const all = p.forecast_run(given);
  made.intermediate = all.blocks;
  made.inside = all.inside;
  for (std::size_t const bytes : all.kept) made.kept = detail::add_sat(made.kept, bytes);
  return made;
}

inline void write_forecast(std::ostream& out, memory_forecast const& f) {
  out << "bytes: " << f.peak() << " at most: " << f.given << " given, " << f.kept << " kept, " << f.intermediate
      << " for intermediate values, " << f.inside << " inside ops\n";
}

}  // namespace plait
