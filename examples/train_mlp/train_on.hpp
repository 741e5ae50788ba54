// Training, as text for every backend; backends/ has it compiled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/random.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "common/rank_operators.hpp"
#include "common/ranks.hpp"
#include "common/snapshot.hpp"
#include "model.hpp"
#include "spirals.hpp"
#include "train.hpp"

namespace mlp {

namespace detail {

inline constexpr std::size_t training_points = 3000;
inline constexpr std::size_t held_out_points = 1000;

// Streams of the seed, which are independent of each other.
enum stream : std::uint64_t { training_stream, held_out_stream, first_batch_stream };

template <plait::backend B>
void feed(plait::workspace<B>& blobs, points const& some) {
  auto const count = static_cast<std::int64_t>(some.label.size());
  blobs.feed("x", some.x, {count, 2});
  blobs.feed("label", some.label, {count});
}

// Feeds a rank's share of a batch: ranks read consecutive parts of it.
template <plait::backend B>
void feed_share(plait::workspace<B>& blobs, points const& batch, example::ranks const& among) {
  auto const count = static_cast<std::size_t>(among.share(static_cast<std::int64_t>(batch.label.size()), "--batch"));
  auto const first = static_cast<std::ptrdiff_t>(count) * among.rank;
  auto const last = first + static_cast<std::ptrdiff_t>(count);
  feed(blobs, points{{batch.x.begin() + 2 * first, batch.x.begin() + 2 * last},
                     {batch.label.begin() + first, batch.label.begin() + last}});
}

template <plait::backend B>
float number(plait::workspace<B> const& blobs, char const* name) {
  return blobs.template fetch<float>(name).at(0);
}

}  // namespace detail

/// See train.
template <plait::backend B>
std::vector<measurement> train_on(model& m, recipe const& how, schedule const& when, example::ranks const& among,
                                  watcher const& watch) {
  using namespace detail;
  auto const seed = static_cast<std::uint64_t>(how.seed);
  points const training = make_spirals(training_points, how.arms, {seed, training_stream});
  auto const& operators = example::operators_of<B>(among);

  plait::workspace<B> blobs;
  plait::compile(m.init, operators, blobs).run();
  plait::netdef step_net = m.step;
  if (among.distributed) {
    rank_nets nets = make_rank_nets(how, [&](std::string_view name) { return blobs.view(name).bytes(); });
    plait::compile(nets.init, operators, blobs).run();
    step_net = std::move(nets.step);
  }
  auto step = plait::compile(step_net, operators, blobs);

  // The points held out have blobs of their own; the parameters are those that are trained.
  std::vector<std::string> const names = example::blobs_made_by(m.init);
  plait::workspace<B> test_blobs;
  for (std::string const& name : names) test_blobs.bind(name, blobs.get(name));
  feed(test_blobs, make_spirals(held_out_points, how.arms, {seed, held_out_stream}));
  auto test = plait::compile(evaluation_net(m.step), operators, test_blobs);

  std::vector<measurement> measured;
  double sum = 0;  // of the losses since the last measurement
  std::int64_t count = 0;
  auto const measure = [&](std::int64_t at) {
    test.run();
    measured.push_back({at, static_cast<float>(sum / static_cast<double>(count)), number(test_blobs, "loss"),
                        number(test_blobs, "accuracy")});
    sum = 0;
    count = 0;
  };

  // The net counts its steps; that is all there is to know to go on where it stopped.
  std::int64_t const begin = blobs.template fetch<std::int64_t>("optimizer_iteration").at(0) + 1;
  std::int64_t end = begin + when.steps;
  std::int64_t const interval = std::clamp<std::int64_t>(when.steps / 50, 1, 1000);
  bool stop = false;
  for (std::int64_t at = begin; at != end;) {
    plait::random_stream const numbers{seed, first_batch_stream + static_cast<std::uint64_t>(at)};
    feed_share(blobs, draw(training, static_cast<std::size_t>(how.batch), numbers), among);
    if (among.distributed) blobs.feed("stop", std::vector<float>{stop ? 1.0f : 0.0f}, {1});
    step.run();
    ++at;
    float const loss = number(blobs, "loss");
    if (!std::isfinite(loss)) throw diverged(at);
    sum += loss;
    ++count;
    if (at == begin + 1 || at == end || at % interval == 0) measure(at);
    stop = !watch(at - begin, at, loss, measured.back()) || stop;
    // Ranks end after the same step: that in which one of them says so.
    if (among.distributed ? number(blobs, "stop") > 0 : stop) end = at;
    if (at == end || (when.save_interval != 0 && at % when.save_interval == 0)) {
      m.init = example::snapshot(blobs, names);
      if (at != end && when.save) when.save(m);
    }
  }
  if (count != 0) measure(end);
  return measured;
}

}  // namespace mlp
