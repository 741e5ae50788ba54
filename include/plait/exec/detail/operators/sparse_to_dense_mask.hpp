// SparseToDenseMask and its gradient: values of selected ids, from lists of ids and values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/operators/row_list_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Base of both ops: finds, for each segment of the ids in input 0 and each id of the mask, the last place of that id
/// in the segment. Without lengths there is one segment, and the outputs have no axis of segments.
template <backend B>
class mask_kernel : public row_list_kernel<B> {
 public:
  explicit mask_kernel(op_arguments const& a) {
    for (std::int64_t const id : a.integers("mask")) {
      if (id < 0) a.fail("mask", "must not have negative ids");
      if (!column_of_.try_emplace(id, column_of_.size()).second)
        a.fail("mask", "has the id " + std::to_string(id) + " twice");
    }
    if (column_of_.empty()) a.fail("mask", "must not be empty");
  }

 protected:
  std::size_t columns() const { return column_of_.size(); }

  // Sets places_: by segment and column, the last place of the id; -1 if there is none. At most `most` ids may be
  // invalid, negative or of more than 31 bits.
  void find(shape_context& c, std::size_t lengths, std::int64_t most) {
    c.expect_rank(0, 1, 1);
    c.integers(0, ids_);
    auto const count = static_cast<std::int64_t>(ids_.size());
    if (c.input_count() > lengths) {
      read_lengths(c, lengths, this->lengths_);
      std::int64_t const total = std::accumulate(this->lengths_.begin(), this->lengths_.end(), std::int64_t{0});
      if (total > count)
        c.fail("the lengths add up to " + std::to_string(total) + " where there are " + std::to_string(count) + " ids");
    } else {
      this->lengths_.assign(1, count);
    }
    places_.assign(this->lengths_.size() * columns(), -1);
    std::int64_t skipped = 0;
    std::size_t at = 0;
    std::size_t first = 0;
    for (std::int64_t const length : this->lengths_) {
      for (std::size_t const end = at + static_cast<std::size_t>(length); at != end; ++at) {
        std::int64_t const id = ids_[at];
        if (id < 0 || id >= std::numeric_limits<std::int32_t>::max()) {
          if (++skipped > most)
            c.fail("id " + std::to_string(id) + " at place " + std::to_string(at) + " is invalid, after " +
                   std::to_string(most) + " others that could be skipped");
          continue;
        }
        auto const found = column_of_.find(id);
        if (found != column_of_.end()) places_[first + found->second] = static_cast<std::int64_t>(at);
      }
      first += columns();
    }
  }

  std::vector<std::int64_t> places_;

 private:
  boost::unordered_flat_map<std::int64_t, std::size_t> column_of_;
  std::vector<std::int64_t> ids_;
};

}  // namespace detail

/// Inputs: ids, values (a row for each), the row of absent ids, and optionally the lengths of segments.
template <backend B>
class sparse_to_dense_mask_kernel final : public detail::mask_kernel<B> {
 public:
  explicit sparse_to_dense_mask_kernel(op_arguments const& a)
      : detail::mask_kernel<B>(a), most_(a.integer("max_skipped_indices")), masked_(a.output_count() == 2) {
    if (masked_ != a.flag("return_presence_mask"))
      a.fail("return_presence_mask", "is needed for a second output, and needs one");
  }
  void infer(shape_context& c) override {
    c.expect_rank(1, 1);
    c.expect(c.dims(1)[0] == c.dims(0).size(), 1, "have a row for each of ", c.dims(0).size(), " ids");
    c.expect_same_type(1, 2);
    shape made = c.dims(1);
    made.erase(0);
    c.expect(c.dims(2) == made, 2, "be ", made, ", as a row of ", c.input(1));
    this->find(c, 3, most_);
    auto const width = static_cast<std::size_t>(made.size());
    this->rows_ = this->places_;
    made.insert(0, static_cast<std::int64_t>(this->columns()));
    shape mask = {made[0]};
    if (c.input_count() == 4) {
      made.insert(0, static_cast<std::int64_t>(this->lengths_.size()));
      mask.insert(0, made[0]);
    }
    c.output(0, c.type(1), made);
    if (masked_) {
      c.output(1, element_type::boolean, mask);
      present_.assign(this->rows_.size(), 0);
      std::ranges::transform(this->rows_, present_.begin(), [](std::int64_t at) -> std::uint8_t { return at >= 0; });
    }
    this->listed(c, 1, width);
  }
  void run(op_context<B>& c) override {
    this->move_or(c, 2);
    if (masked_) B::copy_from_host(c.raw_output(1), present_.data(), present_.size());
  }

 private:
  std::int64_t most_;
  bool masked_;
  std::vector<std::uint8_t> present_;
};

/// Gradient of the values: rows of dY where an id of the mask was taken, zeros for other rows. Inputs: ids, dY, and
/// optionally the lengths.
template <backend B>
class sparse_to_dense_mask_gradient_kernel final : public detail::mask_kernel<B> {
 public:
  explicit sparse_to_dense_mask_gradient_kernel(op_arguments const& a) : detail::mask_kernel<B>(a) {}
  void infer(shape_context& c) override {
    c.template expect_type<float, double>(1);
    this->find(c, 2, std::numeric_limits<std::int64_t>::max());
    auto const columns = static_cast<std::int64_t>(this->columns());
    bool const segmented = c.input_count() == 3;
    c.expect_rank(1, segmented ? 2 : 1);
    shape made = c.dims(1);
    if (segmented) {
      c.expect(made[0] == c.dims(2)[0], 1, "have ", c.dims(2)[0], " segments");
      made.erase(0);
    }
    c.expect(made[0] == columns, 1, "have ", columns, " columns, as the mask");
    made.set(0, c.dims(0)[0]);
    this->rows_.assign(static_cast<std::size_t>(made[0]), -1);
    for (std::size_t i = 0; i != this->places_.size(); ++i)
      if (this->places_[i] >= 0) this->rows_[static_cast<std::size_t>(this->places_[i])] = static_cast<std::int64_t>(i);
    c.output(0, c.type(1), made);
    this->listed(c, 1, static_cast<std::size_t>(made.size_from(1)));
  }
};

/// Adds SparseToDenseMask: any element type; SparseToDenseMaskGradient: float and double.
template <backend B>
void add_sparse_to_dense_mask_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    return op_schema(type)
        .checks_first()
        .shape_from(0)
        .argument("mask", std::vector<std::int64_t>(), "the ids of Y's columns, each once")
        .argument("return_presence_mask", std::int64_t{0}, "the second output says which ids there were")
        .argument("max_skipped_indices", std::int64_t{50}, "how many ids may be negative or exceed 31 bits, in a run")
        .ignored_in_caffe2("max_skipped_indices");
  };
  table.template add<sparse_to_dense_mask_kernel>(
      schema("SparseToDenseMask")
          .inputs(3, 4)
          .outputs(1, 2)
          .shape_from(3)
          .describe("Y (segments×mask×…) = the rows of the values whose ids the mask lists, by segment, the last of "
                    "several; where there is none, the default (inputs ids, values, default, lengths); without "
                    "lengths Y is mask×…"));
  table.template add<sparse_to_dense_mask_gradient_kernel>(
      schema("SparseToDenseMaskGradient")
          .inputs(2, 3)
          .outputs(1)
          .shape_from(2)
          .describe("gradient of the values of SparseToDenseMask (inputs ids, dY, lengths)"));
}

}  // namespace plait
