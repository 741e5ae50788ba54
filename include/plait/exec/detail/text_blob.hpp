// Text blobs: tensors of strings in a workspace.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

/// Row-major texts, as many as the shape has elements, on the host for every backend.
class text_blob : public blob_object {
 public:
  /// Throws shape_error if the number of texts does not match the shape.
  text_blob(std::vector<std::string> elements, shape const& dims) : elements_(std::move(elements)), dims_(dims) {
    if (static_cast<std::size_t>(dims_.size()) != elements_.size())
      throw shape_error("plait: " + std::to_string(elements_.size()) + " texts do not make a tensor of " +
                        to_string(dims_));
  }
  std::string_view kind() const override { return "tensor of texts"; }

  std::vector<std::string> const& elements() const noexcept { return elements_; }
  shape const& dims() const noexcept { return dims_; }

 private:
  std::vector<std::string> elements_;
  shape dims_;
};

/// Sets a blob to texts. Throws shape_error like text_blob.
template <backend B>
void feed_text(workspace<B>& blobs, std::string_view name, std::vector<std::string> elements, shape const& dims) {
  auto made = std::make_shared<text_blob>(std::move(elements), dims);
  blobs.get(name) = {{}, std::move(made), true};
}

/// Returns the texts of a blob. Throws net_error if it does not exist or holds anything else.
template <backend B>
std::shared_ptr<text_blob const> fetch_text(workspace<B> const& blobs, std::string_view name) {
  blob<B> const* const found = blobs.find(name);
  auto made = found == nullptr || !found->is_set ? nullptr : std::dynamic_pointer_cast<text_blob const>(found->object);
  if (made == nullptr)
    throw net_error("plait: the workspace has no texts '" + std::string(name) + '\'', {}, std::string(name));
  return made;
}

}  // namespace plait
