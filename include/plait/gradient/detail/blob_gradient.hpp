// Where the gradient of a blob stands.
#pragma once

#include <string>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// The gradient of a blob, by the names of the blobs that hold it: one tensor of its shape, or, for a table of which
/// only some rows were used, these rows and their indices (a row may occur more than once; they add up).
struct blob_gradient {
  std::string values;
  std::string indices = {};  ///< empty: dense

  static blob_gradient dense(std::string_view name) { return {std::string(name), {}}; }
  static blob_gradient sparse(std::string_view indices, std::string_view values) {
    return {std::string(values), std::string(indices)};
  }
  bool is_sparse() const noexcept { return !indices.empty(); }
  friend bool operator==(blob_gradient const&, blob_gradient const&) = default;
};

}  // namespace plait
