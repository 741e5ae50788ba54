// Attention over the outputs of an encoder: additive (Bahdanau), dot-product (Luong), recurrent, soft coverage.
//
//   auto const memory = plait::add_attention_memory(
//       model, "attention", {.encoder_outputs = encoder.output, .width = encoder.output_width, .lengths = "lengths"});
//   plait::attention_cell cell{plait::lstm_cell{8, 16}, memory};
//
// add_attention_memory adds the loop-invariant ops to the outer net; attend adds the ops of one step, for
// attention_cell and for user-defined cells.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/trained_model.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/detail/cell_step.hpp>

namespace plait {

/// Score of an encoder output e for a query q. W… are affine maps, v is a vector.
enum class attention_kind : std::uint8_t {
  regular,        ///< v tanh(W e + W' q): D. Bahdanau, K. Cho and Y. Bengio, ICLR 2015
  recurrent,      ///< v tanh(W e + W' q + W" context), with the context of the previous step
  dot,            ///< e q, or e (W' q) where q has another width: M.-T. Luong, H. Pham and C. Manning, EMNLP 2015
  soft_coverage,  ///< v tanh(W e + W' q + coverage W" e), with the summed weights of e so far: Z. Tu et al., ACL 2016
};

/// Options of add_attention_memory.
struct attention_memory_options {
  attention_kind kind = attention_kind::regular;
  std::string encoder_outputs = {};  ///< S×N×width
  std::int64_t width = 0;            ///< width of encoder_outputs
  /// Exactly N lengths of the encoder's sequences, int32 or int64; absent: all are S.
  std::optional<std::string> lengths = {};
  /// Width of the sum that v is multiplied by; absent: `width`, as in Caffe2.
  std::optional<std::int64_t> sum_width = {};
  /// W e for all e, S×N×sum_width, if it exists already; absent: parameters <name>/weighted_encoder_outputs.
  std::optional<std::string> weighted_encoder_outputs = {};
  /// Full name of the parameters' scope, to share those of another memory; absent: the memory's own scope.
  std::optional<std::string> parameters = {};
};

/// Keys and values of attention, by the full names of blobs; shared by all steps, cells and layers that attend to them.
struct attention_memory {
  attention_kind kind = attention_kind::regular;
  std::int64_t width = 0;
  std::int64_t sum_width = 0;
  std::string values = {};                           ///< the encoder's outputs, N×S×width
  std::optional<std::string> lengths = {};           ///< N
  std::optional<std::string> weighted = {};          ///< W e: S×N×sum_width; not for dot
  std::optional<std::string> coverage_weights = {};  ///< W" e: S×N×sum_width; soft coverage only
  std::optional<std::string> initial_coverage = {};  ///< S zeros; soft coverage only
};

/// Adds the loop-invariant ops of attention; `name` is the scope of its blobs and parameters, and may be that of the
/// layer. Parameters: weighted_encoder_outputs_w, sum_width×width, and with soft coverage coverage_weights_w, of the
/// same shape, each with a bias. Encoder outputs after the end of their sequence count as zero.
///
/// Throws net_error, and rolls the model back, if a blob is unknown, a width is not positive, the memory exists
/// already, a parameter exists with another shape, or weights are set for a kind without any. O(ops that are added),
/// and O(net) if it throws.
inline attention_memory add_attention_memory(trained_model& model, std::string_view name,
                                             attention_memory_options const& options) {
  auto const fail = [&](std::string const& why) {
    throw net_error("plait: attention memory '" + std::string(name) + "': " + why);
  };
  bool const dot = options.kind == attention_kind::dot;
  attention_memory made{.kind = options.kind,
                        .width = options.width,
                        .sum_width = options.sum_width.value_or(options.width),
                        .lengths = options.lengths};
  if (name.empty()) fail("it needs a name");
  if (made.width < 1 || made.sum_width < 1) fail("its widths must be positive");
  if (dot && (options.weighted_encoder_outputs || made.sum_width != made.width))
    fail("dot attention has no weights of the encoder's outputs");
  for (auto const& blob : {options.lengths, options.weighted_encoder_outputs})
    if (blob) (void)model.net.blob(*blob);
  blob_handle const outputs = model.net.blob(options.encoder_outputs);

  model_rollback rollback(model);
  net_builder& net = model.net;
  std::string const scope = net.full_name(name);
  if (net.visible(scope + "/encoder_outputs_transposed")) fail("the net has it already");
  cell_conditions const conditions;
  cell_scope s(model, net, conditions, options.parameters.value_or(scope), name);
  blob_handle values = net.transpose(outputs, {1, 0, 2}, "encoder_outputs_transposed");
  if (made.lengths)  // TRAP: a weight of zero does not suffice: zero times inf or NaN after the end is not zero.
    values = net.op("SequenceMask", {values, net.blob(*made.lengths)}, "masked_encoder_outputs",
                    {{"mode", "sequence"}, {"repeat_from_axis", 2}, {"fill_val", 0.0f}, {"exact", 1}});
  made.values = values.name();
  if (options.weighted_encoder_outputs)
    made.weighted = options.weighted_encoder_outputs;
  else if (!dot)
    made.weighted = s.fc(outputs, "weighted_encoder_outputs", made.width, made.sum_width).name();
  if (made.kind == attention_kind::soft_coverage) {
    made.coverage_weights = s.fc(outputs, "coverage_weights", made.width, made.sum_width).name();
    auto const extent = net.op("Slice", net.op("Shape", outputs), {}, {{"starts", {0}}, {"ends", {1}}});
    made.initial_coverage = net.op("ConstantFill", extent, "initial_coverage",
                                   {{"input_as_shape", 1}, {"value", 0.0f}, {"dtype", model.dtype()}})
                                .name();
  }
  rollback.commit_new_blobs("attention memory '" + std::string(name) + "'");
  return made;
}

/// Loop-carried state of attention, of the previous step; each member is used by one kind.
struct attention_state {
  blob_handle context = {};   ///< 1×N×width: recurrent
  blob_handle coverage = {};  ///< 1×N×S: soft_coverage
};

/// Result of attention in one step.
struct attended {
  blob_handle context;        ///< weighted sum of the encoder's outputs: 1×N×width
  blob_handle weights;        ///< attention weights, which sum to 1 in each row: N×S×1
  blob_handle coverage = {};  ///< sum of all weights so far, 1×N×S: soft_coverage
};

namespace detail {

// Adds the attention scores of a query before the softmax: N×S×1.
inline blob_handle attention_logits(cell_step& s, attention_memory const& memory, blob_handle query, std::int64_t width,
                                    attention_state const& before) {
  net_builder& net = s.net;
  auto const rows = [&](blob_handle const& x) { return net.op("Squeeze", x, {}, {{"dims", {0}}}); };
  bool const dot = memory.kind == attention_kind::dot;
  if (!dot || width != memory.width) query = s.fc(query, "weighted_decoder_hidden_state", width, memory.sum_width);
  query = rows(query);
  if (dot) {
    auto const column = net.op("ExpandDims", query, {}, {{"dims", {2}}});
    return net.op("BatchMatMul", {s.outer_blob(memory.values), column}, "attention_logits_transposed");
  }
  if (memory.kind == attention_kind::recurrent)
    query =
        net.add(rows(s.fc(before.context, "weighted_prev_attention_context", memory.width, memory.sum_width)), query);
  blob_handle sum = s.add_vector(s.outer_blob(*memory.weighted), query, "decoder_hidden_encoder_outputs_sum");
  if (memory.kind == attention_kind::soft_coverage) {
    auto const so_far = net.transpose(rows(before.coverage), {1, 0}, "coverage_t_prev_transposed");
    auto const scaled = net.op("Mul", {s.outer_blob(*memory.coverage_weights), so_far}, "scaled_coverage_weights",
                               {{"broadcast", 1}, {"axis", 0}});
    s.recomputable(scaled);
    sum = net.add(sum, scaled, sum);
  }
  sum = net.tanh(sum, sum);
  s.recomputable(sum);
  // The bias is not trained: softmax is invariant to a constant added to all logits of a row.
  auto const v = s.parameter("attention_logits_w", {1, memory.sum_width});
  auto const b = s.parameter("attention_logits_b", {1}, {"ConstantFill", {{"value", 0.0f}}, false});
  auto const logits = net.op("FC", {sum, v, b}, "attention_logits", {{"axis", 2}});
  return net.transpose(logits, {1, 0, 2}, "attention_logits_transposed");
}

}  // namespace detail

/// Attends to the memory with a query, 1×N×width. Parameters: weighted_decoder_hidden_state_w, sum_width×width (for dot
/// only if width differs from the memory's), weighted_prev_attention_context_w, sum_width×memory's width (recurrent),
/// each with a bias, and attention_logits_w, 1×sum_width (not dot), with a bias that stays 0. The context of an empty
/// encoder sequence is zero. O(ops that are added). Throws net_error if the kind lacks its state of the previous step,
/// and as cell_scope does. Follows Caffe2's attention.py in names and ops.
inline attended attend(cell_step& s, attention_memory const& memory, blob_handle const& query, std::int64_t width,
                       attention_state const& before = {}) {
  bool const covers = memory.kind == attention_kind::soft_coverage;
  if (memory.kind == attention_kind::recurrent && before.context == blob_handle())
    throw net_error("plait: recurrent attention needs the context of the previous step");
  if (covers && before.coverage == blob_handle())
    throw net_error("plait: attention with soft coverage needs the coverage of the previous step");
  if (memory.kind != attention_kind::dot && !memory.weighted)
    throw net_error("plait: the attention memory has no weighted outputs of the encoder");
  if (covers && !memory.coverage_weights) throw net_error("plait: the attention memory has no coverage weights");

  net_builder& net = s.net;
  blob_handle logits = detail::attention_logits(s, memory, query, width, before);
  if (memory.lengths)
    // TRAP: with minus infinity the softmax of a fully masked row would be NaN.
    logits = net.op("SequenceMask", {logits, s.outer_blob(*memory.lengths)}, "masked_attention_logits",
                    {{"mode", "sequence"}, {"fill_val", std::numeric_limits<float>::lowest()}});
  attended made;
  made.weights = net.op("Softmax", logits, "attention_weights_3d", {{"axis", 1}});
  auto const context = net.op("BatchMatMul", {made.weights, s.outer_blob(memory.values)}, {}, {{"trans_a", 1}});
  made.context = net.transpose(context, {1, 0, 2}, "attention_weighted_encoder_context");
  if (covers) {
    auto const flat = net.op("Squeeze", made.weights, "attention_weights_2d", {{"dims", {2}}});
    made.coverage = net.op("Add", {before.coverage, flat}, "coverage_t", {{"broadcast", 1}});
  }
  return made;
}

}  // namespace plait
