// While loop with a trip count, loop-carried states and scan outputs: the lowering that ONNX's Loop and Scan share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/subgraphs.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait::detail {

/// Builder of a While op from the graph "body" of a node.
class onnx_while_loop {
 public:
  using names = std::vector<std::string>;
  /// Returns the values of the body's inputs; may add ops to the body's net.
  using body_inputs = std::function<std::vector<onnx_value>(net_builder& inside)>;

  /// Scan output: the values of a body output in all iterations, stacked along a new first axis.
  struct scan_output {
    std::string blob;
    bool backward;  ///< in reverse order
  };

  explicit onnx_while_loop(onnx_context const& c) : c_(c), body_(c.graph("body")) {
    counter = c.step("Copy", {number(0)});
  }

  std::string counter;                         ///< iterations so far, one int64
  std::string max_trip_count = {};             ///< empty: unbounded
  std::string condition = {};                  ///< initial condition; empty: true
  bool has_condition_output = false;           ///< the body's first output is the condition to continue
  bool obeys_condition = false;                ///< false: that output is ignored
  names states = {};                           ///< blobs of the loop-carried values: the body's next outputs
  std::vector<scan_output> scan_outputs = {};  ///< the body's remaining outputs

  void run(body_inputs const& inputs) {
    std::size_t const first = has_condition_output ? 1 : 0;
    if (body_.outputs.size() != first + states.size() + scan_outputs.size())
      c_.unsupported("its body must have " + std::to_string(first + states.size() + scan_outputs.size()) + " outputs");
    std::string const keep = first_condition();
    net_builder inside(c_.temporary("body"));
    std::vector<onnx_value> given = inputs(inside);
    if (given.size() != body_.inputs.size())
      c_.unsupported("its body must have " + std::to_string(given.size()) + " inputs");
    values_ = c_.converter().inside(body_, inside, std::move(given));
    // The updates below write blobs that the body reads: all new states are read before one of them is written (WAR).
    names handed;
    for (std::size_t k = 0; k != states.size(); ++k) {
      std::string blob = blob_of(values_[first + k]);
      if (blob != states[k] && std::ranges::find(states, blob) != states.end())
        blob = inside.copy(onnx_capture(inside, blob), c_.temporary("before")).name();
      handed.push_back(blob);
    }
    for (std::size_t k = 0; k != scan_outputs.size(); ++k)
      grow(inside, scan_outputs[k], values_[first + states.size() + k]);
    std::string goes_on = obeys_condition && !values_[0].constant ? blob_of(values_[0]) : std::string();
    if (std::ranges::find(states, goes_on) != states.end())
      goes_on = inside.copy(onnx_capture(inside, goes_on), c_.temporary("before")).name();
    bool const never = obeys_condition && values_[0].constant && !truth(*values_[0].constant);
    for (std::size_t k = 0; k != states.size(); ++k) {
      if (handed[k] != states[k]) inside.copy(onnx_capture(inside, handed[k]), states[k]);
    }
    blob_handle const i = onnx_capture(inside, counter);
    inside.add(i, onnx_capture(inside, number(1)), counter);
    next_condition(inside, keep, goes_on, never);
    names written = states;
    for (scan_output const& each : scan_outputs) written.push_back(each.blob);
    written.push_back(counter);
    written.push_back(keep);
    for (std::string const& name : written) inside.external_outputs(onnx_capture(inside, name));

    netdef net = inside.take();
    names const read = onnx_captured_inputs(c_.net(), keep, {&net});
    if (c_.training())
      c_.net().while_(c_.net().blob(keep), std::move(net));
    else
      c_.net().op_n("While", read, written, {{"loop_net", std::move(net)}});
  }

  /// Returns what is known of a state or scan output of one iteration, after run().
  onnx_value const& result(std::size_t k) const { return values_[k + (has_condition_output ? 1 : 0)]; }
  /// Returns a constant blob of the outer net.
  std::string number(std::int64_t value) const {
    return c_.constant_blob({{}, std::vector<std::int64_t>{value}}, "number");
  }

 private:
  static bool truth(tensor_value const& value) {
    auto const* const elements = std::get_if<std::vector<bool>>(&value.data);
    return elements != nullptr && elements->size() == 1 && elements->front();
  }
  std::string blob_of(onnx_value const& value) const {
    return value.blob.empty() ? c_.constant_blob(*value.constant, "constant") : value.blob;
  }

  std::string first_condition() const {
    std::string made = condition;
    if (!max_trip_count.empty()) {
      made = c_.step("LT", {counter, max_trip_count});
      if (!condition.empty()) made = c_.step("And", {condition, made});
    } else if (made.empty()) {
      made = c_.constant_blob({{}, std::vector<bool>{true}}, "true");
    }
    return c_.step("Copy", {made});
  }
  void next_condition(net_builder& inside, std::string const& keep, std::string const& goes_on, bool never) const {
    if (never) {
      inside.copy(onnx_capture(inside, c_.constant_blob({{}, std::vector<bool>{false}}, "false")), keep);
    } else if (!max_trip_count.empty()) {
      blob_handle const below =
          inside.lt(inside.blob(counter), onnx_capture(inside, max_trip_count), c_.temporary("below"));
      if (goes_on.empty())
        inside.copy(below, keep);
      else
        inside.op("And", {onnx_capture(inside, goes_on), below}, keep);
    } else if (!goes_on.empty()) {
      inside.copy(onnx_capture(inside, goes_on), keep);
    } else {
      inside.copy(onnx_capture(inside, keep), keep);
    }
  }

  // ---- scan outputs
  // Type and shape of one iteration's value, as far as the model declares them.
  struct places {
    onnx_type type;
    std::vector<std::int64_t> dims;  // 0 for an unknown extent
    bool known;                      // all extents are known
  };
  places places_of(onnx_value const& value) const {
    places made{value.type == onnx_type::undefined ? onnx_type::float32 : value.type, {}, value.dims.has_value()};
    static_cast<void>(require_runtime_type(c_, made.type));
    if (value.dims)
      for (std::int64_t const extent : *value.dims) {
        made.known = made.known && extent >= 0;
        made.dims.push_back(std::max<std::int64_t>(extent, 0));
      }
    return made;
  }

  // Returns true if the trip count is known before the loop. Scan outputs are preallocated then; not in training, since
  // in-place writes have no gradient.
  bool is_counted() const {
    bool const stops = obeys_condition && !(values_[0].constant && truth(*values_[0].constant));
    return !max_trip_count.empty() && condition.empty() && !stops && !c_.training();
  }

  void grow(net_builder& inside, scan_output const& to, onnx_value const& value) const {
    places const what = places_of(value);
    blob_handle const one =
        inside.op("ExpandDims", onnx_capture(inside, blob_of(value)), c_.temporary("place"), {{"dims", {0}}});
    if (is_counted())
      fill(inside, to, what, one);
    else
      append(inside, to, what, one);
  }

  // Initialises a scan output with no elements, of the right shape as far as it is known.
  void begin_empty(scan_output const& to, places const& what) const {
    std::vector<std::int64_t> dims = what.dims;
    dims.insert(dims.begin(), 0);
    c_.add("Copy", {c_.constant_blob(onnx_filled(what.type, std::move(dims), 0), "empty")}, {to.blob});
  }
  blob_handle is_first(net_builder& inside) const {
    return inside.eq(onnx_capture(inside, counter), onnx_capture(inside, number(0)), c_.temporary("first"));
  }

  // Preallocates a scan output and writes this iteration's value to it.
  void fill(net_builder& inside, scan_output const& to, places const& what, blob_handle const& one) const {
    std::string const count = c_.step(
        "Max", {c_.step("Reshape", {max_trip_count}, {{"shape", {1}}}), c_.constant_blob(onnx_list({0}), "none")});
    if (what.known) {
      std::string const shape = c_.temporary("shape");
      c_.add("Concat", {count, c_.constant_blob(onnx_list(what.dims), "dims")}, {shape, c_.temporary("extents")},
             {{"axis", 0}});
      c_.add("ConstantFill", {shape}, {to.blob},
             {{"input_as_shape", 1}, {"value", 0.0f}, {"dtype", require_runtime_type(c_, what.type)}});
    } else {  // the first value determines the shape
      begin_empty(to, what);
      net_builder begins(c_.temporary("begins"));
      begins.op("Tile", {onnx_capture(begins, one.name()), onnx_capture(begins, count)}, to.blob);
      begins.external_outputs(to.blob);
      netdef net = begins.take();
      names const read = onnx_captured_inputs(inside, is_first(inside).name(), {&net});
      inside.op_n("If", read, names{to.blob}, {{"then_net", std::move(net)}});
    }
    blob_handle at = onnx_capture(inside, counter);
    if (to.backward) {
      auto const next = inside.add(at, onnx_capture(inside, number(1)), c_.temporary("next"));
      at = inside.sub(onnx_capture(inside, max_trip_count), next, c_.temporary("at"));
    }
    auto const place = inside.op("Reshape", at, c_.temporary("index"), {{"shape", {1}}});
    inside.op("ScatterAssign", {onnx_capture(inside, to.blob), place, one}, to.blob);
  }

  // Appends this iteration's value to a scan output: quadratic copying over the loop.
  void append(net_builder& inside, scan_output const& to, places const& what, blob_handle const& one) const {
    begin_empty(to, what);
    auto const join = [&](net_builder& net) {
      names parts{to.blob, one.name()};
      if (to.backward) std::ranges::reverse(parts);
      for (std::string const& part : parts) onnx_capture(net, part);
      net.op_n("Concat", parts, names{to.blob, c_.temporary("extents")}, {{"axis", 0}});
      net.external_outputs(to.blob);
    };
    if (what.known) return join(inside);
    net_builder begins(c_.temporary("begins"));
    begins.copy(onnx_capture(begins, one.name()), to.blob);
    begins.external_outputs(to.blob);
    net_builder grows(c_.temporary("grows"));
    join(grows);
    onnx_capture(inside, to.blob);
    onnx_add_if(inside, c_.training(), is_first(inside).name(), begins.take(), grows.take(), {to.blob});
  }

  onnx_context const& c_;
  onnx_graph_def const& body_;
  std::vector<onnx_value> values_;
};

/// Returns a value that is a blob.
inline onnx_value onnx_blob(std::string blob, onnx_type type = onnx_type::undefined, onnx_dims dims = std::nullopt) {
  onnx_value made;
  made.blob = std::move(blob);
  made.type = type;
  made.dims = std::move(dims);
  return made;
}

}  // namespace plait::detail
