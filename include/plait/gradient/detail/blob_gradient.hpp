// Dense or sparse gradient of a blob, by the names of the blobs that hold it.
#pragma once

#include <string>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// The gradient of a blob, by the names of the blobs that hold it. Dense: one tensor of its shape. Sparse (a table of
/// which only some rows were read): these rows and their indices; duplicate rows add up.
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
