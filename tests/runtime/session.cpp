#include <plait/runtime.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/scratch_folder.hpp>

namespace {

char const* const predict = R"(
  op { type: "FC" input: "x" input: "w" input: "b" output: "h" } op { type: "Relu" input: "h" output: "h" }
  op { type: "Sum" input: "h" input: "r" output: "y" } external_output: "y")";
char const* const init = R"(
  op { type: "GivenTensorFill" output: "w" arg { name: "shape" ints: 2 ints: 3 }
       arg { name: "values" floats: 1 floats: 0 floats: -1 floats: 2 floats: 1 floats: 0 } }
  op { type: "GivenTensorFill" output: "b" arg { name: "shape" ints: 2 } arg { name: "values" floats: 1 floats: -1 } })";

TEST_CASE("session: a NetDef with its init net runs on every backend of the library") {
  test::scratch_folder const folder;
  std::string const net = folder.write("predict.pbtxt", predict);
  std::string const parameters = folder.write("init.pbtxt", init);
  auto const backends = plait::session::backends();
  REQUIRE(!backends.empty());
  CHECK(backends.front() == "serial");
  for (std::string const& backend : backends) {
    CAPTURE(backend);
    for (bool const constant : {true, false}) {
      plait::session s(net, {.init = parameters, .backend = backend, .threads = 2, .constant_parameters = constant});
      CHECK(s.inputs() == std::vector<std::string>{"x", "r"});
      CHECK(s.outputs() == std::vector<std::string>{"y"});
      CHECK(s.info("x").type == plait::element_type::none);
      for (std::int64_t const rows : {1, 2}) {
        std::vector<float> const x = rows == 1 ? std::vector<float>{1, 2, 3} : std::vector<float>{1, 2, 3, 4, 5, 6};
        s.feed("x", x, {rows, 3});
        s.feed("r", std::vector<float>(static_cast<std::size_t>(2 * rows), 0.5f), {rows, 2});
        CHECK(s.forecast_bytes() > 0);
        s.run();
        std::vector<float> const one{0.5f, 3.5f}, two{0.5f, 3.5f, 0.5f, 12.5f};
        CHECK(s.fetch<float>("y") == (rows == 1 ? one : two));
        CHECK(s.info("y").type == plait::element_type::float32);
        CHECK(s.info("y").shape == std::vector<std::int64_t>{rows, 2});
      }
      CHECK(s.schedule().find("FC") != std::string::npos);
    }
  }
}

TEST_CASE("session: sessions move, and each has its own parameters") {
  test::scratch_folder const folder;
  std::string const net =
      folder.write("moved.pbtxt", R"(op { type: "Add" input: "x" input: "x" output: "y" } external_output: "y")");
  plait::session first(net);
  first.feed("x", std::vector<double>{1, 2}, {2});
  plait::session second = std::move(first);
  second.run();
  CHECK(second.fetch<double>("y") == std::vector<double>{2, 4});
  first = plait::session(net);
  first.feed("x", std::vector<std::int64_t>{5}, {1});
  first.run();
  CHECK(first.fetch<std::int64_t>("y") == std::vector<std::int64_t>{10});
  CHECK(second.fetch<double>("y") == std::vector<double>{2, 4});
}

TEST_CASE("session: errors name the file, the backend, the blob or the op") {
  test::scratch_folder const folder;
  std::string const net = folder.write("errors.pbtxt", predict);
  std::string const unknown = folder.write("unknown.pbtxt", R"(op { type: "Cnov" output: "y" })");
  CHECK_THROWS_WITH_AS(plait::session("/no/such/file.pb"), doctest::Contains("/no/such/file.pb"), plait::error);
  CHECK_THROWS_WITH_AS(plait::session(net, {.backend = "vulkan"}),
                       doctest::Contains("without the backend 'vulkan'; it has serial"), plait::error);
  CHECK_THROWS_WITH_AS(plait::session(unknown, {}), doctest::Contains("Cnov"), plait::exec_error);
  plait::session s(net);
  CHECK(s.inputs() == std::vector<std::string>{"x", "w", "b", "r"});
  CHECK_THROWS_WITH_AS(s.run(), doctest::Contains("no blob 'x'"), plait::exec_error);
  CHECK_THROWS_WITH_AS(s.feed("x", std::vector<float>{1, 2}, {3}), doctest::Contains("blob 'x': 2 elements"),
                       plait::shape_error);
  CHECK_THROWS_AS((void)s.fetch<float>("y"), plait::net_error);
  s.feed("x", std::vector<float>{1, 2}, {2});
  CHECK_THROWS_WITH_AS((void)s.fetch<double>("x"), doctest::Contains("holds float32 2, not float64"), plait::net_error);
}

}  // namespace
