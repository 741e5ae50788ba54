#include <plait/transform/detail/export_nets.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>

#include <plait/transform/detail/parameter_extraction.hpp>

using plait::parameter;
using test::struct_net;
using floats = std::vector<float>;
using names = std::vector<std::string>;

namespace {

parameter of_ones(std::string name) { return {std::move(name), {{2}, floats{1, 1}}}; }

struct_net two_layers() {
  return {{{"FC", {"x", "w", "b"}, {"h"}},
           {"Relu", {"h"}, {"h"}},
           {"FC", {"h", "w2", "b2"}, {"y"}},
           {"Softmax", {"y"}, {"y"}}},
          {"w", "x", "b", "w2", "b2", "nobody_reads_me"},
          {"y"}};
}

}  // namespace

TEST_CASE_TEMPLATE("export_nets: the declared interface is kept", N, PLAIT_MUTABLE_NETS) {
  std::vector<parameter> const given{of_ones("b2"), of_ones("w2"), of_ones("w"), of_ones("b"), of_ones("unused")};
  auto const made = plait::export_nets(test::make_net<N>(two_layers()), given);
  auto const predict = test::describe(made.predict_net);
  CHECK(predict.ops == two_layers().ops);
  CHECK(predict.external_inputs == names{"w", "x", "b", "w2", "b2"});
  CHECK(predict.external_outputs == names{"y"});  // written in place by the last op, and still an output
  CHECK(made.inputs == names{"x"});
  CHECK(made.outputs == names{"y"});
  CHECK(made.unused_parameters == names{"unused"});
  CHECK(plait::parameters_from_init_net(made.init_net) == std::vector<parameter>(given.begin(), given.end() - 1));
  CHECK(test::describe(made.init_net).external_outputs == names{"b2", "w2", "w", "b"});

  auto const again = plait::export_nets(test::make_net<N>(predict), given);
  CHECK(test::describe(again.predict_net) == predict);
}

TEST_CASE_TEMPLATE("export_nets: an undeclared interface is inferred", N, PLAIT_MUTABLE_NETS) {
  struct_net d = two_layers();
  d.external_inputs = {};
  d.external_outputs = {};
  d.ops.push_back({"Exp", {"x"}, {"z"}});
  auto const made = plait::export_nets(test::make_net<N>(d), std::vector<parameter>{of_ones("w")});
  CHECK(test::describe(made.predict_net).external_inputs == names{"x", "w", "b", "w2", "b2"});
  CHECK(made.inputs == names{"x", "b", "w2", "b2"});
  CHECK(made.outputs == names{"y", "z"});
}

TEST_CASE_TEMPLATE("export_nets: inputs that are overwritten or passed through", N, PLAIT_MUTABLE_NETS) {
  auto const made = plait::export_nets(test::make_net<N>({{{"Relu", {"x"}, {"x"}}, {"Fill", {}, {"never_given"}}},
                                                          {"x", "t", "never_given"},
                                                          {"x", "t", "never_given"}}),
                                       std::vector<parameter>{of_ones("never_given")});
  CHECK(made.inputs == names{"x", "t"});
  CHECK(test::describe(made.predict_net).external_inputs == names{"x", "t"});
  CHECK(test::describe(made.predict_net).external_outputs == names{"x", "t", "never_given"});
  CHECK(made.unused_parameters == names{"never_given"});
}

TEST_CASE_TEMPLATE("export_nets: inputs can be filled as well", N, PLAIT_MUTABLE_NETS) {
  auto const made = plait::export_nets(test::make_net<N>({{{"FC", {"x", "w"}, {"y"}}}, {"x", "w"}, {"y"}}),
                                       std::vector<parameter>{of_ones("w")}, {.fill_inputs = true});
  CHECK(plait::parameters_from_init_net(made.init_net) ==
        std::vector<parameter>{of_ones("w"), {"x", {{1, 1}, floats{0}}}});
}

TEST_CASE_TEMPLATE("export_nets: compatible follows Caffe2's exporter", N, PLAIT_MUTABLE_NETS) {
  struct_net d{{{"FC", {"x", "w", "b"}, {"h"}}, {"Relu", {"h"}, {"h"}}, {"Exp", {"x"}, {"e"}}, {"Copy", {"h"}, {"s"}}},
               {"x", "w", "b", "s"},
               {"h"}};
  auto const made = plait::export_nets(test::make_net<N>(d), std::vector<parameter>{of_ones("w"), of_ones("unread")},
                                       {.compatible = true});
  auto const predict = test::describe(made.predict_net);
  CHECK(predict.external_inputs == names{"x", "b", "x", "w", "b", "s"});
  CHECK(predict.external_outputs == names{"s", "e"});  // h is read, s is written
  auto const init = test::describe(made.init_net);
  CHECK(init.external_outputs.empty());
  names filled;
  for (auto const& op : init.ops) filled.push_back(op.outputs[0]);
  CHECK(filled == names{"w", "unread", "x", "b"});

  // An input that is not declared though others are is unknown to it; where none is declared, all are known.
  d.external_inputs = {"x"};
  CHECK(plait::export_nets(test::make_net<N>(d), std::vector<parameter>{}, {.compatible = true}).inputs == names{"x"});
  d.external_inputs = {};
  CHECK(plait::export_nets(test::make_net<N>(d), std::vector<parameter>{}, {.compatible = true}).inputs ==
        names{"x", "w", "b"});
}

TEST_CASE_TEMPLATE("export_nets: compatible removes masks of Dropout and LRN from the outputs", N, PLAIT_MUTABLE_NETS) {
  auto const outputs = [](struct_net const& d) {
    return plait::export_nets(test::make_net<N>(d), std::vector<parameter>{}, {.compatible = true}).outputs;
  };
  struct_net const d{
      {{"Dropout", {"x"}, {"y", "mask"}}, {"LRN", {"y"}, {"z", "scale"}}, {"Split", {"z"}, {"a", "b"}}}, {"x"}, {"a"}};
  CHECK(outputs(d) == names{"a", "b"});
  for (struct_net const& refused : {struct_net{{{"Dropout", {"x"}, {"y"}}}, {"x"}, {"y"}},
                                    struct_net{{{"Dropout", {"x"}, {"y", "m"}}, {"Relu", {"m"}, {"z"}}}, {"x"}, {"z"}},
                                    struct_net{{{"LRN", {"x"}, {"y", "m"}}, {"LRN", {"y"}, {"z", "m"}}}, {"x"}, {}}})
    CHECK_THROWS_AS(static_cast<void>(outputs(refused)), plait::net_error);
}

TEST_CASE("export_nets: element types of 2022, or of 2018") {
  std::vector<parameter> const given{{"w", {{1}, std::vector<bool>{true}}}};
  struct_net const d{{{"Not", {"w"}, {"y"}}}, {"w"}, {"y"}};
  auto const made = plait::export_nets(test::make_net<test::edit_net>(d), given);
  CHECK(plait::parameters_from_init_net(made.init_net) == given);
  CHECK_THROWS_AS(static_cast<void>(plait::export_nets(test::make_net<test::edit_net>(d), given, {.compatible = true})),
                  plait::net_error);
}

TEST_CASE("export_nets: refuses duplicates, wrong shapes and outputs without producer") {
  auto const n = test::make_net<test::edit_net>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "z"}});
  try {
    static_cast<void>(plait::export_nets(n, std::vector<parameter>{}));
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.blob == "z");
  }
  CHECK_THROWS_AS(static_cast<void>(plait::export_nets(n, std::vector<parameter>{of_ones("x"), of_ones("x")})),
                  plait::net_error);
  CHECK_THROWS_AS(static_cast<void>(plait::export_nets(n, std::vector<parameter>{{"x", {{3}, floats{1}}}})),
                  plait::net_error);
}

TEST_CASE("export_nets: a parameter that only a nested net reads is needed") {
  auto n = test::make_net<plait::netdef>({{{"If", {"c"}, {"y"}}}, {"c", "w"}, {"y"}});
  plait::netdef branch;
  branch.add_op("Copy", {"w"}, {"y"});
  plait::arg_def& then_net = n.op[0].arg.emplace_back();
  then_net.name = n.intern("then_net");
  then_net.n = branch;
  auto const made = plait::export_nets(n, std::vector<parameter>{of_ones("w")});
  CHECK(made.unused_parameters.empty());
  CHECK(made.inputs == names{"c"});
  CHECK(made.init_net.op.size() == 1);
}
