// Op schema: operands, arguments and aliasing of an op type, known before it runs.
//
//   plait::op_schema("LeakyRelu").inputs(1).outputs(1).in_place(0, 0).rows_independent()
//       .argument("alpha", 0.01f, "slope below zero")
//       .describe("Y = X where X ≥ 0, alpha·X elsewhere");
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/operand_pair.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// Argument of an op type.
struct argument_info {
  std::string name;
  argument_value fallback;  ///< its type is the argument's type
  bool required = false;
  std::string text;
  bool or_name = false;      ///< accepts a text instead of a number
  bool as_given = false;     ///< keeps integers where reals are expected
  bool passed_over = false;  ///< is ignored in nets
};

/// Argument of an op type that is a net.
struct net_argument_info {
  std::string name;
  bool required = false;
  std::string text;
};

class op_arguments;
class shape_context;

/// Check of the inputs of an op before inference; throws like infer.
using shape_check = std::function<void(shape_context const&)>;
/// Restriction of an op type in one table: throws like op_arguments::fail, or returns a check of shapes, which may be
/// empty.
using op_restriction = shape_check (*)(op_arguments const&);

/// Caffe2 column of a schema: what the Caffe2 of 2018 ignored and refused in ops of a type. Only caffe2_operators
/// applies it.
struct caffe2_column {
  std::vector<op_restriction> restrictions;
  std::vector<std::string> ignored_arguments;
  bool refuses_doubles = false;
  bool has_schema = true;  ///< false: any output may have the name of any input
};

/// Predicate on ops of a type, by arguments and numbers of operands.
using op_condition = bool (*)(op_arguments const&);

/// Predicate on ops with these arguments: rows are independent if the first `rows` inputs have them, and the others are
/// the same for all rows.
using row_claim = bool (*)(op_arguments const&, std::size_t rows);

/// Description of an op type. Setters return the object.
class op_schema {
 public:
  explicit op_schema(std::string_view type) : type_(type) {}

  // ---- description
  op_schema& inputs(std::size_t count) { return inputs(count, count); }
  op_schema& inputs(std::size_t least, std::size_t most) {
    inputs_ = {least, most};
    return *this;
  }
  op_schema& outputs(std::size_t count) { return outputs(count, count); }
  op_schema& outputs(std::size_t least, std::size_t most) {
    outputs_ = {least, most};
    return *this;
  }
  /// Allows the output to overwrite the input, whose elements are read before they are written.
  op_schema& in_place(std::size_t input, std::size_t output) {
    in_place_.push_back({input, output});
    return *this;
  }
  /// Makes the op update the input: when it runs, the output holds the input already, in the same memory or as a copy.
  op_schema& updates(std::size_t input, std::size_t output) {
    updates_.push_back({input, output});
    return *this;
  }
  /// Makes the output a view of the input, in another shape, if aliasing is safe; otherwise the op copies.
  op_schema& views(std::size_t input, std::size_t output) {
    views_.push_back({input, output});
    return *this;
  }
  /// Makes output shapes depend on the elements of an input, so that they are known only when the op is reached.
  op_schema& shape_from(std::size_t input) {
    shape_inputs_.push_back(input);
    return *this;
  }
  /// Restricts shape_from to ops for which the condition holds.
  op_schema& shape_from_where(op_condition where) {
    shapes_where_ = where;
    return *this;
  }
  /// Makes the op a function of its inputs with independent rows: rows of the inputs determine the same rows of the
  /// outputs, whatever other rows there are. Rows are indices of the first axis (not of all axes but the last, as in
  /// pattern_kind::rows); further inputs, from `parameters` on, are the same for all rows. Inputs with rows have
  /// equally many, and equally many axes if one is broadcast to another; an output that may be in place of one has as
  /// many axes as it.
  op_schema& rows_independent(std::size_t parameters = npos) {
    row_inputs_ = parameters;
    return *this;
  }
  /// Like rows_independent(parameters), if arguments decide. Inputs with rows have two or more axes: first ≠ last.
  op_schema& rows_independent(row_claim where) {
    row_claim_ = where;
    return *this;
  }
  /// Declares side effects: the op does more than write its outputs, or does not always write the same, so that
  /// transformations must neither drop nor repeat it. Plans do neither.
  op_schema& side_effects() {
    side_effects_ = true;
    return *this;
  }
  /// Makes the op depend on more than its operands: on how often it has run, or on elements that the host reads. Its
  /// kernel launches cannot be replayed in another run: see captured_runs. With a condition, only for ops for which
  /// that holds.
  op_schema& differs_by_run(op_condition where = [](op_arguments const&) { return true; }) {
    differs_where_ = where;
    return *this;
  }
  /// Adds an argument of the type of `fallback`.
  op_schema& argument(std::string_view name, argument_value fallback, std::string_view text) {
    arguments_.push_back({std::string(name), std::move(fallback), false, std::string(text)});
    return *this;
  }
  template <class T>
  op_schema& required_argument(std::string_view name, std::string_view text) {
    arguments_.push_back({std::string(name), T{}, true, std::string(text)});
    return *this;
  }
  /// Adds a number, or its name: see op_arguments::is_name.
  op_schema& number_or_name(std::string_view name, std::int64_t fallback, std::string_view text) {
    arguments_.push_back({std::string(name), fallback, false, std::string(text), true});
    return *this;
  }
  /// Adds a real number or an integer: see op_arguments::is_integer.
  op_schema& number_argument(std::string_view name, float fallback, std::string_view text) {
    arguments_.push_back({std::string(name), fallback, false, std::string(text), false, true});
    return *this;
  }
  /// Adds a list of reals or of integers: see op_arguments::are_integers.
  op_schema& numbers_argument(std::string_view name, std::string_view text) {
    arguments_.push_back({std::string(name), std::vector<float>(), false, std::string(text), false, true});
    return *this;
  }
  /// Ignores an argument in nets, as if the op type did not have it: its value is the fallback. Precondition: there is
  /// such an argument, and it is not required.
  op_schema& pass_over(std::string_view name) {
    for (argument_info& a : arguments_) {
      if (a.name != name) continue;
      PLAIT_ASSERT(!a.required, "op_schema: a required argument cannot be passed over");
      a.passed_over = true;
      return *this;
    }
    PLAIT_ASSERT(false, "op_schema: the description has no such argument");
    return *this;
  }
  /// Refuses an integer as a real number, unless the argument takes both.
  op_schema& exact_numbers() {
    exact_numbers_ = true;
    return *this;
  }
  op_schema& net_argument(std::string_view name, std::string_view text) {
    net_arguments_.push_back({std::string(name), false, std::string(text)});
    return *this;
  }
  op_schema& required_net_argument(std::string_view name, std::string_view text) {
    net_arguments_.push_back({std::string(name), true, std::string(text)});
    return *this;
  }
  /// Reads arguments `<blob>.rename`, left behind by memory planners: the real names of blobs that other arguments
  /// name. See op_arguments::renamed.
  op_schema& renames_blobs() {
    renames_blobs_ = true;
    return *this;
  }
  /// Refuses an argument of an unsupported convention: `why`.
  op_schema& refused_argument(std::string_view name, std::string_view why) {
    refused_arguments_.push_back({std::string(name), false, std::string(why)});
    return *this;
  }
  /// Makes the types of outputs known only after the run: the op returns its own tensors and objects
  /// (op_context::result), and later ops are inferred then; infer is called only for forecasts. The inputs of such an
  /// op include the previous values of its outputs' blobs, after those that the net lists.
  op_schema& results_after_run() {
    results_after_run_ = true;
    return *this;
  }
  /// Lets results of an op with results_after_run alias each other, or memory that the op keeps, so that later ops do
  /// not work in place on them.
  op_schema& shares_results() {
    shares_results_ = true;
    return *this;
  }
  /// Requires only the first, or only the last, of the listed inputs to be set, in an op with results_after_run. Nested
  /// nets check the others where they read them.
  op_schema& requires_first_input_only() {
    required_ = required_inputs::first;
    return *this;
  }
  op_schema& requires_last_input_only() {
    required_ = required_inputs::last;
    return *this;
  }
  /// Lets every input be unset. Only for ops with results_after_run.
  op_schema& requires_no_input() {
    required_ = required_inputs::none;
    return *this;
  }
  /// Allows inputs that are objects, or anything else but a tensor.
  op_schema& takes_objects() {
    takes_objects_ = true;
    return *this;
  }
  /// Orders all ops of a plan that have the same value as this input, as if each of them wrote it: they run in the
  /// order of the net, also in parallel. For objects with effects of their own, such as communicators.
  op_schema& in_order(std::size_t input) {
    ordered_input_ = input;
    return *this;
  }
  /// Declares that the op throws only before it writes anything. Otherwise memory that must be rolled back is copied
  /// before each run.
  op_schema& checks_first() {
    checks_first_ = true;
    return *this;
  }
  op_schema& describe(std::string_view text) {
    text_ = text;
    return *this;
  }

  // ---- Caffe2 of 2018, for caffe2_operators
  /// Adds a restriction: Caffe2 refused ops of the type for which it throws.
  op_schema& in_caffe2(op_restriction asks) {
    caffe2_.restrictions.push_back(asks);
    return *this;
  }
  /// Declares that Caffe2 ignored an argument, mostly because it got the argument later. Precondition: as for
  /// pass_over.
  op_schema& ignored_in_caffe2(std::string_view argument) {
    caffe2_.ignored_arguments.emplace_back(argument);
    return *this;
  }
  /// Declares that Caffe2 refused inputs of doubles. This is checked after all restrictions of in_caffe2.
  op_schema& no_doubles_in_caffe2() {
    caffe2_.refuses_doubles = true;
    return *this;
  }
  /// Declares that no schema of Caffe2 restricts which outputs have the names of inputs: it allowed every pair, or got
  /// the type later.
  op_schema& without_caffe2_schema() {
    caffe2_.has_schema = false;
    return *this;
  }

  // ---- queries
  std::string const& type() const noexcept { return type_; }
  std::string const& text() const noexcept { return text_; }
  std::pair<std::size_t, std::size_t> input_range() const noexcept { return inputs_; }
  std::pair<std::size_t, std::size_t> output_range() const noexcept { return outputs_; }
  std::vector<argument_info> const& arguments() const noexcept { return arguments_; }
  bool may_be_in_place(std::size_t input, std::size_t output) const { return holds(in_place_, {input, output}); }
  bool updates_in_place(std::size_t input, std::size_t output) const { return holds(updates_, {input, output}); }
  std::vector<operand_pair> const& updates() const noexcept { return updates_; }
  std::vector<operand_pair> const& views() const noexcept { return views_; }
  bool is_view(std::size_t input, std::size_t output) const { return holds(views_, {input, output}); }
  std::vector<std::size_t> const& shape_inputs() const noexcept { return shape_inputs_; }
  /// Returns the condition of shape_from_where; nullptr if it holds for all ops.
  op_condition shapes_by_elements() const noexcept { return shapes_where_; }
  /// Returns true if rows are independent for some arguments at least: see op_arguments::has_independent_rows.
  bool claims_rows() const noexcept { return row_inputs_ || row_claim_ != nullptr; }
  /// Returns the first input shared by all rows, whatever the arguments; nothing if they decide, or rows are dependent.
  std::optional<std::size_t> row_inputs() const noexcept { return row_inputs_; }
  /// Returns nullptr if arguments do not decide.
  row_claim rows_by_arguments() const noexcept { return row_claim_; }
  std::vector<net_argument_info> const& net_arguments() const noexcept { return net_arguments_; }
  bool has_renamed_blobs() const noexcept { return renames_blobs_; }
  std::vector<net_argument_info> const& refused_arguments() const noexcept { return refused_arguments_; }
  bool has_results_after_run() const noexcept { return results_after_run_; }
  bool has_shared_results() const noexcept { return shares_results_; }
  /// Returns true if an input must be set, of the `listed` inputs that the net lists.
  bool requires_input(std::size_t input, std::size_t listed) const noexcept {
    if (input >= listed || required_ == required_inputs::none) return false;
    return required_ == required_inputs::all || input == (required_ == required_inputs::first ? 0 : listed - 1);
  }
  bool may_take_objects() const noexcept { return takes_objects_ || results_after_run_; }
  bool has_side_effects() const noexcept { return side_effects_; }
  bool has_exact_numbers() const noexcept { return exact_numbers_; }
  /// Returns the condition of differs_by_run; nullptr if it holds for no op.
  op_condition different_runs() const noexcept { return differs_where_; }
  bool has_checked_first() const noexcept { return checks_first_; }
  /// Returns the input of in_order; nothing if there is none.
  std::optional<std::size_t> ordered_input() const noexcept { return ordered_input_; }
  caffe2_column const& caffe2() const noexcept { return caffe2_; }
  /// Throws an error if the schema is inconsistent: it refers to an operand that no op of the type has, has a minimum
  /// of operands above the maximum, or describes an argument twice.
  void check() const {
    auto const refuse = [&](std::string const& why) { throw error("plait: op type " + type_ + ": " + why); };
    auto const expect = [&](std::size_t at, std::size_t most, std::string const& what) {
      if (at >= most)
        refuse("the description speaks of " + what + ' ' + std::to_string(at) + ", but no op has more than " +
               std::to_string(most));
    };
    if (inputs_.first > inputs_.second) refuse("more inputs are asked for than there may be");
    if (outputs_.first > outputs_.second) refuse("more outputs are asked for than there may be");
    for (auto const* pairs : {&in_place_, &updates_, &views_})
      for (operand_pair const pair : *pairs) {
        expect(pair.input, inputs_.second, "input");
        expect(pair.output, outputs_.second, "output");
      }
    for (std::size_t const input : shape_inputs_) expect(input, inputs_.second, "input");
    if (ordered_input_) expect(*ordered_input_, inputs_.second, "input");
    std::vector<std::string_view> names;
    for (argument_info const& a : arguments_) names.push_back(a.name);
    for (net_argument_info const& a : net_arguments_) names.push_back(a.name);
    std::ranges::sort(names);
    if (auto const twice = std::ranges::adjacent_find(names); twice != names.end())
      refuse("argument '" + std::string(*twice) + "' is described twice");
  }

 private:
  enum class required_inputs { all, first, last, none };

  static bool holds(std::vector<operand_pair> const& pairs, operand_pair wanted) {
    for (operand_pair const pair : pairs)
      if (pair == wanted) return true;
    return false;
  }

  std::string type_;
  std::string text_;
  std::pair<std::size_t, std::size_t> inputs_ = {0, 0};
  std::pair<std::size_t, std::size_t> outputs_ = {0, 0};
  std::vector<argument_info> arguments_;
  std::vector<net_argument_info> net_arguments_;
  std::vector<net_argument_info> refused_arguments_;
  std::vector<operand_pair> in_place_;
  std::vector<operand_pair> updates_;
  std::vector<operand_pair> views_;
  std::vector<std::size_t> shape_inputs_;
  op_condition shapes_where_ = nullptr;
  std::optional<std::size_t> row_inputs_;
  row_claim row_claim_ = nullptr;
  bool renames_blobs_ = false;
  bool side_effects_ = false;
  bool exact_numbers_ = false;
  op_condition differs_where_ = nullptr;
  bool checks_first_ = false;
  std::optional<std::size_t> ordered_input_;
  required_inputs required_ = required_inputs::all;
  bool results_after_run_ = false;
  bool shares_results_ = false;
  bool takes_objects_ = false;
  caffe2_column caffe2_;
};

}  // namespace plait
