// Hoisting of state-independent ops out of a recurrence: one op over all time steps instead of one per step.
//
//   auto const schemas = plait::standard_operators<plait::serial>().schemas();
//   plait::recurrent_net_options const all = plait::hoist_time_parallel_ops(net, {.cell = cell, …}, schemas);
//   auto out = plait::recurrent_net(net, all);
//
// The GEMMs of T steps become one GEMM, which reads its weights once, and so do their gradients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>

namespace plait {

namespace detail {

/// Hoisting pass over a cell: partitions its ops. Blobs are identified by name, so only those written once are hoisted.
class time_parallel_ops {
 public:
  time_parallel_ops(net_builder const& around, recurrent_net_options options,
                    std::vector<op_schema const*> const& schemas)
      : around_(around), schemas_(schemas), o_(std::move(options)), cell_(o_.cell.net()) {
    classify_names();
    for (op_def const& op : cell_.op) {
      bool const moves = hoist(op);
      if (!moves) rest_.push_back(&op);
    }
  }

  netdef const& hoisted() const noexcept { return hoisted_; }

  /// Returns the options of the remaining recurrence, which reads the results of the hoisted ops. Call it once.
  recurrent_net_options rest() {
    if (hoisted_.op.empty()) return std::move(o_);
    netdef left;
    left.name = left.intern(cell_.text(cell_.name));
    if (cell_.type) left.type = left.intern(cell_.text(cell_.type));
    boost::unordered_flat_set<std::string> read;
    for (op_def const* const op : rest_) {
      op_def& added = left.op.emplace_back(left.adopt(*op, cell_));
      for (symbol& x : added.input) {
        auto const found = known_.find(std::string(left.text(x)));
        if (found != known_.end() && found->second.sequence == npos) x = left.intern(found->second.outer);
        read.emplace(left.text(x));
      }
    }
    std::vector<recurrent_input> const inputs = inputs_of_rest(read);
    declare(left, read, inputs);
    // The shapes of replaced sequences are unknown.
    std::erase_if(o_.shapes, [&](auto const& shape) {
      auto const is_named = [&](auto const& list) {
        return std::ranges::find(list, shape.first, &recurrent_input::sequence) != list.end();
      };
      return is_named(o_.inputs) && !is_named(inputs);
    });
    o_.inputs = inputs;
    o_.cell = std::move(left);
    return std::move(o_);
  }

 private:
  // Outer blob that holds a blob of the cell for all steps: loop-invariant, or a sequence as long as one of the inputs.
  struct known {
    std::string outer;
    std::size_t sequence = npos;  // index of that input; npos: loop-invariant
    std::size_t axes = 0;         // rank; 0: that of the input; npos: unknown
  };

  void classify_names() {
    boost::unordered_flat_set<std::string_view> written;
    for (op_def const& op : cell_.op) {
      for (symbol const x : op.input)
        if (!written.contains(cell_.text(x))) given_.insert(cell_.text(x));
      for (symbol const y : op.output) {
        written.insert(cell_.text(y));
        ++writes_[cell_.text(y)];
      }
    }
    for (recurrent_state const& state : o_.states) {
      fixed_.insert(state.in);
      fixed_.insert(state.out);
    }
    fixed_.insert(o_.timestep.empty() ? "timestep" : o_.timestep);
    for (std::string const& name : o_.recompute_on_backward) fixed_.insert(name);
    for (recurrent_output const& output : o_.outputs) fixed_.insert(output.of);
    for (std::size_t i = 0; i != o_.inputs.size(); ++i) {
      recurrent_input const& input = o_.inputs[i];
      if (input.window == 1 && !writes_.contains(input.in))
        known_.emplace(input.in, known{input.sequence, i});
      else
        fixed_.insert(input.in);
    }
  }

  std::optional<known> find(std::string_view name) const {
    if (auto const found = known_.find(std::string(name)); found != known_.end()) return found->second;
    if (fixed_.contains(std::string(name)) || writes_.contains(name)) return {};
    return known{.outer = std::string(name)};
  }

  // Hoists an op if that is possible; returns true if it did.
  bool hoist(op_def const& op) {
    op_schema const* const schema = find_schema(op);
    if (schema == nullptr || op.input.empty() || !op.extras().control_input.empty()) return false;
    for (symbol const y : op.output) {
      std::string_view const name = cell_.text(y);
      if (fixed_.contains(std::string(name)) || given_.contains(name) || writes_.find(name)->second != 1) return false;
    }
    std::vector<known> inputs;
    for (symbol const x : op.input) {
      std::optional<known> found = find(cell_.text(x));
      if (!found) return false;
      inputs.push_back(std::move(*found));
    }
    std::optional<std::size_t> const rows = rows_of(op, *schema, inputs);
    if (!rows) return false;
    op_def& added = hoisted_.op.emplace_back(hoisted_.adopt(op, cell_));
    for (std::size_t i = 0; i != inputs.size(); ++i) added.input[i] = hoisted_.intern(inputs[i].outer);
    for (std::size_t o = 0; o != op.output.size(); ++o) {
      std::string_view const name = cell_.text(op.output[o]);
      known output;
      bool const extents = schema->type() == "Concat" && o == 1;
      if (*rows != 0 && !extents) {
        output.sequence = inputs.front().sequence;
        output.axes = axes_of(op, *schema, o, *rows, inputs.front().axes);
      }
      output.outer = free_name(name, output.sequence == npos ? std::string(name) : std::string(name) + "_steps");
      added.output[o] = hoisted_.intern(output.outer);
      known_.insert_or_assign(std::string(name), std::move(output));
    }
    return true;
  }

  op_schema const* find_schema(op_def const& op) const {
    auto const found = std::ranges::find(schemas_, cell_.text(op.type), &op_schema::type);
    bool const none = found == schemas_.end() || (*found)->has_side_effects() || (*found)->different_runs() != nullptr;
    return none ? nullptr : *found;
  }

  // Returns how many leading inputs come from a sequence, 0 for a loop-invariant op; nothing if the op's rows are not
  // known to be independent, so that it cannot run over all steps at once.
  std::optional<std::size_t> rows_of(op_def const& op, op_schema const& schema,
                                     std::vector<known> const& inputs) const {
    if (!schema.claims_rows()) return {};
    auto const varies = [](known const& k) { return k.sequence != npos; };
    auto const same = std::ranges::find_if_not(inputs, varies);
    if (std::any_of(same, inputs.end(), varies)) return {};
    auto const rows = static_cast<std::size_t>(same - inputs.begin());
    if (rows == 0) return rows;
    known const& first = inputs.front();
    if (std::any_of(inputs.begin(), same, [&](known const& k) { return k.sequence != first.sequence; })) return {};
    bool const alike = std::all_of(inputs.begin(), same, [&](known const& k) { return k.axes == first.axes; });
    if ((!alike || first.axes == npos) && (rows != 1 || schema.rows_by_arguments() != nullptr)) return {};
    try {
      if (read_op_arguments(cell_, op, schema).has_independent_rows(rows)) return rows;
    } catch (shape_error const&) {  // reported when the net is compiled
    }
    return {};
  }

  // Returns the rank of an output of an op whose first `rows` inputs have rank `axes`; npos also if its second axis may
  // differ from theirs.
  std::size_t axes_of(op_def const& op, op_schema const& schema, std::size_t output, std::size_t rows,
                      std::size_t axes) const {
    using traits = net_traits<netdef>;
    std::string_view const type = schema.type();
    std::int64_t const axis = traits::int_argument(cell_, op, "axis").value_or(1);
    bool const inner = axis > 1 || axis == -1;
    if (type == "FC" || type == "FCTransposed" || (type == "LayerNorm" && output != 0)) {
      if (axis > 1) return static_cast<std::size_t>(axis) + 1;
      return inner ? axes : npos;
    }
    if (type == "Split" || type == "Concat") return inner && !traits::has_argument(cell_, op, "add_axis") ? axes : npos;
    for (std::size_t i = 0; i != rows; ++i)
      if (schema.may_be_in_place(i, output)) return axes;
    return npos;
  }

  // Returns an outer name for the cell's blob `own`. TRAP: no other blob of the cell may have that name, or the cell
  // would read that blob instead of the capture.
  std::string free_name(std::string_view own, std::string const& name) {
    std::string made = name;
    auto const is_another = [&] { return made != own && (writes_.contains(made) || given_.contains(made)); };
    for (int k = 2; around_.visible(made) || taken_.contains(made) || is_another(); ++k)
      made = name + '_' + std::to_string(k);
    taken_.insert(made);
    return made;
  }

  // Returns the remaining sequences; the first determines the numbers of steps and rows, so it derives from the first
  // input.
  std::vector<recurrent_input> inputs_of_rest(boost::unordered_flat_set<std::string> const& read) const {
    std::vector<recurrent_input> of_first, others;
    for (std::size_t i = 0; i != o_.inputs.size(); ++i)
      if (read.contains(o_.inputs[i].in)) (i == 0 ? of_first : others).push_back(o_.inputs[i]);
    for (op_def const& op : cell_.op)
      for (symbol const y : op.output) {
        std::string const name(cell_.text(y));
        auto const found = known_.find(name);
        if (found != known_.end() && found->second.sequence != npos && read.contains(name))
          (found->second.sequence == 0 && found->second.axes != npos ? of_first : others)
              .push_back({name, found->second.outer, 1});
      }
    if (of_first.empty()) of_first.push_back(o_.inputs.front());
    of_first.insert(of_first.end(), others.begin(), others.end());
    return of_first;
  }

  void declare(netdef& left, boost::unordered_flat_set<std::string> const& read,
               std::vector<recurrent_input> const& inputs) const {
    boost::unordered_flat_set<std::string> listed;
    auto const add = [&](std::string_view name) {
      if (listed.emplace(name).second) left.external_input.push_back(left.intern(name));
    };
    for (recurrent_input const& input : inputs) add(input.in);
    for (symbol const x : cell_.external_input) {
      std::string const name(cell_.text(x));
      bool const is_state = std::ranges::find(o_.states, name, &recurrent_state::in) != o_.states.end();
      if (read.contains(name) || is_state) add(name);
    }
    for (auto const& op : hoisted_.op)
      for (symbol const y : op.output)
        if (read.contains(std::string(hoisted_.text(y)))) add(hoisted_.text(y));
    for (symbol const y : cell_.external_output) left.external_output.push_back(left.intern(cell_.text(y)));
  }

  net_builder const& around_;
  std::vector<op_schema const*> const& schemas_;
  recurrent_net_options o_;
  netdef cell_;
  netdef hoisted_;
  std::vector<op_def const*> rest_;
  boost::unordered_flat_map<std::string, known> known_;              // by blob of the cell
  boost::unordered_flat_map<std::string_view, std::size_t> writes_;  // by blob that the cell writes
  boost::unordered_flat_set<std::string_view> given_;                // blobs read before any write
  boost::unordered_flat_set<std::string> fixed_;                     // blobs that must stay in the cell
  boost::unordered_flat_set<std::string> taken_;                     // outer names in use
};

}  // namespace detail

/// Hoists ops of options.cell into `model`, before the recurrence: those that depend only on sequences and captures,
/// and whose `schemas` allow all time steps in one op. Returns the options of the remaining recurrence, for
/// recurrent_net. Results and gradients are the same except for rounding.
///
/// An op qualifies if its rows are independent (op_schema::rows_independent), since a step is a row of its sequence:
/// FC, Softmax, LayerNorm, Split and Concat along other axes than the first; element-wise functions; Sum, Add, Mul and
/// similar ops on operands from one sequence, or, with the argument broadcast, with a captured vector; and any other op
/// whose schema claims it, user-defined ones included. Loop-invariant ops run once. An op stays in the cell if an
/// operand is overwritten, if it writes a state or a blob to recompute, reads a sequence through a window, or reads an
/// operand whose rank may not fit its claim. Hoisted results are sequences in memory: <blob>_steps, with a number if
/// that is taken.
///
/// `schemas` are a table's: standard_operators<serial>().schemas(), whatever backend the net runs on.
///
/// Throws, and changes nothing: net_error if a hoisted op reads a blob that the model lacks. O(cell · schemas).
inline recurrent_net_options hoist_time_parallel_ops(net_builder& model, recurrent_net_options const& options,
                                                     std::vector<op_schema const*> const& schemas) {
  detail::time_parallel_ops found(model, options, schemas);
  recurrent_net_options rest = found.rest();
  model.append_ops(found.hoisted());
  return rest;
}

}  // namespace plait
