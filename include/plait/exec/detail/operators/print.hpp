// Print: writes the shape and the first elements of its input as text.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/map.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/text_blob.hpp>
#include <plait/exec/detail/text_output.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Returns the name of an element type in Caffe2's messages, where it has one.
inline std::string_view printed_type(element_type type) {
  switch (type) {
    case element_type::float32:
      return "float";
    case element_type::float64:
      return "double";
    case element_type::int32:
      return "int";
    case element_type::int64:
      return "long int";
    default:
      return to_string(type);
  }
}

/// Returns the line of Print up to the elements.
inline std::string printed_head(std::string_view blob, std::string_view type, shape const& dims) {
  std::string made = "Tensor " + std::string(blob) + " of type " + std::string(type) + ". Dims: (";
  for (std::int64_t const extent : dims) made += std::to_string(extent) + ',';
  return made + "): ";
}

/// Appends elements, separated by commas.
template <class T>
void print_elements(std::string& line, T const* elements, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    if (i != 0) line += ',';
    if constexpr (std::same_as<T, std::string>)
      line += elements[i];
    else if constexpr (std::integral<T>)
      line += std::to_string(elements[i]);
    else if constexpr (std::floating_point<T>)
      append_number(line, static_cast<double>(elements[i]));
    else
      append_number(line, static_cast<double>(convert<float>(elements[i])));
  }
}

}  // namespace detail

/// Kernel of Print. Writes in the first run, and then in every n-th.
template <backend B>
class print_kernel final : public op_kernel<B> {
 public:
  explicit print_kernel(op_arguments const& a)
      : every_(a.integer("every_n")), limit_(a.integer("limit")), output_(a.flag("to_file") ? ".log" : "") {
    if (every_ < 1) a.fail("every_n", "is less than 1");
    if (limit_ < 0) a.fail("limit", "is negative");
    if (limit_ == 0) limit_ = 1'000;
  }

  void infer(shape_context& c) override {
    if (c.type(0) == element_type::none || (c.type(0) == element_type::object && !holds_text(c)))
      c.fail("only tensors and texts can be printed");
    output_.set_blob(c.input_name(0));
  }
  void run(op_context<B>& c) override {
    bool const due = runs_ == 0;
    runs_ = (runs_ + 1) % every_;
    if (due) output_.write(c.observer(), c.type(0) == element_type::object ? text_line(c) : line(c));
  }

 private:
  // Objects are known in forecasts only.
  static bool holds_text(shape_context const& c) {
    auto const object = c.object(0);
    return object == nullptr || dynamic_cast<text_blob const*>(object.get()) != nullptr;
  }
  std::size_t printed(shape const& dims) const { return static_cast<std::size_t>(std::min(limit_, dims.size())); }

  std::string line(op_context<B>& c) const {
    std::string made = detail::printed_head(output_.blob(), detail::printed_type(c.type(0)), c.dims(0));
    visit_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float16, bfloat16>(c.type(0), [&]<class T>(T) {
      std::vector<detail::vector_element<T>> elements(printed(c.dims(0)));
      B::copy_to_host(elements.data(), c.raw_input(0), elements.size() * sizeof(T));
      detail::print_elements(made, elements.data(), elements.size());
    });
    return made;
  }
  std::string text_line(op_context<B>& c) const {
    auto const object = c.object(0);
    auto const* const texts = dynamic_cast<text_blob const*>(object.get());
    if (texts == nullptr) c.fail("only tensors and texts can be printed");
    std::string made = detail::printed_head(output_.blob(), "std::basic_string<char>", texts->dims());
    detail::print_elements(made, texts->elements().data(), printed(texts->dims()));
    return made;
  }

  std::int64_t every_;
  std::int64_t limit_;
  std::int64_t runs_ = 0;  // since the last line
  detail::text_output output_;
};

/// Adds Print: any element type, and texts.
template <backend B>
void add_print_operator(operators<B>& table) {
  table.template add<print_kernel<B>>(
      op_schema("Print")
          .inputs(1)
          .outputs(0)
          .side_effects()
          .differs_by_run()
          .takes_objects()
          .checks_first()
          .argument("to_file", std::int64_t{0}, "1: into a file of the current folder, named after X, with .log")
          .argument("limit", std::int64_t{0}, "how many elements; 0: 1000")
          .argument("every_n", std::int64_t{1}, "in the first run, and then in every n-th")
          .describe("writes the shape and elements of X, to the observer of the run or standard error"));
}

}  // namespace plait
