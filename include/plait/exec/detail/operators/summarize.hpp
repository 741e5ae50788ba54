// Summarize: minimum, maximum, mean and standard deviation of all elements, as a tensor and as text.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/text_output.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct summarized_element {
  T const* x;
  PLAIT_HOST_DEVICE double operator()(std::size_t, std::size_t i) const { return static_cast<double>(x[i]); }
};
// Squared difference to the mean.
template <class T>
struct summarized_deviation {
  T const* x;
  double const* sum;
  std::size_t count;
  PLAIT_HOST_DEVICE double operator()(std::size_t, std::size_t i) const {
    double const d = static_cast<double>(x[i]) - *sum / static_cast<double>(count);
    return d * d;
  }
};
// Replaces the sum and the sum of squared deviations by the mean and the standard deviation of a sample, 0 for one
// element, and stores all four numbers.
template <class T>
struct summary_result {
  double* numbers;
  T* y;  // null: not stored
  std::size_t count;
  PLAIT_HOST_DEVICE void operator()(std::size_t) const {
    numbers[2] /= static_cast<double>(count);
    numbers[3] = count == 1 ? 0 : std::sqrt(numbers[3] / static_cast<double>(count - 1));
    for (std::size_t i = 0; y != nullptr && i != 4; ++i) y[i] = static_cast<T>(numbers[i]);
  }
};

}  // namespace detail

/// Kernel of Summarize. Sums are of doubles.
template <backend B>
class summarize_kernel final : public op_kernel<B> {
 public:
  explicit summarize_kernel(op_arguments const& a) : to_file_(a.flag("to_file")), output_(".summary") {}

  void infer(shape_context& c) override {
    c.template expect_type<float, double>(0);
    c.expect(c.dims(0).size() != 0, 0, "have elements");
    if (c.output_count() == 1) c.output(0, c.type(0), {4});
    output_.set_blob(c.input_name(0));
    c.scratch((4 + row_partials(1, static_cast<std::size_t>(c.dims(0).size()))) * sizeof(double));
  }
  void run(op_context<B>& c) override {
    auto* const numbers = static_cast<double*>(c.scratch());
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      T const* const x = c.template input<T>(0);
      std::size_t const n = c.size(0);
      detail::summarized_element<T> const element{x};
      reduce_rows<B, min_reduction>(1, n, element, numbers, numbers + 4);
      reduce_rows<B, max_reduction>(1, n, element, numbers + 1, numbers + 4);
      reduce_rows<B, sum_reduction>(1, n, element, numbers + 2, numbers + 4);
      reduce_rows<B, sum_reduction>(1, n, detail::summarized_deviation<T>{x, numbers + 2, n}, numbers + 3, numbers + 4);
      T* const y = c.output_count() == 1 ? c.template output<T>(0) : nullptr;
      for_each_index<B>(1, detail::summary_result<T>{numbers, y, n});
    });
    if (!to_file_) return;
    std::array<double, 4> made = {};
    B::copy_to_host(made.data(), numbers, sizeof made);
    std::string line;
    for (double const each : made) {
      if (!line.empty()) line += ' ';
      detail::append_number(line, each);
    }
    output_.write(c.observer(), line);
  }

 private:
  bool to_file_;
  detail::text_output output_;
};

/// Adds Summarize: float and double.
template <backend B>
void add_summarize_operator(operators<B>& table) {
  table.template add<summarize_kernel<B>>(
      op_schema("Summarize")
          .inputs(1)
          .outputs(0, 1)
          .side_effects()
          .differs_by_run()
          .argument("to_file", std::int64_t{0},
                    "1: also as a line of a file of the current folder, named after X, with .summary")
          .no_doubles_in_caffe2()
          .describe("Y = the minimum, the maximum, the mean and the standard deviation of a sample X, [4]"));
}

}  // namespace plait

PLAIT_KERNELS_END
