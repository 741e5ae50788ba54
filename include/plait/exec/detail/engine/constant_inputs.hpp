// Constant inputs of a plan (compile_options::constants), and whether their tensors have been replaced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/engine/input_blobs.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail {

template <backend B>
class constant_inputs {
 public:
  void add(plan_layout::value_number v) { constants_.push_back({v}); }
  bool empty() const noexcept { return constants_.empty(); }

  /// Returns true if a tensor has been replaced since accept, also by a view of the same memory with other strides.
  bool have_changed(input_blobs<B> const& inputs) const {
    return std::ranges::any_of(constants_, [&](constant const& c) {
      tensor<B> const& held = inputs.source_of(c.value).value;
      bool const same_owner = !c.owner.owner_before(held.owner()) && !held.owner().owner_before(c.owner);
      return c.data != held.raw() || c.type != held.spec() || c.strides != held.strides() || !same_owner;
    });
  }
  void accept(input_blobs<B> const& inputs) {
    for (constant& c : constants_) {
      tensor<B> const& held = inputs.source_of(c.value).value;
      c = {c.value, held.raw(), held.spec(), held.strides(), held.owner()};
    }
  }
  /// Makes have_changed return true: elements have changed.
  void forget() noexcept {
    for (constant& c : constants_) c.data = nullptr;
  }

 private:
  struct constant {
    plan_layout::value_number value;
    void const* data = nullptr;
    tensor_spec type = {};
    plait::strides strides = {};
    std::weak_ptr<void> owner = {};  // a new tensor may reuse the address
  };
  std::vector<constant> constants_;
};

}  // namespace plait::detail
