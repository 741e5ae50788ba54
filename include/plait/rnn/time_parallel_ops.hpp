// Ops of a cell that see no state, done for all steps at once before the first.
//
//   plait::recurrent_net_options const all = plait::hoist_time_parallel_ops(net, {.cell = cell, …});
//   auto out = plait::recurrent_net(net, all);
//
// The products of T steps are one product then, which reads its weights once, and so are their gradients.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/npos.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/recurrent_options.hpp>

namespace plait {

namespace detail {

/// Finds the ops, and takes the cell apart. Blobs of a cell are known by name: what is looked at here is written once.
class time_parallel_ops {
 public:
  time_parallel_ops(net_builder const& around, recurrent_net_options options)
      : around_(around), o_(std::move(options)), cell_(o_.cell.net()) {
    look_at_names();
    for (op_def const& op : cell_.op) {
      bool const moves = hoist(op);
      if (!moves) rest_.push_back(&op);
    }
  }

  netdef const& hoisted() const noexcept { return hoisted_; }

  /// What is left, which reads what the hoisted ops make. Once.
  recurrent_net_options rest() {
    if (hoisted_.op.empty()) return std::move(o_);
    netdef left;
    left.name = left.intern(cell_.text(cell_.name));
    if (cell_.type) left.type = left.intern(cell_.text(cell_.type));
    boost::unordered_flat_set<std::string> read;
    for (op_def const* const op : rest_) {
      op_def& added = left.op.emplace_back(left.adopt(*op, cell_));
      for (symbol& x : added.input) {
        auto const known = known_.find(std::string(left.text(x)));
        if (known != known_.end() && known->second.sequence == npos) x = left.intern(known->second.outer);
        read.emplace(left.text(x));
      }
    }
    std::vector<recurrent_input> const inputs = inputs_of_rest(read);
    declare(left, read, inputs);
    // Nothing is known of the shapes of what the others have become.
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
  // What stands for a blob of the cell around it: the same for all steps, or a sequence that is as long as one of the
  // inputs.
  struct known {
    std::string outer;
    std::size_t sequence = npos;  // the number of that input
    bool three_axes = false;      // T×N×…, whatever the input is
  };

  void look_at_names() {
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
        known_.emplace(input.in, known{input.sequence, i, false});
      else
        fixed_.insert(input.in);
    }
  }

  std::optional<known> find(std::string_view name) const {
    if (auto const found = known_.find(std::string(name)); found != known_.end()) return found->second;
    if (fixed_.contains(std::string(name)) || writes_.contains(name)) return {};
    return known{.outer = std::string(name)};
  }

  // Adds an op to those before the steps, if it can be one.
  bool hoist(op_def const& op) {
    if (op.input.empty() || !op.extras().control_input.empty()) return false;
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
    std::optional<known> const made = result(op, inputs);
    if (!made) return false;
    op_def& added = hoisted_.op.emplace_back(hoisted_.adopt(op, cell_));
    for (std::size_t i = 0; i != inputs.size(); ++i) added.input[i] = hoisted_.intern(inputs[i].outer);
    for (std::size_t o = 0; o != op.output.size(); ++o) {
      std::string_view const name = cell_.text(op.output[o]);
      known output = *made;
      if (cell_.text(op.type) == "Concat" && o == 1) output = known{};  // extents along the joint
      output.outer = free_name(output.sequence == npos ? std::string(name) : std::string(name) + "_steps");
      added.output[o] = hoisted_.intern(output.outer);
      known_.insert_or_assign(std::string(name), std::move(output));
    }
    return true;
  }

  // What the outputs are, but for their names; nothing where it is not known that steps can be taken together.
  std::optional<known> result(op_def const& op, std::vector<known> const& inputs) const {
    std::string_view const type = cell_.text(op.type);
    auto const is_one_of = [&](auto const& types) { return std::ranges::find(types, type) != std::end(types); };
    auto const varies = [](known const& k) { return k.sequence != npos; };
    known const& first = inputs.front();
    bool const alike = std::ranges::all_of(inputs, [&](known const& k) {
      return varies(k) && k.sequence == first.sequence && k.three_axes == first.three_axes;
    });
    bool const others_same = std::none_of(inputs.begin() + 1, inputs.end(), varies);
    bool const on_last_axis = argument(op, "axis") == 2 || argument(op, "axis") == -1;
    bool is_known = false;
    known made{{}, first.sequence, first.three_axes};
    if (is_one_of(elementwise) || is_one_of(folds)) {
      is_known = alike;
    } else if (is_one_of(binary)) {
      // A vector is added to all rows, be they of one step or of all.
      bool const vector = argument(op, "broadcast") == 1 && others_same;
      is_known = (alike || (varies(first) && vector)) && !has(op, "axis") && !has(op, "axis_str");
    } else if (type == "FC" || type == "FCTransposed") {
      is_known = argument(op, "axis") == 2 && varies(first) && others_same;
      made.three_axes = true;
    } else if (type == "LayerNorm" || type == "Softmax") {
      is_known = on_last_axis && varies(first) && others_same;
    } else if (type == "Split" || type == "Concat") {
      bool const whole = !has(op, "add_axis") && !has(op, "order");
      is_known = on_last_axis && alike && whole && (type == "Concat" || inputs.size() == 1);
    }
    if (std::ranges::none_of(inputs, varies) && (is_one_of(elementwise) || is_one_of(folds) || is_one_of(binary)))
      return known{};
    return is_known ? std::optional(made) : std::nullopt;
  }
  bool has(op_def const& op, std::string_view name) const { return net_traits<netdef>::has_argument(cell_, op, name); }
  std::optional<std::int64_t> argument(op_def const& op, std::string_view name) const {
    return net_traits<netdef>::int_argument(cell_, op, name);
  }

  std::string free_name(std::string const& name) {
    std::string made = name;
    for (int k = 2; around_.visible(made) || taken_.contains(made); ++k) made = name + '_' + std::to_string(k);
    taken_.insert(made);
    return made;
  }

  // The first one says how many steps there are.
  std::vector<recurrent_input> inputs_of_rest(boost::unordered_flat_set<std::string> const& read) const {
    std::vector<recurrent_input> of_first, others;
    for (std::size_t i = 0; i != o_.inputs.size(); ++i)
      if (read.contains(o_.inputs[i].in)) (i == 0 ? of_first : others).push_back(o_.inputs[i]);
    for (op_def const& op : cell_.op)
      for (symbol const y : op.output) {
        std::string const name(cell_.text(y));
        auto const found = known_.find(name);
        if (found != known_.end() && found->second.sequence != npos && read.contains(name))
          (found->second.sequence == 0 ? of_first : others).push_back({name, found->second.outer, 1});
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

  static constexpr std::array<std::string_view, 37> elementwise = {
      "Abs",        "Acos", "Asin",  "Atan",  "Cbrt", "Ceil",        "Clip",           "Cos", "Cosh",  "Cube",
      "Elu",        "Erf",  "Exp",   "Floor", "Gelu", "HardSigmoid", "LeakyRelu",      "Log", "Logit", "Negative",
      "Reciprocal", "Relu", "ReluN", "Rsqrt", "Selu", "Sigmoid",     "Sign",           "Sin", "Sinh",  "Softplus",
      "Softsign",   "Sqr",  "Sqrt",  "Swish", "Tan",  "Tanh",        "ThresholdedRelu"};
  static constexpr std::array<std::string_view, 4> folds = {"Sum", "Max", "Min", "Mean"};
  static constexpr std::array<std::string_view, 4> binary = {"Add", "Sub", "Mul", "Div"};

  net_builder const& around_;
  recurrent_net_options o_;
  netdef cell_;
  netdef hoisted_;
  std::vector<op_def const*> rest_;
  boost::unordered_flat_map<std::string, known> known_;              // by blob of the cell
  boost::unordered_flat_map<std::string_view, std::size_t> writes_;  // by blob that the cell writes
  boost::unordered_flat_set<std::string_view> given_;                // read before they are written, if they are
  boost::unordered_flat_set<std::string> fixed_;                     // blobs that must stay what they are
  boost::unordered_flat_set<std::string> taken_;                     // names given out
};

}  // namespace detail

/// Moves ops of options.cell into `model`, before the recurrence: those that depend on sequences and on what is around
/// the cell only, and of which it is known by their type that all steps can be taken together. Returns the options of
/// what is left, for recurrent_net; the results are the same but for rounding, and so are the gradients.
///
/// Such ops are FC and FCTransposed, Softmax and LayerNorm, Split and Concat on the last of three axes (axis 2 or -1);
/// functions of one element; Sum, Max, Min, Mean, Add, Sub, Mul and Div of what comes from one sequence, or, where the
/// argument broadcast is set and axis is not, with a vector from around. What depends on no sequence at all is done
/// once. An op stays where it is if something overwrites what it reads or writes, if it makes a state or what is listed
/// to be recomputed, or reads a sequence through a window. Sequences that other sequences are made of take memory of
/// their own: <blob>_steps, with a number where that is taken.
///
/// Throws, and changes nothing: net_error where such an op reads a blob that the model does not have. O(cell).
inline recurrent_net_options hoist_time_parallel_ops(net_builder& model, recurrent_net_options const& options) {
  detail::time_parallel_ops found(model, options);
  recurrent_net_options rest = found.rest();
  model.append_ops(found.hoisted());
  return rest;
}

}  // namespace plait
