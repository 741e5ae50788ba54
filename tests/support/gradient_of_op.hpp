// Gradient check of a single op: compares its gradient op with central finite differences.
//
//   test::check_gradient_of_op(table<B>(), table<plait::serial>(),
//                              {.forward = "type: 'Div' input: 'a' input: 'b' output: 'c'",
//                               .gradient = "type: 'DivGradient' input: 'b' input: 'c' input: 'c_grad' "
//                                           "output: 'a_grad' output: 'b_grad'",
//                               .fed = {{"a", test::random_tensor({3, 4}, 1)}, {"b", test::random_tensor({3, 4},
//                               2)}}});
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <support/run_op.hpp>

namespace test {

/// Returns a tensor of reproducible random numbers from least to most, none closer than `gap` to a kink.
inline plait::tensor<plait::serial> random_tensor(plait::shape const& dims, std::uint64_t seed, double least = -2,
                                                  double most = 2, std::vector<double> const& kinks = {},
                                                  double gap = 0.01) {
  std::mt19937_64 engine(seed);
  std::vector<double> made(static_cast<std::size_t>(dims.size()));
  for (double& x : made) {
    x = least + (most - least) * (static_cast<double>(engine() >> 11) * 0x1p-53);
    for (double const kink : kinks)
      if (std::abs(x - kink) < gap) x = x < kink ? kink - gap : kink + gap;
  }
  return of<plait::serial>(dims, made);
}

struct gradient_case {
  std::string forward = {};       ///< an op, in the format of run_op
  std::string gradient = {};      ///< its gradient op, in which x_grad is the gradient of blob x
  feeds<plait::serial> fed = {};  ///< inputs, reals as double; inputs of the gradient op only; y_grad, if not random
  double step = 1e-5;             ///< step of the differences
  double tolerance = 1e-7;        ///< tolerance of a gradient, relative to 1 + its magnitude
  double float_tolerance = 1e-4;  ///< tolerance of float against double; 0: the gradient op lacks float
  /// {x, indices}: row i of x_grad is the gradient of the row of x with the number in element i of the blob `indices`.
  std::vector<std::pair<std::string, std::string>> sparse = {};
  std::size_t most_differences = 200;  ///< number of elements of an input that are varied, evenly spaced
};

namespace gradient_of_op {

inline plait::netdef net_of(std::string const& op) { return plait::read_netdef_text("op { " + op + " }"); }

template <class T, class B>
plait::tensor<B> with_reals_as(plait::tensor<plait::serial> const& x) {
  if (x.type() != plait::element_type::float64) return x.to<B>();
  std::vector<double> const wide = x.values<double>();
  std::vector<T> made(wide.size());
  std::ranges::transform(wide, made.begin(), [](double element) { return static_cast<T>(element); });
  return of<B>(x.dims(), made);
}

template <class T, class B>
plait::workspace<B> run(plait::operators<B> const& table, plait::netdef const& net, feeds<plait::serial> const& fed) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : fed) blobs.feed(name, with_reals_as<T, B>(value));
  auto plan = plait::compile(net, table, blobs);
  plan.run();
  return blobs;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Returns the greatest difference, relative to 1 + the magnitude of the expected value; infinite for NaN.
template <class T>
double worst_of(std::vector<T> const& got, std::vector<double> const& expected) {
  double worst = got.size() == expected.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i != std::min(got.size(), expected.size()); ++i) {
    double const off = std::abs(static_cast<double>(got[i]) - expected[i]) / (1 + std::abs(expected[i]));
    worst = std::max(worst, std::isnan(off) ? std::numeric_limits<double>::infinity() : off);
  }
  return worst;
}

inline plait::tensor<plait::serial> const* find(feeds<plait::serial> const& fed, std::string const& name) {
  for (auto const& [blob, value] : fed)
    if (blob == name) return &value;
  return nullptr;
}

template <class B>
std::vector<std::int64_t> integers(plait::workspace<B> const& blobs, std::string const& name) {
  if (blobs.view(name).type() == plait::element_type::int64) return blobs.template fetch<std::int64_t>(name);
  auto const narrow = blobs.template fetch<std::int32_t>(name);
  return {narrow.begin(), narrow.end()};
}

/// Outputs of the forward op, each with its gradient.
using weights = std::vector<std::pair<std::string, std::vector<double>>>;

/// Returns the finite difference of the sum of all weighted outputs with respect to element i of x.
inline double difference(plait::plan<plait::serial>& plan, plait::workspace<plait::serial>& blobs,
                         weights const& weighted, std::string const& name, std::size_t i, double step) {
  plait::tensor<plait::serial> const x = blobs.view(name);
  auto const outputs_at = [&](double value) {
    plait::tensor<plait::serial> moved = x.clone();
    moved.data<double>()[i] = value;
    blobs.feed(name, moved);
    plan.run();
    std::vector<std::vector<double>> made;
    for (auto const& [output, weight] : weighted) made.push_back(blobs.fetch<double>(output));
    return made;
  };
  double const here = x.data<double>()[i];
  auto const above = outputs_at(here + step);
  auto const below = outputs_at(here - step);
  blobs.feed(name, x);
  double sum = 0;
  for (std::size_t o = 0; o != weighted.size(); ++o)
    for (std::size_t j = 0; j != above[o].size(); ++j) sum += weighted[o].second[j] * (above[o][j] - below[o][j]);
  return sum / ((here + step) - (here - step));
}

}  // namespace gradient_of_op

/// Checks every output x_grad of the gradient op with a fed x, for random gradients of the outputs that it reads as
/// y_grad: its shape, its values in double against differences and in float against double, the same bits in every
/// in-place variant that the schema allows, and the same bits as the serial backend. Both tables contain both ops.
/// Returns the blobs after the gradient op ran in double.
template <class B>
plait::workspace<B> check_gradient_of_op(plait::operators<B> const& table,
                                         plait::operators<plait::serial> const& reference, gradient_case const& c) {
  namespace g = gradient_of_op;
  CAPTURE(c.forward);
  CAPTURE(c.gradient);
  plait::netdef const forward = g::net_of(c.forward);
  plait::netdef const gradient = g::net_of(c.gradient);
  auto const& op = gradient.op.at(0);
  std::string const suffix = "_grad";

  feeds<plait::serial> fed = c.fed;
  g::weights weighted;
  std::uint64_t seed = 977;
  auto const computed = g::run<double>(reference, forward, c.fed);
  for (auto const& output : forward.op.at(0).output) {
    std::string const name(forward.text(output));
    fed.emplace_back(name, computed.view(name).clone());
    if (std::ranges::none_of(op.input, [&](auto const& input) { return gradient.text(input) == name + suffix; }))
      continue;
    if (g::find(fed, name + suffix) == nullptr)
      fed.emplace_back(name + suffix, random_tensor(computed.view(name).dims(), ++seed));
    weighted.emplace_back(name, g::find(fed, name + suffix)->values<double>());
  }
  REQUIRE_FALSE(weighted.empty());

  auto made = g::run<double>(table, gradient, fed);
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : c.fed) blobs.feed(name, value.clone());
  auto plan = plait::compile(forward, reference, blobs);
  std::size_t checked = 0;
  for (auto const& output : op.output) {
    std::string const name(gradient.text(output));
    CAPTURE(name);
    if (!name.ends_with(suffix)) continue;
    std::string const of_blob = name.substr(0, name.size() - suffix.size());
    auto const* const x = g::find(c.fed, of_blob);
    if (x == nullptr || x->type() != plait::element_type::float64) continue;
    ++checked;
    std::vector<double> values = made.template fetch<double>(name);
    auto const rows = std::ranges::find(c.sparse, of_blob, &std::pair<std::string, std::string>::first);
    if (rows != c.sparse.end()) {
      std::vector<double> dense(static_cast<std::size_t>(x->size()), 0);
      auto const places = g::integers(made, rows->second);
      auto const width = static_cast<std::size_t>(x->dims().size(1, x->rank()));
      REQUIRE(values.size() == places.size() * width);
      for (std::size_t i = 0; i != values.size(); ++i)
        dense.at(static_cast<std::size_t>(places[i / width]) * width + i % width) += values[i];
      values = std::move(dense);
    } else {
      CHECK(made.view(name).dims() == x->dims());
    }
    REQUIRE(values.size() == static_cast<std::size_t>(x->size()));
    std::size_t const every = values.size() / c.most_differences + 1;
    std::vector<double> some;
    std::vector<double> differences;
    for (std::size_t i = 0; i < values.size(); i += every) {
      some.push_back(values[i]);
      differences.push_back(g::difference(plan, blobs, weighted, of_blob, i, c.step));
    }
    CHECK(g::worst_of(some, differences) <= c.tolerance);
  }
  CHECK(checked != 0);

  auto const compare = [&]<class T>(T, plait::workspace<B> const& expected) {
    for (auto const& output : op.output) {
      std::string const name(gradient.text(output));
      CAPTURE(name);
      if (expected.view(name).type() != plait::element_type_of<T>) continue;
      auto const values = expected.template fetch<T>(name);
      if constexpr (!B::on_device)
        CHECK(g::same_bits(values, g::run<T>(reference, gradient, fed).template fetch<T>(name)));
      auto const described = table.find(gradient.text(op.type));
      REQUIRE(described != nullptr);
      auto const o = static_cast<std::size_t>(&output - &*op.output.begin());
      for (std::size_t i = 0; i != op.input.size(); ++i) {
        if (!described->schema.may_be_in_place(i, o)) continue;
        plait::netdef in_place = gradient;
        in_place.op[0].output[o] = in_place.op[0].input[i];
        std::string const place(gradient.text(op.input[i]));
        CAPTURE(place);
        CHECK(g::same_bits(values, g::run<T>(table, in_place, fed).template fetch<T>(place)));
      }
    }
  };
  compare(double(), made);
  if (c.float_tolerance != 0) {
    auto const narrow = g::run<float>(table, gradient, fed);
    for (auto const& output : op.output) {
      std::string const name(gradient.text(output));
      CAPTURE(name);
      if (made.view(name).type() == plait::element_type::float64)
        CHECK(g::worst_of(narrow.template fetch<float>(name), made.template fetch<double>(name)) <= c.float_tolerance);
    }
    compare(float(), narrow);
  }
  return made;
}

}  // namespace test
