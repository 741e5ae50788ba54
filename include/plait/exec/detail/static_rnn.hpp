// Recurrent layers without nets: a static cell over a sequence, forward and backward through time.
//
//   constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto h, auto c) { … });
//   plait::rnn<plait::serial, lstm> layer({.steps = 50, .batch = 8, .inputs = 64, .hidden = 128});
//   layer.load(parameters);   // or write layer.parameters(), and call layer.pack()
//   layer.forward(x);         // layer.outputs()
//   layer.backward(dy);       // layer.gradients()
//
// The inputs of the cell are an element of each gate, then of each state, whether the cell reads it or not, then
// per_column parameters, then scalars; its results are the next states, of which the first, h, is the output. Gates are
// W x + R h + b. The input products of all steps are one GEMM, as are the gradients of W, R and x; R is packed once.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/operators/rnn_passes.hpp>
#include <plait/exec/detail/operators/unit_pass.hpp>
#include <plait/gradient/static_cell.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Extents of a recurrent layer; those that are not dynamic are known to the compiler.
struct rnn_extents {
  static constexpr std::int64_t dynamic = -1;

  std::int64_t steps = dynamic;
  std::int64_t batch = dynamic;
  std::int64_t inputs = dynamic;
  std::int64_t hidden = dynamic;
};

inline constexpr rnn_extents dynamic_extents = {};

/// Gates that a cell reads.
enum class rnn_gates : std::uint8_t {
  summed,    ///< W x + R h + b
  separate,  ///< the gates of the input, W x + b, then those of the state, R h + b', as linear_before_reset GRUs read
};

/// A recurrent layer. All memory is allocated by the constructor; runs make no virtual calls. Results are bit-identical
/// on every host backend. Pointers are to memory of the backend.
template <backend B, auto Cell, std::floating_point T = float, rnn_gates Gates = rnn_gates::summed,
          rnn_extents Extents = dynamic_extents>
class rnn {
  using cell = std::remove_cv_t<decltype(Cell)>;
  using unit = detail::unit_of_cell<cell>;
  using forward_pass = detail::unit_pass<unit, T>;
  using backward_pass = detail::unit_gradient_pass<unit, T>;
  static constexpr bool is_separate = Gates == rnn_gates::separate;
  static_assert(!is_separate || unit::gates % 2 == 0,
                "plait: separate gates are those of the input, then of the state");
  static constexpr std::size_t products = is_separate ? unit::gates / 2 : unit::gates;
  // Sums of gates end with the gates of the input, as in a RecurrentNetwork op.
  static constexpr bool adds_last = !is_separate && has_epilogues<B>;

 public:
  static constexpr std::size_t states = unit::states;
  static constexpr std::size_t vectors = forward_pass::vectors;
  static constexpr std::size_t scalars = forward_pass::scalars;

  /// Throws shape_error for an extent that is unknown, not positive, or another than that of the type, and for extents
  /// whose products no memory holds.
  explicit rnn(rnn_extents const& extents = Extents, std::array<T, scalars> const& numbers = {})
      : steps_(checked(extents.steps, Extents.steps, "steps")),
        batch_(checked(extents.batch, Extents.batch, "batch")),
        inputs_(checked(extents.inputs, Extents.inputs, "inputs")),
        hidden_(checked(extents.hidden, Extents.hidden, "hidden")),
        numbers_(numbers) {
    expect_memory();
    std::size_t const rows = size(steps() * batch());
    std::size_t const state = size(batch() * hidden());
    std::size_t const partials =
        std::max(column_partials(1, rows, gate_row()), vectors == 0 ? 0 : column_partials(1, rows, size(hidden())));
    std::size_t total = 0;
    auto const place = [&](std::size_t count) {
      std::size_t const at = total;
      total += (count + 15) / 16 * 16;
      return at;
    };
    std::size_t const at_parameters = place(parameter_count());
    std::size_t const at_gradients = place(parameter_count());
    std::size_t const at_gates = place(rows * gate_row());
    std::size_t const at_products = adds_last ? place(rows * gate_row()) : at_gates;
    std::size_t const at_states = place(states * (size(steps()) + 1) * state);
    std::size_t const at_carried = place(2 * states * state);
    std::size_t const at_vectors = place(vectors * rows * size(hidden()));
    std::size_t const at_partials = place(partials);
    memory_ = pooled_memory<B>(total * sizeof(T));
    T* const all = static_cast<T*>(memory_.get());
    parameters_ = all + at_parameters;
    gradients_ = all + at_gradients;
    gate_ = all + at_gates;
    product_ = all + at_products;
    state_ = all + at_states;
    carried_ = all + at_carried;
    vector_gradient_ = all + at_vectors;
    partials_ = all + at_partials;
    std::vector<std::int32_t> numbers_of_steps;
    for (std::int64_t t = 0; t != steps(); ++t) numbers_of_steps.push_back(static_cast<std::int32_t>(t));
    timestep_memory_ = pooled_memory<B>(numbers_of_steps.size() * sizeof(std::int32_t));
    B::copy_from_host(timestep_memory_.get(), numbers_of_steps.data(), numbers_of_steps.size() * sizeof(std::int32_t));
    fill<B>(parameters_, parameter_count(), T(0));
    pack();
  }

  std::int64_t steps() const noexcept { return Extents.steps < 0 ? steps_ : Extents.steps; }
  std::int64_t batch() const noexcept { return Extents.batch < 0 ? batch_ : Extents.batch; }
  std::int64_t inputs() const noexcept { return Extents.inputs < 0 ? inputs_ : Extents.inputs; }
  std::int64_t hidden() const noexcept { return Extents.hidden < 0 ? hidden_ : Extents.hidden; }

  // ---- parameters
  /// Returns all parameters, in this order: input_weights(), recurrent_weights(), bias(), vector(0), …
  std::span<T> parameters() noexcept { return {parameters_, parameter_count()}; }
  /// W: a row of `inputs` for each unit of each gate, by gate.
  std::span<T> input_weights() noexcept { return parameters().first(product_row() * size(inputs())); }
  /// R: a row of `hidden` for each unit of each gate.
  std::span<T> recurrent_weights() noexcept {
    return parameters().subspan(input_weights().size(), product_row() * size(hidden()));
  }
  /// b; with separate gates those of the input, then those of the state.
  std::span<T> bias() noexcept {
    return parameters().subspan(input_weights().size() + recurrent_weights().size(), gate_row());
  }
  /// The k-th per_column parameter of the cell.
  std::span<T> vector(std::size_t k) noexcept {
    PLAIT_ASSERT(k < vectors, "rnn: no such parameter of the cell");
    return parameters().last((vectors - k) * size(hidden())).first(size(hidden()));
  }
  /// Returns the gradients of all parameters, which backward() computes, in the order of these.
  std::span<T const> gradients() const noexcept { return {gradients_, parameter_count()}; }
  /// Returns the gradient of a span of parameters.
  std::span<T const> gradient_of(std::span<T const> parameter) const noexcept {
    return gradients().subspan(static_cast<std::size_t>(parameter.data() - parameters_), parameter.size());
  }
  /// Copies all parameters from the host, and packs them. Throws shape_error for another number.
  void load(std::span<T const> host) {
    if (host.size() != parameter_count())
      throw shape_error("plait: an rnn has " + std::to_string(parameter_count()) + " parameters, not " +
                        std::to_string(host.size()));
    B::copy_from_host(parameters_, host.data(), host.size_bytes());
    pack();
  }
  /// Packs the weights for the products. Call it after parameters have changed.
  void pack() {
    auto const width = static_cast<std::int64_t>(product_row());
    input_.pack(inputs(), width, input_weights().data(), true);
    recurrent_.pack(hidden(), width, recurrent_weights().data(), true);
    backward_.pack(width, hidden(), recurrent_weights().data());
  }

  // ---- runs
  /// Computes all steps of x, steps × batch × inputs, which backward() reads again. Initial states are batch × hidden;
  /// nullptr: zero. `lengths` has a number of steps for each row; nullptr: all steps. A row that has ended keeps its
  /// states.
  void forward(T const* x, std::array<T const*, states> const& initial = {}, std::int32_t const* lengths = nullptr) {
    x_ = x;
    lengths_ = lengths;
    run_steps(x, initial, lengths, true);
    may_go_back_ = true;
  }
  /// Like forward(), without a backward() to follow: gates of one step replace those of the step before.
  void infer(T const* x, std::array<T const*, states> const& initial = {}, std::int32_t const* lengths = nullptr) {
    may_go_back_ = false;
    run_steps(x, initial, lengths, false);
  }
  /// Returns h of all steps, steps × batch × hidden.
  T const* outputs() const noexcept { return state(0, 1); }
  /// Returns a state after t steps, batch × hidden; after 0 the initial one.
  T const* state_after(std::size_t s, std::int64_t t) const noexcept {
    PLAIT_ASSERT(s < states && t >= 0 && t <= steps(), "rnn: no such state");
    return state(s, t);
  }

  /// Computes the gradients of the parameters, of the initial states, and of x if input_gradient is not nullptr, from
  /// those of the outputs, steps × batch × hidden, and of the last states; nullptr: zero. Call it once after each
  /// forward(), whose gates it overwrites.
  void backward(T const* output_gradient, T* input_gradient = nullptr,
                std::array<T const*, states> const& last_gradients = {}) {
    PLAIT_ASSERT(may_go_back_, "rnn: backward() without a forward() before");
    may_go_back_ = false;
    [[maybe_unused]] detail::spinning_pool<B> const team{};
    std::size_t const size_of_state = size(batch() * hidden());
    for (std::size_t s = 0; s != states; ++s) set(carried(s, steps()), last_gradients[s]);
    for (std::int64_t t = steps(); t-- != 0;) {
      T* const gates = gates_of(t);
      backward_pass pass{operands<backward_pass>(t, gates, lengths_), {}, {}, gates, {}, {}};
      for (std::size_t s = 0; s != states; ++s) {
        pass.after[s] = state(s, t + 1);
        pass.after_gradient[s] = carried(s, t + 1);
        pass.before_gradient[s] = carried(s, t);
      }
      for (std::size_t v = 0; v != vectors; ++v)
        pass.vector_gradient[v] = vector_gradient_ + (v * size(steps()) + size(t)) * size_of_state;
      T const* const from = output_gradient == nullptr ? nullptr : output_gradient + size(t) * size_of_state;
      run<typename backward_pass::row_pass::facts>(
          detail::rnn_backward_pass<backward_pass, T>{pass, from, carried(0, t + 1)});
      backward_.multiply(batch(), gates + state_gates(), carried(0, t), 1, 1, static_cast<std::int64_t>(gate_row()), 0);
    }
    sum_gradients(input_gradient);
  }
  /// Returns the gradient of an initial state, batch × hidden.
  T const* initial_gradient(std::size_t s) const noexcept {
    PLAIT_ASSERT(s < states, "rnn: no such state");
    return carried(s, 0);
  }

 private:
  static constexpr std::size_t size(std::int64_t extent) { return static_cast<std::size_t>(extent); }
  static std::int64_t checked(std::int64_t given, std::int64_t known, char const* what) {
    std::int64_t const extent = given == rnn_extents::dynamic ? known : given;
    if (extent < 1 || (known != rnn_extents::dynamic && extent != known))
      throw shape_error("plait: the extent '" + std::string(what) + "' of an rnn is " + std::to_string(extent) +
                        ", which should be " + (known < 0 ? "positive" : std::to_string(known)));
    return extent;
  }
  // In double, which does not overflow.
  void expect_memory() const {
    auto const real = [](std::int64_t extent) { return static_cast<double>(extent); };
    double const of_row = real(inputs()) + real(hidden()) * double{2 * unit::gates + 2 * states + vectors};
    double const parameters = double{unit::gates} * real(hidden()) * (real(inputs()) + real(hidden()) + 2);
    if ((real(steps()) + 2) * real(batch()) * of_row + 2 * parameters > 0x1p48)
      throw shape_error("plait: an rnn of " + std::to_string(steps()) + " steps, batch " + std::to_string(batch()) +
                        ", " + std::to_string(inputs()) + " inputs and " + std::to_string(hidden()) +
                        " hidden units does not fit into memory");
  }
  // Elements of a row of products, and of a row of all gates, in which those of the state come last.
  std::size_t product_row() const noexcept { return products * size(hidden()); }
  std::size_t gate_row() const noexcept { return unit::gates * size(hidden()); }
  std::size_t state_gates() const noexcept { return gate_row() - product_row(); }
  std::size_t parameter_count() const noexcept {
    return product_row() * size(inputs() + hidden()) + gate_row() + vectors * size(hidden());
  }
  T* state(std::size_t s, std::int64_t t) const noexcept {
    return state_ + (s * (size(steps()) + 1) + size(t)) * size(batch() * hidden());
  }
  T* carried(std::size_t s, std::int64_t t) const noexcept {
    return carried_ + (s * 2 + size(t) % 2) * size(batch() * hidden());
  }
  void run_steps(T const* x, std::array<T const*, states> const& initial, std::int32_t const* lengths, bool keeps) {
    [[maybe_unused]] detail::spinning_pool<B> const team{};
    for (std::size_t s = 0; s != states; ++s) set(state(s, 0), initial[s]);
    multiply_inputs(x);
    for (std::int64_t t = 0; t != steps(); ++t) {
      T* const gates = gates_of(keeps || !adds_last ? t : 0);
      T const* const h = state(0, t);
      if constexpr (adds_last)
        recurrent_.multiply(batch(), h, gates, 1, 0, 0, 0,
                            detail::gemm_epilogue<T>{product_ + size(t * batch()) * gate_row()});
      else
        recurrent_.multiply(batch(), h, gates + state_gates(), 1, 1, 0, static_cast<std::int64_t>(gate_row()));
      forward_pass pass{operands<forward_pass>(t, gates, lengths), {}};
      for (std::size_t s = 0; s != states; ++s) pass.after[s] = state(s, t + 1);
      run<detail::cell_facts<cell>>(pass);
    }
  }
  // Sets the elements of a state; nullptr: to zero.
  void set(T* to, T const* from) const {
    std::size_t const count = size(batch() * hidden());
    if (from != nullptr)
      B::copy(to, from, count * sizeof(T));
    else
      fill<B>(to, count, T(0));
  }
  T* gates_of(std::int64_t t) const noexcept { return gate_ + size(t * batch()) * gate_row(); }
  // Operands of both passes in a step.
  template <class Pass>
  typename Pass::base operands(std::int64_t t, T const* gates, std::int32_t const* lengths) const {
    detail::active_rows const active{lengths, false, static_cast<std::int32_t const*>(timestep_memory_.get()) + t,
                                     false};
    typename Pass::base made{active, size(hidden()), {}, gates, {}, numbers_};
    for (std::size_t s = 0; s != states; ++s) made.before[s] = state(s, t);
    for (std::size_t v = 0; v != vectors; ++v)
      made.vector[v] = parameters_ + parameter_count() - (vectors - v) * size(hidden());
    return made;
  }
  template <class Facts, class Pass>
  void run(Pass const& pass) const {
    if constexpr (Facts::has_whole_rows)
      for_each_row<B>(size(batch()), size(hidden()) * Facts::cost, detail::rnn_whole_row<Pass>{pass, size(hidden())});
    else
      for_each_row_part<B>(size(batch()), size(hidden()), Facts::cost, pass);
  }
  void multiply_inputs(T const* x) {
    std::int64_t const rows = steps() * batch();
    T const* const bias = parameters_ + product_row() * size(inputs() + hidden());
    if constexpr (adds_last) {
      input_.multiply_onto(bias, 0, rows, x, product_);
    } else {
      for_each_row_part<B>(size(rows), gate_row(), 1, detail::repeat_row<T>{bias, gate_, gate_row()});
      input_.multiply(rows, x, gate_, 1, 1, 0, static_cast<std::int64_t>(gate_row()));
    }
  }
  // Computes what sums over all steps.
  void sum_gradients(T* input_gradient) {
    std::int64_t const rows = steps() * batch();
    auto const width = static_cast<std::int64_t>(product_row());
    auto const row = static_cast<std::int64_t>(gate_row());
    T* const recurrent = gradients_ + product_row() * size(inputs());
    T* const bias = recurrent + product_row() * size(hidden());
    T const* const gates = gate_;
    gemm<B>({.m = width, .n = inputs(), .k = rows, .transpose_a = true, .lda = row}, gates, x_, gradients_);
    gemm<B>({.m = width, .n = hidden(), .k = rows, .transpose_a = true, .lda = row}, gates + state_gates(),
            static_cast<T const*>(state(0, 0)), recurrent);
    reduce_columns<B, sum_reduction>(gates, 1, size(rows), gate_row(), as_it_is(), bias, partials_);
    for (std::size_t v = 0; v != vectors; ++v)
      reduce_columns<B, sum_reduction>(static_cast<T const*>(vector_gradient_ + v * size(rows * hidden())), 1,
                                       size(rows), size(hidden()), as_it_is(), bias + gate_row() + v * size(hidden()),
                                       partials_);
    if (input_gradient != nullptr)
      gemm<B>({.m = rows, .n = inputs(), .k = width, .lda = row}, gates, static_cast<T const*>(parameters_),
              input_gradient);
  }

  std::int64_t steps_;
  std::int64_t batch_;
  std::int64_t inputs_;
  std::int64_t hidden_;
  std::array<T, scalars> numbers_;
  std::shared_ptr<void> memory_;
  std::shared_ptr<void> timestep_memory_;
  T* parameters_;
  T* gradients_;
  T* gate_;     // of all steps; backward() replaces them by their gradients
  T* product_;  // W x + b, of all steps
  T* state_;
  T* carried_;  // gradients of the states between two steps
  T* vector_gradient_;
  T* partials_;
  packed_matrix<T, B> input_;
  packed_matrix<T, B> recurrent_;
  packed_matrix<T, B> backward_;
  T const* x_ = nullptr;
  std::int32_t const* lengths_ = nullptr;
  bool may_go_back_ = false;
};

}  // namespace plait

PLAIT_KERNELS_END
