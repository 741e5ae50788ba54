// GatherRangesToDense: slices of a vector, of equal lengths for each feature, as matrices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Inputs: a vector, ranges (examples×features×2), each a start and a length, and optionally keys, which order the
/// elements of a range. Outputs: for each feature a matrix, with zeros for ranges of another length than its own.
template <backend B>
class gather_ranges_to_dense_kernel final : public op_kernel<B> {
 public:
  explicit gather_ranges_to_dense_kernel(op_arguments const& a)
      : lengths_(a.integers("lengths")),
        observations_(a.integer("min_observation")),
        mismatched_ratio_(static_cast<double>(a.real("max_mismatched_ratio"))),
        empty_ratio_(static_cast<double>(a.real("max_empty_ratio"))) {
    if (lengths_.empty() || std::ranges::min(lengths_) < 1) a.fail("lengths", "must be positive, one for each output");
    if (lengths_.size() != a.output_count())
      a.fail("lengths", "has " + std::to_string(lengths_.size()) + " elements, where there are " +
                            std::to_string(a.output_count()) + " outputs");
    if (observations_ < 1) a.fail("min_observation", "must be positive");
  }

  void infer(shape_context& c) override {
    c.expect_rank(0, 1, 1);
    c.template expect_type<std::int32_t, std::int64_t>(1);
    auto const features = static_cast<std::int64_t>(lengths_.size());
    c.expect(c.dims(1).rank() == 3 && c.dims(1)[1] == features && c.dims(1)[2] == 2, 1, "be examples×", features,
             "×2, a start and a length for each of ", features, " features");
    bool const sorts = c.input_count() == 3;
    if (sorts) {
      c.template expect_type<std::int64_t>(2);
      c.expect(c.dims(2) == c.dims(0), 2, "have a key for each of ", c.dims(0)[0], " elements");
      c.integers(2, keys_);
    }
    c.integers(1, ranges_);
    places_.clear();
    auto const examples = static_cast<std::size_t>(c.dims(1)[0]);
    for (std::size_t feature = 0; feature != lengths_.size(); ++feature) {
      std::int64_t empty = 0;
      std::int64_t mismatched = 0;
      for (std::size_t example = 0; example != examples; ++example) {
        std::size_t const at = 2 * (example * lengths_.size() + feature);
        std::int64_t const length = ranges_[at + 1];
        if (length == lengths_[feature]) {
          list(c, ranges_[at], length, sorts);
          continue;
        }
        ++(length == 0 ? empty : mismatched);
        places_.insert(places_.end(), static_cast<std::size_t>(lengths_[feature]), -1);
      }
      auto const allowed = static_cast<double>(std::max(observations_, c.dims(1)[0]));
      if (static_cast<double>(mismatched) > allowed * mismatched_ratio_)
        c.fail(std::to_string(mismatched) + " ranges of feature " + std::to_string(feature) +
               " have another length than " + std::to_string(lengths_[feature]) + ", more than may have");
      if (static_cast<double>(empty) > allowed * empty_ratio_)
        c.fail(std::to_string(empty) + " ranges of feature " + std::to_string(feature) +
               " are empty, more than may be");
      c.output(feature, c.type(0), {c.dims(1)[0], lengths_[feature]});
    }
    if constexpr (B::on_device) c.scratch(places_.size() * sizeof(std::int64_t));
  }

  void run(op_context<B>& c) override {
    std::int64_t const* places = places_.data();
    if constexpr (B::on_device) {
      B::copy_from_host(c.scratch(), places, places_.size() * sizeof(std::int64_t));
      places = static_cast<std::int64_t const*>(c.scratch());
    }
    visit_word(c.type(0), [&]<class T>(T) {
      for (std::size_t feature = 0; feature != lengths_.size(); ++feature) {
        std::size_t const count = c.output_size(feature);
        move_rows<B>(static_cast<T*>(c.raw_output(feature)), static_cast<T const*>(c.raw_input(0)), count, 1,
                     listed_row<std::int64_t>{places});
        places += count;
      }
    });
  }

 private:
  // Lists the places of a range, by ascending keys if it sorts; equal keys stay in order.
  void list(shape_context const& c, std::int64_t start, std::int64_t length, bool sorts) {
    std::int64_t const size = c.dims(0)[0];
    if (start < 0 || start > size || length > size - start)
      c.fail("the range of " + std::to_string(length) + " from " + std::to_string(start) + " on is not within " +
             std::to_string(size) + " elements");
    std::size_t const first = places_.size();
    for (std::int64_t at = start; at != start + length; ++at) places_.push_back(at);
    if (!sorts) return;
    // Places break ties: a stable sort would allocate.
    std::sort(places_.begin() + static_cast<std::ptrdiff_t>(first), places_.end(), [&](std::int64_t a, std::int64_t b) {
      std::int64_t const key_a = keys_[static_cast<std::size_t>(a)];
      std::int64_t const key_b = keys_[static_cast<std::size_t>(b)];
      return key_a != key_b ? key_a < key_b : a < b;
    });
  }

  std::vector<std::int64_t> lengths_;
  std::int64_t observations_;
  double mismatched_ratio_;
  double empty_ratio_;
  std::vector<std::int64_t> ranges_;
  std::vector<std::int64_t> keys_;
  std::vector<std::int64_t> places_;  // by feature, example and column: the element; -1: zero
};

/// Adds GatherRangesToDense: any element type.
template <backend B>
void add_gather_ranges_to_dense_operators(operators<B>& table) {
  table.template add<gather_ranges_to_dense_kernel>(
      op_schema("GatherRangesToDense")
          .inputs(2, 3)
          .outputs(1, npos)
          .shape_from(1)
          .shape_from(2)
          .checks_first()
          .template required_argument<std::vector<std::int64_t>>("lengths", "of the ranges of each feature")
          .argument("min_observation", std::int64_t{10'000}, "the least number of examples that the ratios refer to")
          .argument("max_mismatched_ratio", 0.01f, "the part of the ranges of a feature that may have another length")
          .argument("max_empty_ratio", 1.0f, "the part of the ranges of a feature that may be empty")
          .describe("for each feature a matrix (examples×length) of its ranges of the vector X, with zeros for ranges "
                    "that are empty or of another length (inputs X, ranges: examples×features×2, each a start and a "
                    "length, and keys by which the elements of a range are sorted)"));
}

}  // namespace plait
