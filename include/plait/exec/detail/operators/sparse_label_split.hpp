// SparseLabelSplit and its gradient: splits lists of labels and values by label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct listed_element {
  T* to;
  T const* from;
  std::int64_t const* places;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[places[i]] = from[i]; }
};

/// Base of both ops: sorts the labels in input 1, of the examples whose numbers of labels input 0 lists.
template <backend B>
class label_split_kernel : public op_kernel<B> {
 public:
  explicit label_split_kernel(op_arguments const& a) {
    std::int64_t const count = a.integer("num_labels");
    if (count < 1 || count > std::numeric_limits<std::int32_t>::max() / 2) a.fail("num_labels", "must be positive");
    labels_ = static_cast<std::size_t>(count);
  }

 protected:
  // Sets, by label, the places of its elements in order, places_[first_[label]] up to that of the next.
  void sort(shape_context& c) {
    read_lengths(c, 0, lengths_);
    c.expect_rank(1, 1, 1);
    std::int64_t const total = std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0});
    c.expect(c.dims(1)[0] == total, 1, "have ", total, " labels, as the lengths add up to");
    first_.assign(labels_ + 1, 0);
    for (std::int64_t const label : c.integers(1, numbers_)) {
      if (label < 0 || static_cast<std::uint64_t>(label) >= labels_)
        c.fail("label " + std::to_string(label) + " is not from 0 up to, but without, " + std::to_string(labels_));
      ++first_[static_cast<std::size_t>(label) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    next_ = first_;
    places_.resize(numbers_.size());
    for (std::size_t at = 0; at != numbers_.size(); ++at)
      places_[next_[static_cast<std::size_t>(numbers_[at])]++] = static_cast<std::int64_t>(at);
    if constexpr (B::on_device) c.scratch(places_.size() * sizeof(std::int64_t));
  }
  std::size_t count_of(std::size_t label) const { return first_[label + 1] - first_[label]; }
  // Returns the places in the backend's memory.
  std::int64_t const* places_of(op_context<B>& c) const {
    if constexpr (B::on_device) {
      B::copy_from_host(c.scratch(), places_.data(), places_.size() * sizeof(std::int64_t));
      return static_cast<std::int64_t const*>(c.scratch());
    } else {
      return places_.data();
    }
  }

  std::size_t labels_ = 0;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> places_;

 private:
  std::vector<std::size_t> next_;
};

}  // namespace detail

/// Outputs, by label: its values, then the examples that they are of, and optionally where each value went.
template <backend B>
class sparse_label_split_kernel final : public detail::label_split_kernel<B> {
 public:
  explicit sparse_label_split_kernel(op_arguments const& a)
      : detail::label_split_kernel<B>(a), mapped_(a.output_count() == 2 * this->labels_ + 1) {
    if (!mapped_ && a.output_count() != 2 * this->labels_)
      a.fail("num_labels", "is " + std::to_string(this->labels_) + ", where there are " +
                               std::to_string(a.output_count()) + " outputs");
    if (mapped_ != a.flag("keep_gradient_offset_map"))
      a.fail("keep_gradient_offset_map", "is needed for the last output, and needs one");
  }
  void infer(shape_context& c) override {
    this->sort(c);
    c.expect(c.dims(2) == c.dims(1), 2, "have a value for each of ", c.dims(1)[0], " labels");
    examples_.clear();
    std::int32_t example = 0;
    for (std::int64_t const length : this->lengths_)
      examples_.insert(examples_.end(), static_cast<std::size_t>(length), example++);
    listed_.clear();
    for (std::int64_t const place : this->places_) listed_.push_back(examples_[static_cast<std::size_t>(place)]);
    offsets_.resize(this->places_.size());
    for (std::size_t label = 0; label != this->labels_; ++label) {
      std::size_t const first = this->first_[label];
      for (std::size_t i = 0; i != this->count_of(label); ++i)
        offsets_[static_cast<std::size_t>(this->places_[first + i])] = static_cast<std::int32_t>(i);
      shape const made = {static_cast<std::int64_t>(this->count_of(label))};
      c.output(label, c.type(2), made);
      c.output(this->labels_ + label, element_type::int32, made);
    }
    if (mapped_) c.output(2 * this->labels_, element_type::int32, c.dims(1));
  }
  void run(op_context<B>& c) override {
    std::int64_t const* const places = this->places_of(c);
    for (std::size_t label = 0; label != this->labels_; ++label) {
      std::size_t const count = this->count_of(label);
      if (count == 0) continue;
      std::size_t const first = this->first_[label];
      visit_word(c.type(2), [&]<class T>(T) {
        move_rows<B>(static_cast<T*>(c.raw_output(label)), static_cast<T const*>(c.raw_input(2)), count, 1,
                     listed_row<std::int64_t>{places + first});
      });
      B::copy_from_host(c.raw_output(this->labels_ + label), listed_.data() + first, count * sizeof(std::int32_t));
    }
    if (mapped_)
      B::copy_from_host(c.raw_output(2 * this->labels_), offsets_.data(), offsets_.size() * sizeof(std::int32_t));
  }

 private:
  bool mapped_;
  std::vector<std::int32_t> examples_;  // by place
  std::vector<std::int32_t> listed_;    // the same, by label
  std::vector<std::int32_t> offsets_;
};

/// Gradient of the values. Inputs: lengths, labels, the gradient of the values of each label, and optionally the last
/// output of SparseLabelSplit, which the labels imply.
template <backend B>
class sparse_label_split_gradient_kernel final : public detail::label_split_kernel<B> {
 public:
  explicit sparse_label_split_gradient_kernel(op_arguments const& a) : detail::label_split_kernel<B>(a) {
    if (a.input_count() != this->labels_ + 2 && a.input_count() != this->labels_ + 3)
      a.fail("num_labels", "is " + std::to_string(this->labels_) + ", where there are " +
                               std::to_string(a.input_count()) + " inputs");
  }
  void infer(shape_context& c) override {
    this->sort(c);
    element_type const type = c.template expect_type<float, double>(2);
    for (std::size_t label = 0; label != this->labels_; ++label) {
      c.expect_same_type(2, 2 + label);
      auto const count = static_cast<std::int64_t>(this->count_of(label));
      c.expect(c.dims(2 + label) == shape{count}, 2 + label, "have ", count, " elements, the values of label ", label);
    }
    c.output(0, type, c.dims(1));
  }
  void run(op_context<B>& c) override {
    std::int64_t const* const places = this->places_of(c);
    visit_type<float, double>(c.type(2), [&]<class T>(T) {
      for (std::size_t label = 0; label != this->labels_; ++label)
        for_each_index<B>(this->count_of(label),
                          detail::listed_element<T>{c.template output<T>(0), c.template input<T>(2 + label),
                                                    places + this->first_[label]});
    });
  }
};

/// Adds SparseLabelSplit: any element type; SparseLabelSplitGradient: float and double.
template <backend B>
void add_sparse_label_split_operators(operators<B>& table) {
  auto const schema = [](char const* type) {
    return op_schema(type)
        .shape_from(0)
        .shape_from(1)
        .checks_first()
        .without_caffe2_schema()
        .template required_argument<std::int64_t>("num_labels", "labels there are")
        .argument("keep_gradient_offset_map", std::int64_t{0}, "the last output says where each value went");
  };
  table.template add<sparse_label_split_kernel>(
      schema("SparseLabelSplit")
          .inputs(3)
          .outputs(2, npos)
          .describe("the values of each label, then the numbers of the examples that these are of, int32, and, last, "
                    "the place of each value among those of its label (inputs numbers of labels by example, labels, "
                    "values)"));
  table.template add<sparse_label_split_gradient_kernel>(
      schema("SparseLabelSplitGradient")
          .inputs(3, npos)
          .outputs(1)
          .describe("gradient of the values of SparseLabelSplit (inputs lengths, labels, the gradient of each label's "
                    "values, places)"));
}

}  // namespace plait

PLAIT_KERNELS_END
