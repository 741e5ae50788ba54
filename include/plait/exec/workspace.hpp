// Workspace: blobs by name, the inputs and outputs of nets.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/hash.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Scope of named blobs. Names that a workspace lacks are looked up in its parent, which must outlive it; new blobs are
/// created in the workspace itself. Blobs keep their addresses for the life of the workspace. Not thread-safe. A
/// look-up takes O(length of the name) per level.
template <backend B>
class workspace {
 public:
  workspace() = default;
  explicit workspace(workspace& parent) : parent_(&parent) {}
  workspace(workspace const&) = delete;
  workspace& operator=(workspace const&) = delete;
  workspace(workspace&&) noexcept = default;
  workspace& operator=(workspace&&) noexcept = default;

  workspace* parent() const noexcept { return parent_; }

  // ---- blobs
  /// Returns nullptr if neither this nor a parent has the name.
  blob<B>* find(std::string_view name) {
    for (workspace* level = this; level != nullptr; level = level->parent_)
      if (auto const at = level->blobs_.find(name); at != level->blobs_.end()) return at->second.at;
    return nullptr;
  }
  blob<B> const* find(std::string_view name) const { return const_cast<workspace*>(this)->find(name); }
  /// Returns the blob of this name, here or in a parent; creates it here if there is none.
  blob<B>& get(std::string_view name) {
    blob<B>* const found = find(name);
    return found != nullptr ? *found : local(name);
  }
  /// Returns the blob of this name in this workspace itself, regardless of parents.
  blob<B>& local(std::string_view name) {
    auto found = blobs_.find(name);
    if (found == blobs_.end()) found = blobs_.try_emplace(std::string(name)).first;
    place& here = found->second;
    if (here.at == nullptr) {
      if (here.own == nullptr) here.own = std::make_unique<blob<B>>();
      here.at = here.own.get();
    }
    return *here.at;
  }
  bool contains(std::string_view name) const {
    blob<B> const* const found = find(name);
    return found != nullptr && found->is_set;
  }
  /// Returns the names of the blobs of this level that are set, in no particular order.
  std::vector<std::string> names() const {
    std::vector<std::string> made;
    for (auto const& [name, held] : blobs_)
      if (held.at->is_set) made.push_back(name);
    return made;
  }
  /// Binds a name of this level to a blob of another workspace, which must live until unbind. Unsets the local blob,
  /// whose memory is kept for reuse.
  void bind(std::string_view name, blob<B>& elsewhere) {
    auto found = blobs_.find(name);
    if (found == blobs_.end()) found = blobs_.try_emplace(std::string(name)).first;
    place& here = found->second;
    if (here.own != nullptr) here.own->is_set = false;
    here.at = &elsewhere;
  }
  /// Binds the name to the blob of this level again, which is unset.
  void unbind(std::string_view name) {
    auto const found = blobs_.find(name);
    if (found == blobs_.end()) return;
    found->second.at = nullptr;
    static_cast<void>(local(name));
  }

  // ---- tensors
  /// Sets the tensor of a blob, which is shared, not copied: nets that write the blob in place write this memory,
  /// unless it is strided, or aliases another blob that the net reads: then the blob gets a copy first.
  void feed(std::string_view name, tensor<B> value) {
    blob<B>& at = get(name);
    at.value = std::move(value);
    at.object = nullptr;
    at.is_set = true;
  }
  template <element T>
  void feed(std::string_view name, std::vector<T> const& elements, shape const& dims) {
    feed_copy(name, elements, dims);
  }
  template <std::ranges::contiguous_range R>
    requires element<std::ranges::range_value_t<R>>
  void feed(std::string_view name, R const& elements, shape const& dims) {
    feed_copy(name, elements, dims);
  }
  /// Replaces the elements of the tensor of a blob in place: all aliases see them. Throws net_error like fetch, and
  /// shape_error for another number of elements, or a tensor that is not contiguous.
  template <element T>
  void refill(std::string_view name, std::span<T const> elements) {
    tensor<B> const& held = view(name);
    expect_type<T>(name, held);
    if (elements.size() != static_cast<std::size_t>(held.size()) || !held.is_contiguous())
      throw shape_error("plait: blob '" + std::string(name) + "' holds " + to_string(held.spec()) +
                        (held.is_contiguous() ? "" : ", not contiguous") + "; " + std::to_string(elements.size()) +
                        " elements cannot take their place");
    B::copy_from_host(find(name)->value.raw(), elements.data(), elements.size_bytes());
  }
  template <element T>
  void refill(std::string_view name, std::vector<T> const& elements) {
    refill(name, std::span<T const>(elements));
  }
  /// Returns the tensor of a blob, which shares its memory: a later run may write it. Throws net_error naming a blob
  /// that does not exist or is not a tensor.
  tensor<B> const& view(std::string_view name) const {
    blob<B> const* const found = find(name);
    if (found == nullptr || !found->is_set)
      throw net_error("plait: the workspace has no blob '" + std::string(name) + '\'', {}, std::string(name));
    if (found->object != nullptr)
      throw net_error(
          "plait: blob '" + std::string(name) + "' holds a " + std::string(found->object->kind()) + ", not a tensor",
          {}, std::string(name));
    return found->value;
  }
  /// Returns a copy of the elements on the host. Throws net_error for a blob that does not exist or has another type.
  template <element T>
  std::vector<T> fetch(std::string_view name) const {
    tensor<B> const& found = view(name);
    expect_type<T>(name, found);
    return found.template values<T>();
  }
  /// Unsets the blobs of this level; plans that use them stay valid.
  void reset() {
    for (auto const& [name, held] : blobs_)
      if (held.own != nullptr) *held.own = blob<B>();
  }

 private:
  template <class Elements>
  void feed_copy(std::string_view name, Elements const& elements, shape const& dims) {
    try {
      feed(name, tensor<B>::from(elements, dims));
    } catch (shape_error const& e) {
      std::throw_with_nested(
          shape_error("plait: blob '" + std::string(name) + "': " + std::string(detail::without_prefix(e.what()))));
    }
  }
  template <element T>
  static void expect_type(std::string_view name, tensor<B> const& held) {
    if (held.type() != element_type_of<T>)
      throw net_error("plait: blob '" + std::string(name) + "' holds " + to_string(held.spec()) + ", not " +
                          std::string(to_string(element_type_of<T>)),
                      {}, std::string(name));
  }

  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return hash_text(name); }
  };
  struct place {
    std::unique_ptr<blob<B>> own;
    blob<B>* at = nullptr;  // another workspace's if bound
  };

  boost::unordered_flat_map<std::string, place, hash, std::equal_to<>> blobs_;
  workspace* parent_ = nullptr;
};

}  // namespace plait
