#include <plait/transform/detail/parameter_fill.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

#include <plait/transform/detail/parameter_extraction.hpp>

using plait::parameter;
using strings = std::vector<std::string>;

namespace {

std::vector<parameter> all_types() {
  plait::device_spec const gpu{plait::device_kind::cuda, 1};
  return {{"f", {{2, 1}, std::vector<float>{0.1F, -2}}, gpu},
          {"scalar", {{}, std::vector<float>{3}}},
          {"empty", {{0, 4}, std::vector<float>{}}},
          {"d", {{1}, std::vector<double>{0.5}}},
          {"i16", {{1}, std::vector<std::int16_t>{-3}}},
          {"i32", {{1}, std::vector<std::int32_t>{-3}}, plait::device_spec{plait::device_kind::cpu, {}}},
          {"i64", {{1}, std::vector<std::int64_t>{std::int64_t{1} << 60}}},
          {"u8", {{2, 2}, std::vector<std::uint8_t>{0, 1, 254, 255}}},
          {"b", {{2}, std::vector<bool>{true, false}}},
          {"s", {{2}, strings{"", "text"}}},
          {"q8", {{2}, std::vector<std::uint8_t>{7, 9}, plait::quantisation{0.5F, 3}}},
          {"q32", {{1}, std::vector<std::int32_t>{-7}, plait::quantisation{0.25F, -3}}}};
}

}  // namespace

TEST_CASE_TEMPLATE(
    "init_net_from_parameters: parameters are fill ops and external outputs in order, and extracted again", N,
    PLAIT_MUTABLE_NETS) {
  std::vector<parameter> const given = all_types();
  auto const made = plait::init_net_from_parameters<N>(given);
  CHECK(made.skipped.empty());
  auto const net = test::describe(made.net);
  strings names;
  for (parameter const& p : given) names.push_back(p.name);
  CHECK(net.external_outputs == names);
  CHECK(net.external_inputs.empty());
  REQUIRE(net.ops.size() == given.size());
  for (std::size_t i = 0; i != given.size(); ++i) {
    CHECK(net.ops[i].outputs == strings{given[i].name});
    CHECK(net.ops[i].device == given[i].device);
  }
  CHECK(plait::parameters_from_init_net(made.net) == given);
}

TEST_CASE_TEMPLATE("init_net_from_parameters: no parameters give an empty net", N, PLAIT_MUTABLE_NETS) {
  CHECK(test::describe(plait::init_net_from_parameters<N>(std::vector<parameter>{}).net) == test::struct_net{});
}

TEST_CASE("init_net_from_parameters: caffe2_2018 skips strings and refuses the rest") {
  std::vector<parameter> given{{"f", {{1}, std::vector<float>{1}}}, {"s", {{1}, strings{"a"}}}};
  auto const made = plait::init_net_from_parameters<test::edit_net>(given, {plait::fill_set::caffe2_2018});
  CHECK(made.skipped == strings{"s"});
  CHECK(made.net.external_outputs == strings{"f"});
  given.push_back({"b", {{1}, std::vector<bool>{true}}});
  CHECK_THROWS_AS(
      static_cast<void>(plait::init_net_from_parameters<test::edit_net>(given, {plait::fill_set::caffe2_2018})),
      plait::net_error);
}

TEST_CASE("init_net_from_parameters: one name for two parameters is refused") {
  std::vector<parameter> const given{{"f", {{1}, std::vector<float>{1}}}, {"f", {{1}, std::vector<float>{2}}}};
  try {
    static_cast<void>(plait::init_net_from_parameters<test::edit_net>(given));
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.blob == "f");
  }
}
