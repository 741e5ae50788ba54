// Quantised blobs: tensors of integers that represent numbers by a scale and a zero point.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

/// Quantised tensor, on the host for every backend. No operator computes with one: nets make and hold them.
class quantised_blob : public blob_object {
 public:
  /// Throws shape_error for a value that is not quantised, is neither uint8 nor int32, or whose number of elements does
  /// not match its shape.
  explicit quantised_blob(tensor_value value) : value_(std::move(value)) {
    shape const dims(value_.shape);
    if (!value_.quantised || (value_.type() != element_type::uint8 && value_.type() != element_type::int32))
      throw shape_error("plait: a quantised tensor has uint8 or int32 elements, a scale and a zero point, not " +
                        std::string(to_string(value_.type())) + (value_.quantised ? "" : " alone"));
    if (!is_well_formed(value_))
      throw shape_error("plait: " + std::to_string(value_.size()) + " elements do not make a quantised tensor of " +
                        to_string(dims));
  }
  std::string_view kind() const override { return "quantised tensor"; }

  tensor_value const& value() const noexcept { return value_; }

 private:
  tensor_value value_;
};

}  // namespace plait
