// Static plans: steps, shapes and memory of a net with known shapes, computed by the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/static_dims.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/op_roles.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_colouring.hpp>
#include <plait/transform/detail/blob_uses.hpp>
#include <plait/transform/detail/lower_net.hpp>

namespace plait::detail {

/// Computation of a step of a static plan.
enum class step_kind : std::uint8_t {
  cell,     ///< element-wise ops of one shape, or a reduction of rows
  product,  ///< FC, FCTransposed, MatMul
  softmax,
};

/// Problems that make a net no static plan.
enum class plan_problem : std::uint8_t { none, inputs, function, shapes, flag, overwritten };

struct static_op_plan {
  step_kind kind = step_kind::cell;
  traced_op op = {};  ///< of a cell; its operands are values of the layout
  bool transpose_a = false;
  bool transpose_b = false;
  bool has_bias = false;
};

/// A step: consecutive ops, and the values that it reads and writes, by their range in static_layout::operands.
struct static_step {
  step_kind kind = step_kind::cell;
  std::uint16_t first_op = 0;
  std::uint16_t last_op = 0;
  std::uint16_t first_operand = 0;
  std::uint16_t input_count = 0;
  std::uint16_t output_count = 0;
  dims shape = {};  ///< of its elements: of the operand of a reduction
};

/// The layout of a plan. Sizes are bounds: Ops of the net, Values of its SSA form, Operands of all ops.
template <std::size_t Ops, std::size_t Values, std::size_t Operands, std::size_t Outputs>
struct static_layout {
  std::array<static_op_plan, Ops> ops = {};  ///< those that an output depends on
  std::size_t op_count = 0;
  std::array<static_step, Ops> steps = {};
  std::size_t step_count = 0;
  std::array<std::uint16_t, Operands> operands = {};
  std::array<dims, Values> shapes = {};
  std::array<std::uint16_t, Values> storage = {};  ///< the value whose memory it has: another one for a reshape
  std::array<std::uint32_t, Values> offset = {};   ///< in elements, by storage
  std::array<std::uint16_t, Outputs> outputs = {};
  std::size_t elements = 0;  ///< of the memory of the plan
  plan_problem problem = plan_problem::none;
  std::size_t problem_op = 0;

  constexpr std::span<std::uint16_t const> inputs_of(static_step const& s) const {
    return std::span<std::uint16_t const>(operands).subspan(s.first_operand, s.input_count);
  }
  constexpr std::span<std::uint16_t const> outputs_of(static_step const& s) const {
    return std::span<std::uint16_t const>(operands).subspan(s.first_operand + std::size_t{s.input_count},
                                                            s.output_count);
  }
};

/// Steps as a net, for the colouring of its values.
struct step_net {
  using op_type = std::uint32_t;
  std::vector<std::vector<std::uint16_t>> reads;
  std::vector<std::vector<std::uint16_t>> writes;
  std::vector<std::uint16_t> given;
  std::vector<std::uint16_t> results;

  constexpr auto ops() const { return std::views::iota(op_type{0}, static_cast<op_type>(reads.size())); }
  constexpr std::span<std::uint16_t const> inputs(op_type op) const { return reads[op]; }
  constexpr std::span<std::uint16_t const> outputs(op_type op) const { return writes[op]; }
  constexpr std::span<std::uint16_t const> external_inputs() const { return given; }
  constexpr std::span<std::uint16_t const> external_outputs() const { return results; }
};

/// Gives each storage its offset: external blobs have their own, the others share by interval colouring.
template <class Layout>
constexpr void place_values(Layout& plan, std::span<std::uint16_t const> inputs) {
  step_net net;
  auto const add = [](std::vector<std::uint16_t>& to, std::uint16_t v) {
    if (std::ranges::find(to, v) == to.end()) to.push_back(v);
  };
  for (std::size_t s = 0; s != plan.step_count; ++s) {
    net.reads.emplace_back();
    net.writes.emplace_back();
    for (std::uint16_t const v : plan.inputs_of(plan.steps[s])) add(net.reads.back(), plan.storage[v]);
    for (std::uint16_t const v : plan.outputs_of(plan.steps[s])) add(net.writes.back(), plan.storage[v]);
  }
  for (std::uint16_t const v : inputs) add(net.given, plan.storage[v]);
  for (std::uint16_t const v : plan.outputs) add(net.results, plan.storage[v]);

  auto const aligned = [](std::size_t elements) { return (elements + 15) / 16 * 16; };
  auto const place = [&](std::uint16_t v, std::size_t elements) {
    plan.offset[v] = static_cast<std::uint32_t>(plan.elements);
    plan.elements += aligned(elements);
  };
  for (std::uint16_t const v : net.given) place(v, plan.shapes[v].size());
  for (std::uint16_t const v : net.results)
    if (std::ranges::find(net.given, v) == net.given.end()) place(v, plan.shapes[v].size());

  auto const ssa = get_ssa(net);
  blob_uses const uses(net, ssa);
  blob_colouring colouring(uses);
  std::vector<blob_colouring::candidate> all;
  for (blob_index b = 0; b != ssa.blob_bound(); ++b)
    if (uses.is_internal(b)) all.push_back({b, 0, aligned(plan.shapes[ssa.name(b)].size())});
  std::ranges::sort(all, {}, [&](auto const& c) { return std::pair(uses.first(c.blob), c.blob); });
  std::vector<std::uint32_t> const colours = colouring.colour_in_order(all);
  std::vector<std::uint32_t> first(colouring.size(), 0);
  for (std::uint32_t c = 0; c != colouring.size(); ++c) {
    first[c] = static_cast<std::uint32_t>(plan.elements);
    plan.elements += colouring.bytes(c);  // elements here
  }
  for (std::size_t i = 0; i != all.size(); ++i) plan.offset[ssa.name(all[i].blob)] = first[colours[i]];
}

/// Computes the layout of a net.
template <class Layout, typed_net N>
class layout_builder {
 public:
  constexpr explicit layout_builder(N const& n)
      : net_(n), ssa_(get_ssa(n)), is_known_(ssa_.value_count(), 0), is_flag_(ssa_.value_count(), 0) {}

  /// Returns the layout for external inputs of these shapes; layout.problem says why there is none.
  constexpr Layout build(std::span<dims const> given) {
    if (take_inputs(given) && add_ops() && number_operands()) place_values(plan_, inputs_);
    return plan_;
  }

 private:
  /// An op with the shape of its elements, and that of its outputs.
  struct shaped_op {
    static_op_plan op = {};
    dims shape = {};
    dims result = {};
  };

  constexpr bool fail(plan_problem what, op_index op) {
    plan_.problem = what;
    plan_.problem_op = op;
    return false;
  }
  constexpr std::nullopt_t refuse(plan_problem what) {
    fail(what, at_);
    return std::nullopt;
  }
  constexpr std::uint16_t number(value v) const { return static_cast<std::uint16_t>(ssa_.index(v)); }
  constexpr dims const& dims_of(std::size_t i) const { return plan_.shapes[from_[i]]; }

  constexpr bool take_inputs(std::span<dims const> given) {
    auto const inputs = ssa_.external_inputs();
    if (given.size() != inputs.size() || !ssa_.undeclared_inputs().empty() || !ssa_.unwritten_outputs().empty())
      return fail(plan_problem::inputs, 0);
    for (std::size_t v = 0; v != ssa_.value_count(); ++v) plan_.storage[v] = static_cast<std::uint16_t>(v);
    for (std::size_t i = 0; i != given.size(); ++i) {
      inputs_.push_back(number(inputs[i]));
      plan_.shapes[inputs_.back()] = given[i];
      is_known_[inputs_.back()] = 1;
      if (ssa_.version(inputs[i].blob) != 0) return fail(plan_problem::overwritten, 0);
    }
    return true;
  }

  // ---- ops and shapes
  constexpr bool add_ops() {
    std::vector<char> const live = live_ops(ssa_, std::vector<char>(ssa_.op_count(), 0));
    op_index next = 0;
    for (auto&& op : plait::ops(net_)) {
      at_ = next++;
      if (live[at_] == 0) continue;
      from_.clear();
      to_.clear();
      for (value v : ssa_.reads(at_)) {
        from_.push_back(number(v));
        if (is_known_[from_.back()] == 0) return fail(plan_problem::inputs, at_);
      }
      for (value v : ssa_.writes(at_)) to_.push_back(number(v));
      std::string_view const type = op_type(net_, op);
      if (type == "FlattenToVec" || type == "Alias") {
        reshape(type == "Alias" ? dims_of(0) : dims(dims_of(0).size()));
        continue;
      }
      std::optional<shaped_op> const made = type == "FC" || type == "FCTransposed" || type == "MatMul"
                                                ? shaped_product(op, type)
                                            : type == "Softmax" ? shaped_softmax()
                                                                : shaped_cell(op);
      if (!made) return false;
      add(*made);
    }
    return true;
  }
  constexpr void reshape(dims const& shape) {
    plan_.storage[to_[0]] = plan_.storage[from_[0]];
    plan_.shapes[to_[0]] = shape;
    is_known_[to_[0]] = 1;
    is_flag_[to_[0]] = is_flag_[from_[0]];
    may_join_ = false;  // it is read from memory
  }
  template <class Op>
  constexpr std::optional<shaped_op> shaped_product(Op const& op, std::string_view type) {
    auto const is_set = [&](std::string_view key) {
      if constexpr (requires { net_.argument_or(op, key, 0.0); })
        return net_.argument_or(op, key, 0) != 0;
      else
        return false;
    };
    shaped_op made;
    made.op.kind = step_kind::product;
    made.op.has_bias = type != "MatMul";
    made.op.transpose_a = !made.op.has_bias && is_set("trans_a");
    made.op.transpose_b = type == "FC" || (!made.op.has_bias && is_set("trans_b"));
    if (from_.size() != (made.op.has_bias ? 3u : 2u) || dims_of(0).rank != 2 || dims_of(1).rank != 2)
      return refuse(plan_problem::shapes);
    auto const rows_and_columns = [](dims const& of, bool transposed) {
      return transposed ? std::pair(of.extents[1], of.extents[0]) : std::pair(of.extents[0], of.extents[1]);
    };
    auto const [m, k] = rows_and_columns(dims_of(0), made.op.transpose_a);
    auto const [inner, units] = rows_and_columns(dims_of(1), made.op.transpose_b);
    if (inner != k || (made.op.has_bias && dims_of(2) != dims(units))) return refuse(plan_problem::shapes);
    made.shape = dims(m, k);
    made.result = dims(m, units);
    return made;
  }
  constexpr std::optional<shaped_op> shaped_softmax() {
    if (from_.size() != 1 || dims_of(0).rank != 2) return refuse(plan_problem::shapes);
    return shaped_op{{.kind = step_kind::softmax}, dims_of(0), dims_of(0)};
  }
  template <class Op>
  constexpr std::optional<shaped_op> shaped_cell(Op const& op) {
    std::optional<traced_op> const lowered = lowered_op(net_, op);
    if (!lowered || lowered->info().kind == cell_op_class::repeated) return refuse(plan_problem::function);
    if (from_.empty()) return refuse(plan_problem::shapes);
    shaped_op made{{.op = *lowered}, dims_of(0), {}};
    traced_op& traced = made.op.op;
    bool const is_fill = traced.info().kind == cell_op_class::fill;
    for (std::size_t i = 0; i != from_.size(); ++i) {
      std::optional<dims> const both = broadcast_dims(made.shape, dims_of(i));
      if (!both) return refuse(plan_problem::shapes);
      made.shape = *both;
      if (is_fill) continue;
      if ((is_flag_[from_[i]] != 0) != reads_flag(traced, i)) return refuse(plan_problem::flag);
      traced.inputs[traced.input_count++] = from_[i];
    }
    for (std::size_t i = 0; i != from_.size(); ++i)
      if (!axes_of_operand(dims_of(i), made.shape)) return refuse(plan_problem::shapes);
    if (is_fill) from_.clear();  // of which it reads the shape alone
    made.result = made.shape;
    if (traced.info().kind == cell_op_class::reduced) {
      made.result.rank = made.shape.rank - 1;
      made.result.extents[made.result.rank] = 0;
    }
    traced.output = to_[0];
    return made;
  }

  // ---- steps
  static constexpr bool is_reduced(static_op_plan const& op) { return op.op.info().kind == cell_op_class::reduced; }
  constexpr void add(shaped_op const& made) {
    bool const is_cell = made.op.kind == step_kind::cell;
    for (std::uint16_t const v : to_) {
      plan_.shapes[v] = made.result;
      is_known_[v] = 1;
      is_flag_[v] = is_cell && made.op.op.info().kind == cell_op_class::flag ? 1 : 0;
    }
    bool const joins = may_join_ && is_cell && !is_reduced(made.op) && !steps_.empty() &&
                       steps_.back().kind == step_kind::cell && steps_.back().shape == made.shape &&
                       !is_reduced(plan_.ops[steps_.back().first_op]);
    if (!joins) {
      steps_.push_back({made.op.kind, static_cast<std::uint16_t>(plan_.op_count), 0, 0, 0, 0, made.shape});
      reads_.emplace_back();
      writes_.emplace_back();
    }
    may_join_ = true;
    plan_.ops[plan_.op_count++] = made.op;
    steps_.back().last_op = static_cast<std::uint16_t>(plan_.op_count);
    auto const has = [](std::vector<std::uint16_t> const& values, std::uint16_t v) {
      return std::ranges::find(values, v) != values.end();
    };
    for (std::uint16_t const v : from_)
      if (!has(writes_.back(), v) && (!has(reads_.back(), v) || made.op.kind == step_kind::product))
        reads_.back().push_back(v);
    for (std::uint16_t const v : to_) writes_.back().push_back(v);
  }

  // Operands of a step are what it reads, and what leaves it for other steps or the caller.
  constexpr bool number_operands() {
    std::vector<char> leaves(ssa_.value_count(), 0);
    auto const leave = [&](std::uint16_t v) {
      for (std::size_t u = 0; u != leaves.size(); ++u)
        if (plan_.storage[u] == plan_.storage[v]) leaves[u] = 1;
    };
    for (auto const& values : reads_)
      for (std::uint16_t const v : values) leave(v);
    for (std::size_t o = 0; o != ssa_.external_outputs().size(); ++o) {
      plan_.outputs[o] = number(ssa_.external_outputs()[o]);
      leave(plan_.outputs[o]);
    }
    std::size_t next = 0;
    for (std::size_t s = 0; s != steps_.size(); ++s) {
      static_step& step = plan_.steps[plan_.step_count++] = steps_[s];
      step.first_operand = static_cast<std::uint16_t>(next);
      step.input_count = static_cast<std::uint16_t>(reads_[s].size());
      for (std::uint16_t const v : reads_[s]) plan_.operands[next++] = v;
      for (std::uint16_t const v : writes_[s]) {
        if (leaves[v] == 0) continue;
        if (is_flag_[v] != 0) return fail(plan_problem::flag, 0);
        plan_.operands[next++] = v;
        ++step.output_count;
      }
    }
    return true;
  }

  N const& net_;
  ssa_form<N> ssa_;
  Layout plan_ = {};
  std::vector<char> is_known_;  // by value
  std::vector<char> is_flag_;   // by value
  std::vector<std::uint16_t> inputs_;
  op_index at_ = 0;                  // the current op
  std::vector<std::uint16_t> from_;  // what it reads
  std::vector<std::uint16_t> to_;    // what it writes
  std::vector<static_step> steps_;
  std::vector<std::vector<std::uint16_t>> reads_;   // by step
  std::vector<std::vector<std::uint16_t>> writes_;  // by step
  bool may_join_ = false;                           // the next op may be part of the last step
};

}  // namespace plait::detail
