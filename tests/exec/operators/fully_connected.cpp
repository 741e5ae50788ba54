#include <plait/exec/detail/operators/fully_connected.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/matrix_products.hpp>
#include <support/run_op.hpp>

namespace {

using test::table;

struct fc_case {
  plait::shape x;
  plait::shape w;
  plait::shape transposed_w;
  std::int64_t axis;
  std::int64_t axis_w;
  plait::shape y;
};

std::vector<fc_case> const fc_cases = {
    {{3, 4}, {5, 4}, {4, 5}, 1, 1, {3, 5}},           {{2, 3, 4}, {5, 12}, {12, 5}, 1, 1, {2, 5}},
    {{2, 3, 4}, {5, 4}, {4, 5}, 2, 1, {2, 3, 5}},     {{2, 3, 4}, {5, 4}, {4, 5}, -1, -1, {2, 3, 5}},
    {{3, 4}, {5, 2, 2}, {4, 5, 1}, 1, 1, {3, 5}},     {{4}, {5, 4}, {4, 5}, 0, 1, {5}},
    {{0, 4}, {5, 4}, {4, 5}, 1, 1, {0, 5}},           {{3, 4}, {0, 4}, {4, 0}, 1, 1, {3, 0}},
    {{3, 0}, {5, 0}, {0, 5}, 1, 1, {3, 5}},           {{70, 129}, {65, 129}, {129, 65}, 1, 1, {70, 65}},
    {{700, 33}, {20, 33}, {33, 20}, 1, 1, {700, 20}},
};

template <class B, class T>
void check_fc(fc_case const& f, bool transposed) {
  plait::shape const& w_dims = transposed ? f.transposed_w : f.w;
  if (transposed && f.w.rank() == 2 && f.axis_w != 1 && f.axis_w != -1) return;
  auto const x = test::random_elements<T>(f.x, 1);
  auto const w = test::random_elements<T>(w_dims, 2);
  std::int64_t const n = f.y[f.y.rank() - 1];
  auto const b = test::random_elements<T>({n}, 3);
  auto const blobs =
      test::run_op<B>(table<B>(),
                      std::string("type: \"") + (transposed ? "FCTransposed" : "FC") +
                          R"(" input: "x" input: "w" input: "b" output: "y")" + test::int_argument("axis", f.axis) +
                          test::int_argument("axis_w", f.axis_w),
                      {{"x", test::of<B>(f.x, x)}, {"w", test::of<B>(w_dims, w)}, {"b", test::of<B>({n}, b)}});
  CAPTURE(to_string(f.x));
  CAPTURE(to_string(w_dims));
  CHECK(blobs.view("y").dims() == f.y);
  std::int64_t const m = f.y.size_to(f.y.rank() - 1);
  std::int64_t const k = f.x.size_from(f.y.rank() - 1);
  test::matrix<T> const weights = transposed ? test::matrix<T>{w.data(), n, 1} : test::matrix<T>{w.data(), 1, k};
  auto const y = blobs.template fetch<T>("y");
  CHECK(test::is_product<T>(m, n, k, {x.data(), k, 1}, weights, b.data(), y.data()));
}

TEST_CASE_TEMPLATE("fully connected: FC and FCTransposed are products with a bias", B, PLAIT_HOST_BACKENDS) {
  for (fc_case const& f : fc_cases)
    for (bool const transposed : {false, true}) {
      check_fc<B, float>(f, transposed);
      check_fc<B, double>(f, transposed);
    }
}

// Device libraries sum in an unspecified order.
TEST_CASE_TEMPLATE("fully connected: host backends give the same bits", B, PLAIT_PARALLEL_BACKENDS) {
  plait::shape const x = {150, 300};
  auto const run = [&]<class C>(C) {
    return test::run_op<C>(table<C>(), R"(type: "FC" input: "x" input: "x" input: "b" output: "y")",
                           {{"x", test::of<C>(x, test::random_elements<float>(x, 1))},
                            {"b", test::of<C>({150}, test::random_elements<float>({150}, 2))}})
        .template fetch<float>("y");
  };
  auto const got = run(B());
  auto const wanted = run(plait::serial());
  if (!B::on_device) CHECK(got == wanted);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-4f);
}

TEST_CASE("fully connected: operands that do not fit are refused with their shapes") {
  std::string const fc = R"(type: "FC" input: "a" input: "b" input: "c" output: "y")";
  test::check_refused(
      fc, {{3, 4}, {5, 3}, {5}},
      "input 0 'a' is float32 3x4, which should have rows of 3 elements from axis 1, as input 1 'b' is float32 5x3");
  test::check_refused(fc, {{3, 4}, {5, 4}, {4}}, "5 elements, one a unit");
  test::check_refused(fc, {{3, 4}, {5, 4}, {5, 1}}, "input 2");
  test::check_refused(fc, {{4}, {5, 4}, {5}}, "no axis 1");
  test::check_refused(fc + test::int_argument("axis", -3), {{3, 4}, {5, 4}, {5}}, "no axis -3");
  test::check_refused(R"(type: "FC" input: "a" input: "b" output: "y")", {{3, 4}, {5, 4}},
                      "2 inputs where there should be 3");
}

TEST_CASE("fully connected: results depend neither on constants nor on the other rows") {
  using B = plait::tbb;
  constexpr std::int64_t k = 150, n = 70;
  auto const w = test::random_elements<float>({n, k}, 1);
  auto const b = test::random_elements<float>({n}, 2);
  auto const x = test::random_elements<float>({300, k}, 3);
  plait::netdef const net =
      plait::read_netdef_text(R"(op { type: "FC" input: "x" input: "w" input: "b" output: "y" })");
  auto const run = [&](std::int64_t rows, std::vector<std::string> constants) {
    plait::workspace<B> blobs;
    blobs.feed<float>("x", std::vector<float>(x.begin(), x.begin() + rows * k), {rows, k});
    blobs.feed<float>("w", w, {n, k});
    blobs.feed<float>("b", b, {n});
    plait::compile(net, table<B>(), blobs, {.constants = std::move(constants)}).run();
    return blobs.fetch<float>("y");
  };
  auto const all = run(300, {});
  for (std::int64_t const rows : {1, 2, 7, 16, 17, 100, 300}) {
    CAPTURE(rows);
    std::vector<float> const wanted(all.begin(), all.begin() + rows * n);
    CHECK(run(rows, {}) == wanted);
    CHECK(run(rows, {"w", "b"}) == wanted);
  }
}

}  // namespace
