#include <plait/netdef/detail/trained_model.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

namespace {

using strings = std::vector<std::string>;

// Returns the blob that the error names.
template <class Function>
std::string refused(Function function) {
  try {
    function();
  } catch (plait::net_error const& problem) {
    return problem.blob;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("trained model: parameters are filled by the init net, and external inputs of the net") {
  plait::trained_model model("digits", {.seed = 7});
  auto const x = model.net.external_input("x");
  auto const y = model.fc(x, "hidden", 3, 2);
  (void)model.parameter("fixed", {4}, {.type = "GaussianFill", .arguments = {{"std", 0.5f}}, .trained = false});
  CHECK(y.name() == "hidden");
  CHECK(model.parameters() == strings{"hidden_w", "hidden_b"});
  CHECK(model.parameter_shape("fixed") == std::vector<std::int64_t>{4});
  CHECK(model.net.net() == plait::read_netdef_text(R"(
    name: "digits"
    op { type: "FC" input: "x" input: "hidden_w" input: "hidden_b" output: "hidden" }
    external_input: "x" external_input: "hidden_w" external_input: "hidden_b" external_input: "fixed")"));
  CHECK(model.init.net() == plait::read_netdef_text(R"(
    name: "digits_init"
    op { type: "XavierFill" output: "hidden_w" arg { name: "shape" ints: 2 ints: 3 } arg { name: "seed" i: 7 } }
    op { type: "ConstantFill" output: "hidden_b" arg { name: "value" f: 0 } arg { name: "shape" ints: 2 } }
    op {
      type: "GaussianFill" output: "fixed"
      arg { name: "std" f: 0.5 } arg { name: "shape" ints: 4 } arg { name: "seed" i: 9 }
    })"));
}

TEST_CASE("trained model: layers are named within the name scope, fills have the type of the parameters") {
  plait::trained_model model("net", {.type = plait::element_type::float64});
  auto const x = model.net.external_input("x");
  auto const guard = model.net.scope("block");
  CHECK(model.fc(x, "fc", 3, 2, 2).name() == "block/fc");
  CHECK(model.parameters() == strings{"block/fc_w", "block/fc_b"});
  plait::netdef const& init = model.init.net();
  for (plait::op_def const& op : init.op) CHECK(plait::find_argument(init, op, "dtype")->i == 13);
  CHECK(plait::find_argument(model.net.net(), model.net.net().op[0], "axis")->i == 2);
  CHECK_THROWS_AS(plait::trained_model("net", {.type = plait::element_type::int32}), plait::net_error);
}

TEST_CASE("trained model: a parameter of the same shape is shared, a conflicting one is refused and changes nothing") {
  plait::trained_model model;
  model.net.external_input("x");
  auto const w = model.parameter("w", {2, 3});
  CHECK(model.parameter("w", {2, 3}, plait::parameter_fill::constant(1)) == w);
  CHECK(model.init.net().op.size() == 1);
  plait::netdef const net = model.net.net(), init = model.init.net();
  CHECK(refused([&] { (void)model.parameter("w", {3, 2}); }) == "w");
  CHECK(refused([&] { (void)model.parameter("x", {3, 2}); }) == "x");
  CHECK(refused([&] { (void)model.parameter("v", {3, -2}); }) == "v");
  CHECK(refused([&] { (void)model.parameter_shape("v"); }) == "v");
  CHECK(model.net.net() == net);
  CHECK(model.init.net() == init);
  CHECK(model.parameters() == strings{"w"});
}

TEST_CASE("trained model: set replaces the fill of a parameter") {
  plait::trained_model model;
  (void)model.parameter("w", {2});
  (void)model.parameter("v", {1});
  model.set({"w", {{2}, std::vector<float>{1.5f, 2}}});
  CHECK(model.init.net() == plait::read_netdef_text(R"(
    name: "net_init"
    op {
      type: "GivenTensorFill" output: "w"
      arg { name: "shape" ints: 2 } arg { name: "values" floats: 1.5 floats: 2 }
    }
    op { type: "XavierFill" output: "v" arg { name: "shape" ints: 1 } })"));
  plait::netdef const before = model.init.net();
  CHECK(refused([&] { model.set({"w", {{3}, std::vector<float>{1, 2, 3}}}); }) == "w");
  CHECK(refused([&] { model.set({"w", {{2}, std::vector<double>{1, 2}}}); }) == "w");
  CHECK(refused([&] { model.set({"w", {{2}, std::vector<float>{1}}}); }) == "w");
  CHECK(refused([&] { model.set({"u", {{2}, std::vector<float>{1, 2}}}); }) == "u");
  CHECK(model.init.net() == before);
}

TEST_CASE("model rollback: additions are rolled back unless they are committed") {
  plait::trained_model model;
  auto const x = model.net.external_input("x");
  (void)model.fc(x, "first", 2, 2);
  plait::netdef const net = model.net.net(), init = model.init.net();
  {
    plait::model_rollback rollback(model);
    model.net.external_outputs(model.fc(x, "second", 2, 3));
  }
  CHECK(model.net.net() == net);
  CHECK(model.init.net() == init);
  CHECK(model.parameters() == strings{"first_w", "first_b"});
  CHECK_FALSE(model.has_parameter("second_w"));
  CHECK_FALSE(model.net.visible("second"));
  {
    plait::model_rollback rollback(model);
    (void)model.fc(x, "second", 2, 4);  // another shape than the one rolled back
    rollback.commit();
  }
  CHECK(model.parameter_shape("second_w") == std::vector<std::int64_t>{4, 2});
}
