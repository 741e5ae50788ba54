// Training and sampling as templates over the backend; backends/ instantiates them.
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
#include "train.hpp"

namespace lstm {

namespace detail {

// Feeds step `at` of some of the streams, time-major.
template <plait::backend B>
void feed_window(plait::workspace<B>& blobs, std::vector<std::int32_t> const& text, recipe const& how,
                 std::int64_t first_stream, std::int64_t own_streams, std::int64_t at) {
  auto const length = static_cast<std::uint64_t>(text.size());
  auto const streams = static_cast<std::uint64_t>(how.streams);
  auto const window = static_cast<std::uint64_t>(how.window);
  std::uint64_t const begin = static_cast<std::uint64_t>(at) % length * (window % length);
  std::vector<std::int32_t> read, next;
  for (std::uint64_t t = 0; t != window; ++t)
    for (auto i = static_cast<std::uint64_t>(first_stream), end = i + static_cast<std::uint64_t>(own_streams); i != end;
         ++i) {
      std::uint64_t const place = begin + t + i * length / streams;
      read.push_back(text[place % length]);
      next.push_back(text[(place + 1) % length]);
    }
  blobs.feed("text", read, {how.window, own_streams});
  blobs.feed("next", next, {how.window, own_streams});
}

// Keeps some of the streams of a state, 1×streams×width.
template <plait::backend B>
void keep_streams(plait::workspace<B>& blobs, std::string const& state, std::int64_t first, std::int64_t count) {
  plait::shape dims = blobs.view(state).dims();
  std::vector<float> const all = blobs.template fetch<float>(state);
  auto const begin = all.begin() + static_cast<std::ptrdiff_t>(first * dims[2]);
  dims.set(1, count);
  blobs.feed(state, std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(dims.size())), dims);
}

// Inverse transform sampling: returns the first index whose cumulative probability exceeds `number` in [0, 1).
inline std::int32_t pick(std::vector<float> const& probability, double number) {
  double total = 0;
  for (float const p : probability) total += static_cast<double>(p);
  double reached = 0;
  std::size_t i = 0;
  while (i + 1 != probability.size() && (reached += static_cast<double>(probability[i])) <= number * total) ++i;
  return static_cast<std::int32_t>(i);
}

}  // namespace detail

/// Trains on backend B; see train.
template <plait::backend B>
std::vector<measurement> train_on(model& m, std::vector<std::int32_t> const& text, recipe const& how,
                                  schedule const& when, example::ranks const& among, watcher const& watch) {
  auto const& operators = example::operators_of<B>(among);
  plait::workspace<B> blobs;
  plait::compile(m.init, operators, blobs).run();

  std::int64_t const streams = among.share(how.streams, "--streams");
  std::int64_t const first_stream = among.rank * streams;
  rank_nets nets;
  if (among.distributed) {
    nets =
        make_rank_nets(how, streams, vocabulary_of(m), [&](std::string_view name) { return blobs.view(name).bytes(); });
    plait::compile(nets.init, operators, blobs).run();
    for (std::string const& state : nets.carried) detail::keep_streams(blobs, state, first_stream, streams);
  }
  auto step = plait::compile(among.distributed ? nets.step : m.step, operators, blobs);
  auto gather = plait::compile(nets.gather, operators, blobs);
  auto const snapshot = [&] {
    gather.run();
    std::vector<std::string> const names = example::blobs_made_by(m.init);
    plait::workspace<B> whole;
    for (std::string const& name : names) {
      bool const is_part = std::ranges::find(nets.carried, name) != nets.carried.end();
      whole.bind(name, blobs.get(is_part ? name + "/all" : name));
    }
    m.init = example::snapshot(whole, names);
  };

  std::vector<measurement> measured;
  double sum = 0;  // sum of losses since the last measurement
  std::int64_t count = 0;
  auto const measure = [&](std::int64_t at) {
    measured.push_back({at, static_cast<float>(sum / static_cast<double>(count))});
    sum = 0;
    count = 0;
  };

  // The net counts its steps, which is all the state needed to resume.
  std::int64_t const begin = blobs.template fetch<std::int64_t>("optimizer_iteration").at(0) + 1;
  std::int64_t end = begin + when.steps;
  std::int64_t const interval = std::clamp<std::int64_t>(when.steps / 100, 1, 20);
  bool stop = false;
  for (std::int64_t at = begin; at != end;) {
    detail::feed_window(blobs, text, how, first_stream, streams, at);
    if (among.distributed) blobs.feed("stop", std::vector<float>{stop ? 1.0f : 0.0f}, {1});
    step.run();
    ++at;
    float const loss = blobs.template fetch<float>("loss").at(0);
    if (!std::isfinite(loss)) throw diverged(at);
    sum += static_cast<double>(loss);
    ++count;
    if (at == begin + 1 || at == end || at % interval == 0) measure(at);
    stop = !watch(at - begin, {at, loss}, measured.back()) || stop;
    // Ranks end after the same step: that in which one of them says so.
    if (among.distributed ? blobs.template fetch<float>("stop").at(0) > 0 : stop) end = at;
    if (at == end || (when.save_interval != 0 && at % when.save_interval == 0)) {
      snapshot();
      if (at != end && when.save) when.save(m);
    }
  }
  if (count != 0) measure(end);
  return measured;
}

/// Samples on backend B; see sample.
template <plait::backend B>
std::vector<std::int32_t> sample_on(model const& m, sampling const& what) {
  auto const& operators = plait::standard_operators<B>();
  plait::workspace<B> blobs;
  plait::compile(m.init, operators, blobs).run();
  auto step = plait::compile(m.sample, operators, blobs, {.constants = example::constants_of(m.sample, m.init)});
  blobs.feed("sharpness", std::vector<float>{1 / what.temperature}, {1});
  auto const read = [&](std::int32_t symbol) {
    blobs.feed("symbol", std::vector<std::int32_t>{symbol}, {1, 1});
    step.run();
  };
  for (std::int32_t const symbol : what.prime) read(symbol);

  plait::random_stream const numbers{static_cast<std::uint64_t>(what.seed), 0};
  std::vector<std::int32_t> made;
  for (std::int64_t i = 0; i != what.count; ++i) {
    double const number = numbers.uniform<double>(static_cast<std::uint64_t>(i));
    made.push_back(detail::pick(blobs.template fetch<float>("probability"), number));
    read(made.back());
  }
  return made;
}

}  // namespace lstm
