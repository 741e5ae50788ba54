// Constant fills: tensors of one value, or of listed values.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/casts.hpp>
#include <plait/exec/detail/quantised_blob.hpp>
#include <plait/exec/detail/text_blob.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

/// Shape of a fill: the argument `shape`; or with an input, the input's shape, or with `input_as_shape` its elements,
/// followed by `extra_shape`. Throws for contradictory arguments, as Caffe2 does.
class fill_shape {
 public:
  explicit fill_shape(op_arguments const& a)
      : has_input_(a.input_count() != 0),
        from_elements_(a.flag("input_as_shape")),
        dims_(a.integers("shape")),
        extra_(a.integers("extra_shape")) {
    if (has_input_ && !a.integers("shape").empty()) a.fail("shape", "is given where an input has the shape");
    if (!has_input_ && !a.integers("extra_shape").empty()) a.fail("extra_shape", "needs an input");
    if (!has_input_ && from_elements_) a.fail("input_as_shape", "needs an input");
  }

  shape operator()(shape_context const& c) {
    if (!has_input_) return dims_;
    shape made;
    if (from_elements_) {
      c.expect_type<std::int32_t, std::int64_t>(0);
      c.expect_rank(0, 1, 1);
      made = shape(c.integers(0, elements_));
    } else {
      made = c.dims(0);
    }
    for (std::int64_t const extent : extra_) made.push_back(extent);
    return made;
  }

  /// Returns the shape in a run of an op with results_after_run.
  template <backend B>
  shape of_run(op_context<B>& c) {
    if (!has_input_) return dims_;
    if (c.type(0) == element_type::object) c.fail("input 0 is no tensor of numbers, whose shape could be taken");
    tensor_spec const* const input = &c.input_spec(0);
    auto const read = [](void* self, std::size_t i, void* to, std::size_t bytes) {
      B::copy_to_host(to, static_cast<op_context<B>*>(self)->raw_input(i), bytes);
    };
    return (*this)(shape_context({&input, 1}, {}, read, &c));
  }

  /// Returns a schema with the inputs and arguments of fills.
  static op_schema schema(std::string_view type, std::size_t most_inputs = 1) {
    return with_arguments(op_schema(type)
                              .inputs(0, most_inputs)
                              .outputs(1)
                              .shape_from(0)
                              .shape_from_where([](op_arguments const& a) { return a.flag("input_as_shape"); })
                              .checks_first());
  }
  /// Like schema(), for ops with results_after_run.
  static op_schema schema_of_results(std::string_view type) {
    return with_arguments(op_schema(type).inputs(0, 1).outputs(1).results_after_run());
  }

 private:
  static op_schema with_arguments(op_schema made) {
    return made.argument("shape", std::vector<std::int64_t>(), "extents, where there is no input")
        .argument("extra_shape", std::vector<std::int64_t>(), "extents that follow those of the input")
        .argument("input_as_shape", std::int64_t{0}, "the input's elements are extents, not its shape");
  }

  bool has_input_;
  bool from_elements_;
  shape dims_;
  shape extra_;
  std::vector<std::int64_t> elements_;
};

namespace detail {

/// Converts a number to an element type. Throws shape_error if an integer type does not have it; for bool all but zero
/// are true, and floating-point types round.
template <element T, class Number>
T element_argument(op_arguments const& a, std::string_view name, Number value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    T const made = convert<T>(value);
    bool fits = static_cast<Number>(made) == value;
    // The greatest integer rounds up to a number that T does not have.
    if constexpr (std::floating_point<Number>)
      fits = fits && value < std::ldexp(Number(1), std::numeric_limits<T>::digits);
    if (!fits)
      a.fail(name, "is " + std::to_string(value) + ", which is no " + std::string(to_string(element_type_of<T>)));
    return made;
  } else {
    return convert<T>(value);
  }
}

}  // namespace detail

/// Kernel of ConstantFill, and base of fills with one value. The type is dtype; without it, int64 for an integer
/// `value`, and for a real one float, or double if X is double, so that gradients, which begin and end with such fills,
/// can be computed in double.
template <backend B>
class constant_fill_kernel : public op_kernel<B> {
 public:
  explicit constant_fill_kernel(op_arguments const& a) : dims_(a) {
    bool const integer = a.is_integer("value");
    follows_ = !a.has("dtype") && !integer;
    type_ = a.has("dtype") || !integer ? read_element_type(a, "dtype") : element_type::int64;
    std::uint64_t wide = 0;
    double const real = integer ? 0 : a.real("value");
    std::memcpy(&wide, &real, sizeof wide);
    wide_bits_ = wide;
    visit_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float16, bfloat16>(type_, [&]<class T>(T) {
      T const value = integer ? detail::element_argument<T>(a, "value", a.integer("value"))
                              : detail::element_argument<T>(a, "value", a.real("value"));
      std::memcpy(&bits_, &value, sizeof(T));
    });
  }

  void infer(shape_context& c) override {
    wide_ = follows_ && c.input_count() != 0 && c.type(0) == element_type::float64;
    c.output(0, wide_ ? element_type::float64 : type_, dims_(c));
  }

  void run(op_context<B>& c) override {
    visit_bits([&]<class Bits>(Bits value) { fill<B>(static_cast<Bits*>(c.raw_output(0)), c.output_size(0), value); });
  }

 protected:
  /// Calls f with the bits of the value: one loop for all types of a size.
  template <class F>
  void visit_bits(F const& f) const {
    if (wide_) return f(wide_bits_);
    switch (size_of(type_)) {
      case 1:
        return f(static_cast<std::uint8_t>(bits_));
      case 2:
        return f(static_cast<std::uint16_t>(bits_));
      case 4:
        return f(static_cast<std::uint32_t>(bits_));
      default:
        return f(bits_);
    }
  }

 private:
  fill_shape dims_;
  element_type type_;
  std::uint64_t bits_ = 0;  // an element in the first bytes, as in memory
  bool follows_;
  bool wide_ = false;
  std::uint64_t wide_bits_;  // the value as a double
};

/// Base of fills with the elements listed in `values`.
template <backend B>
class given_fill_kernel : public op_kernel<B> {
 public:
  given_fill_kernel(op_arguments const& a, element_type type) : dims_(a) {
    visit_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float16, bfloat16>(type, [&]<class T>(T) {
      if (a.are_integers("values"))
        take<T>(a, a.integers("values"));
      else
        take<T>(a, a.reals("values"));
    });
  }

  void infer(shape_context& c) final {
    shape const dims = dims_(c);
    if (dims.size() != values_.size())
      c.fail(std::to_string(values_.size()) + " values do not make a tensor of " + to_string(dims));
    c.output(0, values_.type(), dims);
  }
  void run(op_context<B>& c) final { B::copy(c.raw_output(0), values_.raw(), values_.bytes()); }

 private:
  template <class T, class Listed>
  void take(op_arguments const& a, std::vector<Listed> const& listed) {
    auto const elements = std::make_unique<T[]>(listed.size());
    for (std::size_t i = 0; i != listed.size(); ++i) elements[i] = detail::element_argument<T>(a, "values", listed[i]);
    values_ =
        tensor<B>::from(std::span<T const>(elements.get(), listed.size()), {static_cast<std::int64_t>(listed.size())});
  }

  fill_shape dims_;
  tensor<B> values_;
};

template <backend B, element T>
struct given_kernel final : given_fill_kernel<B> {
  explicit given_kernel(op_arguments const& a) : given_fill_kernel<B>(a, element_type_of<T>) {}
};
/// Fill with the bytes of one text as elements.
template <backend B>
class given_bytes_kernel final : public op_kernel<B> {
 public:
  explicit given_bytes_kernel(op_arguments const& a) : dims_(a) {
    std::vector<std::string> const& texts = a.texts("values");
    if (texts.size() != 1) a.fail("values", "should be one text, not " + std::to_string(texts.size()));
    std::vector<std::uint8_t> const bytes(texts[0].begin(), texts[0].end());
    values_ = tensor<B>::from(bytes, {static_cast<std::int64_t>(bytes.size())});
  }
  void infer(shape_context& c) override {
    shape const dims = dims_(c);
    if (dims.size() != values_.size())
      c.fail(std::to_string(values_.size()) + " bytes do not make a tensor of " + to_string(dims));
    c.output(0, element_type::uint8, dims);
  }
  void run(op_context<B>& c) override { B::copy(c.raw_output(0), values_.raw(), values_.bytes()); }

 private:
  fill_shape dims_;
  tensor<B> values_;
};

/// Fill with listed elements of type `dtype`.
template <backend B>
struct given_any_kernel final : given_fill_kernel<B> {
  explicit given_any_kernel(op_arguments const& a) : given_fill_kernel<B>(a, read_element_type(a, "dtype")) {}
};

template <backend B>
class given_text_kernel final : public op_kernel<B> {
 public:
  explicit given_text_kernel(op_arguments const& a) : dims_(a), texts_(a.texts("values")) {
    if (a.input_count() == 0) make(shape(a.integers("shape")));
  }
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    shape const dims = dims_.of_run(c);
    if (made_ == nullptr || made_->dims() != dims) make(dims);
    c.result(0) = {{}, made_, true};
  }

 private:
  void make(shape const& dims) { made_ = std::make_shared<text_blob>(texts_, dims); }

  fill_shape dims_;
  std::vector<std::string> texts_;
  std::shared_ptr<text_blob> made_;  // replaced for other dims: blobs may share it
};

/// Quantised tensor as an object, with the elements listed in `values`: bytes of a text, or int32.
template <backend B, bool Bytes>
class given_quantised_kernel final : public op_kernel<B> {
 public:
  explicit given_quantised_kernel(op_arguments const& a) {
    tensor_value made{a.integers("shape"), {}, quantisation{a.real("Y_scale"), {}}};
    made.quantised->zero_point = detail::element_argument<std::int32_t>(a, "Y_zero_point", a.integer("Y_zero_point"));
    if constexpr (Bytes) {
      made.data = std::vector<std::uint8_t>(a.text("values").begin(), a.text("values").end());
    } else {
      std::vector<std::int32_t> elements;
      for (std::int64_t const value : a.integers("values"))
        elements.push_back(detail::element_argument<std::int32_t>(a, "values", value));
      made.data = std::move(elements);
    }
    made_ = std::make_shared<quantised_blob>(std::move(made));
  }
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override { c.result(0) = {{}, made_, true}; }

 private:
  std::shared_ptr<quantised_blob> made_;
};

/// Kernel of ZerosLike: zeros in the shape of the input, or no elements if it is unset. Gradient of a blob that only a
/// branch not taken assigns.
template <backend B>
class zeros_like_kernel final : public op_kernel<B> {
 public:
  explicit zeros_like_kernel(op_arguments const&) {}
  void infer(shape_context&) override {}
  void run(op_context<B>& c) override {
    if (c.object(0) != nullptr) c.fail("input 0 is no tensor of numbers, whose shape could be taken");
    auto zeros =
        tensor<B>::uninitialized(c.type(0) == element_type::float64 ? element_type::float64 : element_type::float32,
                                 c.is_set(0) ? c.dims(0) : shape{0});
    fill<B>(static_cast<std::uint8_t*>(zeros.raw()), zeros.bytes(), std::uint8_t{0});
    c.result(0) = {std::move(zeros), nullptr, true};
  }
};

namespace detail {

/// Returns a schema with the inputs and arguments of fills with one value.
inline op_schema constant_fill_schema(std::string_view type, std::string_view value) {
  return fill_shape::schema(type)
      .number_argument("value", 0.0f, value)
      .argument("dtype", std::int64_t{1},
                "the type as TensorProto.DataType numbers it; else FLOAT (DOUBLE as X is), or INT64 where value is an "
                "integer");
}

}  // namespace detail

namespace detail::caffe2 {

/// Checks Caffe2's restriction of GivenTensor fills: `values` is present.
inline shape_check values_given(op_arguments const& a) {
  if (!a.has("values")) a.fail("values", "is missing");
  return {};
}

}  // namespace detail::caffe2

/// Adds ConstantFill, ZerosLike, GivenTensorFill, GivenTensorDoubleFill, GivenTensorFp16Fill, GivenTensorInt16Fill,
/// GivenTensorIntFill, GivenTensorInt64Fill, GivenTensorBoolFill, GivenTensorByteStringToUInt8Fill,
/// GivenTensorStringFill, Int8GivenTensorFill, Int8GivenIntTensorFill.
template <backend B>
void add_fill_operators(operators<B>& table) {
  table.template add<constant_fill_kernel>(detail::constant_fill_schema("ConstantFill", "what every element is")
                                               .describe("Y: shape, or as X: …, every element the same"));
  table.template add<zeros_like_kernel>(
      op_schema("ZerosLike")
          .inputs(1)
          .outputs(1)
          .results_after_run()
          .requires_no_input()
          .describe("Y: as X, which may be unset: then 0; zeros, DOUBLE where X is, else FLOAT"));
  auto const given = [](std::string_view type) {
    return fill_shape::schema(type).describe("Y: shape, or as X: …, of the elements listed");
  };
  char const* const values = "the elements, row by row";
  std::vector<std::int64_t> const integers;
  table.template add<given_any_kernel>(given("GivenTensorFill")
                                           .numbers_argument("values", values)
                                           .argument("dtype", std::int64_t{1}, "as of ConstantFill; FLOAT")
                                           .in_caffe2(detail::caffe2::values_given)
                                           .ignored_in_caffe2("dtype"));
  table.template add<given_kernel<B, double>>(
      given("GivenTensorDoubleFill").numbers_argument("values", values).in_caffe2(detail::caffe2::values_given));
  table.template add<given_kernel<B, float16>>(given("GivenTensorFp16Fill").numbers_argument("values", values));
  table.template add<given_kernel<B, std::int16_t>>(given("GivenTensorInt16Fill").argument("values", integers, values));
  table.template add<given_kernel<B, std::int32_t>>(
      given("GivenTensorIntFill").argument("values", integers, values).in_caffe2(detail::caffe2::values_given));
  table.template add<given_kernel<B, std::int64_t>>(
      given("GivenTensorInt64Fill").argument("values", integers, values).in_caffe2(detail::caffe2::values_given));
  table.template add<given_kernel<B, bool>>(
      given("GivenTensorBoolFill").argument("values", integers, values).in_caffe2(detail::caffe2::values_given));
  table.template add<given_text_kernel>(fill_shape::schema_of_results("GivenTensorStringFill")
                                            .argument("values", std::vector<std::string>(), values)
                                            .in_caffe2(detail::caffe2::values_given)
                                            .describe("Y: shape, or as X: …, of the texts listed"));
  table.template add<given_bytes_kernel>(
      given("GivenTensorByteStringToUInt8Fill")
          .argument("values", std::vector<std::string>(), "one text, whose bytes are the elements, row by row"));
  auto const quantised = [](std::string_view type) {
    return op_schema(type)
        .inputs(0)
        .outputs(1)
        .results_after_run()
        .argument("shape", std::vector<std::int64_t>(), "extents")
        .argument("Y_scale", 1.0f, "of an element e the number is Y_scale * (e - Y_zero_point)")
        .argument("Y_zero_point", std::int64_t{0}, "the element that stands for 0")
        .describe("Y: shape, a quantised tensor of the elements listed");
  };
  table.template add<given_quantised_kernel<B, true>>(
      quantised("Int8GivenTensorFill").argument("values", std::string(), "a text, whose bytes are the elements"));
  table.template add<given_quantised_kernel<B, false>>(
      quantised("Int8GivenIntTensorFill").argument("values", integers, values));
}

}  // namespace plait
