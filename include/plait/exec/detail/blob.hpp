// What the blobs of a workspace hold.
#pragma once

#include <memory>
#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Base of what a blob can hold that is no tensor, such as a stack of workspaces. Shared by all blobs that hold it.
class blob_object {
 public:
  blob_object() = default;
  blob_object(blob_object const&) = delete;
  blob_object& operator=(blob_object const&) = delete;
  virtual ~blob_object() = default;
  /// What it is, for messages.
  virtual std::string_view kind() const = 0;
};

/// A tensor, an object, or nothing yet.
template <backend B>
struct blob {
  tensor<B> value = {};
  std::shared_ptr<blob_object> object = nullptr;  ///< if set, this is what the blob holds
  bool is_set = false;

  /// Holds nothing from now on.
  void clear() {
    if (!is_set) return;
    value = tensor<B>();
    object = nullptr;
    is_set = false;
  }
  tensor_spec spec() const {
    if (!is_set) return {element_type::none, detail::no_elements};
    return object != nullptr ? tensor_spec{element_type::object, detail::no_elements} : value.spec();
  }
};

}  // namespace plait
