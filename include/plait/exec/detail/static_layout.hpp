// Static plans: steps, shapes and memory of a net with known shapes, computed by the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/op_roles.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/blob_colouring.hpp>
#include <plait/transform/detail/blob_uses.hpp>
#include <plait/transform/detail/lower_net.hpp>

namespace plait {

/// Extents of a tensor as a template argument: plait::dims{2, 16}.
struct dims {
  static constexpr std::size_t most = 4;
  std::array<std::uint32_t, most> extents = {};
  std::size_t rank = 0;

  constexpr dims() = default;
  template <std::integral... Extents>
    requires(sizeof...(Extents) != 0 && sizeof...(Extents) <= most)
  constexpr dims(Extents... of) : extents{static_cast<std::uint32_t>(of)...}, rank(sizeof...(of)) {}

  constexpr std::size_t size() const { return size_to(rank); }
  constexpr std::size_t size_to(std::size_t axis) const {
    std::size_t made = 1;
    for (std::size_t i = 0; i != axis; ++i) made *= extents[i];
    return made;
  }
  /// Returns the extent of an axis counted from the last, 1 for axes that there are not.
  constexpr std::uint32_t from_last(std::size_t axis) const { return axis < rank ? extents[rank - 1 - axis] : 1; }
  constexpr std::size_t columns() const { return from_last(0); }
  constexpr std::size_t rows() const { return rank == 0 ? 1 : size_to(rank - 1); }
  friend constexpr bool operator==(dims const&, dims const&) = default;
};

namespace detail {

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

/// Returns what an operand of an element-wise op of a shape varies with, nothing if it does not broadcast to it.
constexpr std::optional<std::uint8_t> axes_of_operand(dims const& operand, dims const& whole) {
  std::uint8_t axes = cell_constant;
  for (std::size_t i = 0; i != dims::most; ++i) {
    if (operand.from_last(i) != whole.from_last(i) && operand.from_last(i) != 1) return std::nullopt;
    if (operand.from_last(i) != 1) axes |= i == 0 ? cell_columns : cell_rows;
  }
  if (operand.size() == whole.size()) return cell_elements;
  if (axes == cell_elements || (axes == cell_rows && operand.size() != whole.rows())) return std::nullopt;
  return axes;
}

/// Returns the shape that operands broadcast to, as in numpy.
constexpr std::optional<dims> broadcast_dims(dims const& a, dims const& b) {
  dims made = a.rank >= b.rank ? a : b;
  for (std::size_t i = 0; i != made.rank; ++i) {
    std::uint32_t const x = a.from_last(i);
    std::uint32_t const y = b.from_last(i);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    made.extents[made.rank - 1 - i] = x == 1 ? y : x;
  }
  return made;
}

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

/// Computes the layout of a net whose external inputs have the shapes `given`.
template <class Layout, typed_net N>
constexpr Layout lay_out(N const& n, std::span<dims const> given) {
  Layout plan;
  auto const ssa = get_ssa(n);
  auto const fail = [&](plan_problem what, std::size_t op) {
    plan.problem = what;
    plan.problem_op = op;
    return plan;
  };
  auto const number = [&](value v) { return static_cast<std::uint16_t>(ssa.index(v)); };
  if (given.size() != ssa.external_inputs().size() || !ssa.undeclared_inputs().empty() ||
      !ssa.unwritten_outputs().empty())
    return fail(plan_problem::inputs, 0);

  std::vector<char> is_known(ssa.value_count(), 0);
  std::vector<char> is_flag(ssa.value_count(), 0);
  std::vector<std::uint16_t> inputs;
  for (std::size_t v = 0; v != ssa.value_count(); ++v) plan.storage[v] = static_cast<std::uint16_t>(v);
  for (std::size_t i = 0; i != given.size(); ++i) {
    inputs.push_back(number(ssa.external_inputs()[i]));
    plan.shapes[inputs.back()] = given[i];
    is_known[inputs.back()] = 1;
    if (ssa.version(ssa.external_inputs()[i].blob) != 0) return fail(plan_problem::overwritten, 0);
  }

  // ---- ops and shapes
  std::vector<char> const live = live_ops(ssa, std::vector<char>(ssa.op_count(), 0));
  std::vector<static_step> steps;
  std::vector<std::vector<std::uint16_t>> reads;
  std::vector<std::vector<std::uint16_t>> writes;
  bool may_join = false;
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    op_index const here = at++;
    if (live[here] == 0) continue;
    std::vector<std::uint16_t> from;
    std::vector<std::uint16_t> to;
    for (value v : ssa.reads(here)) {
      from.push_back(number(v));
      if (is_known[from.back()] == 0) return fail(plan_problem::inputs, here);
    }
    for (value v : ssa.writes(here)) to.push_back(number(v));
    std::string_view const type = op_type(n, op);
    auto const dims_of = [&](std::size_t i) { return plan.shapes[from[i]]; };
    auto const argument = [&](std::string_view key) {
      if constexpr (requires { n.argument_or(op, key, 0.0); })
        return n.argument_or(op, key, 0);
      else
        return 0.0;
    };
    static_op_plan made;
    dims shape;   // of the step
    dims result;  // of the outputs
    if (type == "FC" || type == "FCTransposed" || type == "MatMul") {
      made.kind = step_kind::product;
      made.has_bias = type != "MatMul";
      made.transpose_a = !made.has_bias && argument("trans_a") != 0;
      made.transpose_b = type == "FC" || (!made.has_bias && argument("trans_b") != 0);
      if (from.size() != (made.has_bias ? 3u : 2u) || dims_of(0).rank != 2 || dims_of(1).rank != 2)
        return fail(plan_problem::shapes, here);
      auto const [m, k] = made.transpose_a ? std::pair(dims_of(0).extents[1], dims_of(0).extents[0])
                                           : std::pair(dims_of(0).extents[0], dims_of(0).extents[1]);
      auto const [inner, units] = made.transpose_b ? std::pair(dims_of(1).extents[1], dims_of(1).extents[0])
                                                   : std::pair(dims_of(1).extents[0], dims_of(1).extents[1]);
      if (inner != k || (made.has_bias && dims_of(2) != dims(units))) return fail(plan_problem::shapes, here);
      shape = dims(m, k);
      result = dims(m, units);
    } else if (type == "Softmax") {
      made.kind = step_kind::softmax;
      if (from.size() != 1 || dims_of(0).rank < 2) return fail(plan_problem::shapes, here);
      shape = result = dims_of(0);
      if (shape.rank != 2) return fail(plan_problem::shapes, here);
    } else if (type == "FlattenToVec" || type == "Alias") {
      plan.storage[to[0]] = plan.storage[from[0]];
      plan.shapes[to[0]] = type == "Alias" ? dims_of(0) : dims(dims_of(0).size());
      is_known[to[0]] = 1;
      is_flag[to[0]] = is_flag[from[0]];
      may_join = false;  // it is read from memory
      continue;
    } else {
      std::optional<traced_op> const lowered = lowered_op(n, op);
      if (!lowered || lowered->info().kind == cell_op_class::repeated) return fail(plan_problem::function, here);
      made.op = *lowered;
      bool const is_fill = made.op.info().kind == cell_op_class::fill;
      if (from.empty()) return fail(plan_problem::shapes, here);
      shape = dims_of(0);
      for (std::size_t i = 0; i != from.size(); ++i) {
        std::optional<dims> const both = broadcast_dims(shape, dims_of(i));
        if (!both) return fail(plan_problem::shapes, here);
        shape = *both;
        if (is_fill) continue;
        if ((is_flag[from[i]] != 0) != reads_flag(made.op, i)) return fail(plan_problem::flag, here);
        made.op.inputs[made.op.input_count++] = from[i];
      }
      for (std::uint16_t const v : from)
        if (!axes_of_operand(plan.shapes[v], shape)) return fail(plan_problem::shapes, here);
      if (is_fill) from.clear();
      result = shape;
      if (made.op.info().kind == cell_op_class::reduced) {
        result.rank = shape.rank - 1;
        result.extents[result.rank] = 0;
      }
      made.op.output = to[0];
    }
    for (std::uint16_t const v : to) {
      plan.shapes[v] = result;
      is_known[v] = 1;
      is_flag[v] = made.kind == step_kind::cell && made.op.info().kind == cell_op_class::flag ? 1 : 0;
    }

    // ---- steps
    bool const is_elementwise = made.kind == step_kind::cell && made.op.info().kind != cell_op_class::reduced;
    bool const joins = may_join && is_elementwise && !steps.empty() && steps.back().kind == step_kind::cell &&
                       steps.back().shape == shape &&
                       plan.ops[steps.back().first_op].op.info().kind != cell_op_class::reduced;
    if (!joins) {
      steps.push_back({made.kind, static_cast<std::uint16_t>(plan.op_count), 0, 0, 0, 0, shape});
      reads.emplace_back();
      writes.emplace_back();
    }
    may_join = true;
    plan.ops[plan.op_count++] = made;
    steps.back().last_op = static_cast<std::uint16_t>(plan.op_count);
    for (std::uint16_t const v : from)
      if (std::ranges::find(writes.back(), v) == writes.back().end() &&
          (std::ranges::find(reads.back(), v) == reads.back().end() || made.kind == step_kind::product))
        reads.back().push_back(v);
    for (std::uint16_t const v : to) writes.back().push_back(v);
  }

  // ---- values that leave their step
  std::vector<char> leaves(ssa.value_count(), 0);
  auto const leave = [&](std::uint16_t v) {
    for (std::size_t u = 0; u != leaves.size(); ++u)
      if (plan.storage[u] == plan.storage[v]) leaves[u] = 1;
  };
  for (auto const& values : reads)
    for (std::uint16_t const v : values) leave(v);
  for (std::size_t o = 0; o != ssa.external_outputs().size(); ++o) {
    plan.outputs[o] = number(ssa.external_outputs()[o]);
    leave(plan.outputs[o]);
  }
  std::size_t next = 0;
  for (std::size_t s = 0; s != steps.size(); ++s) {
    steps[s].first_operand = static_cast<std::uint16_t>(next);
    for (std::uint16_t const v : reads[s]) plan.operands[next++] = v;
    steps[s].input_count = static_cast<std::uint16_t>(reads[s].size());
    for (std::uint16_t const v : writes[s]) {
      if (leaves[v] == 0) continue;
      if (is_flag[v] != 0) return fail(plan_problem::flag, 0);
      plan.operands[next++] = v;
      ++steps[s].output_count;
    }
    plan.steps[plan.step_count++] = steps[s];
  }
  place_values(plan, inputs);
  return plan;
}

}  // namespace detail

}  // namespace plait
