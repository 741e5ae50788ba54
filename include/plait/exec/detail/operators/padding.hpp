// AddPadding, RemovePadding and GatherPadding: rows before and after each of several concatenated sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/segments.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/pack_sequences.hpp>
#include <plait/exec/detail/operators/row_list_kernel.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Numbers of rows before and after each sequence.
struct padding_widths {
  std::int64_t before;
  std::int64_t after;

  explicit padding_widths(op_arguments const& a)
      : before(a.integer("padding_width")), after(a.integer("end_padding_width")) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
    if (before < 0 || before > most) a.fail("padding_width", "must not be negative, nor exceed 30 bits");
    if (after > most) a.fail("end_padding_width", "must not exceed 30 bits");
    if (after < 0) after = before;
  }
  std::int64_t sum() const { return before + after; }
};

inline op_schema describe_padding(op_schema made) {
  return made.shape_from(1)
      .checks_first()
      .argument("padding_width", std::int64_t{1}, "rows before each sequence")
      .argument("end_padding_width", std::int64_t{-1}, "rows after each sequence; -1: as many as before");
}

/// Base of ops on sequences, whose lengths input 1 lists; without it, all rows are one. Output 1 is the new lengths.
template <backend B>
class padding_kernel : public row_list_kernel<B> {
 public:
  explicit padding_kernel(op_arguments const& a) : widths_(a) {}

 protected:
  void read_sequences(shape_context& c) {
    c.expect_rank(0, 1);
    if (c.input_count() == 1) {
      this->lengths_.assign(1, c.dims(0)[0]);
    } else {
      c.template expect_type<std::int32_t>(1);
      read_lengths(c, 1, this->lengths_);
      expect_total(c, this->lengths_, 0);
    }
  }
  // Throws unless each sequence has its padding.
  void expect_padding(shape_context const& c) const {
    for (std::int64_t const length : this->lengths_)
      if (length < widths_.sum())
        c.fail("a sequence has length " + std::to_string(length) + ", where its padding has " +
               std::to_string(widths_.sum()));
  }
  // Sets the outputs for the list of rows, with `change` added to each length.
  void infer_outputs(shape_context& c, std::int64_t change) {
    shape made = c.dims(0);
    made.set(0, static_cast<std::int64_t>(this->rows_.size()));
    c.output(0, c.type(0), made);
    this->listed(c, 0, static_cast<std::size_t>(made.size_from(1)));
    if (c.output_count() == 1) return;
    made_lengths_.clear();
    for (std::int64_t const length : this->lengths_) {
      if (length + change > std::numeric_limits<std::int32_t>::max())
        c.fail("a length of " + std::to_string(length + change) + " does not fit an int32");
      made_lengths_.push_back(static_cast<std::int32_t>(length + change));
    }
    c.output(1, element_type::int32, {static_cast<std::int64_t>(made_lengths_.size())});
  }
  void write_lengths(op_context<B>& c) const {
    if (c.output_count() == 2) B::copy_from_host(c.raw_output(1), made_lengths_.data(), c.output_spec(1).bytes());
  }

  padding_widths widths_;

 private:
  std::vector<std::int32_t> made_lengths_;
};

}  // namespace detail

/// Inputs: rows, lengths, and optionally the row of paddings, or those before and after sequences; else zeros.
template <backend B>
class add_padding_kernel final : public detail::padding_kernel<B> {
 public:
  explicit add_padding_kernel(op_arguments const& a)
      : detail::padding_kernel<B>(a),
        before_(a.input_count() > 2 ? 2 : npos),
        after_(a.input_count() > 3 ? 3 : before_) {}

  void infer(shape_context& c) override {
    this->read_sequences(c);
    std::int64_t const width = c.dims(0).size_from(1);
    for (std::size_t i = 2; i < c.input_count(); ++i) {
      c.expect_same_type(0, i);
      c.expect(c.dims(i).size() == width, i, "have ", width, " elements, as a row of ", c.input(0));
    }
    this->rows_.clear();
    std::int64_t row = 0;
    for (std::int64_t const length : this->lengths_) {
      this->rows_.insert(this->rows_.end(), static_cast<std::size_t>(this->widths_.before), -1);
      for (std::int64_t const end = row + length; row != end; ++row) this->rows_.push_back(row);
      this->rows_.insert(this->rows_.end(), static_cast<std::size_t>(this->widths_.after), -2);
    }
    this->infer_outputs(c, this->widths_.sum());
  }
  void run(op_context<B>& c) override {
    this->move_or(c, before_, after_);
    this->write_lengths(c);
  }

 private:
  std::size_t before_;
  std::size_t after_;
};

template <backend B>
class remove_padding_kernel final : public detail::padding_kernel<B> {
 public:
  explicit remove_padding_kernel(op_arguments const& a) : detail::padding_kernel<B>(a) {}

  void infer(shape_context& c) override {
    this->read_sequences(c);
    this->expect_padding(c);
    this->rows_.clear();
    std::int64_t first = 0;
    for (std::int64_t const length : this->lengths_) {
      for (std::int64_t at = this->widths_.before; at != length - this->widths_.after; ++at)
        this->rows_.push_back(first + at);
      first += length;
    }
    this->infer_outputs(c, -this->widths_.sum());
  }
  void run(op_context<B>& c) override {
    this->move(c, 0);
    this->write_lengths(c);
  }
};

/// GatherPadding: sums the paddings before sequences, and those after them; with one output, all.
template <backend B>
class gather_padding_kernel final : public detail::padding_kernel<B> {
 public:
  explicit gather_padding_kernel(op_arguments const& a) : detail::padding_kernel<B>(a) {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double, std::int32_t, std::int64_t>(0);
    this->read_sequences(c);
    this->expect_padding(c);
    this->rows_.clear();
    list(this->widths_.before, false);
    auto const before = static_cast<std::int64_t>(this->rows_.size());
    list(this->widths_.after, true);
    offsets_[0] = 0;
    offsets_[1] = before;
    offsets_[2] = static_cast<std::int64_t>(this->rows_.size());
    shape made = c.dims(0);
    made.erase(0);
    width_ = static_cast<std::size_t>(made.size());
    for (std::size_t o = 0; o != c.output_count(); ++o) c.output(o, c.type(0), made);
    if (c.output_count() == 1) offsets_[1] = offsets_[2];
    if constexpr (B::on_device) c.scratch(sizeof offsets_ + this->rows_.size() * sizeof(std::int64_t));
  }
  void run(op_context<B>& c) override {
    std::int64_t const* offsets = offsets_;
    std::int64_t const* rows = this->rows_.data();
    if constexpr (B::on_device) {
      auto* const memory = static_cast<std::int64_t*>(c.scratch());
      B::copy_from_host(memory, offsets_, sizeof offsets_);
      B::copy_from_host(memory + 3, rows, this->rows_.size() * sizeof(std::int64_t));
      offsets = memory;
      rows = memory + 3;
    }
    visit_type<float, double, std::int32_t, std::int64_t>(c.type(0), [&]<class T>(T) {
      for (std::size_t o = 0; o != c.output_count(); ++o)
        reduce_segments<segment_reduction::sum, B>(
            c.template output<T>(o), stored_rows<T>{c.template input<T>(0), width_}, offsets + o, 1, width_,
            this->rows_.size(), named_row<std::int64_t>{rows}, unit_weight<T>());
    });
  }

 private:
  // Lists the first `count` rows of each sequence, or the last ones.
  void list(std::int64_t count, bool last) {
    std::int64_t first = 0;
    for (std::int64_t const length : this->lengths_) {
      std::int64_t const from = last ? first + length - count : first;
      for (std::int64_t row = from; row != from + count; ++row) this->rows_.push_back(row);
      first += length;
    }
  }

  std::int64_t offsets_[3] = {};
  std::size_t width_ = 0;
};

/// Adds AddPadding, RemovePadding: any element type; GatherPadding: float, double, int32, int64.
template <backend B>
void add_padding_operators(operators<B>& table) {
  table.template add<add_padding_kernel>(detail::describe_padding(
      op_schema("AddPadding")
          .inputs(1, 4)
          .outputs(1, 2)
          .describe("Y = the sequences in X, whose lengths the second input lists, with rows before and after each: "
                    "the third input, after it the fourth if there is one, or zeros; the second output has the new "
                    "lengths, int32")));
  table.template add<remove_padding_kernel>(detail::describe_padding(
      op_schema("RemovePadding")
          .inputs(1, 2)
          .outputs(1, 2)
          .describe("Y = the sequences in X, whose lengths the second input lists, without the rows that AddPadding "
                    "added; the second output has the new lengths, int32")));
  table.template add<gather_padding_kernel>(detail::describe_padding(
      op_schema("GatherPadding")
          .inputs(2)
          .outputs(1, 2)
          .describe("the sum of the rows before sequences and of those after them, with one output of all, as "
                    "AddPadding adds them (inputs X, lengths)")));
}

}  // namespace plait
