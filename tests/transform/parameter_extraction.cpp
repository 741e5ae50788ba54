#include <plait/transform/detail/parameter_extraction.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

using plait::parameter;
using plait::tensor_value;
using test::struct_net;
using floats = std::vector<float>;
using ints = std::vector<std::int64_t>;

namespace {

plait::op_spec ones(std::string name, std::optional<plait::device_spec> device = {}) {
  return {"ConstantFill", {}, {std::move(name)}, {{"shape", ints{2}}, {"value", 1.F}}, device};
}

template <class N>
plait::net_error refusal(struct_net const& d) {
  N const n = test::make_net<N>(d);
  try {
    static_cast<void>(plait::parameters_from_init_net(n));
  } catch (plait::net_error const& refused) {
    return refused;
  }
  FAIL("accepted");
  return plait::net_error("accepted");
}

}  // namespace

TEST_CASE_TEMPLATE("parameters_from_init_net: returns external outputs, in their order, by their last version", N,
                   PLAIT_MUTABLE_NETS) {
  N const n = test::make_net<N>({{ones("w"),
                                  {"Scale", {"w"}, {"v"}, {{"scale", 3.F}}},
                                  {"XavierFill", {}, {"unused"}},
                                  {"Scale", {"w"}, {"w"}, {{"scale", 2.F}}},
                                  {"Add", {"w", "v"}, {"u"}}},
                                 {},
                                 {"v", "u", "w"}});
  CHECK(plait::parameters_from_init_net(n) ==
        std::vector<parameter>{{"v", {{2}, floats{3, 3}}}, {"u", {{2}, floats{5, 5}}}, {"w", {{2}, floats{2, 2}}}});
}

TEST_CASE_TEMPLATE("parameters_from_init_net: an output that is listed twice is one parameter", N, PLAIT_MUTABLE_NETS) {
  N const n = test::make_net<N>({{ones("w"), ones("v")}, {}, {"w", "v", "w"}});
  CHECK(plait::parameters_from_init_net(n) ==
        std::vector<parameter>{{"w", {{2}, floats{1, 1}}}, {"v", {{2}, floats{1, 1}}}});
}

TEST_CASE_TEMPLATE("parameters_from_init_net: without declared outputs, returns the last version of each blob", N,
                   PLAIT_MUTABLE_NETS) {
  N const n = test::make_net<N>(
      {{ones("w"), {"Scale", {"w"}, {"v"}, {{"scale", 3.F}}}, {"Scale", {"w"}, {"w"}, {{"scale", 2.F}}}}, {}, {}});
  CHECK(plait::parameters_from_init_net(n) ==
        std::vector<parameter>{{"v", {{2}, floats{3, 3}}}, {"w", {{2}, floats{2, 2}}}});
  CHECK(refusal<N>({{ones("w"), {"XavierFill", {}, {"v"}, {{"shape", ints{2}}}}}, {}, {}}).op == 1);
  CHECK(plait::parameters_from_init_net(test::make_net<N>({})).empty());
  CHECK(plait::parameters_from_init_net(n, {.declared_only = true}).empty());
}

TEST_CASE_TEMPLATE("parameters_from_init_net: the device is the producer's, or the host for a copy to the host", N,
                   PLAIT_MUTABLE_NETS) {
  plait::device_spec const gpu{plait::device_kind::cuda, 1};
  plait::device_spec const cpu{plait::device_kind::cpu, {}};
  N const n = test::make_net<N>(
      {{ones("a"), ones("b", gpu), {"CopyGPUToCPU", {"b"}, {"c"}, {}, gpu}, {"CopyCPUToGPU", {"a"}, {"d"}, {}, gpu}},
       {},
       {"a", "b", "c", "d"}});
  auto const found = plait::parameters_from_init_net(n);
  REQUIRE(found.size() == 4);
  CHECK(found[0].device == std::nullopt);
  CHECK(found[1].device == gpu);
  CHECK(found[2].device == cpu);
  CHECK(found[3].device == gpu);
  for (parameter const& p : found) CHECK(p.value == tensor_value{{2}, floats{1, 1}});
}

TEST_CASE_TEMPLATE("parameters_from_init_net: refuses ops that are not constant", N, PLAIT_MUTABLE_NETS) {
  auto const random = refusal<N>({{ones("w"), {"XavierFill", {}, {"v"}, {{"shape", ints{2}}}}}, {}, {"w", "v"}});
  CHECK(random.op == 1);
  CHECK(random.blob == "v");
  auto const input = refusal<N>({{{"Scale", {"x"}, {"v"}}}, {"x"}, {"v"}});
  CHECK(input.op == 0);
  CHECK(input.blob == "x");
  CHECK(refusal<N>({{ones("w")}, {}, {"w", "v"}}).blob == "v");
  CHECK(refusal<N>({{ones("w"), {"Split", {"w"}, {"a", "b"}}}, {}, {"a"}}).op == 1);
  CHECK(refusal<N>({{{"GivenTensorFill", {}, {"w"}, {{"shape", ints{2}}, {"values", floats{1}}}}}, {}, {"w"}}).op == 0);
}

TEST_CASE("parameters_from_init_net: user-defined ops") {
  auto const n =
      test::make_net<test::edit_net>({{ones("w"), {"Double", {"w"}, {"v"}}, {"Negative", {"v"}, {"u"}}}, {}, {"u"}});
  auto const twice = [](test::edit_net const&, plait::op_spec const& op,
                        std::span<tensor_value const* const> inputs) -> std::optional<tensor_value> {
    if (op.type != "Double" && op.type != "Scale") return std::nullopt;
    tensor_value made = *inputs[0];
    for (float& x : std::get<floats>(made.data)) x *= 2;
    return made;
  };
  CHECK(plait::parameters_from_init_net(n, twice) == std::vector<parameter>{{"u", {{2}, floats{-2, -2}}}});
  CHECK_THROWS_AS(static_cast<void>(plait::parameters_from_init_net(n)), plait::net_error);
  // The evaluator takes precedence over the known op types.
  auto const scaled =
      test::make_net<test::edit_net>({{ones("w"), {"Scale", {"w"}, {"v"}, {{"scale", 3.F}}}}, {}, {"v"}});
  CHECK(plait::parameters_from_init_net(scaled, twice) == std::vector<parameter>{{"v", {{2}, floats{2, 2}}}});
}

TEST_CASE("parameters_from_init_net: a chain of 100,000 ops") {
  test::struct_net d{{ones("w")}, {}, {"w"}};
  for (int i = 0; i != 100000; ++i) d.ops.push_back({"Negative", {"w"}, {"w"}});
  auto const n = test::make_net<plait::netdef>(d);
  CHECK(plait::parameters_from_init_net(n) == std::vector<parameter>{{"w", {{2}, floats{1, 1}}}});
}
