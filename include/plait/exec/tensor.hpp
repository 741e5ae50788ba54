// Tensor: typed, shaped memory of a backend, with views that share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/shape.hpp>

namespace plait {

namespace detail {
inline constexpr shape no_elements = {0};  // computed once: default tensors are made often
inline constexpr strides no_strides = row_major({0});
}  // namespace detail

/// Type and shape of a tensor, the domain of shape inference.
struct tensor_spec {
  element_type type = element_type::float32;
  shape dims = detail::no_elements;

  constexpr std::size_t bytes() const { return static_cast<std::size_t>(dims.size()) * size_of(type); }
  friend constexpr bool operator==(tensor_spec const&, tensor_spec const&) = default;
};

/// Returns text such as "float32 2x3".
[[nodiscard]] inline std::string to_string(tensor_spec const& t) {
  if (t.type == element_type::object || t.type == element_type::none) return std::string(to_string(t.type));
  return std::string(to_string(t.type)) + ' ' + to_string(t.dims);
}

/// Tensor handle: copies share the memory, which is reference-counted; clone() copies elements. A default tensor is an
/// empty list of float32.
template <backend B>
class tensor {
 public:
  tensor() = default;

  /// Allocates a tensor with unspecified elements. Throws memory_error, like all functions that copy elements.
  static tensor uninitialized(element_type type, shape const& dims) {
    tensor made(tensor_spec{type, dims});
    made.memory_ = pooled_memory<B>(made.type_.bytes());
    made.data_ = static_cast<std::byte*>(made.memory_.get());
    return made;
  }
  /// Copies row-major elements from the host. Throws shape_error for another number of elements than dims has.
  template <element T>
  static tensor from(std::span<T const> elements, shape const& dims) {
    check_count(elements.size(), dims);
    tensor made = uninitialized(element_type_of<T>, dims);
    B::copy_from_host(made.data_, elements.data(), elements.size_bytes());
    return made;
  }
  template <element T>
  static tensor from(std::vector<T> const& elements, shape const& dims) {
    return from(std::span<T const>(elements), dims);
  }
  /// Copies from any contiguous range: an array, a span of mutable elements.
  template <std::ranges::contiguous_range R>
    requires element<std::ranges::range_value_t<R>>
  static tensor from(R const& elements, shape const& dims) {
    return from(std::span<std::ranges::range_value_t<R> const>(elements), dims);
  }
  static tensor from(std::vector<bool> const& elements, shape const& dims) {
    auto const copy = std::make_unique<bool[]>(elements.size());
    std::copy(elements.begin(), elements.end(), copy.get());
    return from(std::span<bool const>(copy.get(), elements.size()), dims);
  }
  /// Wraps memory of the caller without a copy: it must be memory of the backend and outlive every view of it, unless
  /// `owner` keeps it alive. Throws shape_error like from.
  template <element T>
  static tensor borrow(std::span<T> elements, shape const& dims, std::shared_ptr<void> owner = nullptr) {
    check_count(elements.size(), dims);
    return adopt(elements.data(), {element_type_of<T>, dims}, row_major(dims), std::move(owner));
  }
  /// Wraps memory with any strides; see borrow.
  static tensor adopt(void* data, tensor_spec const& type, strides const& steps, std::shared_ptr<void> owner) {
    tensor made(type);
    made.strides_ = steps;
    made.memory_ = std::move(owner);
    made.data_ = static_cast<std::byte*>(data);
    return made;
  }

  /// Becomes a contiguous non-owning view; see adopt. Cheap if only the address changes.
  void view(void* data, tensor_spec const& type) {
    if (memory_ == nullptr && stands_at(data_, type))
      data_ = static_cast<std::byte*>(data);
    else
      *this = adopt(data, type, row_major(type.dims), nullptr);
  }

  tensor_spec const& spec() const noexcept { return type_; }
  element_type type() const noexcept { return type_.type; }
  shape const& dims() const noexcept { return type_.dims; }
  std::size_t rank() const noexcept { return type_.dims.rank(); }
  std::int64_t size() const noexcept { return type_.dims.size(); }
  std::size_t bytes() const { return type_.bytes(); }
  plait::strides const& strides() const noexcept { return strides_; }

  /// Returns the address of the first element. Throws shape_error for another type than the tensor's.
  template <element T>
  T* data() {
    return static_cast<T*>(data_of(element_type_of<T>));
  }
  template <element T>
  T const* data() const {
    return static_cast<T const*>(data_of(element_type_of<T>));
  }
  /// Returns a view of all elements in row-major order, in host memory. Throws shape_error for another type than the
  /// tensor's, and if the tensor is not contiguous (contiguous()). Valid as long as the memory.
  template <element T>
    requires(!B::on_device)
  std::span<T> elements() {
    check_contiguous();
    return {data<T>(), static_cast<std::size_t>(size())};
  }
  template <element T>
    requires(!B::on_device)
  std::span<T const> elements() const {
    check_contiguous();
    return {data<T>(), static_cast<std::size_t>(size())};
  }
  void* raw() noexcept { return data_; }
  void const* raw() const noexcept { return data_; }

  /// Returns true if the elements are contiguous in row-major order.
  bool is_contiguous() const {
    std::int64_t next = 1;
    for (std::size_t axis = rank(); axis-- != 0; next *= dims()[axis])
      if (dims()[axis] > 1 && strides_[axis] != next) return size() == 0;
    return true;
  }
  /// Returns true if the tensor is of `type`, contiguous and at `data`.
  bool stands_at(void const* data, tensor_spec const& type) const {
    if (data_ != data || type_.type != type.type || rank() != type.dims.rank() || size() != type.dims.size())
      return false;
    std::int64_t next = 1;
    for (std::size_t axis = rank(); axis-- != 0;) {
      std::int64_t const extent = dims()[axis];
      if (extent != type.dims[axis] || (extent != 1 && strides_[axis] != next)) return size() == 0 && type_ == type;
      next *= extent;
    }
    return true;
  }
  /// Returns true if no other handle shares the memory.
  bool is_unique() const noexcept { return memory_.use_count() == 1; }
  /// Returns the owner of the memory; nullptr if the tensor does not own it.
  std::shared_ptr<void> const& owner() const noexcept { return memory_; }
  bool shares_memory(tensor const& other) const noexcept { return memory_ != nullptr && memory_ == other.memory_; }

  /// Returns the address range from the first byte of any element to behind the last. Empty if there are no elements,
  /// or no memory.
  std::pair<std::byte const*, std::byte const*> extent() const {
    if (size() == 0 || data_ == nullptr) return {data_, data_};
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t axis = 0; axis != rank(); ++axis) {
      std::int64_t const reach = (dims()[axis] - 1) * strides_[axis];
      (reach < 0 ? least : most) += reach;
    }
    auto const step = static_cast<std::int64_t>(size_of(type()));
    return {data_ + least * step, data_ + (most + 1) * step};
  }

  // ---- views; all throw shape_error for axes and elements out of range
  /// Returns the elements first, first + step, … below `last` of an axis.
  tensor slice(std::size_t axis, std::int64_t first, std::int64_t last, std::int64_t step = 1) const {
    check_axis(axis);
    if (first < 0 || first > last || last > dims()[axis] || step < 1)
      throw shape_error("plait: no slice " + std::to_string(first) + ':' + std::to_string(last) + ':' +
                        std::to_string(step) + " of axis " + std::to_string(axis) + " of " + to_string(dims()));
    tensor view = *this;
    view.move(first * strides_[axis]);
    view.type_.dims.set(axis, first == last ? 0 : (last - first - 1) / step + 1);
    if (view.dims()[axis] > 1) view.strides_[axis] *= step;
    return view;
  }
  /// Returns the elements at one index of an axis, without that axis.
  tensor select(std::size_t axis, std::int64_t at) const {
    check_axis(axis);
    if (at < 0 || at >= dims()[axis])
      throw shape_error("plait: no place " + std::to_string(at) + " in axis " + std::to_string(axis) + " of " +
                        to_string(dims()));
    tensor view = *this;
    view.move(at * strides_[axis]);
    view.type_.dims.erase(axis);
    for (std::size_t a = axis; a + 1 < rank(); ++a) view.strides_[a] = strides_[a + 1];
    view.strides_[rank() - 1] = 0;
    return view;
  }
  /// Permutes axes: axis i of the result is axis order[i] of this.
  tensor transpose(std::span<std::size_t const> order) const {
    std::array<bool, shape::max_rank> seen = {};
    tensor view = *this;
    view.type_.dims = shape();
    for (std::size_t const axis : order) {
      check_axis(axis);
      if (std::exchange(seen[axis], true)) throw shape_error("plait: an axis is listed twice in a transposition");
      view.strides_[view.rank()] = strides_[axis];
      view.type_.dims.push_back(dims()[axis]);
    }
    if (view.rank() != rank()) throw shape_error("plait: a transposition lists each axis once");
    return view;
  }
  /// Returns the elements in another shape. Shares the memory if contiguous, otherwise copies.
  tensor reshape(shape const& dims) const {
    check_count(static_cast<std::size_t>(size()), dims);
    tensor view = contiguous();
    view.type_.dims = dims;
    view.strides_ = row_major(dims);
    return view;
  }

  // ---- copies
  /// Returns this, or a copy if it is not contiguous.
  tensor contiguous() const { return is_contiguous() ? *this : clone(); }
  /// Returns a contiguous copy.
  tensor clone() const {
    tensor made = uninitialized(type(), dims());
    copy_strided<B>(made.data_, data_, type(), dims(), strides_);
    return made;
  }
  /// Returns the elements on the host, row-major. Throws shape_error for another type than the tensor's.
  template <element T>
    requires(!std::same_as<T, bool>)
  std::vector<T> values() const {
    static_cast<void>(data<T>());
    std::vector<T> made(static_cast<std::size_t>(size()));
    tensor const source = contiguous();
    B::copy_to_host(made.data(), source.data_, made.size() * sizeof(T));
    return made;
  }
  template <std::same_as<bool> T>
  std::vector<bool> values() const {
    static_cast<void>(data<bool>());
    auto const copy = std::make_unique<bool[]>(static_cast<std::size_t>(size()));
    tensor const source = contiguous();
    B::copy_to_host(copy.get(), source.data_, bytes());
    return std::vector<bool>(copy.get(), copy.get() + size());
  }
  /// Copies to the memory of another backend.
  template <backend C>
  tensor<C> to() const {
    tensor<C> made = tensor<C>::uninitialized(type(), dims());
    tensor const source = contiguous();
    if constexpr (!B::on_device) {
      C::copy_from_host(made.raw(), source.data_, bytes());
    } else if constexpr (!C::on_device) {
      B::copy_to_host(made.raw(), source.data_, bytes());
    } else {
      C::copy(made.raw(), source.data_, bytes());
    }
    return made;
  }

 private:
  explicit tensor(tensor_spec const& type) : type_(type), strides_(row_major(type.dims)) {}

  static void check_count(std::size_t count, shape const& dims) {
    if (count != static_cast<std::size_t>(dims.size()))
      throw shape_error("plait: " + std::to_string(count) + " elements do not make a tensor of " + to_string(dims));
  }
  void check_axis(std::size_t axis) const {
    if (axis >= rank())
      throw shape_error("plait: no axis " + std::to_string(axis) + " in a tensor of " + to_string(dims()));
  }
  void check_contiguous() const {
    if (!is_contiguous())
      throw shape_error("plait: the elements of a tensor of " + to_string(type_) + " do not follow each other");
  }
  void* data_of(element_type wanted) const {
    if (wanted != type())
      throw shape_error("plait: the tensor holds " + std::string(to_string(type())) + ", not " +
                        std::string(to_string(wanted)));
    return data_;
  }
  void move(std::int64_t elements) {
    if (data_ != nullptr) data_ += elements * static_cast<std::int64_t>(size_of(type()));
  }

  tensor_spec type_;
  plait::strides strides_ = detail::no_strides;
  std::shared_ptr<void> memory_;
  std::byte* data_ = nullptr;
};

}  // namespace plait
