// Operands of ops in a net builder: blobs, by handle or by name.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Handle of a blob in a net builder: its name and its builder. The name outlives the builder, and the handle converts
/// to it wherever a function takes the name of a blob.
class blob_handle {
 public:
  /// Refers to no blob.
  blob_handle() = default;

  std::string const& name() const noexcept { return name_; }
  operator std::string const&() const noexcept { return name_; }
  operator std::string_view() const noexcept { return name_; }
  friend bool operator==(blob_handle const&, blob_handle const&) = default;

 private:
  friend class net_builder;
  friend class blob_operand;
  blob_handle(std::string name, void const* owner) : name_(std::move(name)), owner_(owner) {}

  std::string name_;
  void const* owner_ = nullptr;  // compared, never dereferenced: the builder may no longer exist
};

/// Operand of an op: a blob handle, or text, which is a name within the builder's name scope. Refers to its argument;
/// use it for function parameters only.
class blob_operand {
 public:
  blob_operand(blob_handle const& handle) : name_(handle.name_), owner_(handle.owner_), is_text_(false) {}
  template <class T>
    requires std::convertible_to<T const&, std::string_view>
  blob_operand(T const& name) : name_(name) {}

  std::string_view name() const noexcept { return name_; }
  bool is_text() const noexcept { return is_text_; }
  void const* owner() const noexcept { return owner_; }

 private:
  std::string_view name_;
  void const* owner_ = nullptr;
  bool is_text_ = true;
};

template <class T>
concept blob_operand_range = std::ranges::forward_range<T const&> && !std::convertible_to<T const&, std::string_view> &&
                             std::convertible_to<std::ranges::range_reference_t<T const&>, blob_operand> &&
                             std::is_reference_v<std::ranges::range_reference_t<T const&>>;

/// List of operands: {x, "w", b}, a single operand, or a range of handles or strings. Use it for function parameters
/// only.
class blob_operands {
 public:
  blob_operands() = default;
  blob_operands(std::initializer_list<blob_operand> list) : list_(list) {}
  template <class T>
    requires std::convertible_to<T const&, blob_operand>
  blob_operands(T const& one) : list_{blob_operand(one)} {}
  template <blob_operand_range Range>
  blob_operands(Range const& range) : list_(std::ranges::begin(range), std::ranges::end(range)) {}

  std::size_t size() const noexcept { return list_.size(); }
  bool empty() const noexcept { return list_.empty(); }
  auto begin() const noexcept { return list_.begin(); }
  auto end() const noexcept { return list_.end(); }
  blob_operand const& operator[](std::size_t i) const { return list_[i]; }

 private:
  std::vector<blob_operand> list_;
};

}  // namespace plait
