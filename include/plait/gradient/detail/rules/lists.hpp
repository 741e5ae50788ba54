// Gradient rules of lists: paddings of sequences, values by label, and rows that flags place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

namespace detail {

// Returns the gradient of an output, or zeros if it has none.
inline gradient_operand gradient_or_zeros(gradient_context& c, std::size_t o) {
  if (c.has_gradient(o)) return c.output_gradient(o);
  gradient_operand const zeros = c.temporary(std::string(c.output_name(o)) + "_grad");
  c.op("ConstantFill", {c.output(o)}, {zeros}).own_arguments().argument("value", 0.0f);
  return zeros;
}

// Returns dy and, if the op lists the lengths of sequences, their new lengths.
inline std::vector<gradient_operand> padded_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.output_gradient(0)};
  c.refuse_unless(c.as_caffe2() || c.output_count() == 2 || c.listed_input_count() == 1,
                  "its second output, the lengths, is needed to find the paddings");
  if (c.output_count() == 2) reads.push_back(c.output(1));
  return reads;
}
inline void add_padding_gradient(gradient_context& c) {
  std::vector<gradient_operand> const reads = padded_gradient(c);
  c.op("RemovePadding", reads, std::vector{c.input_gradient(0)});
  std::vector<gradient_operand> sums;
  for (std::size_t i = 2; i < c.listed_input_count(); ++i) sums.push_back(c.input_gradient(i));
  if (!sums.empty()) c.op("GatherPadding", reads, sums);
}
inline void remove_padding_gradient(gradient_context& c) {
  c.op("AddPadding", padded_gradient(c), std::vector{c.input_gradient(0)});
}

inline void sparse_label_split_gradient(gradient_context& c) {
  auto const labels = static_cast<std::size_t>(c.argument<std::int64_t>("num_labels", 0));
  c.refuse_unless(labels > 0 && labels <= c.output_count() / 2, "argument 'num_labels' does not fit its outputs");
  std::vector<gradient_operand> reads = {c.input(0), c.input(1)};
  for (std::size_t label = 0; label != labels; ++label) reads.push_back(gradient_or_zeros(c, label));
  if (c.output_count() > 2 * labels) reads.push_back(c.output(2 * labels));
  c.op("SparseLabelSplitGradient", reads, std::vector{c.input_gradient(2)});
}

// Takes the rows that were filled back out of dy. Not in Caffe2.
inline void fill_examples_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const flags = c.temporary(c.gradient_name(0) + "_flags");
  constexpr std::int64_t boolean = 5;
  c.op("Cast", {c.input(1)}, {flags}).own_arguments().argument("to", boolean);
  c.op("BooleanMask", {dy, flags}, {c.input_gradient(0)}).own_arguments();
}

}  // namespace detail

/// Adds the rules of lists.
inline void add_list_rules(gradient_rules& rules) {
  rules.set("FillExamplesWithIndicator", detail::fill_examples_gradient);
  rules.set("AddPadding", detail::add_padding_gradient);
  rules.set("RemovePadding", detail::remove_padding_gradient);
  rules.set("SparseLabelSplit", detail::sparse_label_split_gradient);
}

}  // namespace plait
