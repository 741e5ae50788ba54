#include <plait/transform/compare_graphs.hpp>

#include <random>
#include <string>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/rename_blobs.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

test::struct_net const sum{{{"Relu", {"x"}, {"a"}}, {"Tanh", {"x"}, {"b"}}, {"Sum", {"a", "b"}, {"a"}}}, {"x"}, {"a"}};

}  // namespace

TEST_CASE_TEMPLATE("compare_graphs: names do not count, except those of inputs", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(sum);
  test::struct_net renamed = sum;
  for (auto& op : renamed.ops) {
    for (auto& name : op.inputs)
      if (name != "x") name += "!";
    for (auto& name : op.outputs) name += "!";
  }
  renamed.external_outputs = {"a!"};
  CHECK_FALSE(plait::compare_graphs(n, test::make_net<plait::netdef>(renamed)).has_value());
  CHECK_FALSE(plait::compare_in_place(n, test::make_net<plait::netdef>(renamed)).has_value());
  renamed.ops[1].inputs = {"z"};
  auto const found = plait::compare_graphs(n, test::make_net<plait::netdef>(renamed));
  REQUIRE(found.has_value());
  CHECK(found->op == 1);
  CHECK(found->what == "op 1 (Tanh): input 0, 'x' and 'z', is not the same value");
}

TEST_CASE_TEMPLATE("compare_graphs: ops, types, operands and outputs count", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(sum);
  auto const difference = [&](auto change) {
    test::struct_net other = sum;
    change(other);
    auto const found = plait::compare_graphs(n, test::make_net<plait::netdef>(other));
    return found ? found->what : "";
  };
  CHECK(difference([](auto&) {}) == "");
  CHECK(difference([](auto& m) { m.ops.pop_back(); }) == "3 ops and 2");
  CHECK(difference([](auto& m) { m.ops[1].type = "Relu"; }) == "op 1 (Tanh): type Tanh and Relu");
  CHECK(difference([](auto& m) {
          m.ops[2].inputs = {"b", "a"};
        }) == "op 2 (Sum): input 0, 'a' and 'b', is not the same value");
  CHECK(difference([](auto& m) { m.external_outputs = {"b"}; }) ==
        "external output 0, 'a' and 'b', is not the same value");
  CHECK(difference([](auto& m) { m.external_outputs.push_back("b"); }) == "1 external outputs and 2");
  CHECK(difference([](auto& m) { m.ops[2].inputs.pop_back(); }) == "op 2 (Sum): different numbers of inputs");
  CHECK(difference([](auto& m) { m.ops[0].outputs.push_back("more"); }) == "op 0 (Relu): different numbers of outputs");
}

TEST_CASE("compare_in_place: in-place operands count") {
  test::struct_net other = sum;
  other.ops[2].outputs = {"c"};
  other.external_outputs = {"c"};
  auto const n = test::make_net<plait::netdef>(sum);
  auto const m = test::make_net<plait::netdef>(other);
  CHECK_FALSE(plait::compare_graphs(n, m).has_value());
  auto const found = plait::compare_in_place(n, m);
  REQUIRE(found.has_value());
  CHECK(found->what == "op 2 (Sum): different operands are in place");
}

TEST_CASE("compare_graphs: devices count") {
  auto const on = [](char const* device) {
    return plait::read_netdef_text(std::string(R"(op { input: "x" output: "y" type: "Relu" )") + device + " }");
  };
  auto const found = plait::compare_graphs(on(""), on("device_option { device_type: 1 }"));
  REQUIRE(found.has_value());
  CHECK(found->what == "op 0 (Relu): different devices");
}

TEST_CASE("compare_graphs: a renamed net is the same graph") {
  std::mt19937 random(9);
  for (int round = 0; round != 200; ++round) {
    auto const n = test::make_net<plait::netdef>(test::random_net(random));
    auto m = n;
    plait::rename_blobs(m, {{"b4", "c4"}, {"b5", "b6"}, {"b6", "b5"}});
    CHECK_FALSE(plait::compare_graphs(n, m).has_value());
    CHECK_FALSE(plait::compare_in_place(n, m).has_value());
  }
}
