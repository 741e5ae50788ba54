// Op arguments: the arguments of one op, decoded by the schema of its type.
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

/// Arguments and numbers of operands of an op, for its kernel's constructor. Values come from the net, or else from the
/// schema; reading an argument that the schema lacks, or as another type, throws precondition_error.
class op_arguments {
 public:
  op_arguments(op_schema const& schema, std::size_t input_count, std::size_t output_count)
      : schema_(&schema), values_(schema.arguments().size()), inputs_(input_count), outputs_(output_count) {}

  op_schema const& schema() const noexcept { return *schema_; }
  std::size_t input_count() const noexcept { return inputs_; }
  std::size_t output_count() const noexcept { return outputs_; }

  /// Returns true if the net sets the argument.
  bool has(std::string_view name) const { return values_[place(name)].has_value(); }
  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  /// Returns true if a number_or_name is a name, which text() returns; otherwise integer() returns the number.
  bool is_name(std::string_view name) const {
    auto const& value = values_[place(name)];
    return value && std::holds_alternative<std::string>(*value);
  }
  /// Returns true if a number_argument is an integer, which integer() returns; otherwise real() returns the number.
  bool is_integer(std::string_view name) const {
    auto const& value = values_[place(name)];
    return value && std::holds_alternative<std::int64_t>(*value);
  }
  /// Returns true if a numbers_argument has integers, which integers() returns; otherwise reals() returns the list.
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

  /// Returns the real name of a blob that an argument names, from an argument `<blob>.rename`; the same name without
  /// one. Applies to names in lists of texts, names of operands, and these with "_grad"; others are returned unchanged.
  std::string const& renamed(std::string const& blob) const {
    for (auto const& [from, to] : renames_)
      if (from == blob) return to;
    return blob;
  }
  void set_renamed(std::string const& blob, std::string text) { renames_.emplace_back(blob, std::move(text)); }

  /// Returns the random stream of the op, which differs from those of the net's other ops: see random_stream_of.
  std::uint64_t stream() const noexcept { return stream_; }
  void set_stream(std::uint64_t stream) noexcept { stream_ = stream; }

  /// Returns the pairs of an input and an output of the same name. Set only for restrictions (operators::restrict).
  std::vector<operand_pair> const& in_place() const noexcept { return in_place_; }
  void set_in_place(std::vector<operand_pair> pairs) { in_place_ = std::move(pairs); }

  /// Returns true if the net marks the op as part of its backward pass.
  bool is_gradient() const noexcept { return is_gradient_; }
  void set_gradient(bool is) noexcept { is_gradient_ = is; }

  /// Returns true if products of floats may use bf16x3 GEMM: compile_options::bf16x3, for gemm_shape::bf16x3.
  bool allows_bf16x3() const noexcept { return bf16x3_; }
  void set_bf16x3(bool on) noexcept { bf16x3_ = on; }

  /// Returns true if rows of the first `rows` inputs, with all of the others, determine the same rows of the outputs:
  /// see op_schema::rows_independent. Throws shape_error for invalid arguments.
  bool has_independent_rows(std::size_t rows) const {
    if (row_claim const claim = schema_->rows_by_arguments()) return claim(*this, rows);
    return schema_->row_inputs() && rows == std::min(*schema_->row_inputs(), inputs_);
  }

  /// Returns true if shapes depend on elements of inputs: see op_schema::shape_from.
  bool has_shapes_from_elements() const {
    op_condition const where = schema_->shapes_by_elements();
    return std::ranges::any_of(schema_->shape_inputs(), [this](std::size_t i) { return i < inputs_; }) &&
           (where == nullptr || where(*this));
  }
  /// Returns true if the op depends on more than its operands: see op_schema::differs_by_run.
  bool differs_by_run() const {
    op_condition const where = schema_->different_runs();
    return where != nullptr && where(*this);
  }

  /// Throws shape_error for an invalid value; the caller adds the op.
  [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
    throw shape_error("plait: argument '" + std::string(name) + "' " + std::string(expected));
  }

  /// Sets an argument from a value in a net. Converts integers to reals: a single one unless numbers are exact, and
  /// lists. Throws shape_error for any other value of another type.
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
  // Not PLAIT_ASSERT: the message names the misspelt argument, and arguments are read only when a net is compiled.
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
  std::vector<std::optional<argument_value>> values_;  // by argument of the schema
  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<std::pair<std::string, std::string>> renames_;
  std::vector<operand_pair> in_place_;
  std::uint64_t stream_ = 0;
  bool is_gradient_ = false;
  bool bf16x3_ = false;
};

/// Returns true if an axis, counted from the end if negative, is not the first of two or more axes, whatever the rank.
[[nodiscard]] constexpr bool is_inner_axis(std::int64_t axis) noexcept { return axis > 0 || axis == -1; }

/// Row claim, for op_schema::rows_independent, of an op that views its first input as a matrix, whose rows are the axes
/// before the argument `axis`.
[[nodiscard]] inline bool rows_before_axis(op_arguments const& a, std::size_t rows) {
  return rows == 1 && is_inner_axis(a.integer("axis"));
}

/// Returns the random stream of an op that writes a version of a blob. It depends on nothing else: it is the same on
/// every machine, and adding or removing other ops does not change what the op draws. FNV-1a.
[[nodiscard]] constexpr std::uint64_t random_stream_of(std::string_view blob, std::uint64_t version) noexcept {
  std::uint64_t state = 0xcbf29ce484222325u;
  auto const mix = [&](std::uint64_t byte) { state = (state ^ byte) * 0x100000001b3u; };
  for (char const letter : blob) mix(static_cast<unsigned char>(letter));
  for (int byte = 0; byte != 8; ++byte) mix(version >> (8 * byte) & 0xff);
  return state;
}

namespace detail {

// Looks up names one by one: nets need not be able to list their arguments.
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

/// Returns the arguments of an op, except nets; ignores those that the schema lacks. is_gradient() is that of
/// net_traits<N>::is_gradient(n, op), if it exists. Throws shape_error for a number of operands that the op type does
/// not have, and for an argument that is refused, missing or of another type.
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
