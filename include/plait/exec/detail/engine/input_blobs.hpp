// Inputs of a plan: blobs of the workspace, and the memory of their tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/op_context.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail {

template <backend B>
class input_blobs {
 public:
  using value_number = plan_layout::value_number;

  struct input {
    value_number value;
    bool required;     ///< the net lists it, or an op with inference reads it
    bool inferred;     ///< an op with inference reads it
    bool overwritten;  ///< an op writes its memory
    blob<B>* source;
  };

  /// Adds inputs in ascending order of values.
  void add(input in) { inputs_.push_back(in); }
  std::size_t size() const noexcept { return inputs_.size(); }
  input const& operator[](std::size_t i) const { return inputs_[i]; }
  auto begin() const { return inputs_.begin(); }
  auto end() const { return inputs_.end(); }
  blob<B> const& source_of(value_number v) const {
    return *std::ranges::lower_bound(inputs_, v, {}, &input::value)->source;
  }

  /// Binds the inputs to other blobs, in their order.
  void bind(std::span<blob<B>* const> sources) {
    for (std::size_t i = 0; i != inputs_.size(); ++i) inputs_[i].source = sources[i];
    index();
  }
  /// After inputs are added or bound: prepares is_source.
  void index() {
    sources_.clear();
    if (inputs_.size() <= few_inputs) return;
    for (input const& in : inputs_) sources_.push_back(in.source);
    std::ranges::sort(sources_, std::less<>());
  }
  bool is_source(blob<B> const* at) const {
    if (!sources_.empty()) return std::ranges::binary_search(sources_, at, std::less<>());
    return std::ranges::find(inputs_, at, &input::source) != inputs_.end();
  }

  /// Reads type and address from the blob. A tensor with strides is copied: in place of the blob's if an op writes it,
  /// else in each run, as its elements may have changed. Returns true if the type is another. Throws memory_error.
  bool read(input const& in, slot& at) {
    blob<B>& from = *in.source;
    void const* const before = at.data;
    bool const other = at.type != from.spec();
    moved_ = moved_ || other;
    if (!from.is_set || from.object != nullptr) {
      at.data = from.is_set ? &from.object : nullptr;
    } else {
      bool const contiguous = from.value.is_contiguous();
      if (!contiguous && in.overwritten) from.value = from.value.contiguous();
      at.data = contiguous || in.overwritten ? from.value.raw() : gather(in);
      moved_ = moved_ || !(contiguous || in.overwritten);  // the view may have, though the copy has not
    }
    moved_ = moved_ || at.data != before;
    if (other) at.type = from.spec();  // last: if it throws, the next bind sees the change
    return other;
  }

  /// Calls copy(input) for inputs that ops write and whose memory overlaps that of another input, so that all but one
  /// get a copy. O(inputs log(inputs)) if one has moved, else O(1).
  template <class Copy>
  void separate_overwritten(Copy copy) {
    if (!std::exchange(moved_, false)) return;
    moved_ = true;  // until no copy can throw
    find_extents();
    bool copied = false;
    if (std::ranges::any_of(inputs_, &input::overwritten)) {
      std::byte const* end = nullptr;  // of all before that keep their memory
      extent const* overwritten = nullptr;
      for (extent const& e : extents_) {
        bool const overlaps = end != nullptr && std::less<>()(e.first, end);
        if (e.of->overwritten && overlaps) {
          copy(*e.of);
          copied = true;
          continue;
        }
        if (overwritten != nullptr && std::less<>()(e.first, overwritten->last)) {
          copy(*overwritten->of);
          copied = true;
          overwritten = nullptr;
        }
        if (e.of->overwritten) overwritten = &e;
        if (end == nullptr || std::less<>()(end, e.last)) end = e.last;
      }
    }
    if (copied) find_extents();
    moved_ = false;
  }
  /// Returns true if memory overlaps that of an input. Valid after separate_overwritten. O(log(inputs)).
  bool overlaps(tensor<B> const& memory) const {
    auto const [first, last] = memory.extent();
    auto const after = std::ranges::lower_bound(extents_, last, std::less<>(), &extent::first);
    return after != extents_.begin() && std::less<>()(first, std::prev(after)->reach);
  }

 private:
  struct extent {
    std::byte const* first;
    std::byte const* last;
    std::byte const* reach;  // the greatest `last` up to this one
    input const* of;
  };
  static constexpr std::size_t few_inputs = 16;  // up to which a linear search is faster

  void* gather(input const& in) {
    gathered_.resize(inputs_.size());
    tensor<B> const& from = in.source->value;
    tensor<B>& to = gathered_[static_cast<std::size_t>(&in - inputs_.data())];
    if (to.spec() != from.spec() || to.owner() == nullptr) to = tensor<B>::uninitialized(from.type(), from.dims());
    copy_strided<B>(to.raw(), from.raw(), from.type(), from.dims(), from.strides());
    return to.raw();
  }
  // Sorted by their first byte; tensors without elements are left out.
  void find_extents() {
    extents_.clear();
    for (input const& in : inputs_) {
      if (!in.source->is_set || in.source->object != nullptr) continue;
      auto const [first, last] = in.source->value.extent();
      if (first != last) extents_.push_back({first, last, last, &in});
    }
    std::ranges::sort(extents_, std::less<>(), &extent::first);
    for (std::size_t i = 1; i < extents_.size(); ++i)
      extents_[i].reach = std::max(extents_[i].reach, extents_[i - 1].reach, std::less<>());
  }

  std::vector<input> inputs_;
  std::vector<blob<B> const*> sources_;  // sorted, if there are many
  std::vector<tensor<B>> gathered_;      // by input, if strided: contiguous copies
  std::vector<extent> extents_;
  bool moved_ = false;  // since extents_ were found
};

}  // namespace plait::detail
