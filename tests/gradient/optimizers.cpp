#include <plait/gradient/optimizers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <net/check_ops.hpp>
#include <net/test_nets.hpp>
#include <support/recorded_net.hpp>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/casts.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/exec/detail/operators/gather.hpp>
#include <plait/exec/detail/operators/learning_rate.hpp>
#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/detail/operators/reductions.hpp>
#include <plait/exec/detail/operators/scatter.hpp>
#include <plait/exec/detail/operators/sets.hpp>
#include <plait/exec/detail/operators/sparse_optimizers.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/detail/operators/unsorted_segments.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/traits.hpp>

using plait::blob_gradient;
using plait::gradient_map;
using strings = std::vector<std::string>;

namespace {

using backend = plait::serial;
using numbers = std::vector<double>;

plait::operators<backend> const& table() {
  static plait::operators<backend> const made = [] {
    plait::operators<backend> t;
    add_arithmetic_operators(t);
    add_cast_operators(t);
    add_fill_operators(t);
    add_function_operators(t);
    add_gather_operators(t);
    add_learning_rate_operators(t);
    add_optimizer_operators(t);
    add_reduction_operators(t);
    add_scatter_operators(t);
    add_set_operators(t);
    add_sparse_optimizer_operators(t);
    add_sum_operators(t);
    add_unsorted_segment_operators(t);
    return t;
  }();
  return made;
}

// Returns synthetic gradients to feed, different in every step.
numbers made_up(std::string const& blob, std::size_t size, std::size_t step) {
  numbers made;
  for (std::size_t i = 0; i != size; ++i)
    made.push_back(std::sin(static_cast<double>(blob.size() + 3 * i) + 1.7 * static_cast<double>(step)) *
                   (step % 3 == 1 ? 4 : 1));
  return made;
}

struct fed_parameter {
  plait::shape dims;
  numbers values;
  std::vector<std::int64_t> rows = {};  // indices of a sparse gradient
  plait::shape rows_dims = {};          // shape of the indices; a vector if empty
};
using model = std::map<std::string, fed_parameter>;

template <class T>
std::vector<T> cast(numbers const& from) {
  std::vector<T> made;
  for (double x : from) made.push_back(static_cast<T>(x));
  return made;
}

std::size_t gradient_size(fed_parameter const& p) {
  return p.rows.empty() ? p.values.size() : p.rows.size() * (p.values.size() / static_cast<std::size_t>(p.dims[0]));
}

gradient_map gradients_of(model const& m) {
  gradient_map made;
  for (auto const& [name, p] : m) made.append(name, name + "_grad", p.rows.empty() ? "" : name + "_rows");
  return made;
}
strings names_of(model const& m) {
  strings made;
  for (auto const& [name, p] : m) made.push_back(name);
  return made;
}

// Returns the parameters after some steps of the net that `add` extends, by the runtime.
template <class T, class Add>
std::map<std::string, numbers> run(model const& m, std::size_t steps, Add const& add) {
  plait::netdef net, init;
  plait::optimizer_update const update = add(net);
  plait::add_init_ops(init, update);
  plait::workspace<backend> blobs;
  for (auto const& [name, p] : m) blobs.feed(name, cast<T>(p.values), p.dims);
  auto fill = plait::compile(init, table(), blobs);
  fill.run();
  auto const feed_gradients = [&](std::size_t step) {
    for (auto const& [name, p] : m) {
      plait::shape dims = p.dims;
      if (!p.rows.empty()) {
        plait::shape const list =
            p.rows_dims.rank() == 0 ? plait::shape{static_cast<std::int64_t>(p.rows.size())} : p.rows_dims;
        dims.erase(0);
        for (std::size_t axis = list.rank(); axis-- != 0;) dims.insert(0, list[axis]);
        blobs.feed(name + "_rows", p.rows, list);
      }
      blobs.feed(name + "_grad", cast<T>(made_up(name, gradient_size(p), step)), dims);
    }
  };
  feed_gradients(0);
  auto plan = plait::compile(net, table(), blobs);
  for (std::size_t step = 0; step != steps; ++step) {
    feed_gradients(step);
    plan.run();
  }
  std::map<std::string, numbers> after;
  for (auto const& [name, p] : m) {
    auto const got = blobs.fetch<T>(name);
    after[name] = numbers(got.begin(), got.end());
  }
  return after;
}

// Oracle in a plain loop: `step(name, parameter, gradient, step number)` updates the parameter. Sparse gradients arrive
// dense.
template <class Prepare, class Step>
std::map<std::string, numbers> oracle(model const& m, std::size_t steps, Prepare const& prepare, Step const& step) {
  std::map<std::string, numbers> now;
  for (auto const& [name, p] : m) now[name] = p.values;
  for (std::size_t k = 0; k != steps; ++k) {
    std::map<std::string, numbers> gradients;
    for (auto const& [name, p] : m) {
      numbers const given = made_up(name, gradient_size(p), k);
      if (p.rows.empty()) {
        gradients[name] = given;
        continue;
      }
      numbers& dense = gradients[name];
      dense.resize(p.values.size());
      std::size_t const width = p.values.size() / static_cast<std::size_t>(p.dims[0]);
      for (std::size_t r = 0; r != p.rows.size(); ++r)
        for (std::size_t c = 0; c != width; ++c)
          dense[static_cast<std::size_t>(p.rows[r]) * width + c] += given[r * width + c];
    }
    prepare(gradients, now);
    for (auto& [name, parameter] : now) step(name, parameter, gradients[name], k);
  }
  return now;
}
void as_they_are(std::map<std::string, numbers>&, std::map<std::string, numbers> const&) {}

void check_close(std::map<std::string, numbers> const& got, std::map<std::string, numbers> const& expected,
                 double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (auto const& [name, values] : expected) {
    REQUIRE(got.at(name).size() == values.size());
    for (std::size_t i = 0; i != values.size(); ++i) {
      INFO(name << '[' << i << ']');
      CHECK(std::abs(got.at(name)[i] - values[i]) <= tolerance * (1 + std::abs(values[i])));
    }
  }
}

model const dense{{"w", {{2, 3}, {0.5, -1, 2, 0.25, -0.75, 1.5}}}, {"b", {{2}, {0.1, -0.2}}}};
model const with_table{{"b", {{2}, {0.1, -0.2}}}, {"table", {{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 1, 3}}}};
// Like with_table, with a matrix of indices.
model const with_matrix{{"b", {{2}, {0.1, -0.2}}}, {"table", {{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 1, 3, 0}, {2, 2}}}};
constexpr std::size_t steps = 7;

struct kept {
  std::map<std::string, numbers> a, b;
  double& first(std::string const& name, std::size_t i) { return at(a, name, i); }
  double& second(std::string const& name, std::size_t i) { return at(b, name, i); }

 private:
  static double& at(std::map<std::string, numbers>& held, std::string const& name, std::size_t i) {
    if (held[name].size() <= i) held[name].resize(i + 1);
    return held[name][i];
  }
};

template <class F>
auto each(F const& change) {
  return [change](std::string const& name, numbers& p, numbers const& g, std::size_t k) {
    for (std::size_t i = 0; i != p.size(); ++i) change(name, i, p[i], g[i], k);
  };
}

// Like each(), but rows absent from a sparse gradient take no step.
template <class F>
auto each_listed(model const& m, F const& change) {
  return [&m, change](std::string const& name, numbers& p, numbers const& g, std::size_t k) {
    fed_parameter const& known = m.at(name);
    std::size_t const width = p.size() / static_cast<std::size_t>(known.dims[0]);
    for (std::size_t i = 0; i != p.size(); ++i)
      if (known.rows.empty() || std::ranges::count(known.rows, static_cast<std::int64_t>(i / width)) != 0)
        change(name, i, p[i], g[i], k);
  };
}

template <class T>
constexpr double tolerance = std::is_same_v<T, double> ? 2e-7 : 3e-6;  // rates are floats
template <class T>
plait::optimizer_placement placed() {
  return {.type = std::is_same_v<T, double> ? plait::element_type::float64 : plait::element_type::float32};
}

}  // namespace

TEST_CASE_TEMPLATE("add_sgd: equals the oracle, dense and sparse", T, float, double) {
  for (model const& given : {with_table, with_matrix})
    check_close(run<T>(given, steps,
                       [&](auto& net) {
                         return plait::add_sgd(net, gradients_of(given), names_of(given),
                                               {.rate = 0.1f, .placement = placed<T>()});
                       }),
                oracle(given, steps, as_they_are,
                       each([](auto&, std::size_t, double& p, double g, std::size_t) { p -= 0.1f * g; })),
                tolerance<T>);
}

TEST_CASE_TEMPLATE("add_sgd: momentum equals the oracle, with and without Nesterov", T, float, double) {
  for (bool const nesterov : {false, true}) {
    CAPTURE(nesterov);
    kept m;
    check_close(
        run<T>(dense, steps,
               [&](auto& net) {
                 return plait::add_sgd(
                     net, gradients_of(dense), names_of(dense),
                     {.rate = 0.1f, .momentum = 0.9f, .nesterov = nesterov, .placement = placed<T>()});
               }),
        oracle(dense, steps, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                 double const before = m.first(name, i);
                 double& v = m.first(name, i);
                 v = 0.9f * before + 0.1f * g;
                 p -= nesterov ? 1.9 * v - 0.9 * before : v;
               })),
        tolerance<T>);
  }
}

TEST_CASE_TEMPLATE("add_adagrad: a sparse gradient with duplicate rows equals the dense one", T, float, double) {
  for (model const& given : {with_table, with_matrix}) {
    kept m;
    check_close(
        run<T>(given, steps,
               [&](auto& net) {
                 return plait::add_adagrad(net, gradients_of(given), names_of(given),
                                           {.rate = 0.1f, .placement = placed<T>()});
               }),
        oracle(given, steps, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                 double& h = m.first(name, i);
                 h += g * g;
                 p -= 0.1f * g / (std::sqrt(h) + 1e-4f);
               })),
        tolerance<T>);
  }
}

TEST_CASE("add_adagrad: decay equals the oracle") {
  kept m;
  check_close(run<float>(dense, steps,
                         [](auto& net) {
                           return plait::add_adagrad(net, gradients_of(dense), names_of(dense),
                                                     {.rate = 0.1f, .decay = 0.5f});
                         }),
              oracle(dense, steps, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                       double& h = m.first(name, i);
                       h = 0.5 * h + g * g;
                       p -= 0.1f * g / (std::sqrt(h) + 1e-4f);
                     })),
              tolerance<float>);
}

TEST_CASE_TEMPLATE("add_adam: starts at step 1, or with first_step = 1 at step 2 as Caffe2", T, float, double) {
  for (std::int64_t const first : {0, 1}) {
    CAPTURE(first);
    kept m;
    check_close(
        run<T>(dense, steps,
               [&](auto& net) {
                 return plait::add_adam(net, gradients_of(dense), names_of(dense),
                                        {.rate = 0.01f, .schedule = {.first_step = first}, .placement = placed<T>()});
               }),
        oracle(dense, steps, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t k) {
                 double const b1 = 0.9f, b2 = 0.999f;
                 double& mean = m.first(name, i);
                 double& square = m.second(name, i);
                 mean = b1 * mean + (1 - b1) * g;
                 square = b2 * square + (1 - b2) * g * g;
                 auto const t = static_cast<double>(k + 1) + static_cast<double>(first);
                 p -= 0.01f * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t)) * mean /
                      (std::sqrt(square) + 1e-8f);
               })),
        10 * tolerance<T>);
  }
}

TEST_CASE_TEMPLATE("add_rms_prop: applies its rate once", T, float, double) {
  kept m;
  check_close(run<T>(dense, steps,
                     [](auto& net) {
                       return plait::add_rms_prop(net, gradients_of(dense), names_of(dense),
                                                  {.rate = 0.01f, .momentum = 0.5f, .placement = placed<T>()});
                     }),
              oracle(dense, steps, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                       double& s = m.first(name, i);
                       double& v = m.second(name, i);
                       s = 0.9f * s + (1 - 0.9f) * g * g;
                       v = 0.5f * v + 0.01f * g / std::sqrt(1e-5f + s);
                       p -= v;
                     })),
              10 * tolerance<T>);
}

TEST_CASE_TEMPLATE("optimizers: a sparse gradient updates its rows as the dense one does", T, float, double) {
  for (model const* const given : {&with_table, &with_matrix}) {
    for (bool const nesterov : {false, true}) {
      CAPTURE(nesterov);
      kept m;
      check_close(run<T>(*given, steps,
                         [&](auto& net) {
                           return plait::add_sgd(
                               net, gradients_of(*given), names_of(*given),
                               {.rate = 0.1f, .momentum = 0.9f, .nesterov = nesterov, .placement = placed<T>()});
                         }),
                  oracle(*given, steps, as_they_are,
                         each_listed(*given,
                                     [&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                                       double const before = m.first(name, i);
                                       double& v = m.first(name, i);
                                       v = 0.9f * before + 0.1f * g;
                                       p -= nesterov ? 1.9 * v - 0.9 * before : v;
                                     })),
                  tolerance<T>);
    }
    kept adam;
    check_close(run<T>(*given, steps,
                       [&](auto& net) {
                         return plait::add_adam(net, gradients_of(*given), names_of(*given),
                                                {.rate = 0.01f, .placement = placed<T>()});
                       }),
                oracle(*given, steps, as_they_are,
                       each_listed(*given,
                                   [&](auto& name, std::size_t i, double& p, double g, std::size_t k) {
                                     double const b1 = 0.9f, b2 = 0.999f;
                                     double& mean = adam.first(name, i);
                                     double& square = adam.second(name, i);
                                     mean = b1 * mean + (1 - b1) * g;
                                     square = b2 * square + (1 - b2) * g * g;
                                     auto const t = static_cast<double>(k + 1);
                                     p -= 0.01f * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t)) * mean /
                                          (std::sqrt(square) + 1e-8f);
                                   })),
                10 * tolerance<T>);
    kept rms;
    check_close(run<T>(*given, steps,
                       [&](auto& net) {
                         return plait::add_rms_prop(net, gradients_of(*given), names_of(*given),
                                                    {.rate = 0.01f, .momentum = 0.5f, .placement = placed<T>()});
                       }),
                oracle(*given, steps, as_they_are,
                       each_listed(*given,
                                   [&](auto& name, std::size_t i, double& p, double g, std::size_t) {
                                     double& s = rms.first(name, i);
                                     double& v = rms.second(name, i);
                                     s = 0.9f * s + (1 - 0.9f) * g * g;
                                     v = 0.5f * v + 0.01f * g / std::sqrt(1e-5f + s);
                                     p -= v;
                                   })),
                10 * tolerance<T>);
  }
}

TEST_CASE("rate_schedule: the policy starts at step 0, or at Caffe2's step 1") {
  for (std::int64_t const first : {0, 1}) {
    CAPTURE(first);
    check_close(run<float>(dense, steps,
                           [&](auto& net) {
                             return plait::add_sgd(net, gradients_of(dense), names_of(dense),
                                                   {.rate = 0.1f,
                                                    .schedule = {.policy = "step",
                                                                 .arguments = {{"stepsize", 2}, {"gamma", 0.5f}},
                                                                 .first_step = first}});
                           }),
                oracle(dense, steps, as_they_are, each([&](auto&, std::size_t, double& p, double g, std::size_t k) {
                         p -= 0.1f * std::pow(0.5, (k + static_cast<std::size_t>(first)) / 2) * g;
                       })),
                tolerance<float>);
  }
}

TEST_CASE_TEMPLATE("gradient_preparation: clips by global norm, by norm per parameter, and by value", T, float,
                   double) {
  for (int const how : {0, 1, 2, 3}) {
    CAPTURE(how);
    plait::gradient_preparation options;
    if (how != 2) options.clip_norm = 1.5f;
    options.each_parameter = how == 1;
    if (how >= 2) options.clip_value = 0.5f;
    double clipped = 0;
    auto const prepare = [&](std::map<std::string, numbers>& gradients, auto const&) {
      std::map<std::string, double> norms;
      double all = 0;
      for (auto const& [name, g] : gradients) {
        for (double x : g) norms[name] += x * x;
        all += norms[name];
      }
      for (auto& [name, g] : gradients)
        for (double& x : g) {
          if (how != 2) {
            double const norm = std::sqrt(how == 1 ? norms[name] : all);
            if (how != 3) clipped += norm > 1.5;
            x *= norm > 1.5 ? 1.5 / norm : 1;
          }
          if (how >= 2) {
            clipped += std::abs(x) > 0.5;
            x = std::clamp(x, -0.5, 0.5);
          }
        }
    };
    check_close(run<T>(with_table, steps,
                       [&](auto& net) {
                         return plait::add_sgd(net, gradients_of(with_table), names_of(with_table),
                                               {.rate = 0.1f, .gradients = options, .placement = placed<T>()});
                       }),
                oracle(with_table, steps, prepare,
                       each([](auto&, std::size_t, double& p, double g, std::size_t) { p -= 0.1f * g; })),
                tolerance<T>);
    CHECK(clipped > 0);
    CHECK(clipped < 70);  // of 7 steps with 10 elements
  }
}

TEST_CASE_TEMPLATE("gradient_preparation: weight decay follows clipping", T, float, double) {
  auto const prepare = [](std::map<std::string, numbers>& gradients, std::map<std::string, numbers> const& now) {
    for (auto& [name, g] : gradients)
      for (std::size_t i = 0; i != g.size(); ++i) g[i] = std::clamp(g[i], -0.5, 0.5) + 0.25 * now.at(name)[i];
  };
  check_close(
      run<T>(dense, steps,
             [](auto& net) {
               return plait::add_sgd(
                   net, gradients_of(dense), names_of(dense),
                   {.rate = 0.1f, .gradients = {.clip_value = 0.5f, .weight_decay = 0.25f}, .placement = placed<T>()});
             }),
      oracle(dense, steps, prepare, each([](auto&, std::size_t, double& p, double g, std::size_t) { p -= 0.1f * g; })),
      tolerance<T>);
}

TEST_CASE("add_gradient_preparation: prepares gradients for a user-defined step") {
  auto const prepare = [](std::map<std::string, numbers>& gradients, std::map<std::string, numbers> const& now) {
    for (auto& [name, g] : gradients)
      for (std::size_t i = 0; i != g.size(); ++i) g[i] = std::clamp(g[i], -0.5, 0.5) + 0.25 * now.at(name)[i];
  };
  auto const got = run<float>(dense, steps, [](plait::netdef& net) {
    auto update = plait::add_gradient_preparation(net, gradients_of(dense), names_of(dense),
                                                  {.clip_value = 0.5f, .weight_decay = 0.25f});
    for (std::string const& name : names_of(dense)) net.add_op("Sub", {name, update.gradients.at(name).values}, {name});
    return update;
  });
  auto const subtract = each([](auto&, std::size_t, double& p, double g, std::size_t) { p -= g; });
  check_close(got, oracle(dense, steps, prepare, subtract), tolerance<float>);
}

TEST_CASE("optimizers: two parameters that share a gradient do not affect each other") {
  model const twins{{"p", {{2}, {1, 2}}}, {"q", {{2}, {3, 4}}}};
  auto const gradients = [] {
    gradient_map made;
    for (char const* name : {"p", "q"}) made.append(name, "p_grad");
    return made;
  };
  for (bool const clip : {false, true}) {
    auto const got = run<float>(twins, 3, [&](auto& net) {
      return plait::add_sgd(net, gradients(), strings{"p", "q"},
                            {.rate = 0.1f,
                             .momentum = 0.5f,
                             .gradients = {.clip_norm = clip ? 1.0f : 0, .clip_value = 0.8f, .weight_decay = 0.5f}});
    });
    kept m;
    numbers p{1, 2}, q{3, 4};
    for (std::size_t k = 0; k != 3; ++k) {
      numbers g = made_up("p", 2, k);
      double const norm = std::sqrt(2 * (g[0] * g[0] + g[1] * g[1]));
      for (std::size_t i = 0; i != 2; ++i) {
        if (clip && norm > 1) g[i] /= norm;
        g[i] = std::clamp(g[i], -double{0.8f}, double{0.8f});
        double& mp = m.first("p", i);
        double& mq = m.second("q", i);
        mp = 0.5 * mp + 0.1f * (g[i] + 0.5 * p[i]);
        mq = 0.5 * mq + 0.1f * (g[i] + 0.5 * q[i]);
        p[i] -= mp;
        q[i] -= mq;
      }
    }
    check_close(got, {{"p", p}, {"q", q}}, tolerance<float>);
  }
}

TEST_CASE("optimizers: several optimisers in one net share the step counter") {
  auto const got = run<float>(dense, 4, [](auto& net) {
    auto update = plait::add_sgd(net, gradients_of(dense), strings{"w"}, {.rate = 0.1f, .momentum = 0.5f});
    auto const other =
        plait::add_sgd(net, gradients_of(dense), strings{"b"},
                       {.rate = 0.2f, .schedule = {.policy = "step", .arguments = {{"stepsize", 1}, {"gamma", 0.5f}}}});
    CHECK(update.rate == "SgdOptimizer_0_lr_cpu");
    CHECK(other.rate == "SgdOptimizer_1_lr_cpu");
    CHECK(other.state == strings{"ONE_0_0"});
    CHECK(std::ranges::count_if(net.op, [&](auto const& op) { return net.text(op.type) == "Iter"; }) == 1);
    update.init_ops.insert(update.init_ops.end(), other.init_ops.begin(), other.init_ops.end());
    return update;
  });
  kept m;
  check_close(got,
              oracle(dense, 4, as_they_are, each([&](auto& name, std::size_t i, double& p, double g, std::size_t k) {
                       if (name == "b") {
                         p -= 0.2f * std::pow(0.5, k) * g;
                         return;
                       }
                       double& v = m.first(name, i);
                       v = 0.5 * v + 0.1f * g;
                       p -= v;
                     })),
              tolerance<float>);
}

TEST_CASE_TEMPLATE("optimizers: ops equal those of Caffe2's optimizer.py", N, PLAIT_MUTABLE_NETS) {
  using plait::op_spec;
  gradient_map gradients;
  gradients.insert_or_assign("w", blob_gradient::dense("w_grad"));
  std::vector<std::int64_t> const one{1};
  op_spec const iteration{"ConstantFill", {}, {"optimizer_iteration"}, {{"shape", one}, {"value", -1}, {"dtype", 10}}};
  op_spec const count{"Iter", {"optimizer_iteration"}, {"optimizer_iteration"}};
  auto const rate = [](std::string const& name, float base) {
    return op_spec{"LearningRate",
                   {"optimizer_iteration"},
                   {name + "Optimizer_0_lr_cpu"},
                   {{"base_lr", base}, {"policy", "fixed"}}};
  };
  auto const zeros = [](std::string const& name) { return op_spec{"ConstantFill", {"w"}, {name}, {{"value", 0.0f}}}; };

  SUBCASE("SGD") {
    N net = test::make_net<N>({});
    auto const update = plait::add_sgd(net, gradients, strings{"w"}, {.rate = 0.5f});
    test::check_ops(
        net, {count, rate("Sgd", -0.5f), {"WeightedSum", {"w", "ONE_0_0", "w_grad", "SgdOptimizer_0_lr_cpu"}, {"w"}}});
    CHECK(update.init_ops ==
          std::vector<op_spec>{iteration, {"ConstantFill", {}, {"ONE_0_0"}, {{"shape", one}, {"value", 1.0f}}}});
    CHECK(update.state == strings{"optimizer_iteration", "ONE_0_0"});
    CHECK(test::describe(net).external_inputs.empty());
  }
  SUBCASE("momentum") {
    N net = test::make_net<N>({});
    auto const update = plait::add_sgd(net, gradients, strings{"w"}, {.rate = 0.5f, .momentum = 0.9f});
    test::check_ops(net, {count,
                          rate("Sgd", 0.5f),
                          {"MomentumSGDUpdate",
                           {"w_grad", "w_momentum", "SgdOptimizer_0_lr_cpu", "w"},
                           {"w_grad", "w_momentum", "w"},
                           {{"momentum", 0.9f}}}});
    CHECK(update.init_ops == std::vector<op_spec>{iteration, zeros("w_momentum")});
  }
  SUBCASE("Adagrad") {
    N net = test::make_net<N>({});
    auto const update = plait::add_adagrad(net, gradients, strings{"w"}, {.rate = 0.5f});
    test::check_ops(net, {count,
                          rate("Adagrad", -0.5f),
                          {"Adagrad",
                           {"w", "w_squared_sum", "w_grad", "AdagradOptimizer_0_lr_cpu"},
                           {"w", "w_squared_sum"},
                           {{"epsilon", 1e-4f}}}});
    CHECK(update.init_ops == std::vector<op_spec>{iteration, zeros("w_squared_sum")});
  }
  SUBCASE("Adam") {
    N net = test::make_net<N>({});
    auto const update = plait::add_adam(net, gradients, strings{"w"}, {.rate = 0.5f});
    test::check_ops(
        net, {count,
              rate("Adam", -0.5f),
              {"Adam",
               {"w", "w_first_moment", "w_second_moment", "w_grad", "AdamOptimizer_0_lr_cpu", "optimizer_iteration"},
               {"w", "w_first_moment", "w_second_moment"},
               {{"beta1", 0.9f}, {"beta2", 0.999f}, {"epsilon", 1e-8f}}}});
    CHECK(update.init_ops == std::vector<op_spec>{iteration, zeros("w_first_moment"), zeros("w_second_moment")});
  }
  SUBCASE("an init net takes the state once, and declares it if it declares anything") {
    N net = test::make_net<N>({});
    auto const update = plait::add_sgd(net, gradients, strings{"w"}, {.rate = 0.5f});
    N init = test::make_net<N>({});
    plait::add_init_ops(init, update);
    plait::add_init_ops(init, update);
    test::check_ops(init, update.init_ops);
    CHECK(test::describe(init).external_outputs.empty());
    N declaring = test::make_net<N>({{{"GivenTensorFill", {}, {"w"}}}, {}, {"w"}});
    plait::add_init_ops(declaring, update);
    CHECK(test::describe(declaring).external_outputs == strings{"w", "optimizer_iteration", "ONE_0_0"});
  }
  SUBCASE("a net that declares its externals declares parameters and state") {
    N net = test::make_net<N>({{{"Grad", {"x", "w"}, {"w_grad"}}}, {"x"}, {"loss"}});
    static_cast<void>(plait::add_sgd(net, gradients, strings{"w"}, {.rate = 0.5f}));
    CHECK(test::describe(net).external_inputs == strings{"x", "w", "optimizer_iteration", "ONE_0_0"});
    CHECK(test::describe(net).external_outputs == strings{"loss", "w", "optimizer_iteration", "ONE_0_0"});
  }
}

TEST_CASE("optimizers: parameters and state persist in a net with declared outputs") {
  // Nothing reads the new parameter: only the declaration keeps it live.
  plait::netdef net;
  net.add_op("SumElements", {"w"}, {"loss"});
  for (char const* name : {"w", "w_grad"}) net.external_input.push_back(net.intern(name));
  net.external_output.push_back(net.intern("loss"));
  gradient_map gradients;
  gradients.insert_or_assign("w", blob_gradient::dense("w_grad"));
  auto const update = plait::add_sgd(net, gradients, strings{"w"}, {.rate = 0.5f, .momentum = 0.5f});
  plait::netdef init;
  plait::add_init_ops(init, update);
  plait::workspace<backend> blobs;
  blobs.feed<float>("w", {1, 2}, {2});
  blobs.feed<float>("w_grad", {1, -1}, {2});
  plait::compile(init, table(), blobs).run();
  auto plan = plait::compile(net, table(), blobs);
  for (int step = 0; step != 3; ++step) {
    blobs.feed<float>("w_grad", {1, -1}, {2});
    plan.run();
  }
  // Momenta 0.5, 0.75, 0.875.
  CHECK(blobs.fetch<float>("w") == std::vector<float>{-1.125f, 4.125f});
  CHECK(blobs.fetch<float>("loss") == std::vector<float>{3});
  CHECK(blobs.fetch<std::int64_t>("optimizer_iteration") == std::vector<std::int64_t>{2});
}

TEST_CASE("add_sgd: equals the recorded training nets of Caffe2, except for names") {
  for (bool const momentum : {false, true}) {
    auto const recorded = test::recorded_net("run", momentum ? "train_mlp_momentum" : "train_mlp", 1);
    if (!recorded) continue;
    plait::netdef net = *recorded;
    auto const counts = std::ranges::find_if(net.op, [&](auto const& op) { return net.text(op.type) == "Iter"; });
    REQUIRE(counts != net.op.end());
    net.op.erase(counts, net.op.end());
    gradient_map gradients;
    strings const parameters{"fc1_w", "fc1_b", "fc2_w", "fc2_b"};
    for (auto const& name : parameters) gradients.insert_or_assign(name, blob_gradient::dense(name + "_grad"));
    static_cast<void>(plait::add_sgd(net, gradients, parameters,
                                     {.rate = 0.1f,
                                      .momentum = momentum ? 0.9f : 0,
                                      .schedule = {.iteration = "ITER", .first_step = 1, .rate = "LR"}}));
    std::string text = plait::to_text(net);
    for (auto const& [ours, theirs] : {std::pair<std::string, std::string>{"ONE_0_0", "ONE"}, {"_momentum", "_mom"}})
      for (std::size_t at = text.find(ours); at != std::string::npos; at = text.find(ours, at + 1))
        text.replace(at, ours.size(), theirs);
    auto const difference = plait::first_difference(plait::read_netdef_text(text), *recorded);
    if (difference) MESSAGE(difference->path << ": " << difference->left << " / " << difference->right);
    CHECK_FALSE(difference.has_value());
  }
}

TEST_CASE_TEMPLATE("optimizers: an error names the parameter and leaves the net unchanged", N, PLAIT_MUTABLE_NETS) {
  gradient_map gradients;
  gradients.insert_or_assign("w", blob_gradient::dense("w_grad"));
  gradients.insert_or_assign("t", blob_gradient::sparse("rows", "t_grad"));
  N net = test::make_net<N>({{{"Grad", {"x"}, {"w_grad"}}}, {"x"}, {"w_grad"}});
  auto const before = test::describe(net);
  auto const refused = [&](auto const& add, std::string const& parameter) {
    try {
      add();
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      CHECK(problem.blob == parameter);
      CHECK(std::string(problem.what()).find('\'' + parameter + '\'') != std::string::npos);
    }
    CHECK(test::describe(net) == before);
  };
  strings const both{"w", "t"};
  refused([&] { plait::add_sgd(net, gradients, strings{"w", "other"}); }, "other");
  refused([&] { plait::add_sgd(net, gradients, strings{"w", "w"}); }, "w");
  refused([&] { plait::add_adagrad(net, gradients, both, {.decay = 0.5f}); }, "t");
  refused([&] { plait::add_adam(net, gradients, both, {.gradients = {.weight_decay = 1}}); }, "t");
  refused([&] { plait::add_sgd(net, gradients, both, {.gradients = {.weight_decay = 1}}); }, "t");
  refused([&] { plait::add_sgd(net, gradients, both, {.schedule = {.rate = "w_grad"}}); }, "w_grad");
  CHECK_THROWS_AS(plait::add_sgd(net, gradients, both, {.placement = {.type = plait::element_type::int32}}),
                  plait::net_error);
  CHECK(test::describe(net) == before);

  plait::add_adam(net, gradients, strings{"w"});
  auto const once = test::describe(net);
  CHECK_THROWS_AS(plait::add_adam(net, gradients, strings{"w"}), plait::net_error);
  CHECK(test::describe(net) == once);
}

TEST_CASE("add_optimizer: appends the optimiser of that name, or nothing") {
  gradient_map gradients;
  gradients.insert_or_assign("w", blob_gradient::dense("w_grad"));
  auto const made = [](auto const& add) {
    test::edit_net net;
    add(net);
    return test::describe(net);
  };
  strings const w{"w"};
  auto const named = [&](std::string_view name) {
    return made([&](auto& net) { CHECK(plait::add_optimizer(net, gradients, w, name, 0.25f)); });
  };
  CHECK(named("sgd") == made([&](auto& net) { plait::add_sgd(net, gradients, w, {.rate = 0.25f}); }));
  CHECK(named("momentum") ==
        made([&](auto& net) { plait::add_sgd(net, gradients, w, {.rate = 0.25f, .momentum = 0.9f}); }));
  CHECK(named("adagrad") == made([&](auto& net) { plait::add_adagrad(net, gradients, w, {.rate = 0.25f}); }));
  CHECK(named("adam") == made([&](auto& net) { plait::add_adam(net, gradients, w, {.rate = 0.25f}); }));
  CHECK(named("rmsprop") == made([&](auto& net) { plait::add_rms_prop(net, gradients, w, {.rate = 0.25f}); }));
  CHECK(made([&](auto& net) { CHECK_FALSE(plait::add_optimizer(net, gradients, w, "lbfgs", 0.25f)); }) ==
        test::describe(test::edit_net{}));
}

TEST_CASE("optimizers: ops are placed on the requested device") {
  plait::device_spec const gpu{plait::device_kind::cuda, 1};
  gradient_map gradients;
  gradients.insert_or_assign("w", blob_gradient::dense("w_grad"));
  test::edit_net net;
  auto const update = plait::add_sgd(net, gradients, strings{"w"}, {.placement = {.device = gpu}});
  CHECK(update.rate == "SgdOptimizer_0_lr_gpu1");
  CHECK(update.state.back() == "ONE_1_1");
  for (auto const& op : net.ops) CHECK(op.device == gpu);
  for (auto const& op : update.init_ops) CHECK(op.device == gpu);
}
