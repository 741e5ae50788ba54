// Runs recurrent layers in a separate net with all inputs fed; returns their outputs and gradients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/unrolled_layer.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <support/dense_oracle.hpp>
#include <support/named_numbers.hpp>

namespace test {

namespace layer_size {
constexpr std::int64_t inputs = 3, steps = 4, batch = 3;
}

using lengths_list = std::vector<std::int64_t>;

/// Construction and inputs of the layers of a test.
struct layer_variant {
  std::optional<lengths_list> lengths = {};
  bool wide = true;  ///< lengths are int64
  bool unrolled = false;
  bool given = false;  ///< initial states are fed; else they are learned
  plait::recurrent_layer_options layer = {};
  numbers x = values("x", layer_size::steps* layer_size::batch* layer_size::inputs);
  /// Runs this batch row alone, its sequence truncated to its length in `lengths`.
  std::optional<std::size_t> alone = {};
};

/// A group of layers under test.
struct layer_subject {
  std::vector<plait::cell_state> begin = {};  ///< states with optional initial values
  std::vector<std::int64_t> ends = {};        ///< widths of the last states of all layers
  std::vector<std::size_t> outputs_with_grads = {};
  std::function<std::vector<plait::recurrent_layer>(plait::trained_model&, layer_variant const&,
                                                    plait::recurrent_layer_options const&)>
      add = {};
};

/// Returns the layer "r" of a cell.
inline layer_subject layer_of(plait::any_cell const& cell) {
  layer_subject made{.begin = cell.states()};
  for (std::size_t const state : cell.output_states()) made.outputs_with_grads.push_back(2 * state);
  for (std::size_t i = 0; i != made.begin.size(); ++i) {
    made.ends.push_back(made.begin[i].width);
    made.outputs_with_grads.push_back(2 * i + 1);
  }
  made.add = [cell](plait::trained_model& model, layer_variant const& how, plait::recurrent_layer_options const& o) {
    auto const steps = static_cast<std::int32_t>(how.alone ? (*how.lengths)[*how.alone] : layer_size::steps);
    return std::vector<plait::recurrent_layer>{how.unrolled ? plait::add_unrolled_layer(model, "r", cell, steps, o)
                                                            : plait::add_recurrent_layer(model, "r", cell, o)};
  };
  return made;
}

struct built_layer {
  using tensor = plait::tensor<plait::serial>;
  using strings = std::vector<std::string>;

  layer_variant how;
  plait::trained_model model{"net", {.type = plait::element_type::float64}};
  std::vector<plait::recurrent_layer> layers;
  plait::workspace<plait::serial> blobs;
  strings ys;  ///< the output, then the last states of all layers

  built_layer(layer_subject const& subject, layer_variant variant) : how(std::move(variant)) {
    using namespace layer_size;
    plait::recurrent_layer_options o = how.layer;
    o.sequence = model.net.external_input("x");
    blobs.feed("x", own_part(how.x, steps, static_cast<std::int64_t>(how.x.size()) / (steps * batch)));
    if (how.lengths && !how.alone) {
      o.lengths = model.net.external_input("lengths");
      blobs.feed("lengths",
                 how.wide ? tensor::from(*how.lengths, {batch})
                          : tensor::from(std::vector<std::int32_t>(how.lengths->begin(), how.lengths->end()), {batch}));
    }
    o.learn_initial = !how.given;
    if (how.given)
      for (std::size_t i = 0; i != subject.begin.size(); ++i) {
        o.initial.push_back(model.net.external_input("start" + std::to_string(i)));
        // All supported shapes of initial states in turn.
        std::int64_t const width = subject.begin[i].width;
        if (i % 3 == 0) {
          blobs.feed(o.initial.back(), filled(o.initial.back(), {width}));
          continue;
        }
        tensor rows = own_part(values(o.initial.back(), batch * width), 1, width);
        if (i % 3 == 1) rows = tensor::from(rows.values<double>(), {rows.dims()[1], width});
        blobs.feed(o.initial.back(), rows);
      }
    o.outputs_with_grads = subject.outputs_with_grads;
    layers = subject.add(model, how, o);
    for (std::string const& p : model.parameters()) blobs.feed(p, filled(p, plait::shape(model.parameter_shape(p))));
    ys = {layers.back().output};
    for (auto const& layer : layers) ys.insert(ys.end(), layer.last.begin(), layer.last.end());
  }

  /// Returns the blobs that are differentiated: parameters, the sequence, initial states.
  strings moved() const {
    strings made = model.parameters();
    for (plait::symbol const s : model.net.net().external_input) {
      std::string const name(model.net.net().text(s));
      if (name != "lengths" && name.find('/') == std::string::npos) made.push_back(name);
    }
    return made;
  }

  /// Returns the tensor of extent × batch × width numbers, restricted to the row `alone` if set.
  tensor own_part(numbers const& all, std::int64_t extent, std::int64_t width) const {
    if (!how.alone) return tensor::from(all, {extent, layer_size::batch, width});
    if (extent != 1) extent = (*how.lengths)[*how.alone];
    numbers own;
    for (std::int64_t t = 0; t != extent; ++t) {
      numbers const one =
          row(all, static_cast<std::size_t>(t * layer_size::batch) + *how.alone, static_cast<std::size_t>(width));
      own.insert(own.end(), one.begin(), one.end());
    }
    return tensor::from(own, {extent, 1, width});
  }
};

struct layer_results {
  numbers output;
  std::vector<numbers> all, last;
  std::map<std::string, numbers> gradients;  ///< gradients of all blobs in moved()
};

/// Returns the results and the gradients of a weighted sum of the output and all last states. With `up_to_ends`, output
/// rows behind the ends of sequences have weight 0.
inline layer_results run_layer(layer_subject const& subject, layer_variant const& how, bool up_to_ends = false) {
  using namespace layer_size;
  built_layer b(subject, how);
  plait::netdef net = b.model.net.net();
  std::vector<plait::gradient_seed> seeds;
  std::vector<std::string> fetch = b.ys;
  for (auto const& layer : b.layers) fetch.insert(fetch.end(), layer.all.begin(), layer.all.end());
  plait::gradient_map gradients;
  if (!how.layer.forward_only) {
    auto const seed = [&](std::size_t y, std::int64_t extent, std::int64_t width) {
      std::string const name = "seed" + std::to_string(y);
      numbers all = values(name, extent * batch * width);
      for (std::int64_t n = 0; y == 0 && up_to_ends && n != batch; ++n)
        for (std::int64_t t = (*how.lengths)[static_cast<std::size_t>(n)]; t < steps; ++t)
          std::fill_n(all.begin() + (t * batch + n) * width, width, 0.0);
      seeds.emplace_back(b.ys[y], name);
      b.blobs.feed(name, b.own_part(all, extent, width));
    };
    seed(0, steps, b.layers.back().output_width);
    for (std::size_t i = 0; i != subject.ends.size(); ++i) seed(i + 1, 1, subject.ends[i]);
    gradients = plait::add_gradient_ops(net, seeds, plait::gradient_rules::standard(), {.only = b.moved()});
    for (std::string const& blob : b.moved()) {
      CAPTURE(blob);
      CHECK(gradients.contains(blob));
    }
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
  }
  plait::compile(net, plait::standard_operators<plait::serial>(), b.blobs, {.fetch = fetch}).run();
  layer_results made;
  made.output = b.blobs.fetch<double>(b.ys[0]);
  for (auto const& layer : b.layers) {
    for (auto const& state : layer.all) made.all.push_back(b.blobs.fetch<double>(state.name()));
    for (auto const& state : layer.last) made.last.push_back(b.blobs.fetch<double>(state.name()));
  }
  for (auto const& [name, g] : gradients) made.gradients[name] = b.blobs.fetch<double>(g.values);
  return made;
}

inline void check_same(layer_results const& got, layer_results const& expected) {
  CHECK(apart(got.output, expected.output) < 1e-13);
  CHECK(apart(got.all, expected.all) < 1e-13);
  CHECK(apart(got.last, expected.last) < 1e-13);
  for (auto const& [name, gradient] : got.gradients) {
    CAPTURE(name);
    REQUIRE(expected.gradients.contains(name));
    CHECK(apart(gradient, expected.gradients.at(name)) < 1e-12);
  }
}

/// Checks that recomputation, forward_only and int32 lengths give the same results.
inline void check_variants(layer_subject const& subject, layer_variant const& plain) {
  layer_results const expected = run_layer(subject, plain);
  layer_variant other = plain;
  other.layer.recompute = true;
  check_same(run_layer(subject, other), expected);
  other = plain;
  other.layer.forward_only = true;
  check_same(run_layer(subject, other), expected);
  if (!plain.lengths) return;
  other = plain;
  other.wide = false;
  check_same(run_layer(subject, other), expected);
}

/// Checks that a batch with `lengths` equals its sequences run one by one: outputs and gradients per sequence are
/// equal, gradients of shared blobs are sums.
inline void check_batch_is_each_alone(layer_subject const& subject, layer_variant how) {
  using namespace layer_size;
  layer_results const together = run_layer(subject, how, true);
  std::map<std::string, numbers> expected;
  for (std::size_t n = 0; n != batch; ++n) {
    CAPTURE(n);
    how.alone = n;
    layer_results const alone = run_layer(subject, how, true);
    // Returns the numbers of the n-th sequence, for each step or row.
    auto const own = [&](numbers const& all, std::size_t extent, std::size_t count) {
      std::size_t const width = all.size() / (extent * batch);
      numbers made;
      for (std::size_t t = 0; t != count; ++t) {
        numbers const one = row(all, t * batch + n, width);
        made.insert(made.end(), one.begin(), one.end());
      }
      return made;
    };
    auto const length = static_cast<std::size_t>((*how.lengths)[n]);
    CHECK(apart(own(together.output, steps, length), alone.output) < 1e-13);
    for (std::size_t s = 0; s != together.last.size(); ++s) {
      CHECK(apart(own(together.all[s], steps, length), alone.all[s]) < 1e-13);
      CHECK(apart(own(together.last[s], 1, 1), alone.last[s]) < 1e-13);
    }
    for (auto const& [name, gradient] : alone.gradients) {
      CAPTURE(name);
      numbers const& of_all = together.gradients.at(name);
      if (name == "x") {
        numbers padded = gradient;  // steps behind the end have gradient 0
        padded.resize(of_all.size() / batch);
        CHECK(apart(own(of_all, steps, steps), padded) < 1e-12);
      } else if (of_all.size() != gradient.size()) {
        CHECK(apart(own(of_all, 1, 1), gradient) < 1e-12);
      } else {
        numbers& sum = expected[name];
        sum.resize(gradient.size());
        for (std::size_t i = 0; i != sum.size(); ++i) sum[i] += gradient[i];
      }
    }
  }
  for (auto const& [name, sum] : expected) {
    CAPTURE(name);
    CHECK(apart(together.gradients.at(name), sum) < 1e-12);
  }
}

}  // namespace test
