#include <plait.h>

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <support/scratch_folder.hpp>

namespace {

char const* const net = R"(op { type: "FC" input: "x" input: "w" input: "b" output: "y" } external_output: "y")";
char const* const init = R"(
  op { type: "GivenTensorFill" output: "w" arg { name: "shape" ints: 2 ints: 3 }
       arg { name: "values" floats: 1 floats: 0 floats: -1 floats: 2 floats: 1 floats: 0 } }
  op { type: "GivenTensorFill" output: "b" arg { name: "shape" ints: 2 } arg { name: "values" floats: 1 floats: -1 } })";

bool says(char const* text) { return std::string(plait_last_error()).find(text) != std::string::npos; }

TEST_CASE("plait.h: a session runs a model, and tells types and shapes") {
  test::scratch_folder const folder;
  std::string const model = folder.write("c_net.pbtxt", net);
  std::string const parameters = folder.write("c_init.pbtxt", init);
  for (char const* backend : {static_cast<char const*>(nullptr), "serial"}) {
    plait_session* s = nullptr;
    REQUIRE(plait_session_open(model.c_str(), parameters.c_str(), backend, 0, &s) == PLAIT_OK);
    CHECK(std::string(plait_last_error()).empty());
    float const x[] = {1, 2, 3};
    std::int64_t const shape[] = {1, 3};
    CHECK(plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 2) == PLAIT_OK);
    CHECK(plait_session_run(s) == PLAIT_OK);
    plait_element_type type = PLAIT_NONE;
    std::int64_t extents[4] = {};
    std::size_t rank = 0;
    CHECK(plait_session_info(s, "y", &type, extents, 4, &rank) == PLAIT_OK);
    CHECK(type == PLAIT_FLOAT32);
    CHECK(rank == 2);
    CHECK(extents[0] == 1);
    CHECK(extents[1] == 2);
    float y[2] = {};
    CHECK(plait_session_fetch(s, "y", PLAIT_FLOAT32, y, sizeof y) == PLAIT_OK);
    CHECK(y[0] == -1);
    CHECK(y[1] == 3);
    CHECK(plait_session_info(s, "no such blob", &type, nullptr, 0, &rank) == PLAIT_OK);
    CHECK(type == PLAIT_NONE);
    plait_session_close(s);
  }
  plait_session_close(nullptr);
}

TEST_CASE("plait.h: failures have a status and a message, and change nothing") {
  test::scratch_folder const folder;
  std::string const model = folder.write("c_net.pbtxt", net);
  std::string const broken = folder.write("c_broken.pbtxt", "op { type: ");
  std::string const unknown = folder.write("c_unknown.pbtxt", R"(op { type: "Cnov" output: "y" })");
  plait_session* s = nullptr;
  CHECK(plait_session_open(nullptr, nullptr, nullptr, 0, &s) == PLAIT_INVALID_ARGUMENT);
  CHECK(says("null"));
  CHECK(plait_session_open(model.c_str(), nullptr, "vulkan", 0, &s) == PLAIT_INVALID_ARGUMENT);
  CHECK(says("'vulkan'"));
  CHECK(plait_session_open("/no/such/file", nullptr, nullptr, 0, &s) == PLAIT_INVALID_FILE);
  CHECK(says("/no/such/file"));
  CHECK(plait_session_open(broken.c_str(), nullptr, nullptr, 0, &s) == PLAIT_INVALID_FILE);
  CHECK(plait_session_open(unknown.c_str(), nullptr, nullptr, 0, &s) == PLAIT_INVALID_MODEL);
  CHECK(says("Cnov"));
  // A model without a graph.
  std::string const empty = folder.write("c_empty.onnx", std::string("\x08\x08", 2));
  CHECK(plait_session_open(empty.c_str(), nullptr, nullptr, 0, &s) != PLAIT_FAILED);
  CHECK(s == nullptr);

  REQUIRE(plait_session_open(model.c_str(), nullptr, nullptr, 0, &s) == PLAIT_OK);
  CHECK(plait_session_run(s) == PLAIT_RUN_FAILED);
  CHECK(says("no blob 'x'"));
  float const x[] = {1, 2, 3};
  std::int64_t const negative[] = {-1}, shape[] = {3};
  CHECK(plait_session_feed(s, "x", PLAIT_FLOAT32, x, negative, 1) == PLAIT_INVALID_SHAPE);
  CHECK(plait_session_feed(s, "x", PLAIT_NONE, x, shape, 1) == PLAIT_INVALID_ARGUMENT);
  CHECK(plait_session_feed(s, "x", PLAIT_FLOAT32, nullptr, shape, 1) == PLAIT_INVALID_ARGUMENT);
  float y[3] = {};
  CHECK(plait_session_fetch(s, "x", PLAIT_FLOAT32, y, sizeof y) == PLAIT_INVALID_MODEL);  // still unset
  CHECK(plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 1) == PLAIT_OK);
  CHECK(plait_session_fetch(s, "x", PLAIT_INT32, y, sizeof y) == PLAIT_INVALID_MODEL);
  CHECK(plait_session_fetch(s, "x", PLAIT_FLOAT32, y, 1) == PLAIT_INVALID_SHAPE);
  CHECK(says("12 bytes, not 1"));
  plait_session_close(s);
}

TEST_CASE("plait.h: names of inputs and outputs, training, and saved parameters") {
  test::scratch_folder const folder;
  std::string const model = folder.write("c_training.pbtxt", R"(
    op { type: "FC" input: "x" input: "w" input: "b" output: "y" }
    op { type: "SquaredL2Distance" input: "y" input: "t" output: "d" }
    op { type: "AveragedLoss" input: "d" output: "loss" } external_output: "y" external_output: "loss")");
  std::string const parameters = folder.write("c_init.pbtxt", init);
  std::string const saved = (folder.path() / "saved.pb").string();
  plait_session* s = nullptr;
  REQUIRE(plait_session_open(model.c_str(), parameters.c_str(), nullptr, 0, &s) == PLAIT_OK);
  char const* const* names = nullptr;
  std::size_t count = 0;
  REQUIRE(plait_session_inputs(s, &names, &count) == PLAIT_OK);
  REQUIRE(count == 2);
  CHECK(std::string(names[0]) == "x");
  CHECK(std::string(names[1]) == "t");
  REQUIRE(plait_session_outputs(s, &names, &count) == PLAIT_OK);
  REQUIRE(count == 2);
  CHECK(std::string(names[1]) == "loss");
  CHECK(plait_session_inputs(s, nullptr, &count) == PLAIT_INVALID_ARGUMENT);

  float const x[] = {1, 2, 3}, t[] = {0, 0};
  std::int64_t const shape[] = {1, 3}, labels[] = {1, 2};
  CHECK(plait_session_train(s) == PLAIT_INVALID_MODEL);
  CHECK(plait_session_add_training(s, "loss", "newton", 0.1f) == PLAIT_INVALID_ARGUMENT);
  CHECK(plait_session_add_training(s, "gain", "sgd", 0.1f) == PLAIT_INVALID_MODEL);
  REQUIRE(plait_session_add_training(s, "loss", "sgd", 0.01f) == PLAIT_OK);
  REQUIRE(plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 2) == PLAIT_OK);
  REQUIRE(plait_session_feed(s, "t", PLAIT_FLOAT32, t, labels, 2) == PLAIT_OK);
  float first = 0, last = 0;
  REQUIRE(plait_session_train(s) == PLAIT_OK);
  REQUIRE(plait_session_fetch(s, "loss", PLAIT_FLOAT32, &first, sizeof first) == PLAIT_OK);
  CHECK(first == 5);  // of y = (-1, 3)
  for (int i = 0; i != 10; ++i) REQUIRE(plait_session_train(s) == PLAIT_OK);
  REQUIRE(plait_session_fetch(s, "loss", PLAIT_FLOAT32, &last, sizeof last) == PLAIT_OK);
  CHECK(last < 0.5f * first);
  CHECK(plait_session_save_parameters(s, "/no/such/folder/file") == PLAIT_INVALID_FILE);
  REQUIRE(plait_session_save_parameters(s, saved.c_str()) == PLAIT_OK);
  plait_session_close(s);

  REQUIRE(plait_session_open(model.c_str(), saved.c_str(), nullptr, 0, &s) == PLAIT_OK);
  REQUIRE(plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 2) == PLAIT_OK);
  REQUIRE(plait_session_feed(s, "t", PLAIT_FLOAT32, t, labels, 2) == PLAIT_OK);
  REQUIRE(plait_session_run(s) == PLAIT_OK);
  REQUIRE(plait_session_fetch(s, "loss", PLAIT_FLOAT32, &first, sizeof first) == PLAIT_OK);
  CHECK(first < last);  // one more step has been taken since
  plait_session_close(s);
}

}  // namespace
