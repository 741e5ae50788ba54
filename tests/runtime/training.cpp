#include <plait/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/scratch_folder.hpp>

namespace {

// loss = mean of ||x wᵀ + b - t||² / 2
char const* const regression = R"(
  op { type: "FC" input: "x" input: "w" input: "b" output: "y" }
  op { type: "SquaredL2Distance" input: "y" input: "t" output: "d" }
  op { type: "AveragedLoss" input: "d" output: "loss" } external_output: "y")";
char const* const init = R"(
  op { type: "GivenTensorFill" output: "w" arg { name: "shape" ints: 1 ints: 2 }
       arg { name: "values" floats: 0.5 floats: -1 } }
  op { type: "GivenTensorFill" output: "b" arg { name: "shape" ints: 1 } arg { name: "values" floats: 0.25 } }
  op { type: "GivenTensorIntFill" output: "unused" arg { name: "shape" ints: 1 } arg { name: "values" ints: 7 } })";

void feed(plait::session& s) {
  s.feed("x", std::vector<float>{1, 2, 3, -1}, {2, 2});
  s.feed("t", std::vector<float>{1, 0}, {2, 1});
}

TEST_CASE("session: a training step is one of gradient descent, and run() sees the parameters") {
  test::scratch_folder const folder;
  std::string const net = folder.write("regression.pbtxt", regression);
  std::string const parameters = folder.write("init.pbtxt", init);
  for (std::string const& backend : plait::session::backends()) {
    CAPTURE(backend);
    plait::session s(net, {.init = parameters, .backend = backend, .threads = 2});
    feed(s);
    s.run();
    CHECK(s.fetch<float>("y") == std::vector<float>{-1.25f, 2.75f});
    s.add_training({.loss = "loss", .rate = 0.5f});
    s.train();
    // d loss / d y = (y - t) / 2 = (-1.125, 1.375); w -= 0.5 (-1.125 x1 + 1.375 x2), b -= 0.5 · 0.25
    CHECK(s.fetch<float>("loss") == std::vector<float>{(2.25f * 2.25f + 2.75f * 2.75f) / 4});
    CHECK(s.fetch<float>("w") == std::vector<float>{0.5f - 0.5f * 3, -1 - 0.5f * -3.625f});
    CHECK(s.fetch<float>("b") == std::vector<float>{0.125f});
    s.run();
    CHECK(s.fetch<float>("y") == std::vector<float>{-1 + 2 * 0.8125f + 0.125f, -3 - 0.8125f + 0.125f});
    CHECK(s.fetch<std::int32_t>("unused") == std::vector<std::int32_t>{7});
  }
}

TEST_CASE("session: each optimizer brings the loss down, and saved parameters give the same outputs") {
  test::scratch_folder const folder;
  std::string const net = folder.write("regression.pbtxt", regression);
  std::string const parameters = folder.write("init.pbtxt", init);
  for (char const* const optimizer : {"sgd", "momentum", "adagrad", "adam", "rmsprop"}) {
    CAPTURE(optimizer);
    plait::session s(net, {.init = parameters});
    feed(s);
    s.add_training({.loss = "loss", .optimizer = optimizer, .rate = 0.05f});
    s.train();
    float const first = s.fetch<float>("loss")[0];
    for (int i = 0; i != 200; ++i) s.train();
    CHECK(s.fetch<float>("loss")[0] < 0.1f * first);
    s.run();

    std::string const saved = (folder.path() / (std::string(optimizer) + ".pb")).string();
    s.save_parameters(saved);
    plait::session again(net, {.init = saved});
    feed(again);
    again.run();
    CHECK(again.fetch<float>("y") == s.fetch<float>("y"));
    CHECK(again.fetch<std::int32_t>("unused") == std::vector<std::int32_t>{7});
  }
}

TEST_CASE("session: only the parameters that are listed are trained") {
  test::scratch_folder const folder;
  plait::session s(folder.write("regression.pbtxt", regression), {.init = folder.write("init.pbtxt", init)});
  feed(s);
  s.add_training({.loss = "loss", .rate = 0.5f, .parameters = {"b"}});
  s.train();
  CHECK(s.fetch<float>("w") == std::vector<float>{0.5f, -1});
  CHECK(s.fetch<float>("b") == std::vector<float>{0.125f});
}

TEST_CASE("session: training that cannot be is refused, and changes nothing") {
  test::scratch_folder const folder;
  plait::session s(folder.write("regression.pbtxt", regression), {.init = folder.write("init.pbtxt", init)});
  feed(s);
  CHECK_THROWS_WITH_AS(s.train(), doctest::Contains("needs add_training"), plait::net_error);
  CHECK_THROWS_WITH_AS(s.add_training({.loss = "los"}), doctest::Contains("'los'"), plait::net_error);
  CHECK_THROWS_WITH_AS(s.add_training({.loss = "loss", .optimizer = "lbfgs"}), doctest::Contains("'lbfgs'"),
                       plait::error);
  CHECK_THROWS_WITH_AS(s.add_training({.loss = "loss", .parameters = {"unused"}}), doctest::Contains("'unused'"),
                       plait::net_error);
  CHECK_THROWS_WITH_AS(s.add_training({.loss = "t"}), doctest::Contains("'t'"), plait::net_error);
  CHECK_THROWS_AS(s.train(), plait::net_error);
  s.run();
  CHECK(s.fetch<float>("y") == std::vector<float>{-1.25f, 2.75f});
}

}  // namespace
