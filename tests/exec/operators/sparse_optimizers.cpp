#include <plait/exec/detail/operators/sparse_optimizers.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

std::string const adagrad =
    R"(type: "SparseAdagrad" input: "p" input: "h" input: "i" input: "g" input: "lr" output: "p" output: "h")";

template <class T>
std::vector<T> random(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> from(-2, 2);
  std::vector<T> made(count);
  for (T& x : made) x = static_cast<T>(from(engine));
  return made;
}

template <class B, class T, class I>
test::feeds<B> feeds_of(std::size_t rows, std::size_t width, std::size_t count) {
  std::vector<T> squares = random<T>(rows * width, 2);
  for (T& x : squares) x *= x;
  std::vector<I> indices(count);
  std::mt19937 engine(5);
  for (I& i : indices) i = static_cast<I>(engine() % rows);  // with duplicates
  auto const r = static_cast<std::int64_t>(rows);
  auto const w = static_cast<std::int64_t>(width);
  auto const n = static_cast<std::int64_t>(count);
  return {{"p", test::of<B>({r, w}, random<T>(rows * width, 1))},
          {"h", test::of<B>({r, w}, squares)},
          {"i", test::of<B>({n}, indices)},
          {"g", test::of<B>({n, w}, random<T>(count * width, 3))},
          {"lr", test::of<B, float>({1}, {-0.125f})}};
}

template <class B, class T, class I>
void check(plait::operators<B> const& table, std::size_t rows, std::size_t width, std::size_t count, double decay = 0) {
  auto const fed = feeds_of<B, T, I>(rows, width, count);
  std::string const decays = " arg { name: 'weight_decay' f: " + std::to_string(decay) + " }";
  auto const blobs =
      test::run_op<B>(table, adagrad + R"( arg { name: "epsilon" f: 0.5 })" + (decay == 0 ? "" : decays), fed);
  auto const p = fed[0].second.template values<T>();
  auto const h = fed[1].second.template values<T>();
  auto const indices = fed[2].second.template values<I>();
  auto const g = fed[3].second.template values<T>();
  std::vector<double> wanted_p(p.begin(), p.end());
  std::vector<double> wanted_h(h.begin(), h.end());
  for (std::size_t i = 0; i != count; ++i)
    for (std::size_t d = 0; d != width; ++d) {
      std::size_t const at = static_cast<std::size_t>(indices[i]) * width + d;
      double const x = double(g[i * width + d]) + decay * wanted_p[at];
      wanted_h[at] += x * x;
      wanted_p[at] += -0.125 * x / (std::sqrt(wanted_h[at]) + 0.5);
    }
  auto const got_p = blobs.template fetch<T>("p");
  auto const got_h = blobs.template fetch<T>("h");
  double most = 0;
  for (std::size_t i = 0; i != got_p.size(); ++i) {
    most = test::larger_error(most, std::abs(double(got_p[i]) - wanted_p[i]) / (1 + std::abs(wanted_p[i])));
    most = test::larger_error(most, std::abs(double(got_h[i]) - wanted_h[i]) / (1 + std::abs(wanted_h[i])));
  }
  // Each row takes about count / rows steps, with one or two roundings each.
  CHECK(most <= (4 + 2 * double(count) / double(rows)) * double(std::numeric_limits<T>::epsilon()));
}

TEST_CASE_TEMPLATE("sparse optimizers: rows listed several times take several steps", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  check<B, float, std::int64_t>(table, 4, 2, 2);
  check<B, float, std::int32_t>(table, 3, 5, 20);
  check<B, float, std::int64_t>(table, 100, 1, 1'000);
  check<B, double, std::int64_t>(table, 37, 130, 400);
  check<B, float, std::int32_t>(table, 37, 130, 400);
  check<B, float, std::int64_t>(table, 3, 0, 5);
  check<B, float, std::int64_t>(table, 3, 2, 0);
  check<B, double, std::int64_t>(table, 37, 13, 90, 0.25);
}

TEST_CASE_TEMPLATE("sparse optimizers: every backend gives the same bits", B, PLAIT_PARALLEL_BACKENDS) {
  auto const& one = test::table<plait::serial>();
  auto const& other = test::table<B>();
  auto const wanted = test::run_op(one, adagrad, feeds_of<plait::serial, float, std::int64_t>(50, 130, 900));
  auto const got = test::run_op(other, adagrad, feeds_of<B, float, std::int64_t>(50, 130, 900));
  CHECK(got.template fetch<float>("p") == wanted.fetch<float>("p"));
  CHECK(got.template fetch<float>("h") == wanted.fetch<float>("h"));
}

// Results of the dense step on one row for each index in turn, in double.
struct stepped {
  std::vector<double> p, m, v, out;
};
enum class kind { momentum, nesterov, adam, row_wise_adam, row_wise_adagrad };

template <class T, class I>
stepped step_by_step(kind how, std::vector<T> const& p, std::vector<T> const& m, std::vector<T> const& v,
                     std::vector<I> const& indices, std::vector<T> const& g, std::size_t width) {
  stepped now{{p.begin(), p.end()}, {m.begin(), m.end()}, {v.begin(), v.end()}, std::vector<double>(g.size())};
  double const rate = how == kind::momentum || how == kind::nesterov ? 0.125 : -0.125;
  double const correction = std::sqrt(1 - std::pow(0.75, 3)) / (1 - std::pow(0.5, 3));  // of iteration 2
  for (std::size_t i = 0; i != indices.size(); ++i) {
    auto const row = static_cast<std::size_t>(indices[i]);
    double mean = 0;
    for (std::size_t d = 0; d != width; ++d) mean += double(g[i * width + d]) * double(g[i * width + d]);
    mean /= static_cast<double>(width);
    if (how == kind::row_wise_adam) now.v[row] = 0.75 * now.v[row] + 0.25 * mean;
    if (how == kind::row_wise_adagrad) now.v[row] += mean;
    for (std::size_t d = 0; d != width; ++d) {
      std::size_t const at = row * width + d;
      double const x = double(g[i * width + d]);
      double& out = now.out[i * width + d];
      if (how == kind::row_wise_adagrad) {
        now.p[at] += rate * x / (std::sqrt(now.v[row]) + 0.5);
      } else if (how == kind::momentum || how == kind::nesterov) {
        double const before = now.m[at];
        now.m[at] = 0.5 * before + rate * x;
        out = how == kind::nesterov ? 1.5 * now.m[at] - 0.5 * before : now.m[at];
        now.p[at] -= out;
      } else {
        std::size_t const square = how == kind::adam ? at : row;
        if (how == kind::adam) now.v[at] = 0.75 * now.v[at] + 0.25 * x * x;
        now.m[at] = 0.5 * now.m[at] + 0.5 * x;
        out = correction * now.m[at] / (std::sqrt(now.v[square]) + 0.5);
        now.p[at] += rate * out;
      }
    }
  }
  return now;
}

template <class B, class T, class I>
void check_steps(plait::operators<B> const& table, kind how, std::size_t rows, std::size_t width, std::size_t count) {
  auto fed = feeds_of<B, T, I>(rows, width, count);
  bool const by_row = how == kind::row_wise_adam || how == kind::row_wise_adagrad;
  auto const r = static_cast<std::int64_t>(rows);
  if (by_row) {
    std::vector<T> squares = random<T>(rows, 2);
    for (T& x : squares) x *= x;
    fed[1].second = test::of<B>({r}, squares);
  }
  bool const momentum = how == kind::momentum || how == kind::nesterov;
  if (momentum) fed[4].second = test::of<B, float>({1}, {0.125f});
  fed.emplace_back("m", test::of<B>({r, static_cast<std::int64_t>(width)}, random<T>(rows * width, 7)));
  fed.emplace_back("t", test::of<B, std::int64_t>({1}, {2}));
  std::string const betas =
      " arg { name: 'beta1' f: 0.5 } arg { name: 'beta2' f: 0.75 } arg { name: 'epsilon' f: 0.5 }";
  std::string const adam =
      " input: 'p' input: 'm' input: 'h' input: 'i' input: 'g' input: 'lr' input: 't' output: 'p' output: 'm' output: "
      "'h' output: 'out'" +
      betas;
  std::string const text =
      momentum
          ? "type: 'SparseMomentumSGDUpdate' input: 'g' input: 'm' input: 'lr' input: 'p' input: 'i' output: 'out' "
            "output: 'm' output: 'p' arg { name: 'momentum' f: 0.5 } arg { name: 'nesterov' i: " +
                std::string(how == kind::nesterov ? "1 }" : "0 }")
      : how == kind::adam          ? "type: 'SparseAdam'" + adam
      : how == kind::row_wise_adam ? "type: 'RowWiseSparseAdam'" + adam
                                   : "type: 'RowWiseSparseAdagrad' input: 'p' input: 'h' input: 'i' input: 'g' input: "
                                     "'lr' output: 'p' output: 'h' arg { name: 'epsilon' f: 0.5 }";
  auto const blobs = test::run_op<B>(table, text, fed);
  auto const of = [&](std::size_t i) { return fed[i].second.template values<T>(); };
  stepped const wanted = step_by_step<T, I>(how, of(0), of(5), of(1), fed[2].second.template values<I>(), of(3), width);
  auto const compare = [&](char const* name, std::vector<double> const& expected) {
    auto const got = blobs.template fetch<T>(name);
    REQUIRE(got.size() == expected.size());
    double most = 0;
    for (std::size_t i = 0; i != got.size(); ++i)
      most = test::larger_error(most, std::abs(double(got[i]) - expected[i]) / (1 + std::abs(expected[i])));
    CAPTURE(std::string(name));
    CHECK(most <= (16 + double(width) + 4 * double(count) / double(rows)) * double(std::numeric_limits<T>::epsilon()));
  };
  compare("p", wanted.p);
  if (!momentum) compare("h", wanted.v);
  if (how != kind::row_wise_adagrad) compare("m", wanted.m);
  if (how != kind::row_wise_adagrad) compare("out", wanted.out);
}

TEST_CASE_TEMPLATE("sparse optimizers: each index in turn applies the dense step to its row", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  for (kind const how : {kind::momentum, kind::nesterov, kind::adam, kind::row_wise_adam, kind::row_wise_adagrad}) {
    CAPTURE(static_cast<int>(how));
    check_steps<B, float, std::int64_t>(table, how, 4, 2, 2);
    check_steps<B, float, std::int32_t>(table, how, 3, 5, 20);
    check_steps<B, double, std::int64_t>(table, how, 37, 130, 400);
    check_steps<B, double, std::int32_t>(table, how, 100, 1, 1'000);
    check_steps<B, float, std::int64_t>(table, how, 3, 2, 0);
  }
}

TEST_CASE("sparse optimizers: moments that do not fit are refused") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  std::string const op =
      " input: 'p' input: 'm' input: 'h' input: 'i' input: 'g' input: 'lr' input: 't' output: 'p' output: 'm' output: "
      "'h'";
  auto const refused = [&](std::string const& type, std::string const& name, plait::tensor<B> const& value) {
    auto fed = feeds_of<B, float, std::int64_t>(4, 2, 3);
    fed.emplace_back("m", test::of<B>({4, 2}, std::vector<float>(8)));
    fed.emplace_back("t", test::of<B, std::int64_t>({1}, {2}));
    if (type == "RowWiseSparseAdam") fed[1].second = test::of<B>({4}, std::vector<float>(4));
    for (auto& [given, held] : fed)
      if (given == name) held = value;
    CAPTURE(type);
    CAPTURE(name);
    CHECK_THROWS_AS(test::run_op<B>(table, "type: '" + type + "'" + op, fed), plait::exec_error);
  };
  for (std::string const type : {"SparseAdam", "RowWiseSparseAdam"}) {
    refused(type, "m", test::of<B>({4}, std::vector<float>(4)));
    refused(type, "h", test::of<B>({3}, std::vector<float>(3)));
    refused(type, "t", test::of<B>({1}, std::vector<float>(1)));
    refused(type, "g", test::of<B>({2, 2}, std::vector<float>(4)));
    refused(type, "i", test::of<B, std::int64_t>({3}, {0, 1, 4}));
  }
}

TEST_CASE("sparse optimizers: an index out of range changes nothing") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  for (std::int64_t const bad : {-1, 4, 1'000'000}) {
    plait::workspace<B> blobs;
    auto const fed = feeds_of<B, float, std::int64_t>(4, 2, 3);
    for (auto const& [name, value] : fed) blobs.feed(name, value.clone());
    blobs.feed("i", test::of<B, std::int64_t>({3}, {0, 1, bad}));
    auto plan = plait::compile(plait::read_netdef_text("op { " + adagrad + " }"), table, blobs);
    try {
      plan.run();
      FAIL("not refused");
    } catch (plait::exec_error const& e) {
      CHECK(e.type == "SparseAdagrad");
      CHECK(std::string(e.what()).find("index " + std::to_string(bad)) != std::string::npos);
    }
    CHECK(blobs.fetch<float>("p") == fed[0].second.values<float>());
    CHECK(blobs.fetch<float>("h") == fed[1].second.values<float>());
  }
}

TEST_CASE("sparse optimizers: gradients that do not fit are refused") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  auto const refused = [&](std::string const& name, plait::tensor<B> const& value) {
    auto fed = feeds_of<B, float, std::int64_t>(4, 2, 3);
    for (auto& [given, held] : fed)
      if (given == name) held = value;
    CHECK_THROWS_AS(test::run_op<B>(table, adagrad, fed), plait::exec_error);
  };
  refused("g", test::of<B>({3, 3}, std::vector<float>(9)));
  refused("g", test::of<B>({2, 2}, std::vector<float>(4)));
  refused("g", test::of<B>({3, 2}, std::vector<double>(6)));
  refused("h", test::of<B>({4, 3}, std::vector<float>(12)));
  refused("i", test::of<B>({3}, std::vector<float>(3)));
  refused("lr", test::of<B>({2}, std::vector<float>(2)));
  // Indices may have any shape; the gradient has a row for each.
  auto fed = feeds_of<B, float, std::int64_t>(4, 2, 6);
  fed[2].second = fed[2].second.reshape({2, 3});
  CHECK_THROWS_AS(test::run_op<B>(table, adagrad, fed), plait::exec_error);
  fed[3].second = fed[3].second.reshape({2, 3, 2});
  CHECK_NOTHROW(test::run_op<B>(table, adagrad, fed));
}

TEST_CASE_TEMPLATE("ClipTensorByScaling: a tensor is scaled down to the threshold, never up", B, PLAIT_HOST_BACKENDS) {
  auto const& table = test::table<B>();
  std::string const op = R"(type: "ClipTensorByScaling" arg { name: "threshold" f: 2 } output: "x" input: "x")";
  auto const x = test::of<B, float>({2, 2}, {1, -2, 3, 0});
  auto const run = [&]<class T>(std::string const& inputs, std::vector<T> const& norm, std::vector<T> const& more) {
    return test::run_op<B>(table, op + inputs,
                           {{"x", x}, {"n", test::of<B>({1}, norm)}, {"more", test::of<B>({}, more)}})
        .template fetch<float>("x");
  };
  using list = std::vector<float>;
  CHECK(run(R"( input: "n")", list{4}, list{0}) == list{0.5f, -1, 1.5f, 0});
  CHECK(run(R"( input: "n")", list{2}, list{0}) == list{1, -2, 3, 0});
  CHECK(run(R"( input: "n" input: "more")", list{2}, list{0.5f}) == list{0.5f, -1, 1.5f, 0});
  auto const doubles = test::run_op<B>(
      table, R"(type: "ClipTensorByScaling" arg { name: "threshold" f: 1 } input: "x" input: "n" output: "y")",
      {{"x", test::of<B, double>({0}, {})}, {"n", test::of<B, double>({1}, {7})}});
  CHECK(doubles.view("y").spec() == plait::tensor_spec{plait::element_type::float64, {0}});
  CHECK_THROWS_AS(run.template operator()<float>("", {1}, {1}), plait::exec_error);
  std::string const zero = R"(type: "ClipTensorByScaling" arg { name: "threshold" f: 0 } output: "x" input: "x")";
  CHECK_THROWS_AS(test::run_op<B>(table, zero + R"( input: "n")", {{"x", x}, {"n", x}}), plait::exec_error);
}

}  // namespace
