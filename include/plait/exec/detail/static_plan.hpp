// Static plans: nets of known shapes, compiled to one function without tables, names or allocations.
//
//   constexpr plait::static_net net{plait::externals({"x", "w"}, {"y"}),
//                                   plait::op("Mul", {"x", "w"}, {"a"}), plait::op("Tanh", {"a"}, {"y"})};
//   auto plan = plait::compile<net, plait::dims{1, 16}, plait::dims{16}>(plait::serial());
//   plan.feed<"x">(values).feed<"w">(weights).run();
//   use(plan.fetch<"y">());
//
// Consecutive element-wise ops of one shape are one loop with every value in a register, as those of static cells; FC,
// FCTransposed, MatMul and Softmax are calls with constant extents; FlattenToVec and Alias cost nothing. Bits are those
// of the same net in a run-time plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/softmax.hpp>
#include <plait/exec/detail/operators/cell_pass.hpp>
#include <plait/exec/detail/static_layout.hpp>
#include <plait/gradient/static_cell.hpp>
#include <plait/net/static_net.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Name of a blob as a template argument.
template <std::size_t N>
struct blob_name {
  std::array<char, N> letters = {};
  constexpr blob_name(char const (&text)[N]) {
    for (std::size_t i = 0; i != N; ++i) letters[i] = text[i];
  }
  constexpr std::string_view text() const { return {letters.data(), N - 1}; }
};

namespace detail {

/// The layout of a net for given shapes of its external inputs, as constants.
template <auto const& Net, dims... Inputs>
struct planned_net {
  static constexpr std::array<dims, sizeof...(Inputs)> given = {Inputs...};
  static constexpr std::size_t operands = [] {
    std::size_t made = 0;
    for (auto const op : Net.ops()) made += Net.inputs(op).size() + Net.outputs(op).size();
    return made;
  }();
  static constexpr std::size_t values = [] { return get_ssa(Net).value_count(); }();
  using layout_type = static_layout<Net.ops().size(), values, operands, Net.external_outputs().size()>;
  static constexpr layout_type layout =
      layout_builder<layout_type, std::remove_cvref_t<decltype(Net)>>(Net).build(given);

  static constexpr bool has_inputs = layout.problem != plan_problem::inputs;
  static_assert(has_inputs,
                "plait: compile<net, dims...> takes the dims of each external input of the net, in order; each blob "
                "that the net reads is one of these or written before");
  static constexpr bool keeps_inputs = layout.problem != plan_problem::overwritten;
  static_assert(keeps_inputs, "plait: the net writes an external input, which a static plan cannot do");
  static constexpr bool has_functions = layout.problem != plan_problem::function;
  static_assert(has_functions,
                "plait: an op of the net is none of static plans: these have the functions of static cells, FC, "
                "FCTransposed, MatMul, Softmax, FlattenToVec and Alias; their arguments are numbers");
  static constexpr bool has_shapes = layout.problem != plan_problem::shapes;
  static_assert(has_shapes, "plait: the shapes of the operands of an op of the net do not fit each other");
  static constexpr bool has_flags = layout.problem != plan_problem::flag;
  static_assert(has_flags,
                "plait: the result of a comparison is an operand of a function of numbers, or leaves its loop");

  /// Returns the value of an external input or output by name, `none` if it is neither.
  static constexpr std::size_t none = values;
  static constexpr std::size_t output(std::string_view name) {
    for (std::size_t o = 0; o != layout.outputs.size(); ++o)
      if (Net.external_outputs()[o] == name) return layout.outputs[o];
    return none;
  }
  static constexpr std::size_t input(std::string_view name) {
    auto const ssa = get_ssa(Net);
    for (std::size_t i = 0; i != given.size(); ++i)
      if (Net.external_inputs()[i] == name) return ssa.index(ssa.external_inputs()[i]);
    return none;
  }
};

/// The ops of a step as a cell.
template <class Planned, std::size_t Step>
struct step_code {
  static constexpr saving_code make() {
    auto const& plan = Planned::layout;
    static_step const& step = plan.steps[Step];
    bool const reduces = plan.ops[step.first_op].op.info().kind == cell_op_class::reduced;
    saving_code made;
    std::vector<std::uint16_t> number(plan.shapes.size(), 0);
    for (std::uint16_t const v : plan.inputs_of(step))
      number[v] =
          made.code.add_input(reduces ? std::uint8_t{cell_elements} : *axes_of_operand(plan.shapes[v], step.shape));
    for (std::size_t i = step.first_op; i != step.last_op; ++i) {
      traced_op op = plan.ops[i].op;
      std::uint16_t const before = op.output;
      for (std::size_t k = 0; k != op.input_count; ++k) op.inputs[k] = number[op.inputs[k]];
      std::uint16_t const after = made.code.add(op);
      for (std::size_t k = 0; k != op.output_count; ++k) number[before + k] = static_cast<std::uint16_t>(after + k);
    }
    for (std::uint16_t const v : plan.outputs_of(step))
      made.code.add_output(number[v], reduces ? cell_rows : cell_elements);
    made.code = simplified_code(made.code);
    return made;
  }
};

template <backend B, class T>
PLAIT_NO_INLINE void run_product(gemm_shape const& s, T const* a, T const* b, T* c, T beta) {
  gemm<B>(s, a, b, c, T(1), beta);
}

/// All steps of a plan. One function, compiled once per instruction set, so that it is dispatched once.
template <class Planned, backend B, class T>
struct static_plan_steps {
  static constexpr auto const& plan = Planned::layout;

  PLAIT_ALWAYS_INLINE void operator()(T* memory) const { run(memory, std::make_index_sequence<plan.step_count>()); }

 private:
  template <std::size_t... S>
  PLAIT_ALWAYS_INLINE static void run(T* memory, std::index_sequence<S...>) {
    (run_step<S>(memory), ...);
  }
  static constexpr std::size_t place(std::uint16_t v) { return plan.offset[plan.storage[v]]; }
  template <std::size_t S>
  static constexpr std::size_t input(std::size_t k) {
    return place(plan.inputs_of(plan.steps[S])[k]);
  }
  template <std::size_t S>
  static constexpr std::size_t output(std::size_t k) {
    return place(plan.outputs_of(plan.steps[S])[k]);
  }

  template <std::size_t S>
  PLAIT_ALWAYS_INLINE static void run_step(T* memory) {
    constexpr static_step step = plan.steps[S];
    if constexpr (step.output_count == 0) {
      return;
    } else if constexpr (step.kind == step_kind::cell) {
      run_cell_step<S>(memory, std::make_index_sequence<step.input_count>(),
                       std::make_index_sequence<step.output_count>());
    } else if constexpr (step.kind == step_kind::softmax) {
      softmax_rows<T> const rows{memory + input<S>(0), memory + output<S>(0), step.shape.columns()};
      for (std::size_t row = 0; row != step.shape.rows(); ++row) rows(row);
    } else {
      constexpr static_op_plan op = plan.ops[step.first_op];
      constexpr dims result = plan.shapes[plan.outputs_of(step)[0]];
      constexpr gemm_shape shape{.m = result.extents[0],
                                 .n = result.extents[1],
                                 .k = step.shape.extents[1],
                                 .transpose_a = op.transpose_a,
                                 .transpose_b = op.transpose_b};
      T* const y = memory + output<S>(0);
      if constexpr (op.has_bias) {
        T const* const bias = memory + input<S>(2);
        for (std::size_t i = 0; i != result.extents[0]; ++i)
          for (std::size_t j = 0; j != result.extents[1]; ++j) y[i * result.extents[1] + j] = bias[j];
      }
      run_product<B, T>(shape, memory + input<S>(0), memory + input<S>(1), y, op.has_bias ? T(1) : T(0));
    }
  }
  template <std::size_t S, std::size_t... K, std::size_t... O>
  PLAIT_ALWAYS_INLINE static void run_cell_step(T* memory, std::index_sequence<K...>, std::index_sequence<O...>) {
    using cell = basic_cell<step_code<Planned, S>>;
    constexpr dims shape = plan.steps[S].shape;
    constexpr bool is_flat = cell_facts<cell>::is_elementwise;
    constexpr std::size_t width = is_flat ? shape.size() : shape.columns();
    cell_pass<cell, T> const pass{{memory + input<S>(K)...}, {memory + output<S>(O)...}, width};
    if constexpr (is_flat)
      pass(0, 0, width);
    else
      for (std::size_t row = 0; row != shape.rows(); ++row) pass(row, 0, width);
  }
};

}  // namespace detail

/// A net of known shapes, ready to run: its memory, and no table. T is the type of all elements.
template <backend B, class T, auto const& Net, dims... Inputs>
class static_plan {
  static_assert(!B::on_device, "plait: static plans run on hosts");
  using planned = detail::planned_net<Net, Inputs...>;
  template <std::size_t Value>
  static constexpr std::size_t size = planned::layout.shapes[Value].size();
  template <std::size_t Value>
  static constexpr std::size_t place = planned::layout.offset[planned::layout.storage[Value]];
  template <std::size_t Value>
  static constexpr bool is_external = Value != planned::none;

 public:
  /// Bytes of all blobs, of which those that are not live at once share memory.
  static constexpr std::size_t memory_bytes = planned::layout.elements * sizeof(T);
  /// Elements of the memory of run_in().
  static constexpr std::size_t memory_elements = planned::layout.elements;
  /// Loops and calls that the ops have become.
  static constexpr std::size_t step_count = planned::layout.step_count;

  /// Returns the elements of an external input, to write.
  template <blob_name Name>
  [[nodiscard]] constexpr auto input() noexcept {
    constexpr std::size_t v = planned::input(Name.text());
    static_assert(is_external<v>, "plait: the net has no external input of this name");
    return std::span<T, size<v>>(memory_.data() + place<v>, size<v>);
  }
  /// Copies elements to an external input.
  template <blob_name Name>
  static_plan& feed(std::type_identity_t<std::span<T const>> elements) {
    auto const to = input<Name>();
    PLAIT_ASSERT(elements.size() == to.size(), "static_plan: another number of elements than the blob has");
    for (std::size_t i = 0; i != to.size(); ++i) to[i] = elements[i];
    return *this;
  }
  /// Returns the elements of an external output, after a run.
  template <blob_name Name>
  [[nodiscard]] constexpr auto fetch() const noexcept {
    constexpr std::size_t v = planned::output(Name.text());
    static_assert(is_external<v>, "plait: the net has no external output of this name");
    return std::span<T const, size<v>>(memory_.data() + place<v>, size<v>);
  }
  /// Returns the shape of an external output.
  template <blob_name Name>
  [[nodiscard]] static constexpr dims shape() {
    constexpr std::size_t v = planned::output(Name.text());
    static_assert(is_external<v>, "plait: the net has no external output of this name");
    return planned::layout.shapes[v];
  }
  /// Returns the index of an external blob's first element in the memory of run_in().
  template <blob_name Name>
  [[nodiscard]] static constexpr std::size_t offset() {
    constexpr std::size_t out = planned::output(Name.text());
    constexpr std::size_t v = out != planned::none ? out : planned::input(Name.text());
    static_assert(is_external<v>, "plait: the net has no external input or output of this name");
    return place<v>;
  }

  void run() { run_in(memory_); }
  /// Runs on memory of the caller, aligned to 64 bytes, that has the inputs at their offset() and gets the outputs.
  static void run_in(std::span<T, memory_elements> memory) {
    vectorized(detail::static_plan_steps<planned, B, T>(), memory.data());
  }

 private:
  alignas(64) std::array<T, memory_elements> memory_ = {};
};

/// Returns the plan of a net whose external inputs have these shapes, in order. The net is a constexpr variable at
/// namespace scope, or static.
template <auto const& Net, dims... Inputs, backend B>
[[nodiscard]] constexpr static_plan<B, float, Net, Inputs...> compile(B) {
  return {};
}
/// Returns a plan whose elements have type T.
template <auto const& Net, class T, dims... Inputs, backend B>
[[nodiscard]] constexpr static_plan<B, T, Net, Inputs...> compile(B) {
  return {};
}

}  // namespace plait

PLAIT_KERNELS_END
