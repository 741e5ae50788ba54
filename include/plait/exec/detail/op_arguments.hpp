// The arguments of one op, decoded by the op type's description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// What an op is made from. Values are those of the net or else the description's; asking for an argument that the
/// description does not have, or by another type, is a mistake of the program (precondition_error).
class op_arguments {
 public:
  op_arguments(op_schema const& schema, std::size_t input_count, std::size_t output_count)
      : schema_(&schema), values_(schema.arguments().size()), inputs_(input_count), outputs_(output_count) {}

  op_schema const& schema() const noexcept { return *schema_; }
  std::size_t input_count() const noexcept { return inputs_; }
  std::size_t output_count() const noexcept { return outputs_; }

  /// Whether the net gives the argument.
  bool has(std::string_view name) const { return values_[place(name)].has_value(); }
  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  /// Whether an argument that is a number or its name is given by name: text() is it then.
  bool is_name(std::string_view name) const {
    auto const& value = values_[place(name)];
    return value && std::holds_alternative<std::string>(*value);
  }
  /// Whether an argument that is any number is given as an integer: integer() is it then, real() elsewhere.
  bool is_integer(std::string_view name) const {
    auto const& value = values_[place(name)];
    return value && std::holds_alternative<std::int64_t>(*value);
  }
  /// Whether a list of numbers is one of integers: integers() is it then, reals() elsewhere.
  bool are_integers(std::string_view name) const {
    return std::holds_alternative<std::vector<std::int64_t>>(value(place(name)));
  }
  bool flag(std::string_view name) const { return integer(name) != 0; }
  float real(std::string_view name) const { return get<float>(name); }
  std::string const& text(std::string_view name) const { return get<std::string>(name); }
  std::vector<std::int64_t> const& integers(std::string_view name) const {
    return get<std::vector<std::int64_t>>(name);
  }
  std::vector<float> const& reals(std::string_view name) const { return get<std::vector<float>>(name); }
  std::vector<std::string> const& texts(std::string_view name) const { return get<std::vector<std::string>>(name); }

  /// What a blob that an argument names is called in truth, by an argument `<blob>.rename`; the same without one. Asked
  /// for a name that is neither in a list of texts nor an operand's, nor one of these with "_grad", it is the same too.
  std::string const& renamed(std::string const& blob) const {
    for (auto const& [from, to] : renames_)
      if (from == blob) return to;
    return blob;
  }
  void set_renamed(std::string const& blob, std::string text) { renames_.emplace_back(blob, std::move(text)); }

  /// What tells the op's random numbers from those of the net's other ops: see random_stream_of.
  std::uint64_t stream() const noexcept { return stream_; }
  void set_stream(std::uint64_t stream) noexcept { stream_ = stream; }

  /// Which outputs are named as an input is. Told to restrictions only (operators::restrict).
  std::vector<operand_pair> const& in_place() const noexcept { return in_place_; }
  void set_in_place(std::vector<operand_pair> pairs) { in_place_ = std::move(pairs); }

  /// Whether the net marks the op as one of its backward pass.
  bool is_gradient() const noexcept { return is_gradient_; }
  void set_gradient(bool is) noexcept { is_gradient_ = is; }

  /// Whether its products of floats may be bf16x3 products: compile_options::bf16x3, for gemm_shape::bf16x3.
  bool allows_bf16x3() const noexcept { return bf16x3_; }
  void set_bf16x3(bool on) noexcept { bf16x3_ = on; }

  /// Whether some rows of the first `rows` inputs, and all of the others, make the same rows of the outputs: see
  /// op_schema::rows_independent. Throws shape_error where arguments make no sense.
  bool has_independent_rows(std::size_t rows) const {
    if (row_claim const claim = schema_->rows_by_arguments()) return claim(*this, rows);
    return schema_->row_inputs() && rows == std::min(*schema_->row_inputs(), inputs_);
  }

  /// Whether elements of its inputs decide on shapes: see op_schema::shape_from.
  bool has_shapes_from_elements() const {
    op_condition const where = schema_->shapes_by_elements();
    return std::ranges::any_of(schema_->shape_inputs(), [this](std::size_t i) { return i < inputs_; }) &&
           (where == nullptr || where(*this));
  }
  /// Whether what it does depends on more than its operands: see op_schema::differs_by_run.
  bool differs_by_run() const {
    op_condition const where = schema_->different_runs();
    return where != nullptr && where(*this);
  }

  /// For values that the op cannot have; the caller adds which op it is.
  [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
    throw shape_error("plait: argument '" + std::string(name) + "' " + std::string(expected));
  }

  /// Sets an argument from what a net holds: a number for a real or a list of one, too, unless numbers are exact.
  /// Throws shape_error for anything else of another type.
  void set(std::size_t place, argument_value value) {
    argument_info const& info = schema_->arguments()[place];
    values_[place] = std::visit(
        [&]<class Wanted>(Wanted const&) -> argument_value {
          if (auto* same = std::get_if<Wanted>(&value)) return std::move(*same);
          if constexpr (std::is_same_v<Wanted, std::int64_t>)
            if (info.or_name && std::holds_alternative<std::string>(value)) return std::move(value);
          if constexpr (std::is_same_v<Wanted, float>)
            if (auto const* number = std::get_if<std::int64_t>(&value)) {
              if (info.as_given) return *number;
              if (schema_->has_exact_numbers()) fail(info.name, "is an integer, which should be a real number");
              return static_cast<float>(*number);
            }
          if constexpr (std::is_same_v<Wanted, std::vector<float>>)
            if (auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) {
              if (info.as_given) return std::move(*numbers);
              std::vector<float> made;
              for (std::int64_t const number : *numbers) made.push_back(static_cast<float>(number));
              return made;
            }
          if constexpr (std::is_same_v<Wanted, std::vector<std::string>>)
            if (auto const* empty = std::get_if<std::vector<std::int64_t>>(&value); empty != nullptr && empty->empty())
              return std::vector<std::string>();
          fail(info.name, "is of another type than expected");
        },
        info.fallback);
  }

 private:
  // Not PLAIT_ASSERT: a slip in a name is found by its name, and ops are made once.
  [[noreturn]] void refuse(std::string_view name, std::string_view why) const {
    throw precondition_error("op_arguments: argument '" + std::string(name) + "' that a kernel of " + schema_->type() +
                             " asks for " + std::string(why));
  }
  std::size_t place(std::string_view name) const {
    auto const& all = schema_->arguments();
    for (std::size_t i = 0; i != all.size(); ++i)
      if (all[i].name == name) return i;
    refuse(name, "is not in the description");
  }
  template <class T>
  T const& get(std::string_view name) const {
    auto const* found = std::get_if<T>(&value(place(name)));
    if (found == nullptr) refuse(name, "has another type in the description");
    return *found;
  }
  argument_value const& value(std::size_t place) const {
    return values_[place] ? *values_[place] : schema_->arguments()[place].fallback;
  }

  op_schema const* schema_;
  std::vector<std::optional<argument_value>> values_;  // by argument of the description
  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<std::pair<std::string, std::string>> renames_;
  std::vector<operand_pair> in_place_;
  std::uint64_t stream_ = 0;
  bool is_gradient_ = false;
  bool bf16x3_ = false;
};

/// Of an axis that may be counted from the end: it is not the first of two or more, however many there are.
[[nodiscard]] constexpr bool is_inner_axis(std::int64_t axis) noexcept { return axis > 0 || axis == -1; }

/// A claim for op_schema::rows_independent: of what takes its first input for a matrix, whose rows are the axes before
/// the argument `axis`.
[[nodiscard]] inline bool rows_before_axis(op_arguments const& a, std::size_t rows) {
  return rows == 1 && is_inner_axis(a.integer("axis"));
}

/// The stream of random numbers of an op that writes a version of a blob. Since it hangs on nothing else, ops can be
/// added to a net or taken away, and what the others draw stays the same; it is the same on every machine. FNV-1a.
[[nodiscard]] constexpr std::uint64_t random_stream_of(std::string_view blob, std::uint64_t version) noexcept {
  std::uint64_t state = 0xcbf29ce484222325u;
  auto const mix = [&](std::uint64_t byte) { state = (state ^ byte) * 0x100000001b3u; };
  for (char const letter : blob) mix(static_cast<unsigned char>(letter));
  for (int byte = 0; byte != 8; ++byte) mix(version >> (8 * byte) & 0xff);
  return state;
}

namespace detail {

// Names are asked for one by one: nets need not be able to list their arguments.
template <net N, class Op>
void read_renames(N const& n, Op const& op, op_arguments& made) {
  using traits = net_traits_of<N>;
  auto const read = [&](std::string const& blob) {
    std::string const key = blob + ".rename";
    if (!traits::has_argument(n, op, key)) return;
    auto value = traits::argument(n, op, key);
    if (!value || !std::holds_alternative<std::string>(*value)) made.fail(key, "is of another type than expected");
    made.set_renamed(blob, std::get<std::string>(std::move(*value)));
  };
  auto const read_both = [&](std::string const& blob) {
    read(blob);
    read(blob + "_grad");
  };
  for (argument_info const& info : made.schema().arguments())
    if (std::holds_alternative<std::vector<std::string>>(info.fallback))
      for (std::string const& blob : made.texts(info.name)) read_both(blob);
  for (auto&& name : plait::inputs(n, op)) read_both(std::string(name_text(n, name)));
  for (auto&& name : plait::outputs(n, op)) read_both(std::string(name_text(n, name)));
}

}  // namespace detail

/// The arguments of an op of a net, nets among them excepted; those that the description does not name are passed over.
/// Whether it is a gradient op comes from net_traits<N>::is_gradient(n, op), where there is such a thing. Throws
/// shape_error for a number of operands the op type does not have, for a missing argument and one of another type.
template <net N, class Op>
[[nodiscard]] op_arguments read_op_arguments(N const& n, Op const& op, op_schema const& schema) {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for ([[maybe_unused]] auto&& name : plait::inputs(n, op)) ++inputs;
  for ([[maybe_unused]] auto&& name : plait::outputs(n, op)) ++outputs;
  auto const check = [](std::size_t count, std::pair<std::size_t, std::size_t> range, char const* what) {
    if (count >= range.first && count <= range.second) return;
    std::string wanted = std::to_string(range.first);
    if (range.second == npos)
      wanted += " or more";
    else if (range.second != range.first)
      wanted += " to " + std::to_string(range.second);
    throw shape_error("plait: " + std::to_string(count) + ' ' + what + " where there should be " + wanted);
  };
  op_arguments made(schema, inputs, outputs);
  if constexpr (argument_readable_net<N>)
    for (net_argument_info const& refused : schema.refused_arguments())
      if (detail::net_traits_of<N>::has_argument(n, op, refused.name)) made.fail(refused.name, refused.text);
  check(inputs, schema.input_range(), "inputs");
  check(outputs, schema.output_range(), "outputs");
  if constexpr (requires { detail::net_traits_of<N>::is_gradient(n, op); })
    made.set_gradient(detail::net_traits_of<N>::is_gradient(n, op));
  for (std::size_t i = 0; i != schema.arguments().size(); ++i) {
    argument_info const& info = schema.arguments()[i];
    if constexpr (argument_readable_net<N>) {
      using traits = detail::net_traits_of<N>;
      if (!info.passed_over && traits::has_argument(n, op, info.name)) {
        auto value = traits::argument(n, op, info.name);
        if (!value) made.fail(info.name, "is of another type than expected");
        made.set(i, std::move(*value));
        continue;
      }
    }
    if (info.required) made.fail(info.name, "is missing");
  }
  if constexpr (argument_readable_net<N> && has_text<N>)
    if (schema.has_renamed_blobs()) detail::read_renames(n, op, made);
  return made;
}

}  // namespace plait
