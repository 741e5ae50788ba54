// Epilogue group: a product, and the sum and the Relu that follow it, which the product computes as it stores its
// result.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/kernels/simple_function.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

/// An op with pattern_kind::epilogue; then, both optional and in place: a sum with another value, and Relu. Only on
/// hosts.
template <backend B>
class epilogue_group final : public fused_group<B> {
 public:
  using fused_group<B>::fused_group;

  /// Adds the next op; returns false if the group ends before it. O(1).
  bool take(fusion_candidate<B> const& c) {
    if (c.kernel == nullptr || c.replaces_given) return false;
    if (size_ == 0) {
      if (c.find(pattern_kind::epilogue) == nullptr) return false;
      product_ = c;
    } else if (!is_in_place(c) || !(take_sum(c) || take_relu(c))) {
      return false;
    }
    ++size_;
    return true;
  }
  bool finish() const { return size_ > 1; }

  group_kind kind() const noexcept override { return group_kind::epilogue; }
  std::size_t size() const noexcept override { return size_; }
  void run(op_index& op) override {
    op = this->first;
    void const* const addend = addend_ == nullptr ? nullptr : addend_->data;
    product_.kernel->run_part(*product_.context, {.kind = op_part::kinds::whole, .addend = addend, .relu = relu_});
    op += static_cast<op_index>(size_ - 1);
  }

 private:
  slot const& result() const { return *product_.context->outputs()[0]; }
  bool is_in_place(fusion_candidate<B> const& c) const {
    if (c.context->output_count() != 1) return false;
    slot const& out = *c.context->outputs()[0];
    return out.storage == result().storage && out.type.bytes() == result().type.bytes() &&
           out.type.type == result().type.type;
  }
  // No other op can read the result before: the sum is in its place.
  bool take_sum(fusion_candidate<B> const& c) {
    auto const* const rows = c.find(pattern_kind::rows);
    if (rows == nullptr || !rows->is_sum || size_ != 1) return false;
    auto const inputs = c.context->inputs();
    for (std::size_t i = 0; i != 2; ++i) {
      if (inputs[1 - i]->storage != result().storage || inputs[i]->storage == result().storage) continue;
      addend_ = inputs[i];
      return true;
    }
    return false;
  }
  bool take_relu(fusion_candidate<B> const& c) {
    auto const* const elements = c.find(pattern_kind::elements);
    if (elements == nullptr || elements->does.simple != simple_function::relu || relu_) return false;
    relu_ = c.context->inputs()[0]->storage == result().storage && elements->does.type == result().type.type;
    return relu_;
  }

  std::size_t size_ = 0;
  fusion_candidate<B> product_;
  slot const* addend_ = nullptr;
  bool relu_ = false;
};

}  // namespace plait
