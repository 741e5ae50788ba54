// How an op type is written: a class that infers shapes and runs.
//
//   template <class B>
//   struct leaky_relu : plait::op_kernel<B> {
//     float alpha;
//     explicit leaky_relu(plait::op_arguments const& a) : alpha(a.real("alpha")) {}
//     void infer(plait::shape_context& c) override {
//       c.output(0, c.expect_type<float>(0), c.dims(0));
//     }
//     void run(plait::op_context<B>& c) override {
//       auto const* x = c.template input<float>(0);
//       auto* y = c.template output<float>(0);
//       float const slope = alpha;  // nvcc takes no [alpha = alpha]
//       plait::for_each_index<B>(c.size(0), [=] PLAIT_HOST_DEVICE(std::size_t i) {
//         y[i] = x[i] < 0 ? slope * x[i] : x[i];
//       });
//     }
//   };
//   operators.template add<leaky_relu>(schema);
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
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/column_part.hpp>
#include <plait/exec/detail/kernels/element_program.hpp>
#include <plait/exec/detail/kernels/simple_function.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// What infer sees of an op: the types of its inputs, and a place for those of its outputs. Errors are thrown without
/// saying which op it is; who calls infer knows.
class shape_context {
 public:
  /// Reads the elements of an input to the host: the number of the input, where to, how many bytes.
  using reader = void (*)(void* state, std::size_t input, void* to, std::size_t bytes);

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
  /// The output holds nothing: ops that read it are refused. A scalar of no type, unlike what infer has not set.
  void output_nothing(std::size_t i) { output(i, element_type::none, {}); }
  tensor_spec const& output(std::size_t i) const {
    PLAIT_ASSERT(i < outputs_.size(), "shape_context: no such output");
    return outputs_[i];
  }

  /// Tells the elements of an output of integers, where types alone say them: of use before a run (plan::forecast_run).
  template <std::ranges::input_range Integers>
  void elements_of_output(std::size_t i, Integers const& elements) {
    if (!told_.empty()) told_[i].assign(elements.begin(), elements.end());
  }
  /// For who calls infer: where to put what is told so, by output.
  void listen(std::span<std::vector<std::int64_t>> to) noexcept { told_ = to; }

  /// Memory that run() needs besides, in bytes; its contents do not last from run to run.
  void scratch(std::size_t bytes) { scratch_ = bytes; }
  std::size_t scratch_bytes() const noexcept { return scratch_; }

  /// The elements of an input that the description names by shape_from.
  template <element T>
  std::vector<T> elements(std::size_t i) const {
    static_assert(!std::same_as<T, bool>);
    expect_type<T>(i);
    std::vector<T> made(static_cast<std::size_t>(dims(i).size()));
    read(i, made.data(), made.size() * sizeof(T));
    return made;
  }
  /// The one element of such an input, which must have no more.
  template <element T>
  T only(std::size_t i) const {
    expect_type<T>(i);
    expect(dims(i).size() == 1, i, "have one element");
    T made{};
    read(i, &made, sizeof made);
    return made;
  }
  /// The same of int32 or int64.
  std::int64_t only_integer(std::size_t i) const {
    expect_type<std::int32_t, std::int64_t>(i);
    return type(i) == element_type::int64 ? only<std::int64_t>(i) : only<std::int32_t>(i);
  }
  /// Those of an input of int32 or int64, in place of what is in a list, which is returned: a kernel that is asked
  /// again and again need not make one anew.
  std::vector<std::int64_t> const& integers(std::size_t i, std::vector<std::int64_t>& made) const {
    expect_type<std::int32_t, std::int64_t>(i);
    auto const count = static_cast<std::size_t>(dims(i).size());
    made.resize(count);
    bool const narrow = type(i) == element_type::int32;
    // Narrow ones are read into the second half: none is overwritten before it is widened.
    auto* const at = reinterpret_cast<std::byte*>(made.data()) + (narrow ? count * sizeof(std::int32_t) : 0);
    read(i, at, count * (narrow ? sizeof(std::int32_t) : sizeof(std::int64_t)));
    for (std::size_t k = 0; narrow && k != count; ++k) {
      std::int32_t number = 0;
      std::memcpy(&number, at + k * sizeof number, sizeof number);
      made[k] = number;
    }
    return made;
  }
  /// The same of an input of bool, 0 or 1 each.
  std::vector<std::uint8_t> const& flags(std::size_t i, std::vector<std::uint8_t>& made) const {
    expect_type<bool>(i);
    made.resize(static_cast<std::size_t>(dims(i).size()));
    read(i, made.data(), made.size());
    return made;
  }

  // ---- checks
  /// Throws shape_error.
  [[noreturn]] static void fail(std::string_view text) { throw shape_error("plait: " + std::string(text)); }
  /// The type of an input that must be one of Ts.
  template <element... Ts>
  element_type expect_type(std::size_t i) const {
    if (!((type(i) == element_type_of<Ts>) || ...)) {
      std::string names;
      ((names += (names.empty() ? "" : " or ") + std::string(to_string(element_type_of<Ts>))), ...);
      fail("input " + std::to_string(i) + " is " + to_string(input(i)) + ", which should hold " + names);
    }
    return type(i);
  }
  /// Two inputs hold the same type.
  void expect_same_type(std::size_t a, std::size_t b) const {
    if (type(a) != type(b))
      fail("inputs " + std::to_string(a) + " and " + std::to_string(b) + " are " + to_string(input(a)) + " and " +
           to_string(input(b)) + ", of different element types");
  }
  void expect_same_dims(std::size_t a, std::size_t b) const {
    if (dims(a) != dims(b))
      fail("inputs " + std::to_string(a) + " and " + std::to_string(b) + " are " + to_string(input(a)) + " and " +
           to_string(input(b)) + ", of different shapes");
  }
  void expect_rank(std::size_t i, std::size_t least, std::size_t most = shape::max_rank) const {
    if (dims(i).rank() < least || dims(i).rank() > most)
      fail("input " + std::to_string(i) + " is " + to_string(input(i)) + ", which should have " +
           (least == most             ? std::to_string(least)
            : most == shape::max_rank ? "at least " + std::to_string(least)
                                      : std::to_string(least) + " to " + std::to_string(most)) +
           " dimensions");
  }
  /// Of what it should do texts, integers, shapes and types of tensors are put together, if it does not.
  template <class... Parts>
  void expect(bool holds, std::size_t i, Parts const&... wanted) const {
    if (holds) return;
    std::string text = "input " + std::to_string(i) + " is " + to_string(input(i)) + ", which should ";
    (add_to(text, wanted), ...);
    fail(text);
  }
  /// What infer has to give: a type for every output, which were of type none before.
  void expect_outputs() const {
    for (std::size_t o = 0; o != outputs_.size(); ++o)
      if (outputs_[o] == tensor_spec{element_type::none, detail::no_elements})
        fail("infer of the kernel gives output " + std::to_string(o) + " no type");
  }
  /// An axis of an input, counted from the end if negative; one more than there are where `end` allows it.
  std::size_t axis(std::size_t i, std::int64_t at, bool end = false) const {
    auto const rank = static_cast<std::int64_t>(dims(i).rank());
    std::int64_t const found = at < 0 ? at + rank : at;
    if (found < 0 || found > rank || (found == rank && !end))
      fail("input " + std::to_string(i) + " is " + to_string(input(i)) + " and has no axis " + std::to_string(at));
    return static_cast<std::size_t>(found);
  }

 private:
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
  std::span<std::vector<std::int64_t>> told_;
  std::size_t scratch_ = 0;
};

/// Where a tensor of a plan stands: contiguous memory. Kept by the plan, one for each value. Of type `object` it is the
/// address of a std::shared_ptr<blob_object>; of type `none` there is nothing.
struct slot {
  void* data = nullptr;
  tensor_spec type;
};

/// What an op whose results are known after its run is asked before it: to set the outputs' types, and to say what it
/// will hold.
template <backend B>
struct run_forecast {
  shape_context types;
  std::span<std::shared_ptr<blob_object> const> inputs;  ///< by input: the object that it is, as far as it is known
  std::span<std::shared_ptr<blob_object>> outputs;       ///< for the op to set where an output is one
  std::size_t held = 0;                                  ///< bytes from the pool, outputs among them, once it has run

  /// Adds to `held`, which stays the largest number where that is exceeded.
  void hold(std::size_t bytes) noexcept { held = detail::add_sat(held, bytes); }
};

struct run_options;
template <backend B>
class rows_on_demand;

/// What an op whose schema says results_after_run is given besides. Kept by the plan.
template <backend B>
struct op_results {
  std::vector<blob<B>> values;        ///< by output: for the op to set
  std::vector<std::uint32_t> places;  ///< by output: see op_context::place
  std::size_t listed_inputs = 0;      ///< those of the net; the others need not be set, see also requires_input
  run_options const* options = nullptr;
  rows_on_demand<B>* demanded = nullptr;  ///< of an input that the op takes in order, if it is not there
  std::size_t demanded_input = 0;
};

/// What run sees of an op.
template <backend B>
class op_context {
 public:
  op_context() = default;
  op_context(std::span<slot* const> inputs, std::span<slot* const> outputs) : inputs_(inputs), outputs_(outputs) {}

  std::size_t input_count() const noexcept { return inputs_.size(); }
  std::size_t output_count() const noexcept { return outputs_.size(); }
  tensor_spec const& input_spec(std::size_t i) const { return at(inputs_, i).type; }
  tensor_spec const& output_spec(std::size_t i) const { return at(outputs_, i).type; }
  element_type type(std::size_t i) const { return input_spec(i).type; }
  shape const& dims(std::size_t i) const { return input_spec(i).dims; }
  /// The number of elements of an input.
  std::size_t size(std::size_t i) const { return static_cast<std::size_t>(dims(i).size()); }
  std::size_t output_size(std::size_t i) const { return static_cast<std::size_t>(output_spec(i).dims.size()); }

  template <element T>
  T const* input(std::size_t i) const {
    PLAIT_ASSERT(input_spec(i).type == element_type_of<T>, "op_context: the input is of another type");
    return static_cast<T const*>(at(inputs_, i).data);
  }
  template <element T>
  T* output(std::size_t i) const {
    PLAIT_ASSERT(output_spec(i).type == element_type_of<T>, "op_context: the output is of another type");
    return static_cast<T*>(at(outputs_, i).data);
  }
  void const* raw_input(std::size_t i) const { return at(inputs_, i).data; }
  void* raw_output(std::size_t i) const { return at(outputs_, i).data; }

  std::span<slot* const> inputs() const noexcept { return inputs_; }
  std::span<slot* const> outputs() const noexcept { return outputs_; }

  /// What infer asked for by scratch(), aligned as the backend's memory is.
  void* scratch() const noexcept { return scratch_; }
  void set_scratch(void* memory) noexcept { scratch_ = memory; }

  // ---- of ops whose results are known after the run
  bool is_set(std::size_t i) const { return input_spec(i).type != element_type::none; }
  /// The object an input is; nullptr for a tensor and for nothing.
  std::shared_ptr<blob_object> object(std::size_t i) const {
    slot const& found = at(inputs_, i);
    return found.type.type == element_type::object ? *static_cast<std::shared_ptr<blob_object>*>(found.data) : nullptr;
  }
  /// What an output is to be. A tensor is contiguous and owns its memory, or has no owner and stands where the input
  /// place(i) does. Left unset, the blob holds nothing.
  blob<B>& result(std::size_t i) const {
    PLAIT_ASSERT(results_ != nullptr && i < results_->values.size(), "op_context: no such result");
    return results_->values[i];
  }
  /// The input of the same name as an output whose memory the op may overwrite, and return as the output; npos if there
  /// is none.
  std::uint32_t place(std::size_t i) const { return results_->places[i]; }
  /// For running nets inside the op.
  run_options const& options() const { return *results_->options; }
  /// What makes an input that op_kernel::takes_in_order; nullptr if it is there.
  rows_on_demand<B>* demanded(std::size_t i) const {
    return results_->demanded_input == i ? results_->demanded : nullptr;
  }
  void set_results(op_results<B>* results) noexcept { results_ = results; }

  [[noreturn]] static void fail(std::string_view text) { throw shape_error("plait: " + std::string(text)); }

 private:
  static slot& at(std::span<slot* const> slots, std::size_t i) {
    PLAIT_ASSERT(i < slots.size(), "op_context: no such operand");
    return *slots[i];
  }

  std::span<slot* const> inputs_;
  std::span<slot* const> outputs_;
  void* scratch_ = nullptr;
  op_results<B>* results_ = nullptr;
};

/// What is known of several runs of an op that follow each other, all of the same types: a series.
struct run_series {
  std::size_t runs = 0;
  std::vector<bool> same = {};     ///< by input: the elements are the same in all of them
  std::vector<bool> lasting = {};  ///< by input: what a run is given stays where it is, as it is, until the series ends
  std::vector<bool> summed =
      {};  ///< by output: only the sum over the runs is asked for, which is an output of them all
};

/// What an op is by rows: see op_kernel::by_rows. From the 65th on operands are by rows.
struct row_runs {
  std::size_t work = 0;             ///< of all rows, in elements that are merely moved; 0: it is not by rows
  std::uint64_t whole_inputs = 0;   ///< a bit an input: the same for all rows
  std::uint64_t whole_outputs = 0;  ///< a bit an output: rows leave it alone
  bool undivided = false;           ///< several threads had better each have something else than rows
  bool in_pieces = false;           ///< a few rows at a time cost no more than all at once, each for its part
  bool is_sum = false;              ///< output 0 is input 0 plus input 1, element by element, and that is all
  bool can_add = false;             ///< run_rows_adding may be called
  std::size_t least_rows = 1;       ///< of a thread: fewer at a time cost more each
  constexpr bool is_whole_input(std::size_t i) const { return i < 64 && (whole_inputs >> i & 1) != 0; }
  constexpr bool is_whole_output(std::size_t i) const { return i < 64 && (whole_outputs >> i & 1) != 0; }
};

/// What an op of one row is by columns: see op_kernel::by_columns.
struct column_runs {
  std::size_t work = 0;            ///< of all columns, in elements that are merely moved; 0: it is not by columns
  std::uint64_t whole_inputs = 0;  ///< a bit an input: the same for all columns
  std::size_t width = 0;           ///< of the blocks that operands are made of; 0: whatever divides them
  std::size_t step = 1;            ///< parts of a block begin at multiples of this
  constexpr bool is_whole_input(std::size_t i) const { return i < 64 && (whole_inputs >> i & 1) != 0; }
  static constexpr bool is_whole_output(std::size_t) { return false; }
};

/// What an op makes of each element by itself: see op_kernel::by_element.
struct element_function {
  /// For `count` elements: `operands` are where the first of them is in each input, then in each output. Does not
  /// throw.
  void (*run)(void const* self, void* const* operands, std::size_t count) = nullptr;
  void const* self = nullptr;  ///< part of the kernel, or constant
  /// What it is of the inputs, in their order, if it is so simple; `type` is that of all operands, float32 or float64.
  simple_function simple = simple_function::none;
  element_type type = element_type::none;

  /// Of F, which says in a member `simple` what it is, if it is so simple, and of operands of type T.
  template <class F, class T>
  constexpr element_function& is() {
    if constexpr (requires { F::simple; } && std::floating_point<T>) {
      simple = F::simple;
      type = element_type_of<T>;
    }
    return *this;
  }
};

/// What op_kernel::by_element says.
template <backend B>
using function_of_elements = std::conditional_t<B::on_device, device_function, element_function>;

/// What an op does that only moves elements, on a device: see op_kernel::by_parts.
struct parts_of_rows {
  enum class way : unsigned char { none, cut, joined } moved = way::none;
  std::size_t width = 0;  ///< of a part, in elements
};

/// One op of a plan. Constructed from op_arguments; what the constructor throws says what is wrong with the arguments.
template <backend B>
class op_kernel {
 public:
  op_kernel() = default;
  op_kernel(op_kernel const&) = delete;
  op_kernel& operator=(op_kernel const&) = delete;
  virtual ~op_kernel() = default;

  /// Gives every output its type. Called again whenever the types of inputs have changed, and before each run where
  /// elements decide on shapes; throws shape_error for inputs the op is not defined for.
  virtual void infer(shape_context& c) = 0;
  /// Decides what can be decided once for these types: the choice of a kernel, a layout. Called after infer.
  virtual void prepare(op_context<B>&) {}
  /// Computes the outputs. Throws, if at all, before anything is written, unless the description says otherwise.
  virtual void run(op_context<B>& c) = 0;

  /// What the op will make and hold; false if that cannot be said. Nothing lasts: infer is called before it is run.
  virtual bool forecast(run_forecast<B>&) { return false; }

  /// Of an op whose results are known after its run: if it goes through the places of an input's first axis in order,
  /// reads each no more than once, and may be given a few at a time (see op_context::demanded), how many at least; else
  /// 0.
  virtual std::size_t takes_in_order(std::size_t /*input*/) const { return 0; }

  /// Before a series of runs. What is made of inputs that stay the same may be kept until it ends. True if the op sums
  /// by itself: runs, or end_series, then add to outputs that are summed, which is what one of them stands in all the
  /// time. Called after prepare.
  virtual bool begin_series(op_context<B>&, run_series const&) { return false; }
  /// After the last run; `whole` is false if one has failed and nobody wants the sums.
  virtual void end_series(op_context<B>&, bool /*whole*/) {}
  /// By input: whether its elements are the same from now on, in a series and after it, until this is called again.
  /// What was made of inputs before is to be forgotten; what a series makes of those may then outlive it.
  virtual void keep_constants(std::vector<bool> const& /*inputs*/) {}

  /// On hosts: whether rows, which are the places of all axes but the last, or a vector's elements, can be
  /// computed by several threads, each from the same rows of the inputs and from inputs that are the same for all.
  virtual row_runs by_rows(op_context<B> const&) const { return {}; }
  /// The same of a run whose rows are made a few at a time, in a series in which the whole inputs stay the same. Types
  /// are known, and nothing else.
  virtual row_runs by_pieces(op_context<B> const& c) const { return by_rows(c); }
  /// Once for all rows of a run, before them.
  virtual void begin_rows(op_context<B>&) {}
  /// Some rows, while other threads have others: operands are matrices or vectors of these rows only, but for the whole
  /// ones.
  virtual void run_rows(op_context<B>& c) { run(c); }
  /// The same, and the elements at `addend`, as many as output 0 has and apart from it, are added to that output: on
  /// hosts with the bits that adding them afterwards would give.
  virtual void run_rows_adding(op_context<B>&, void const* /*addend*/) {
    PLAIT_ASSERT(false, "op_kernel: by_rows says can_add, and there is no run_rows_adding");
  }

  /// On hosts, of operands that are one row each: whether threads can each make some columns of it. Operands are made
  /// of blocks of one width, as the four gates of an LSTM's units are, and from a part of each block, and from inputs
  /// that are the same for all, the op makes the same part of each block of its outputs. Ops that are by_element need
  /// not say so.
  virtual column_runs by_columns(op_context<B> const&) const { return {}; }
  /// Some columns, while other threads make others, with the bits of run(). Does not throw.
  virtual void run_columns(op_context<B> const&, column_part const&) noexcept {
    PLAIT_ASSERT(false, "op_kernel: by_columns says that there is work, and there is no run_columns");
  }

  /// If run makes each element of the outputs of the same element of the inputs, and of inputs of one element where the
  /// outputs have more, the function that does it, with the same bits. On a device there is one output, and inputs may
  /// also be repeated along rows or columns. Asked after prepare, holds until that is called again.
  virtual function_of_elements<B> by_element(op_context<B> const&) const { return {}; }
  /// On devices: if run cuts rows of its first input into as long parts, which are the rows of its outputs, or joins
  /// rows of its inputs to those of its first output and leaves all else to begin_rows. Asked as by_element.
  virtual parts_of_rows by_parts(op_context<B> const&) const { return {}; }
};

/// An op of a plan that may be run together with others; nullptr for one that may not.
template <backend B>
struct group_candidate {
  op_kernel<B>* kernel = nullptr;
  op_context<B>* context = nullptr;
};

}  // namespace plait
