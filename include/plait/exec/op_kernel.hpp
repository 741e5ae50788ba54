// Kernel interface of an op type: a class with shape inference and execution.
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
//       float const slope = alpha;  // nvcc does not accept [alpha = alpha]
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

  /// Sets the elements of an integer output that follow from types alone, for plan::forecast_run.
  template <std::ranges::input_range Integers>
  void elements_of_output(std::size_t i, Integers const& elements) {
    if (!told_.empty()) told_[i].assign(elements.begin(), elements.end());
  }
  /// Sets the destination of elements_of_output, by output. For the caller of infer.
  void listen(std::span<std::vector<std::int64_t>> to) noexcept { told_ = to; }

  /// Requests scratch memory for run(), in bytes; its contents do not persist between runs.
  void scratch(std::size_t bytes) { scratch_ = bytes; }
  std::size_t scratch_bytes() const noexcept { return scratch_; }

  /// Returns the elements of an input that the schema names in shape_from.
  template <element T>
  std::vector<T> elements(std::size_t i) const {
    static_assert(!std::same_as<T, bool>);
    expect_type<T>(i);
    std::vector<T> made(static_cast<std::size_t>(dims(i).size()));
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
  /// Reads the elements of an input of int32 or int64 into `made`, and returns it: a kernel whose inference runs often
  /// need not allocate.
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
    if (name_of_ != nullptr) text += " '" + std::string(name_of_(state_, i)) + '\'';
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
};

/// Slot: the contiguous memory and type of a value of a plan, owned by the plan. For type `object`, `data` is the
/// address of a std::shared_ptr<blob_object>; for type `none` the value is unset.
struct slot {
  void* data = nullptr;
  tensor_spec type;
};

/// Memory forecast of an op with data-dependent results (results_after_run): the op sets the outputs' types and the
/// memory that it will hold.
template <backend B>
struct run_forecast {
  shape_context types;
  std::span<std::shared_ptr<blob_object> const> inputs;  ///< by input: its object, if known
  std::span<std::shared_ptr<blob_object>> outputs;       ///< set by the op if an output is an object
  std::size_t held = 0;                                  ///< bytes from the pool after its run, including outputs

  /// Adds to `held`, saturating.
  void hold(std::size_t bytes) noexcept { held = detail::add_sat(held, bytes); }
};

struct run_options;
template <backend B>
class rows_on_demand;

/// Additional operands of an op whose schema has results_after_run. Owned by the plan.
template <backend B>
struct op_results {
  std::vector<blob<B>> values;        ///< by output: set by the op
  std::vector<std::uint32_t> places;  ///< by output: see op_context::place
  std::size_t listed_inputs = 0;      ///< number of inputs that the net lists; others may be unset, see requires_input
  run_options const* options = nullptr;
  rows_on_demand<B>* demanded = nullptr;  ///< producer of a streamed input (takes_in_order); nullptr if none
  std::size_t demanded_input = 0;
};

/// Argument of run: the operands of an op, with their types and memory.
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
  /// Returns the number of elements of an input.
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

  /// Returns the memory that infer requested by scratch(), aligned like all memory of the backend.
  void* scratch() const noexcept { return scratch_; }
  void set_scratch(void* memory) noexcept { scratch_ = memory; }

  // ---- ops with results_after_run
  bool is_set(std::size_t i) const { return input_spec(i).type != element_type::none; }
  /// Returns the object in an input; nullptr for a tensor or an unset input.
  std::shared_ptr<blob_object> object(std::size_t i) const {
    slot const& found = at(inputs_, i);
    return found.type.type == element_type::object ? *static_cast<std::shared_ptr<blob_object>*>(found.data) : nullptr;
  }
  /// Returns the result to set for an output. A tensor is contiguous and owns its memory, or is non-owning and aliases
  /// the input place(i). If the op leaves it unset, the blob is unset.
  blob<B>& result(std::size_t i) const {
    PLAIT_ASSERT(results_ != nullptr && i < results_->values.size(), "op_context: no such result");
    return results_->values[i];
  }
  /// Returns the input with the name of an output whose memory the op may overwrite and return as that output; npos if
  /// there is none.
  std::uint32_t place(std::size_t i) const { return results_->places[i]; }
  /// Returns the options for running nested nets.
  run_options const& options() const { return *results_->options; }
  /// Returns the producer of a streamed input (op_kernel::takes_in_order); nullptr if the input is already computed.
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

/// Series: consecutive runs of an op with equal types, and the loop-invariant operands.
struct run_series {
  std::size_t runs = 0;
  std::vector<bool> same = {};     ///< by input: loop-invariant elements
  std::vector<bool> lasting = {};  ///< by input: memory and elements of each run persist until the series ends
  std::vector<bool> summed = {};   ///< by output: accumulated; only the sum over the runs is used
};

/// Row-parallel properties of an op: see op_kernel::by_rows. All operands from the 65th on are split by rows.
struct row_runs {
  std::size_t work = 0;             ///< total over rows, in element copies; 0: not row-parallel
  std::uint64_t whole_inputs = 0;   ///< one bit per input: shared by all rows
  std::uint64_t whole_outputs = 0;  ///< one bit per output: not written by rows
  bool undivided = false;           ///< other splits than rows are faster on several threads
  bool in_pieces = false;           ///< computing few rows at a time has no overhead per row
  bool is_sum = false;              ///< the op only computes output 0 = input 0 + input 1, element-wise
  bool can_add = false;             ///< run_rows_adding is implemented
  std::size_t least_rows = 1;       ///< per thread: fewer rows cost more each
  constexpr bool is_whole_input(std::size_t i) const { return i < 64 && (whole_inputs >> i & 1) != 0; }
  constexpr bool is_whole_output(std::size_t i) const { return i < 64 && (whole_outputs >> i & 1) != 0; }
};

/// Column-parallel properties of an op on one row: see op_kernel::by_columns.
struct column_runs {
  std::size_t work = 0;            ///< total over columns, in element copies; 0: not column-parallel
  std::uint64_t whole_inputs = 0;  ///< one bit per input: shared by all columns
  std::size_t width = 0;           ///< width of the blocks of the operands; 0: any divisor
  std::size_t step = 1;            ///< chunks of a block begin at multiples of this
  constexpr bool is_whole_input(std::size_t i) const { return i < 64 && (whole_inputs >> i & 1) != 0; }
  static constexpr bool is_whole_output(std::size_t) { return false; }
};

/// Scalar function of an element-wise op on the host: see op_kernel::by_element.
struct element_function {
  /// Computes `count` elements: `operands` are the addresses of the first in each input, then in each output. Does not
  /// throw.
  void (*run)(void const* self, void* const* operands, std::size_t count) = nullptr;
  void const* self = nullptr;  ///< member of the kernel, or constant
  /// Arithmetic expression of the inputs in order, if it is one; `type` is that of all operands, float32 or float64.
  simple_function simple = simple_function::none;
  element_type type = element_type::none;

  /// Sets `simple` from F::simple, if F has it, and the type of the operands from T.
  template <class F, class T>
  constexpr element_function& is() {
    if constexpr (requires { F::simple; } && std::floating_point<T>) {
      simple = F::simple;
      type = element_type_of<T>;
    }
    return *this;
  }
};

/// Result of op_kernel::by_element.
template <backend B>
using function_of_elements = std::conditional_t<B::on_device, device_function, element_function>;

/// Data movement of an op on a device, split or concatenation of rows: see op_kernel::by_parts.
struct parts_of_rows {
  enum class way : unsigned char { none, cut, joined } moved = way::none;
  std::size_t width = 0;  ///< width of a piece of a split, in elements
};

/// Kernel of one op of a plan. Constructed from op_arguments; the constructor throws for invalid arguments.
template <backend B>
class op_kernel {
 public:
  op_kernel() = default;
  op_kernel(op_kernel const&) = delete;
  op_kernel& operator=(op_kernel const&) = delete;
  virtual ~op_kernel() = default;

  /// Infers the type of every output. Called again whenever the types of inputs have changed, and before each run if
  /// shapes are data-dependent; throws shape_error for inputs on which the op is not defined.
  virtual void infer(shape_context& c) = 0;
  /// Prepares for these types, such as dispatch to a kernel or the choice of a layout. Called after infer.
  virtual void prepare(op_context<B>&) {}
  /// Computes the outputs. Throws, if at all, before it writes anything, unless the schema says otherwise.
  virtual void run(op_context<B>& c) = 0;

  /// Forecasts the results and memory of the op; returns false if unknown. Has no effect: infer is called before a run.
  virtual bool forecast(run_forecast<B>&) { return false; }

  /// Returns the least block length of a streamed input: an op with results_after_run that reads the first axis of an
  /// input in order, each index at most once, can receive it in blocks (see op_context::demanded). 0: not streamed.
  virtual std::size_t takes_in_order(std::size_t /*input*/) const { return 0; }

  /// Begins a series of runs, in which results computed from loop-invariant inputs may be kept. Returns true if the op
  /// accumulates itself: runs, or end_series, then add to the summed outputs, whose memory stays the same. Called after
  /// prepare.
  virtual bool begin_series(op_context<B>&, run_series const&) { return false; }
  /// Ends a series after its last run; `whole` is false if a run has failed and the sums are not used.
  virtual void end_series(op_context<B>&, bool /*whole*/) {}
  /// Marks inputs as constant, in a series and after it, until this is called again. Discards results computed from
  /// inputs before; results that a series computes from constant inputs may outlive it.
  virtual void keep_constants(std::vector<bool> const& /*inputs*/) {}

  /// Returns the row-parallel properties of the op, on hosts: rows (the indices of all axes but the last, or a vector's
  /// elements) are independent, each computed from the same rows of the inputs and from inputs shared by all rows.
  virtual row_runs by_rows(op_context<B> const&) const { return {}; }
  /// Like by_rows(), for streamed execution in a series in which the shared inputs are loop-invariant. Only types are
  /// known.
  virtual row_runs by_pieces(op_context<B> const& c) const { return by_rows(c); }
  /// Prepares a row-parallel run, once before all rows.
  virtual void begin_rows(op_context<B>&) {}
  /// Computes some rows, while other threads compute others: operands are matrices or vectors of these rows only,
  /// except shared ones.
  virtual void run_rows(op_context<B>& c) { run(c); }
  /// Like run_rows(), with a fused addition of the elements at `addend` to output 0, which has as many and does not
  /// overlap it: on hosts with the bits of a separate addition.
  virtual void run_rows_adding(op_context<B>&, void const* /*addend*/) {
    PLAIT_ASSERT(false, "op_kernel: by_rows says can_add, and there is no run_rows_adding");
  }

  /// Returns the column-parallel properties of the op, on hosts, for operands of one row. Operands consist of blocks of
  /// equal width, like the four gates of an LSTM, and the op computes a range of columns in each block of its outputs
  /// from the same range in each block of its inputs, and from inputs shared by all columns. Ops with by_element need
  /// not implement it.
  virtual column_runs by_columns(op_context<B> const&) const { return {}; }
  /// Computes some columns, while other threads compute others, with the bits of run(). Does not throw.
  virtual void run_columns(op_context<B> const&, column_part const&) noexcept {
    PLAIT_ASSERT(false, "op_kernel: by_columns says that there is work, and there is no run_columns");
  }

  /// Returns the scalar function of an element-wise op, for fusion: each element of the outputs depends on the same
  /// element of the inputs, and on inputs with a single element, and results have the bits of run(). On a device there
  /// is one output, and inputs may also be broadcast along rows or columns. Called after prepare, valid until the next.
  virtual function_of_elements<B> by_element(op_context<B> const&) const { return {}; }
  /// Returns, on devices, whether run splits rows of its first input evenly into the rows of its outputs, or
  /// concatenates rows of its inputs to those of its first output and leaves all else to begin_rows. Called like
  /// by_element.
  virtual parts_of_rows by_parts(op_context<B> const&) const { return {}; }
};

/// Candidate for a fusion group: an op of a plan; nullptr if it cannot be fused.
template <backend B>
struct group_candidate {
  op_kernel<B>* kernel = nullptr;
  op_context<B>* context = nullptr;
};

}  // namespace plait
