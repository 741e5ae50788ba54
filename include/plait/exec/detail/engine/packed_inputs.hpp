// Inputs of ops that are packed for a loop (op_kernel::pack).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait::detail {

template <backend B>
class packed_inputs {
 public:
  using value_number = plan_layout::value_number;

  /// Packs input `nth` of an op, a value, unless it is packed already. Ops that pack a value to the same bytes, such as
  /// the steps of an unrolled recurrence, share them. Throws memory_error, and what the kernel throws.
  void pack(op_kernel<B>& kernel, op_context<B>& context, op_resources<B>& resources, std::uint32_t nth,
            value_number v) {
    if (context.packed(nth) != nullptr) return;
    std::size_t const bytes = kernel.pack(context, nth, nullptr);
    if (bytes == 0) return;
    std::shared_ptr<void> memory = pooled_memory<B>(bytes);
    kernel.pack(context, nth, memory.get());
    if constexpr (!B::on_device) {
      auto& [shared, size] = latest_[v];
      if (shared != nullptr && size == bytes && std::memcmp(shared.get(), memory.get(), bytes) == 0) {
        kernel.pack(context, nth, shared.get());  // the kernel remembers where it packed to
        memory = shared;
      } else {
        shared = memory;
        size = bytes;
      }
    }
    resources.packed.resize(context.input_count(), nullptr);
    resources.packed[nth] = memory.get();
    packed_.push_back({&resources, nth, v, bytes, std::move(memory)});
  }
  /// Releases what does not outlive a loop.
  void end_loop() {
    release([this](packed_input const& p) { return !stays_.empty() && stays_[p.value]; });
  }
  /// Releases those of one op that were not to be packed (op_resources::packs).
  void release_others(op_resources<B> const& of) {
    release([&](packed_input const& p) { return p.of != &of || (of.packs >> p.nth & 1) != 0; });
  }
  /// Releases all. From now on, values for which `stays` is true outlive loops; none if it is empty.
  void keep(std::vector<bool> stays) {
    release([](packed_input const&) { return false; });
    stays_ = std::move(stays);
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    boost::unordered_flat_set<void const*> known;
    for (packed_input const& p : packed_)
      if (known.insert(p.memory.get()).second) sum += p.bytes;
    return sum;
  }

 private:
  struct packed_input {
    op_resources<B>* of;
    std::uint32_t nth;
    value_number value;
    std::size_t bytes;
    std::shared_ptr<void> memory;
  };
  template <class Stays>
  void release(Stays const& stays) {
    latest_.clear();
    std::erase_if(packed_, [&](packed_input const& p) {
      if (stays(p)) return false;
      p.of->packed[p.nth] = nullptr;
      return true;
    });
  }

  std::vector<packed_input> packed_;
  boost::unordered_flat_map<value_number, std::pair<std::shared_ptr<void>, std::size_t>> latest_;  // with its bytes
  std::vector<bool> stays_;                                                                        // by value
};

}  // namespace plait::detail
