// Blobs of a workspace: a tensor, an object, or unset.
#pragma once

#include <memory>
#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Base class of a blob's content other than a tensor, such as a stack of workspaces. All blobs that hold it share it.
class blob_object {
 public:
  blob_object() = default;
  blob_object(blob_object const&) = delete;
  blob_object& operator=(blob_object const&) = delete;
  virtual ~blob_object() = default;
  /// Returns the name of the class, for messages.
  virtual std::string_view kind() const = 0;
  /// Called after a run has failed of a plan that reads the object from a blob or has made it: for objects on which
  /// other processes wait. May be called several times.
  virtual void run_failed() noexcept {}
};

/// Tensor, object, or unset blob.
template <backend B>
struct blob {
  tensor<B> value = {};
  std::shared_ptr<blob_object> object = nullptr;  ///< if set, the blob holds this
  bool is_set = false;

  /// Unsets the blob.
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
