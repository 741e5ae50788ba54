// Layers against the nets of Caffe2's own front end, with the same weights.
#include <plait/rnn/cells.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/read.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <support/named_numbers.hpp>
#include <support/real_nets.hpp>

namespace {

using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t inputs = 3, hidden = 7, steps = 5, rows = 2;
constexpr std::int32_t short_row = 3;  // the steps of the second row

// A net of the shared folder, and a model for the layer that should compute the same.
struct net_and_layer {
  plait::netdef net;
  plait::trained_model model;

  explicit net_and_layer(std::string const& name)
      : net(plait::read_netdef(plait_test::real_nets_folder() / "_generated" / (name + "__predict.pbtxt"))) {}

  void feed(std::string const& blob, plait::shape const& dims) {
    test::numbers const made = test::values(blob, dims.size());
    for (auto* const blobs : {&expected_, &got_})
      blobs->feed(blob, tensor::from(std::vector<float>(made.begin(), made.end()), dims));
  }
  void feed_integers(std::string const& blob, std::vector<std::int32_t> const& made) {
    for (auto* const blobs : {&expected_, &got_}) blobs->feed(blob, made, {static_cast<std::int64_t>(made.size())});
  }
  // Feeds all parameters of the net; `names` maps those with another name in the layer.
  void feed_parameters(std::string const& scope, std::map<std::string, std::string> const& names = {}) {
    for (plait::symbol const s : net.external_input) {
      std::string const blob(net.text(s));
      if (!blob.starts_with(scope + '/')) continue;
      std::string const parameter = names.contains(blob) ? names.at(blob) : blob;
      CAPTURE(parameter);
      REQUIRE(model.has_parameter(parameter));
      plait::shape const dims(model.parameter_shape(parameter));
      feed(blob, dims);
      if (parameter != blob) got_.feed(parameter, got_.fetch<float>(blob), dims);
    }
  }

  // Compares blobs: `fetch` pairs those of the net with those of the layer.
  void check_same(std::vector<std::pair<std::string, std::string>> const& fetch, bool behind_ends = true) {
    strings of_net, of_layer;
    for (auto const& [a, b] : fetch) of_net.push_back(a), of_layer.push_back(b);
    plait::compile(net, plait::standard_operators<plait::serial>(), expected_, {.fetch = of_net}).run();
    plait::compile(model.net.net(), plait::standard_operators<plait::serial>(), got_, {.fetch = of_layer}).run();
    for (auto const& [a, b] : fetch) {
      CAPTURE(a);
      auto const expected = expected_.fetch<float>(a), got = got_.fetch<float>(b);
      REQUIRE(got.size() == expected.size());
      std::size_t const width = got.size() / static_cast<std::size_t>(expected_.view(a).dims()[0] * rows);
      for (std::size_t i = 0; i != got.size(); ++i)
        if (behind_ends || i / width % rows == 0 || i / width / rows < short_row)
          CHECK(std::abs(got[i] - expected[i]) < 1e-6f);
    }
  }

 private:
  plait::workspace<plait::serial> expected_, got_;
};

struct net_case {
  std::string file, scope;
  plait::any_cell cell;
  strings states;  // names in the net
  bool drop_states = false;
  std::int32_t unrolled = 0;  // number of steps; 0: not unrolled
};

std::vector<net_case> all_cases() {
  using namespace plait;
  strings const states{"hidden_state", "cell_state"}, inner{"hidden_t_intermediate", "cell_t"};
  return {{"basic_rnn_tanh", "rnn", basic_rnn_cell{inputs, hidden}, {"hidden_t"}},
          {"gru_forward", "gru", gru_cell{inputs, hidden}, {"hidden_t"}},
          {"lstm_forward", "rnn", lstm_cell{inputs, hidden}, states},
          {"lstm_drop_states", "rnn", lstm_cell{inputs, hidden}, states, true},
          {"layernorm_lstm", "rnn", layer_norm_lstm_cell{inputs, hidden}, {"hidden_t", "cell_t"}},
          {"milstm_forward", "rnn", mi_lstm_cell{inputs, hidden}, inner},
          {"layernorm_milstm", "rnn", mi_lstm_cell{inputs, hidden, 0, true}, inner},
          {"lstm_static_unrolled12", "rnn", lstm_cell{inputs, hidden}, states, false, 12},
          {"milstm_static_unrolled25", "rnn", mi_lstm_cell{inputs, hidden}, inner, false, 25}};
}

}  // namespace

TEST_CASE("recurrent layers against Caffe2: each cell computes the same as Caffe2's net") {
  if (!plait_test::has_real_nets()) return;
  for (net_case const& one : all_cases()) {
    CAPTURE(one.file);
    net_and_layer both(one.file);
    std::int32_t const length = one.unrolled != 0 ? one.unrolled : steps;
    plait::recurrent_layer_options o{.sequence = "input", .lengths = "seq_lengths", .drop_states = one.drop_states};
    for (std::size_t i = 0; i != one.states.size(); ++i) {
      o.initial.emplace_back(i == 0 ? "hidden_init" : "cell_init");
      both.feed(o.initial.back(), {1, rows, hidden});
    }
    both.feed("input", {length, rows, inputs});
    both.feed_integers("seq_lengths", {length, short_row});
    both.model.net.external_inputs("input", "seq_lengths", "hidden_init", "cell_init");
    plait::trained_model& model = both.model;
    auto const layer = one.unrolled != 0 ? plait::add_unrolled_layer(model, one.scope, one.cell, one.unrolled, o)
                                         : plait::add_recurrent_layer(model, one.scope, one.cell, o);
    for (std::int32_t t = 0; t != one.unrolled; ++t)
      both.feed_integers("timestep_" + std::to_string(t) + "/timestep", {t});
    both.feed_parameters(one.scope);
    std::vector<std::pair<std::string, std::string>> fetch;
    for (std::size_t i = 0; i != one.states.size(); ++i) {
      std::string const state = one.scope + '/' + one.states[i];
      fetch.emplace_back(state + (one.unrolled != 0 ? "_concat" : "_all"), layer.all[i]);
      if (one.unrolled == 0) fetch.emplace_back(state + "_last", layer.last[i]);
    }
    both.check_same(fetch);
  }
}

TEST_CASE("recurrent layers against Caffe2: multi_cell computes the same as Caffe2's stacked net") {
  if (!plait_test::has_real_nets()) return;
  net_and_layer both("lstm_stacked3");
  both.model.net.external_inputs("input", "seq_lengths");
  plait::lstm_cell const above{hidden, hidden};
  auto const layer =
      plait::add_recurrent_layer(both.model, "rnn", plait::multi_cell{{plait::lstm_cell{inputs, hidden}, above, above}},
                                 {.sequence = "input", .lengths = "seq_lengths", .learn_initial = true});
  both.feed("input", {steps, rows, inputs});
  both.feed_integers("seq_lengths", {steps, short_row});
  both.feed_parameters("rnn", {{"rnn/i2h_w", "rnn/layer_0/i2h_w"}, {"rnn/i2h_b", "rnn/layer_0/i2h_b"}});
  std::vector<std::pair<std::string, std::string>> fetch;
  for (std::size_t i = 0; i != layer.all.size(); ++i) {
    std::string const state = "rnn/layer_" + std::to_string(i / 2) + (i % 2 == 0 ? "/hidden_state" : "/cell_state");
    fetch.emplace_back(state + "_all", layer.all[i]);
    fetch.emplace_back(state + "_last", layer.last[i]);
  }
  both.check_same(fetch);
}

TEST_CASE("recurrent layers against Caffe2: attention_cell computes the same as Caffe2's nets") {
  if (!plait_test::has_real_nets()) return;
  using plait::attention_kind;
  constexpr std::int64_t wide = 20, long_encoder = 6;
  std::map<std::string, attention_kind> const nets{{"regular", attention_kind::regular},
                                                   {"recurrent", attention_kind::recurrent},
                                                   {"softcoverage", attention_kind::soft_coverage}};
  for (auto const& [name, kind] : nets) {
    CAPTURE(name);
    net_and_layer both("lstm_attention_" + name);
    plait::trained_model& model = both.model;
    model.net.external_inputs("encoder_outputs", "encoder_lengths", "decoder_inputs", "decoder_lengths", "h0", "c0",
                              "attn0");
    auto const memory = plait::add_attention_memory(
        model, "att",
        {.kind = kind, .encoder_outputs = "encoder_outputs", .width = wide, .lengths = "encoder_lengths"});
    plait::recurrent_layer_options options{
        .sequence = "decoder_inputs", .lengths = "decoder_lengths", .initial = {"h0", "c0", "attn0"}};
    if (memory.initial_coverage) options.initial.push_back(*memory.initial_coverage);
    auto const layer = plait::add_recurrent_layer(
        model, "att", plait::attention_cell{plait::lstm_cell{inputs, hidden}, memory}, options);
    both.feed("encoder_outputs", {long_encoder, rows, wide});
    both.feed_integers("encoder_lengths", {long_encoder, 4});
    both.feed("decoder_inputs", {steps, rows, inputs});
    both.feed_integers("decoder_lengths", {steps, short_row});
    both.feed("h0", {1, rows, hidden});
    both.feed("c0", {1, rows, hidden});
    both.feed("attn0", {1, rows, wide});
    both.feed_parameters("att");
    CHECK(layer.output.name() == "att/states_and_context_combination");
    std::vector<std::pair<std::string, std::string>> fetch;
    for (char const* const blob :
         {"hidden_t_external_all", "attention_weighted_encoder_context_all", "states_and_context_combination"})
      fetch.emplace_back(std::string("att/") + blob, std::string("att/") + blob);
    both.check_same(fetch, false);  // Caffe2 does not mask the context after the end
  }
}
