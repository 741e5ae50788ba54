// Argument of shape inference: types of the inputs of an op, and storage for those of its outputs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Argument of shape inference: the types of the inputs of an op, and storage for those of its outputs. Errors do not
/// name the op; the caller of infer adds it.
class shape_context {
 public:
  /// Copies the elements of an input to the host: input number, destination, number of bytes.
  using reader = void (*)(void* state, std::size_t input, void* to, std::size_t bytes);
  /// Returns the name of an input, for messages.
  using namer = std::string_view (*)(void* state, std::size_t input);

  shape_context(std::span<tensor_spec const* const> inputs, std::span<tensor_spec> outputs, reader from = nullptr,
                void* state = nullptr)
      : inputs_(inputs), outputs_(outputs), read_(from), state_(state) {}

  std::size_t input_count() const noexcept { return inputs_.size(); }
  std::size_t output_count() const noexcept { return outputs_.size(); }
  tensor_spec const& input(std::size_t i) const {
    PLAIT_ASSERT(i < inputs_.size(), "shape_context: no such input");
    return *inputs_[i];
  }
  element_type type(std::size_t i) const { return input(i).type; }
  shape const& dims(std::size_t i) const { return input(i).dims; }
  void output(std::size_t i, element_type type, shape const& dims) {
    PLAIT_ASSERT(i < outputs_.size(), "shape_context: no such output");
    outputs_[i] = {type, dims};
  }
  /// Marks an output as unset: ops that read it are refused. Its type is a scalar of no type, unlike an output that
  /// infer has not set.
  void output_nothing(std::size_t i) { output(i, element_type::none, {}); }
  tensor_spec const& output(std::size_t i) const {
    PLAIT_ASSERT(i < outputs_.size(), "shape_context: no such output");
    return outputs_[i];
  }

  /// Sets the elements of an integer output that follow from types alone, for engine::forecast_run.
  template <std::ranges::input_range Integers>
  void elements_of_output(std::size_t i, Integers const& elements) {
    if (!told_.empty()) told_[i].assign(elements.begin(), elements.end());
  }
  /// Sets the destination of elements_of_output, by output. For the caller of infer.
  void listen(std::span<std::vector<std::int64_t>> to) noexcept { told_ = to; }

  // ---- forecasts of ops with results_after_run
  /// Returns the object in an input, if it is known; else nullptr.
  std::shared_ptr<blob_object> object(std::size_t i) const { return i < objects_.size() ? objects_[i] : nullptr; }
  /// Sets an output that is an object.
  void output_object(std::size_t i, std::shared_ptr<blob_object> made) {
    output(i, element_type::object, detail::no_elements);
    made_objects_[i] = std::move(made);
  }
  /// Adds memory from the pool that the op will hold after its run, including outputs, in bytes. Saturates.
  void hold(std::size_t bytes) noexcept { held_ = detail::add_sat(held_, bytes); }
  std::size_t held_bytes() const noexcept { return held_; }
  /// Sets the objects of inputs, and storage for those of outputs. For the caller of infer.
  void set_objects(std::span<std::shared_ptr<blob_object> const> inputs,
                   std::span<std::shared_ptr<blob_object>> outputs) noexcept {
    objects_ = inputs;
    made_objects_ = outputs;
  }

  /// Requests scratch memory for run(), in bytes; its contents do not persist between runs.
  void scratch(std::size_t bytes) { scratch_ = bytes; }
  std::size_t scratch_bytes() const noexcept { return scratch_; }

  /// Returns the elements of an input that the schema names in shape_from.
  template <element T>
  std::vector<T> elements(std::size_t i) const {
    std::vector<T> made;
    elements(i, made);
    return made;
  }
  /// Reads the elements of such an input into `made`, and returns it: a kernel whose inference runs often need not
  /// allocate.
  template <element T>
  std::vector<T> const& elements(std::size_t i, std::vector<T>& made) const {
    static_assert(!std::same_as<T, bool>);
    expect_type<T>(i);
    made.resize(static_cast<std::size_t>(dims(i).size()));
    read(i, made.data(), made.size() * sizeof(T));
    return made;
  }
  /// Returns the only element of such an input.
  template <element T>
  T only(std::size_t i) const {
    expect_type<T>(i);
    expect(dims(i).size() == 1, i, "have one element");
    T made{};
    read(i, &made, sizeof made);
    return made;
  }
  /// Returns the only element of such an input of int32 or int64.
  std::int64_t only_integer(std::size_t i) const {
    expect_type<std::int32_t, std::int64_t>(i);
    return type(i) == element_type::int64 ? only<std::int64_t>(i) : only<std::int32_t>(i);
  }
  /// Reads the elements of an input of int32 or int64 into `made`, and returns it.
  std::vector<std::int64_t> const& integers(std::size_t i, std::vector<std::int64_t>& made) const {
    expect_type<std::int32_t, std::int64_t>(i);
    auto const count = static_cast<std::size_t>(dims(i).size());
    made.resize(count);
    bool const narrow = type(i) == element_type::int32;
    // int32 elements are read into the second half, so that none is overwritten before it is widened.
    auto* const at = reinterpret_cast<std::byte*>(made.data()) + (narrow ? count * sizeof(std::int32_t) : 0);
    read(i, at, count * (narrow ? sizeof(std::int32_t) : sizeof(std::int64_t)));
    for (std::size_t k = 0; narrow && k != count; ++k) {
      std::int32_t number = 0;
      std::memcpy(&number, at + k * sizeof number, sizeof number);
      made[k] = number;
    }
    return made;
  }
  /// Reads the elements of an input of bool into `made`, 0 or 1 each, and returns it.
  std::vector<std::uint8_t> const& flags(std::size_t i, std::vector<std::uint8_t>& made) const {
    expect_type<bool>(i);
    made.resize(static_cast<std::size_t>(dims(i).size()));
    read(i, made.data(), made.size());
    return made;
  }

  // ---- checks
  /// Sets the names of the inputs, which `names` gets from the state of the constructor. For the caller of infer.
  void name_inputs(namer names) noexcept { name_of_ = names; }
  /// Returns the name of an input; empty if the caller of infer has not set names.
  std::string_view input_name(std::size_t i) const {
    return name_of_ == nullptr ? std::string_view() : name_of_(state_, i);
  }
  /// Returns "input 0 'x' is float32 2x3", for messages.
  std::string input_text(std::size_t i) const { return "input " + numbered(i) + " is " + to_string(input(i)); }
  /// Throws shape_error.
  [[noreturn]] static void fail(std::string_view text) { throw shape_error("plait: " + std::string(text)); }
  /// Returns the type of an input. Throws unless it is one of Ts.
  template <element... Ts>
  element_type expect_type(std::size_t i) const {
    if (!((type(i) == element_type_of<Ts>) || ...)) {
      std::string names;
      ((names += (names.empty() ? "" : " or ") + std::string(to_string(element_type_of<Ts>))), ...);
      fail_at(i, "hold " + names);
    }
    return type(i);
  }
  /// Throws unless two inputs have the same element type.
  void expect_same_type(std::size_t a, std::size_t b) const {
    if (type(a) != type(b)) fail(pair_text(a, b) + ", of different element types");
  }
  void expect_same_dims(std::size_t a, std::size_t b) const {
    if (dims(a) != dims(b)) fail(pair_text(a, b) + ", of different shapes");
  }
  /// Throws unless the rank is in a range. `axes` names the axes: "N×C×H×W".
  void expect_rank(std::size_t i, std::size_t least, std::size_t most = shape::max_rank,
                   std::string_view axes = {}) const {
    if (dims(i).rank() < least || dims(i).rank() > most)
      fail_at(i, "have " +
                     (least == most             ? std::to_string(least)
                      : most == shape::max_rank ? "at least " + std::to_string(least)
                                                : std::to_string(least) + " to " + std::to_string(most)) +
                     " dimensions" + (axes.empty() ? "" : ", " + std::string(axes)));
  }
  /// Throws unless an axis of a data input has the extent that a parameter requires; the data is at fault, since the
  /// parameter belongs to the model.
  void expect_extent(std::size_t data, std::size_t at, std::int64_t extent, std::size_t parameter) const {
    if (dims(data)[at] != extent)
      fail_at(data, "have an extent of " + std::to_string(extent) + " in axis " + std::to_string(at) + ", as " +
                        input_text(parameter));
  }
  /// Throws unless `holds`, with a message of texts, integers, shapes and tensor types: "which should …".
  template <class... Parts>
  void expect(bool holds, std::size_t i, Parts const&... wanted) const {
    if (holds) return;
    std::string text;
    (add_to(text, wanted), ...);
    fail_at(i, text);
  }
  /// Throws unless infer has set the type of every output; before, all were none.
  void expect_outputs() const {
    for (std::size_t o = 0; o != outputs_.size(); ++o)
      if (outputs_[o] == tensor_spec{element_type::none, detail::no_elements})
        fail("infer of the kernel gives output " + std::to_string(o) + " no type");
  }
  /// Returns an axis of an input, counted from the end if negative. With `end`, the rank itself is valid, too.
  std::size_t axis(std::size_t i, std::int64_t at, bool end = false) const {
    auto const rank = static_cast<std::int64_t>(dims(i).rank());
    std::int64_t const found = at < 0 ? at + rank : at;
    if (found < 0 || found > rank || (found == rank && !end))
      throw shape_error("plait: " + input_text(i) + " and has no axis " + std::to_string(at), i);
    return static_cast<std::size_t>(found);
  }

  /// Returns "inputs 0 'x' and 1 'w' are float32 2x3 and float32 3x2", for messages.
  std::string pair_text(std::size_t a, std::size_t b) const {
    return "inputs " + numbered(a) + " and " + numbered(b) + " are " + to_string(input(a)) + " and " +
           to_string(input(b));
  }

 private:
  [[noreturn]] void fail_at(std::size_t i, std::string_view wanted) const {
    throw shape_error("plait: " + input_text(i) + ", which should " + std::string(wanted), i);
  }
  std::string numbered(std::size_t i) const {
    std::string text = std::to_string(i);
    if (name_of_ != nullptr) text += " '" + std::string(input_name(i)) + '\'';
    return text;
  }
  static void add_to(std::string& text, std::string_view part) { text += part; }
  static void add_to(std::string& text, std::integral auto number) { text += std::to_string(number); }
  static void add_to(std::string& text, shape const& dims) { text += to_string(dims); }
  static void add_to(std::string& text, tensor_spec const& spec) { text += to_string(spec); }

  void read(std::size_t i, void* to, std::size_t bytes) const {
    PLAIT_ASSERT(read_ != nullptr, "shape_context: the op's description has no shape_from");
    read_(state_, i, to, bytes);
  }

  std::span<tensor_spec const* const> inputs_;
  std::span<tensor_spec> outputs_;
  reader read_;
  void* state_;
  namer name_of_ = nullptr;
  std::span<std::vector<std::int64_t>> told_;
  std::size_t scratch_ = 0;
  std::span<std::shared_ptr<blob_object> const> objects_;
  std::span<std::shared_ptr<blob_object>> made_objects_;
  std::size_t held_ = 0;
};

}  // namespace plait
