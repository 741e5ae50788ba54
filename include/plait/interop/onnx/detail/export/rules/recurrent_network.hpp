// Export of RecurrentNetwork as Scan: states are loop-carried, sequences are scanned, other blobs are captured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/control_flow.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>

namespace plait {
namespace detail::onnx_out {

/// Recurrence in the form that Scan and ONNX's recurrent operators take: each state has one place before the first
/// step, steps read the last place and write the next one.
struct onnx_recurrence {
  /// Blob of the step net that is several places of a state: those carried into the step, and the next one.
  struct window {
    std::string blob;
    std::int64_t first;
    std::int64_t count;
  };
  struct state {
    std::string sequence;                    ///< the name of its places in links
    std::string initial;                     ///< the places before the first step, P×N×D
    std::int64_t places = 1;                 ///< P
    std::vector<window> windows = {};        ///< windows that the step net reads, if there are several places
    std::vector<std::string> previous = {};  ///< blobs of the step net that are its last place
    std::string next = {};                   ///< the blob of the step net that becomes its next place
  };
  struct scanned {
    std::string value;               ///< the sequence
    std::vector<std::string> blobs;  ///< blobs of the step net that are its place
  };
  struct alias {
    std::size_t state;
    std::size_t output;
    std::int64_t offset;
  };
  onnx_source_subnet const* step = nullptr;
  std::vector<state> states;
  std::vector<scanned> sequences;  ///< the first one is input 0, which determines the number of steps
  std::vector<alias> aliases;
  std::string timestep;
};

/// Reader of a RecurrentNetwork's arguments.
class onnx_recurrence_reader {
 public:
  explicit onnx_recurrence_reader(onnx_export_context& c) : c_(c) {}

  onnx_recurrence read() {
    made_.step = onnx_subnet(c_, "step_net");
    if (made_.step == nullptr) c_.unsupported("it has no step_net");
    made_.timestep = renamed(c_.text("timestep", "timestep"));
    made_.sequences.push_back({c_.input(0), {}});
    read_states();
    read_links();
    read_aliases();
    return std::move(made_);
  }

 private:
  std::string renamed(std::string const& blob) const {
    auto const found = c_.op().argument(blob + ".rename");
    auto const* text = found ? std::get_if<std::string>(&*found) : nullptr;
    return text != nullptr ? *text : blob;
  }
  static std::int64_t at(std::vector<std::int64_t> const& list, std::size_t i, std::int64_t other) {
    return i < list.size() ? list[i] : other;
  }

  void read_states() {
    auto const names = c_.texts("recurrent_states");
    auto const ids = c_.integers("initial_recurrent_state_ids");
    if (ids.size() != names.size()) c_.unsupported("its states and their initial values do not fit");
    for (std::size_t i = 0; i != names.size(); ++i)
      made_.states.push_back(initial_state(renamed(names[i]), c_.input(static_cast<std::size_t>(ids[i]))));
  }
  onnx_recurrence::state initial_state(std::string sequence, std::string const& value) const {
    auto const& dims = c_.dims(value);
    std::int64_t const places = dims && dims->size() == 3 ? std::max<std::int64_t>(dims->front(), 1) : 1;
    return {std::move(sequence), initial(value), places};
  }
  // Returns an initial value as P×N×D: it may lack the first axis, or be one row for the whole batch.
  std::string initial(std::string const& value) const {
    std::size_t const rank = c_.known_rank(value);
    auto const extent = [&](std::size_t axis) { return (*c_.dims(value))[axis]; };
    if (rank == 3) return extent(0) < 1 ? fixed(value) : value;
    if (rank == 2) return c_.step("Unsqueeze", {value, onnx_axes(c_, {0})});
    if (rank != 1) c_.unsupported("an initial state of " + std::to_string(rank) + " axes");
    std::string const batch = c_.step("Gather", {c_.step("Shape", {c_.input(0)}), onnx_axes(c_, {1})});
    std::string const one = c_.constant(std::vector<std::int64_t>{1});
    std::string const shape = c_.step("Concat", {one, batch, one}, {onnx_attr("axis", 0)});
    std::string const made = c_.step("Expand", {value, shape});
    auto const& x = c_.dims(c_.input(0));
    c_.set_dims(made, std::vector<std::int64_t>{1, x && x->size() > 1 ? (*x)[1] : -1, extent(0)});
    return made;
  }
  // The first extent is unknown: it is taken to be 1, and the model is refused at run time if it is not.
  std::string fixed(std::string const& value) const {
    std::string const made = c_.step("Squeeze", {value, onnx_axes(c_, {0})});
    return c_.step("Unsqueeze", {made, onnx_axes(c_, {0})});
  }

  bool writes(std::string const& blob) const {
    for (onnx_source_op const& op : made_.step->net->ops)
      for (auto const& [written, version] : op.writes)
        if (written == blob) return true;
    return false;
  }
  bool reads_first(std::string const& blob) const {
    return std::ranges::find(made_.step->net->undefined, blob) != made_.step->net->undefined.end();
  }

  void read_links() {
    auto const internal = c_.texts("link_internal");
    auto const external = c_.texts("link_external");
    auto const offsets = c_.integers("link_offset");
    auto const windows = c_.integers("link_window");
    if (external.size() != internal.size() || offsets.size() != internal.size()) c_.unsupported("its links do not fit");
    for (std::size_t i = 0; i != internal.size(); ++i) {
      std::string const blob = renamed(internal[i]);
      std::string const sequence = renamed(external[i]);
      std::int64_t const count = at(windows, i, 1);
      auto const state = std::ranges::find(made_.states, sequence, &onnx_recurrence::state::sequence);
      if (state != made_.states.end())
        link_state(*state, blob, offsets[i], count);
      else if (count == 1)
        link_sequence(sequence, blob, offsets[i]);
      else
        c_.unsupported("'" + blob + "' is a window of several steps", "an op of the net around that gathers windows");
    }
    for (onnx_recurrence::state const& each : made_.states)
      if (reads_first(each.sequence))
        c_.unsupported("the step net reads all places of the state '" + each.sequence + "'");
    for (onnx_recurrence::state const& each : made_.states)
      if (each.next.empty()) c_.unsupported("no step writes the state '" + each.sequence + "'");
  }
  void link_state(onnx_recurrence::state& state, std::string const& blob, std::int64_t offset, std::int64_t count) {
    if (offset == state.places && count == 1 && writes(blob) && !reads_first(blob) && state.next.empty()) {
      state.next = blob;
    } else if (offset == 0 && count == 1 && state.places == 1 && !writes(blob)) {
      state.previous.push_back(blob);
    } else if (offset >= 0 && count >= 1 && offset + count <= state.places + 1 && !writes(blob)) {
      state.windows.push_back({blob, offset, count});
    } else {
      c_.unsupported(
          "'" + blob + "' is linked to place " + std::to_string(offset) + " of the state '" + state.sequence + "'",
          "states that steps read at their initial places and write at the next one");
    }
  }
  void link_sequence(std::string const& sequence, std::string const& blob, std::int64_t offset) {
    if (std::ranges::find(c_.op().inputs, sequence) == c_.op().inputs.end())
      c_.unsupported("'" + sequence + "' is neither a state nor an input");
    if (offset != 0 || writes(blob)) c_.unsupported("'" + blob + "' is not the current place of its sequence");
    std::string const value = c_.value_of(sequence);
    auto found = std::ranges::find(made_.sequences, value, &onnx_recurrence::scanned::value);
    if (found == made_.sequences.end()) {
      made_.sequences.push_back({value, {}});
      found = made_.sequences.end() - 1;
    }
    found->blobs.push_back(blob);
  }

  void read_aliases() {
    auto const sources = c_.texts("alias_src");
    auto const targets = c_.texts("alias_dst");
    auto const offsets = c_.integers("alias_offset");
    if (targets.size() != sources.size() || offsets.size() != sources.size()) c_.unsupported("its aliases do not fit");
    for (std::size_t i = 0; i != sources.size(); ++i) {
      auto const state = std::ranges::find(made_.states, renamed(sources[i]), &onnx_recurrence::state::sequence);
      auto const output = std::ranges::find(c_.op().outputs, renamed(targets[i]));
      if (state == made_.states.end()) c_.unsupported("alias_src has '" + sources[i] + "', which is no state");
      if (output == c_.op().outputs.end()) continue;
      made_.aliases.push_back({static_cast<std::size_t>(state - made_.states.begin()),
                               static_cast<std::size_t>(output - c_.op().outputs.begin()), offsets[i]});
    }
  }

  onnx_export_context& c_;
  onnx_recurrence made_;
};

/// Defines the outputs of a recurrence from the places of a state behind the first one, T×N×D, and the last one, 1×N×D.
/// Outputs that neither of them determines are left out.
inline void onnx_give_states(onnx_export_context& c, onnx_recurrence const& r, std::size_t state,
                             std::string const& all, std::string const& last) {
  for (onnx_recurrence::alias const& each : r.aliases) {
    if (each.state != state) continue;
    if (each.offset == r.states[state].places) {
      c.forward(each.output, all);
    } else if (each.offset == -1) {
      c.forward(each.output, last);
    } else {
      std::string const places = c.step("Concat", {r.states[state].initial, all}, {onnx_attr("axis", 0)});
      if (each.offset == 0) {
        c.forward(each.output, places);
      } else {
        c.give(each.output, "Slice",
               {places, c.constant(std::vector<std::int64_t>{each.offset}),
                c.constant(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()}), onnx_axes(c, {0})});
      }
    }
  }
}

/// Returns a step net in which ops behind the one that writes the next place of a state define the windows over its
/// places. `carried` is the blob of the places before.
inline onnx_source onnx_step_with_windows(onnx_export_context const& c, onnx_source const& step,
                                          onnx_recurrence::state const& state, std::string const& carried) {
  onnx_source made = step;
  auto const writes_next = [&](onnx_source_op const& op) {
    return std::ranges::any_of(op.writes, [&](auto const& each) { return each.first == state.next; });
  };
  std::size_t end = made.ops.size();
  while (end != 0 && !writes_next(made.ops[end - 1])) --end;
  std::string const all = carried + "/all";
  auto const op = [&](std::string type, std::vector<std::string> inputs, std::string const& output,
                      std::vector<std::pair<std::string, argument_value>> arguments) {
    onnx_source_op added;
    added.index = c.op().index;
    added.type = std::move(type);
    added.inputs = std::move(inputs);
    added.outputs = {output};
    added.used = {true};
    added.writes = {{output, 1}};
    added.argument = [list = std::move(arguments)](std::string_view name) -> std::optional<argument_value> {
      for (auto const& [each, value] : list)
        if (each == name) return value;
      return std::nullopt;
    };
    return added;
  };
  std::vector<onnx_source_op> added{op("Concat", {carried, state.next}, all, {{"axis", std::int64_t{0}}})};
  for (onnx_recurrence::window const& each : state.windows) {
    for (std::size_t k = 0; k != end; ++k)
      if (std::ranges::find(made.ops[k].inputs, each.blob) != made.ops[k].inputs.end())
        c.unsupported("an op reads '" + each.blob + "' before the next place of '" + state.sequence + "' is written");
    added.push_back(op("StridedSlice", {all}, each.blob,
                       {{"starts", std::vector<std::int64_t>{each.first}},
                        {"ends", std::vector<std::int64_t>{each.first + each.count}}}));
  }
  made.ops.insert(made.ops.begin() + static_cast<std::ptrdiff_t>(end), added.begin(), added.end());
  return made;
}

inline void onnx_export_scan(onnx_export_context& c, onnx_recurrence const& r) {
  bool const counts = std::ranges::find(r.step->net->undefined, r.timestep) != r.step->net->undefined.end();
  std::vector<std::string> inputs;
  for (auto const& each : r.states) inputs.push_back(each.initial);
  if (counts) inputs.push_back(c.constant(tensor_value{{1}, std::vector<std::int32_t>{0}}, "timestep"));
  for (auto const& each : r.sequences) inputs.push_back(each.value);
  onnx_graph_def body = c.exporter().inside(c.temporary("step"), [&] {
    onnx_export_scope inner{&c.scope()};
    auto const declare = [&](std::string const& ending, onnx_type type, onnx_shape dims) {
      std::string name = c.temporary(ending);
      c.exporter().types().set(name, type, std::move(dims));
      c.exporter().graph().inputs.push_back(onnx_info_of(c, name));
      return name;
    };
    onnx_source step = *r.step->net;
    std::vector<std::string> carried;
    for (auto const& each : r.states) {
      std::string const name = declare(each.sequence, c.type_of(each.initial), c.dims(each.initial));
      carried.push_back(name);
      for (std::string const& blob : each.previous) inner.current[blob] = name;
      if (each.windows.empty()) continue;
      inner.current[name] = name;
      step = onnx_step_with_windows(c, step, each, name);
    }
    std::string time;
    if (counts) {
      time = declare("timestep", onnx_type::int32, std::vector<std::int64_t>{1});
      inner.current[r.timestep] = time;
    }
    std::vector<std::string> slices;
    for (auto const& each : r.sequences) {
      onnx_shape dims = c.dims(each.value);
      if (dims && !dims->empty()) dims->erase(dims->begin());
      slices.push_back(declare("slice", c.type_of(each.value), std::move(dims)));
    }
    for (std::size_t k = 0; k != slices.size(); ++k) {
      if (r.sequences[k].blobs.empty()) continue;
      std::string const place = c.step("Unsqueeze", {slices[k], onnx_axes(c, {0})});
      for (std::string const& blob : r.sequences[k].blobs) inner.current[blob] = place;
    }
    c.exporter().convert(step, inner);
    for (std::size_t k = 0; k != r.states.size(); ++k) {
      std::string next = *inner.find(r.states[k].next);
      if (r.states[k].places > 1) {
        constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
        std::string const kept = c.step("Slice", {carried[k], c.constant(std::vector<std::int64_t>{1}),
                                                  c.constant(std::vector<std::int64_t>{last}), onnx_axes(c, {0})});
        next = c.step("Concat", {kept, next}, {onnx_attr("axis", 0)});
      }
      onnx_yield_value(c, next);
    }
    if (counts)
      onnx_yield_value(c, c.step("Add", {time, c.constant(tensor_value{{1}, std::vector<std::int32_t>{1}}, "one")}));
    for (auto const& each : r.states)
      onnx_yield_value(c, c.step("Squeeze", {*inner.find(each.next), onnx_axes(c, {0})}));
  });
  std::vector<std::string> last;
  std::vector<std::string> all;
  for (auto const& each : r.states) last.push_back(c.temporary(each.sequence + "_last"));
  std::vector<std::string> outputs = last;
  if (counts) outputs.push_back(c.temporary("steps"));
  for (auto const& each : r.states) {
    all.push_back(c.temporary(each.sequence + "_all"));
    outputs.push_back(all.back());
  }
  c.add("Scan", std::move(inputs), std::move(outputs),
        {onnx_attr("body", std::move(body)),
         onnx_attr("num_scan_inputs", static_cast<std::int64_t>(r.sequences.size()))});
  auto const& x = c.dims(r.sequences.front().value);
  for (std::size_t k = 0; k != r.states.size(); ++k) {
    onnx_shape dims = c.dims(r.states[k].initial);
    c.exporter().types().set(last[k], c.type_of(r.states[k].initial), dims);
    if (dims && !dims->empty()) dims->front() = x && !x->empty() ? x->front() : -1;
    c.exporter().types().set(all[k], c.type_of(r.states[k].initial), std::move(dims));
    std::string final_place = last[k];
    if (r.states[k].places > 1)
      final_place = c.step("Slice", {last[k], c.constant(std::vector<std::int64_t>{-1}),
                                     c.constant(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()}),
                                     onnx_axes(c, {0})});
    onnx_give_states(c, r, k, all[k], final_place);
  }
}

// ---- cells

/// Returns true where a sequence has not ended: Less(timestep, lengths) as N×1.
inline std::string onnx_is_running(onnx_export_context const& c, std::string const& lengths, std::string const& time) {
  auto const as_int32 = [&](std::string const& x) {
    return c.type_of(x) == onnx_type::int32
               ? x
               : c.step("Cast", {x}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int32))});
  };
  std::string const now = c.reshape(as_int32(time), {1});
  return c.step("Unsqueeze", {c.step("Less", {now, as_int32(lengths)}), onnx_axes(c, {-1})});
}

inline void onnx_export_lstm_unit(onnx_export_context& c) {
  bool const masks = c.integer("sequence_lengths", 1) != 0;
  std::vector<std::string> gates;
  for (char const* name : {"in", "forget", "out", "cell"}) gates.push_back(c.temporary(name));
  std::vector<std::string> split{c.input(2)};
  std::vector<onnx_attribute> with{onnx_attr("axis", -1)};
  if (c.opset() >= 18) with.push_back(onnx_attr("num_outputs", 4));
  c.add("Split", std::move(split), gates, std::move(with));
  std::string forget = gates[1];
  if (float const bias = c.real("forget_bias", 0); bias != 0) forget = c.step("Add", {forget, c.number(bias, forget)});
  std::string const kept = c.step("Mul", {c.step("Sigmoid", {forget}), c.input(1)});
  std::string const taken = c.step("Mul", {c.step("Sigmoid", {gates[0]}), c.step("Tanh", {gates[3]})});
  std::string const cell = c.step("Add", {kept, taken});
  std::string const hidden = c.step("Mul", {c.step("Sigmoid", {gates[2]}), c.step("Tanh", {cell})});
  if (!masks) {
    c.forward(0, hidden);
    if (c.output_count() > 1) c.forward(1, cell);
    return;
  }
  std::string const runs = onnx_is_running(c, c.input(3), c.input(4));
  bool const drops = c.integer("drop_states", 0) != 0;
  auto const give = [&](std::size_t o, std::string const& next, std::string const& previous) {
    c.give(o, "Where", {runs, next, drops ? c.number(0, next) : previous});
  };
  give(0, hidden, c.input(0));
  if (c.output_count() > 1) give(1, cell, c.input(1));
}

/// GRUUnit: the reset gate has been applied to the output gate by the op's producer.
inline void onnx_export_gru_unit(onnx_export_context& c) {
  bool const masks = c.integer("sequence_lengths", 1) != 0;
  std::vector<std::string> gates;
  for (char const* name : {"reset", "update", "output"}) gates.push_back(c.temporary(name));
  std::vector<onnx_attribute> with{onnx_attr("axis", -1)};
  if (c.opset() >= 18) with.push_back(onnx_attr("num_outputs", 3));
  c.add("Split", {c.input(1)}, gates, std::move(with));
  std::string const update = c.step("Sigmoid", {gates[1]});
  std::string const kept = c.step("Mul", {update, c.input(0)});
  std::string const rest = c.step("Sub", {c.number(1, update), update});
  std::string const taken = c.step("Mul", {rest, c.step("Tanh", {gates[2]})});
  std::string const hidden = c.step("Add", {kept, taken});
  if (!masks) return c.forward(0, hidden);
  std::string const runs = onnx_is_running(c, c.input(2), c.input(3));
  c.give(0, "Where", {runs, hidden, c.integer("drop_states", 0) != 0 ? c.number(0, hidden) : c.input(0)});
}

}  // namespace detail::onnx_out
}  // namespace plait
