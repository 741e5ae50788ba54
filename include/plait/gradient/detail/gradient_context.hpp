// Context of a gradient rule: an op with its operands and adjoints, and the functions that emit its gradient ops.
//
//   // y = a · b
//   rules.set("Multiply", [](plait::gradient_context& c) {
//     c.op("Multiply", {c.output_gradient(0), c.input(1)}, {c.input_gradient(0)});
//     c.op("Multiply", {c.output_gradient(0), c.input(0)}, {c.input_gradient(1)});
//   });
//
// Members are named after Caffe2's GradientMakerBase where that has them: I, O, GO, GI are input, output,
// output_gradient, input_gradient; SetDense and SetSparse are pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/small_vector.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/core/errors.hpp>
#include <plait/gradient/detail/forward_values.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

class inactive_blobs;
class scope_names;

/// State that backward passes over nested nets share with the enclosing pass.
struct pass_surroundings {
  inactive_blobs* inactive = nullptr;  ///< activity analysis of nested nets
  std::size_t* loops = nullptr;        ///< number of loops differentiated so far, a counter for names
  scope_names const* scope = nullptr;  ///< names that copies must avoid, if blobs are shared; else nullptr
};

/// Thrown by rules through the context: the reason why an op has no gradient. The backward pass catches it and adds the
/// op.
struct gradient_refusal : error {
  using error::error;
};

/// Read access to an op's arguments, nets and name, type-erased over nets.
class op_reader {
 public:
  virtual ~op_reader() = default;
  /// Returns the argument; nothing if it is absent or a net or tensor.
  virtual std::optional<argument_value> argument(std::string_view key) const = 0;
  /// Returns the net in an argument; nullptr if there is none or if the IR does not provide it as a netdef.
  virtual std::shared_ptr<netdef const> net(std::string_view key) const = 0;
  virtual std::string_view name() const = 0;
  /// Returns the current name of an operand, which the pass may still change.
  virtual std::string text(gradient_operand v) const = 0;
};

/// Builder for an op that a rule has emitted.
class made_op {
 public:
  made_op(gradient_tape& tape, std::uint32_t at) : tape_(&tape), at_(at) {}

  made_op& argument(std::string_view key, argument_value value) {
    tape_->edit_details(at_).arguments.push_back({std::string(key), std::move(value)});
    return *this;
  }
  made_op& net(std::string_view key, std::shared_ptr<netdef const> inner) {
    tape_->edit_details(at_).nets.emplace_back(std::string(key), std::move(inner));
    return *this;
  }
  /// Binds an operand to the name that nested nets of the op use for it.
  made_op& bound_as(gradient_operand v, std::string_view name) {
    tape_->edit_details(at_).bound.emplace_back(v, std::string(name));
    return *this;
  }
  /// Declares that nested nets of the op read only the shape of this input.
  made_op& shape_only(gradient_operand v) {
    tape_->edit_details(at_).shapes.push_back(v);
    return *this;
  }
  made_op& named(std::string_view name) {
    tape_->edit_details(at_).name = name;
    return *this;
  }
  /// Does not inherit the arguments of the forward op.
  made_op& own_arguments() {
    (*tape_)[at_].takes.arguments = false;
    return *this;
  }
  /// Inherits nothing from the forward op.
  made_op& plain() {
    (*tape_)[at_].takes = {false, false, false};
    return *this;
  }
  /// Forbids in-place execution: no output may have the name of an input.
  made_op& not_in_place() {
    (*tape_)[at_].not_in_place = true;
    return *this;
  }

 private:
  gradient_tape* tape_;
  std::uint32_t at_;
};

/// An op under differentiation, as its rule sees it.
class gradient_context {
 public:
  using text_type = std::string;
  using operand_list = small_vector<gradient_operand, 8>;

  /// An operand of the op.
  struct operand {
    gradient_operand value;
    symbol blob;  ///< in the tape's symbol table
  };

  gradient_context(gradient_tape& tape, op_reader const& reader) : tape_(&tape), reader_(&reader) {}
  // Not copyable: a rule that took it by value would modify a copy.
  gradient_context(gradient_context const&) = delete;
  gradient_context& operator=(gradient_context const&) = delete;

  // ---- the op
  std::string_view type() const noexcept { return type_; }
  std::string_view name() const { return reader_->name(); }
  std::size_t input_count() const noexcept { return inputs_.size(); }
  std::size_t output_count() const noexcept { return outputs_.size(); }
  std::string_view input_name(std::size_t i) const { return tape_->texts[at(inputs_, i).blob]; }
  std::string_view output_name(std::size_t i) const { return tape_->texts[at(outputs_, i).blob]; }
  gradient_operand input(std::size_t i) const { return at(inputs_, i).value; }
  gradient_operand output(std::size_t i) const { return at(outputs_, i).value; }
  /// Returns the first operand of that name, npos if there is none. O(1), but the first call is O(operands).
  std::size_t find_input(std::string_view name) const { return find(inputs_of_, inputs_, name); }
  std::size_t find_output(std::string_view name) const { return find(outputs_of_, outputs_, name); }
  /// Number of operands that the op lists; the implicit operands, which its nested nets read or write, follow them.
  std::size_t listed_input_count() const noexcept { return listed_inputs_; }
  std::size_t listed_output_count() const noexcept { return listed_outputs_; }

  /// Returns the argument as a T, an alternative of argument_value; `fallback` if it is absent. Integers convert to
  /// float. Refuses an argument of another type.
  template <class T>
  T argument(std::string_view key, T fallback = T()) const {
    std::optional<argument_value> found = reader_->argument(key);
    if (!found) return fallback;
    if (T* const value = std::get_if<T>(&*found)) return std::move(*value);
    if constexpr (std::is_same_v<T, float>)
      if (auto const* const value = std::get_if<std::int64_t>(&*found)) return static_cast<float>(*value);
    refuse("argument '" + std::string(key) + "' is of another type than expected");
  }
  std::optional<argument_value> any_argument(std::string_view key) const { return reader_->argument(key); }
  bool has_argument(std::string_view key) const { return reader_->argument(key).has_value(); }
  std::shared_ptr<netdef const> net(std::string_view key) const { return reader_->net(key); }

  /// gradient_options::numpy_broadcasting
  bool numpy_broadcasting() const noexcept { return numpy_broadcasting_; }

  // ---- gradients of outputs
  bool has_gradient(std::size_t o) const { return static_cast<bool>(at(gradients_, o)); }
  bool is_sparse(std::size_t o) const { return at(gradients_, o).is_sparse(); }
  /// Returns the dense gradient of an output. Refuses if there is none or it is sparse.
  gradient_operand output_gradient(std::size_t o) const {
    if (!has_gradient(o))
      refuse("output '" + std::string(output_name(o)) +
             "' has no gradient: no differentiated op reads it (ZeroGradient adds one)");
    if (is_sparse(o))
      refuse("the gradient of output '" + std::string(output_name(o)) + "' is sparse where a dense one is needed");
    return gradients_[o].values;
  }
  /// Returns the sparse gradient of an output. Refuses if there is none or it is dense.
  gradient_operands output_rows(std::size_t o) const {
    if (!has_gradient(o)) (void)output_gradient(o);
    if (!is_sparse(o))
      refuse("the gradient of output '" + std::string(output_name(o)) + "' is dense where a sparse one is needed");
    return gradients_[o];
  }

  // ---- gradients of inputs
  /// Returns true if the gradient of an input is requested. Rules need not check: dead ops are eliminated.
  bool is_wanted(std::size_t i) const { return at(wanted_, i) != 0; }
  /// `<x>_grad`
  std::string gradient_name(std::size_t i) const {
    return std::string(input_name(i)).append(gradient_tape::gradient_suffix);
  }
  /// Returns a new blob `<x>_grad` for the gradient of input i. An op of the rule must write it.
  gradient_operand input_gradient(std::size_t i) {
    gradient_operand const made = tape_->make_gradient(at(inputs_, i).blob);
    results_[i] = {made, {}};
    return made;
  }
  /// Passes an existing operand through as the gradient of input i.
  void pass(std::size_t i, gradient_operand gradient) { pass(i, gradient_operands{gradient, {}}); }
  void pass(std::size_t i, gradient_operands gradient) { at(results_, i) = gradient; }
  /// Makes the gradient of input i sparse, with the existing operand `indices`. Returns a new blob `<x>_grad_values`
  /// for the rows.
  gradient_operand input_gradient_rows(std::size_t i, gradient_operand indices) {
    gradient_operand const made = tape_->make_value(gradient_name(i) + "_values");
    results_[i] = {made, indices};
    return made;
  }
  /// Returns a new blob for an intermediate result.
  gradient_operand temporary(std::string_view name) { return tape_->make_value(name); }
  gradient_operand temporary(std::string_view stem, std::string_view suffix) {
    return temporary(std::string(stem).append(suffix));
  }
  /// Returns a new blob that overwrites `other` if that is dead from here on, else a blob of another name.
  gradient_operand in_place_of(gradient_operand other) { return tape_->make_value_like(other); }

  /// Returns a new blob with the name of `other` even if that is still live: for state that ops update.
  gradient_operand update(gradient_operand other) {
    gradient_operand const made = tape_->make_value_like(other);
    tape_->made(made).forced = true;
    return made;
  }
  /// Returns the current name of an operand, which the pass may still change.
  std::string text(gradient_operand v) const { return reader_->text(v); }
  /// gradient_options::as_caffe2
  bool as_caffe2() const noexcept { return as_caffe2_; }
  /// Returns the state to share with backward passes over nested nets.
  pass_surroundings const& surroundings() const noexcept { return surroundings_; }

  /// Returns which forward values are available when gradient ops run.
  forward_values& forward() const {
    PLAIT_ASSERT(forward_ != nullptr, "gradient_context: set_forward has not been called");
    return *forward_;
  }

  /// Requests a saved copy of a forward blob, in the net or a nested one, for gradient ops.
  void save(saved_value copy) { saved_.push_back(std::move(copy)); }

  // ---- ops
  /// Appends an op. It inherits device, engine and arguments from the forward op; arguments added to it come first.
  template <class Inputs = std::initializer_list<gradient_operand>,
            class Outputs = std::initializer_list<gradient_operand>>
  made_op op(std::string_view type, Inputs const& inputs, Outputs const& outputs) {
    return made_op(*tape_, tape_->add(type, source_, inputs, outputs, inherited()));
  }

  [[noreturn]] static void refuse(std::string const& why) { throw gradient_refusal(why); }
  void refuse_unless(bool holds, std::string const& why) const {
    if (!holds) refuse(why);
  }

  // ---- for the backward pass
  gradient_tape& tape() noexcept { return *tape_; }
  op_index source() const noexcept { return source_; }
  void start(op_index source, std::string_view type) {
    source_ = source;
    type_ = type;
    first_value_ = tape_->value_count();
    inputs_.clear();
    outputs_.clear();
    inputs_of_.clear();
    outputs_of_.clear();
    gradients_.clear();
    wanted_.clear();
    results_.clear();
    saved_.clear();
  }
  void add_input(operand in, bool wanted) {
    inputs_.push_back(in);
    wanted_.push_back(wanted ? 1 : 0);
    results_.emplace_back();
  }
  void add_output(operand out, gradient_operands gradient) {
    outputs_.push_back(out);
    gradients_.push_back(gradient);
  }
  void set_output_gradient(std::size_t o, gradient_operands gradient) { gradients_[o] = gradient; }
  /// Refuses if an op that the rule has emitted, from `first` on, reads a value that the rule has not computed by then,
  /// or if no op computes a gradient that it returns.
  void expect_made(std::size_t first) const {
    for (std::size_t op = first; op != tape_->ops().size(); ++op)
      for (gradient_operand const in : tape_->inputs(op)) expect_made_before(op, in);
    for (gradient_operands const& result : results_)
      for (gradient_operand const v : {result.values, result.indices})
        if (v) expect_made_before(tape_->ops().size(), v);
  }
  void set_surroundings(pass_surroundings const& s) { surroundings_ = s; }
  void set_forward(forward_values& values) { forward_ = &values; }
  void set_options(bool numpy_broadcasting, bool as_caffe2) {
    numpy_broadcasting_ = numpy_broadcasting;
    as_caffe2_ = as_caffe2;
  }
  void set_listed(std::size_t inputs, std::size_t outputs) {
    listed_inputs_ = inputs;
    listed_outputs_ = outputs;
  }
  std::span<gradient_operands const> results() const noexcept { return results_; }
  std::vector<saved_value>& saved() noexcept { return saved_; }

 private:
  template <class Operands>
  static auto at(Operands& all, std::size_t i) -> decltype((all[i])) {
    if (i >= all.size()) refuse("it has no operand " + std::to_string(i));
    return all[i];
  }

  using places = boost::unordered_flat_map<std::uint32_t, std::size_t>;  // indices of operands, by symbol of the blob

  std::size_t find(places& known, std::vector<operand> const& all, std::string_view name) const {
    if (known.empty())
      for (std::size_t i = 0; i != all.size(); ++i) known.emplace(all[i].blob.id, i);
    auto const found = known.find(tape_->texts.find(name).id);
    return found == known.end() ? npos : found->second;
  }

  void expect_made_before(std::size_t op, gradient_operand v) const {
    if (!v) refuse("its rule emits an op with an invalid operand");
    if (v.id < first_value_ || tape_->made(v).maker < op) return;
    std::string const name = tape_->wish(v);
    refuse("its rule reads " + (name.empty() ? "a blob" : '\'' + name + '\'') + " before one of its ops computes it");
  }

  gradient_tape* tape_;
  op_reader const* reader_;
  std::size_t first_value_ = 0;  // the first value that the rule adds to the tape
  op_index source_ = npos;
  std::string_view type_;
  std::size_t listed_inputs_ = 0;
  std::size_t listed_outputs_ = 0;
  bool numpy_broadcasting_ = false;
  bool as_caffe2_ = false;
  pass_surroundings surroundings_;
  forward_values* forward_ = nullptr;
  std::vector<operand> inputs_;
  std::vector<operand> outputs_;
  mutable places inputs_of_;  // built by the first look-up
  mutable places outputs_of_;
  std::vector<gradient_operands> gradients_;  // by output
  std::vector<char> wanted_;                  // by input
  std::vector<gradient_operands> results_;    // gradients by input
  std::vector<saved_value> saved_;
};

}  // namespace plait
