// Conversion rules for ONNX's attention operators: Attention, RotaryEmbedding.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Scaled dot product attention of queries B x H x S x D and keys and values B x G x T x D. If there are fewer heads of
/// keys than of queries, the queries of H / G heads are the rows of one product.
class onnx_attention {
 public:
  explicit onnx_attention(onnx_context const& c) : c_(c), g_(c), real_(c.type(0)) {
    for (std::size_t const i : {0U, 1U, 2U}) require_type(c, i, onnx_floats);
    if (real_ == onnx_type::undefined) c.unsupported("the type of its inputs must be known before the model is run");
    for (std::size_t const i : {1U, 2U})
      if (c.type(i) != real_) c.unsupported("queries, keys and values of different types");
    rank_ = c.rank(0);
    if (rank_ != 3 && rank_ != 4) c.unsupported(input_text(c, 0) + " should have 3 or 4 axes");
    for (std::size_t const i : {1U, 2U}) require_rank(c, i, rank_, rank_);
    if (rank_ == 4 && (c.has("q_num_heads") || c.has("kv_num_heads")) && c.opset() >= 25)
      c.unsupported("q_num_heads and kv_num_heads with inputs of 4 axes");
    if (c.has_input(4) != c.has_input(5)) c.unsupported("past_key and past_value must be used together");
    if (c.has_input(6) && c.has_input(4)) c.unsupported("nonpad_kv_seqlen cannot be used with past_key");
    mode_ = c.integer("qk_matmul_output_mode", 0);
    if (mode_ < 0 || mode_ > 3) c.unsupported("qk_matmul_output_mode is " + std::to_string(mode_) + ", not 0 to 3");
    if (c.has_input(3)) {
      require_rank(c, 3, 1, 4);
      if (c.type(3) != onnx_type::boolean && c.type(3) != real_)
        c.unsupported("the mask is " + to_string(c.type(3)) + ", neither bool nor of the type of the queries");
    }
    auto const precision = static_cast<onnx_type>(c.integer("softmax_precision", 0));
    if (precision != onnx_type::undefined && !onnx_floats.has(precision))
      c.unsupported("a softmax_precision of " + to_string(precision));
    precision_ = precision == onnx_type::undefined ? real_ : precision;
  }

  void run() {
    query_ = heads(0, "q_num_heads");
    key_ = heads(1, "kv_num_heads");
    values_ = heads(2, "kv_num_heads");
    if (c_.has_input(4)) {
      key_ = g_.concat({g_.input(4), key_}, 2);
      values_ = g_.concat({g_.input(5), values_}, 2);
    }
    std::string const groups = group_shape();
    std::string const shape = g_.concat({g_.extents(query_, 0, 3), g_.extents(key_, 2, 3)}, 0);
    std::string const factor = scale();
    std::string const rows = g_("Reshape", {g_("Mul", {query_, factor}), groups});
    std::string const turned = g_.transpose(g_("Mul", {key_, factor}), {0, 1, 3, 2});
    std::string scores = g_("Reshape", {g_("MatMul", {rows, turned}), shape});
    give(0, scores);
    if (float const cap = c_.real("softcap", 0); cap > 0) {
      std::string const bound = g_.number(real_, static_cast<double>(cap));
      scores = g_("Mul", {g_("Tanh", {g_("Div", {scores, bound})}), bound});
    }
    give(1, scores);
    std::string const added = bias();
    if (!added.empty()) scores = g_("Add", {scores, added});
    give(2, scores);
    std::string const weights = softmax(scores, added);
    give(3, weights);
    std::string made = g_("MatMul", {g_("Reshape", {weights, groups}), values_});
    made = g_("Reshape", {made, g_.concat({g_.extents(query_, 0, 3), g_.extents(values_, 3, 4)}, 0)});
    if (rank_ == 4)
      g_.make(0, "Identity", {made});
    else
      g_.make(0, "Reshape", {g_.transpose(made, {0, 2, 1, 3}), g_.list({0, 0, -1})});
    g_.make(1, "Identity", {key_});
    g_.make(2, "Identity", {values_});
  }

 private:
  // Returns an input as batch x heads x steps x features.
  std::string heads(std::size_t i, char const* attribute) const {
    if (rank_ == 4) return g_.input(i);
    std::int64_t const count = c_.integer(attribute, 0);
    if (count < 1) c_.unsupported(std::string(attribute) + " must be at least 1");
    std::int64_t const width = c_.dims(i) ? (*c_.dims(i))[2] : -1;
    if (width >= 0 && width % count != 0)
      c_.unsupported(input_text(c_, i) + " does not have " + std::to_string(count) + " heads of one size");
    return g_.transpose(g_("Reshape", {g_.input(i), g_.list({0, 0, count, -1})}), {0, 2, 1, 3});
  }
  // Returns the shape of the queries as B x G x rows x anything.
  std::string group_shape() const {
    std::int64_t const all = rank_ == 3 ? c_.integer("q_num_heads", 0) : (*c_.dims(0))[1];
    std::int64_t const groups = rank_ == 3 ? c_.integer("kv_num_heads", 0) : c_.dims(1) ? (*c_.dims(1))[1] : -1;
    if (all < 0 || groups < 0) c_.unsupported("the numbers of heads must be known before the model is run");
    if (groups == 0 || all % groups != 0)
      c_.unsupported(std::to_string(all) + " heads of queries for " + std::to_string(groups) + " of keys");
    if (rank_ == 4) require_dims(c_, 2, {-1, groups, -1, -1}, "as many heads as keys have");
    return g_.list({0, groups, all == groups ? 0 : -1, 0});
  }
  // Returns the square root of the scale, which multiplies both queries and keys.
  std::string scale() const {
    if (c_.has("scale")) {
      float const scale = c_.real("scale", 0);
      if (!(scale >= 0)) c_.unsupported("a scale below 0");
      return g_.number(real_, std::sqrt(static_cast<double>(scale)));
    }
    std::string const size = g_.cast(g_.extent(query_, 3), real_);
    return g_("Sqrt", {g_("Div", {g_.number(real_, 1), g_("Sqrt", {size})})});
  }

  // ---- bias
  // Returns 0 where a condition holds, else -infinity.
  std::string unless(std::string const& allowed) const {
    return g_("Where", {allowed, g_.number(real_, 0), g_.number(real_, -std::numeric_limits<double>::infinity())});
  }
  std::string plus(std::string const& a, std::string const& b) const { return a.empty() ? b : g_("Add", {a, b}); }
  std::string steps(std::string const& count) const {
    return g_("Range", {g_.number(onnx_type::int64, 0), count, g_.number(onnx_type::int64, 1)});
  }
  // Returns what is added to the scores, empty for nothing.
  std::string bias() const {
    std::string const total = g_.extent(key_, 2);
    std::string made;
    if (c_.has_input(3)) {
      std::string const mask = padded_mask();
      made = c_.type(3) == onnx_type::boolean ? unless(mask) : mask;
    }
    std::int64_t const left = c_.integer("left_window_size", -1);
    std::int64_t const right = c_.integer("right_window_size", -1);
    if (left < -1 || right < -1) c_.unsupported("a size of a window below -1");
    bool const causal = c_.integer("is_causal", 0) != 0;
    if (causal || left >= 0 || right >= 0) {
      // Distance of a key behind its query; for lengths of a batch it has the axes B x 1 x S x T.
      std::string places = g_.unsqueeze(steps(g_.extent(query_, 2)), {1});
      if (c_.has_input(4)) {
        places = g_("Add", {places, g_.extent(g_.input(4), 2)});
      } else if (c_.has_input(6)) {
        std::string const before = g_("Sub", {lengths(), g_.extent(query_, 2)});
        places = g_("Add", {places, g_.unsqueeze(before, {1, 2, 3})});
      }
      std::string const distance = g_("Sub", {places, steps(total)});
      std::string const none = g_.number(onnx_type::int64, 0);
      if (causal) made = plus(made, unless(g_("GreaterOrEqual", {distance, none})));
      if (left >= 0)
        made = plus(made, unless(g_("LessOrEqual", {distance, g_.constant({{}, std::vector<std::int64_t>{left}})})));
      if (right >= 0)
        made = plus(made, unless(g_("LessOrEqual",
                                    {g_("Neg", {distance}), g_.constant({{}, std::vector<std::int64_t>{right}})})));
    }
    if (c_.has_input(6)) made = plus(made, unless(g_("Less", {steps(total), g_.unsqueeze(lengths(), {1, 2, 3})})));
    return made;
  }
  std::string lengths() const {
    require_dims(c_, 6, {-1}, "a number of tokens for each sample");
    return g_.input(6);
  }
  // Returns the mask, extended to all keys by false or -infinity: by as many columns as it lacks.
  std::string padded_mask() const {
    std::string const& mask = g_.input(3);
    auto const extent_of = [](onnx_dims const& dims, std::size_t from_end) {
      return dims ? (*dims)[dims->size() - from_end] : -1;
    };
    std::int64_t const own = extent_of(g_.dims(mask), 1);
    std::int64_t const total = extent_of(g_.dims(key_), 2);
    if (own >= 0 && own == total) return mask;
    if (!g_.dims(mask)) c_.unsupported("the number of axes of the mask must be known before the model is run");
    auto const rank = static_cast<std::int64_t>(g_.dims(mask)->size());
    std::string const missing =
        g_("Max", {g_("Sub", {g_.extents(key_, 2, 3), g_.extents(mask, rank - 1, rank)}), g_.list({0})});
    std::string const shape = g_.concat({g_.extents(mask, 0, rank - 1), missing}, 0);
    bool const is_flag = c_.type(3) == onnx_type::boolean;
    std::string const fill = is_flag ? g_.constant({{}, std::vector<bool>{false}})
                                     : g_.number(real_, -std::numeric_limits<double>::infinity());
    return g_.concat({mask, g_("Expand", {fill, shape})}, -1);
  }

  // Softmax over keys; 0 for a query that attends none, whose bias is -infinity for all keys.
  std::string softmax(std::string const& scores, std::string const& bias) const {
    std::string const x = precision_ == real_ ? scores : g_.cast(scores, precision_);
    std::string made = g_("Softmax", {x}, {onnx_argument("axis", std::int64_t{-1})});
    if (precision_ != real_) made = g_.cast(made, real_);
    if (bias.empty()) return made;
    std::string const lowest = g_.number(real_, -std::numeric_limits<double>::infinity());
    std::string const none = g_("Equal", {g_.reduce("ReduceMax", bias, {-1}, true), lowest});
    return g_("Where", {none, g_.number(real_, 0), made});
  }
  void give(std::int64_t mode, std::string const& scores) const {
    if (mode == mode_) g_.make(3, "Identity", {scores});
  }

  onnx_context const& c_;
  onnx_composition g_;
  onnx_type real_;
  onnx_type precision_ = onnx_type::undefined;
  std::size_t rank_ = 0;
  std::int64_t mode_ = 0;
  std::string query_;
  std::string key_;
  std::string values_;
};

// RotaryEmbedding: rotates pairs of features by the angles of their token, given as cosines and sines.
inline void onnx_rotary_embedding(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  onnx_composition const g(c);
  std::size_t const rank = c.rank(0);
  if (rank != 3 && rank != 4) c.unsupported(input_text(c, 0) + " should have 3 or 4 axes");
  std::int64_t const heads = c.integer("num_heads", 0);
  if (rank == 3 && heads < 1) c.unsupported("num_heads must be at least 1 for an input of 3 axes");
  if (rank == 3 && (*c.dims(0))[2] >= 0 && (*c.dims(0))[2] % heads != 0)
    c.unsupported(input_text(c, 0) + " does not have " + std::to_string(heads) + " heads of one size");
  // batch x tokens x heads x features
  std::string const x =
      rank == 4 ? g.transpose(g.input(0), {0, 2, 1, 3}) : g("Reshape", {g.input(0), g.list({0, 0, heads, -1})});
  std::int64_t const rotated = c.integer("rotary_embedding_dim", 0);
  if (rotated < 0 || rotated % 2 != 0) c.unsupported("rotary_embedding_dim must be even, and not negative");
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::string const turning = rotated == 0 ? x : g.slice(x, 3, 0, rotated);
  bool const positioned = c.has_input(3);
  for (std::size_t const i : {1U, 2U}) require_rank(c, i, positioned ? 2 : 3, positioned ? 2 : 3);
  auto const angles = [&](std::size_t i) {
    return g.unsqueeze(positioned ? g("Gather", {g.input(i), g.input(3)}) : g.input(i), {2});
  };
  std::string const cosines = angles(1);
  std::string const sines = angles(2);
  bool const interleaved = c.integer("interleaved", 0) != 0;
  std::string a;
  std::string b;
  if (interleaved) {
    std::string const pairs = g("Reshape", {turning, g.list({0, 0, 0, -1, 2})});
    a = g("Squeeze", {g.slice(pairs, 4, 0, 1), g.list({4})});
    b = g("Squeeze", {g.slice(pairs, 4, 1, 2), g.list({4})});
  } else {
    std::string const halves = g("Reshape", {turning, g.concat({g.extents(turning, 0, 3), g.list({2, -1})}, 0)});
    a = g("Squeeze", {g.slice(halves, 3, 0, 1), g.list({3})});
    b = g("Squeeze", {g.slice(halves, 3, 1, 2), g.list({3})});
  }
  // Operands of one shape: plait's ops would broadcast angles of other extents. The sum has the shape of the input.
  auto const product = [&](std::string const& part, std::string const& angle) { return g("Mul", {part, angle}); };
  std::string const first = g("Sub", {product(a, cosines), product(b, sines)});
  std::string const second = g("Add", {product(a, sines), product(b, cosines)});
  std::string made;
  if (interleaved)
    made = g("Reshape", {g.concat({g.unsqueeze(first, {-1}), g.unsqueeze(second, {-1})}, -1), g("Shape", {turning})});
  else
    made = g("Reshape", {g.concat({first, second}, -1), g("Shape", {turning})});
  if (rotated != 0) made = g.concat({made, g.slice(x, 3, rotated, end)}, -1);
  if (rank == 4)
    g.make(0, "Transpose", {made}, {onnx_argument("perm", std::vector<std::int64_t>{0, 2, 1, 3})});
  else
    g.make(0, "Reshape", {made, g.list({0, 0, -1})});
}

}  // namespace detail

inline void add_onnx_attention_rules(onnx_rules& rules) {
  rules.set("Attention", [](onnx_context const& c) { detail::onnx_attention(c).run(); });
  rules.set("RotaryEmbedding", detail::onnx_rotary_embedding);
}

}  // namespace plait
