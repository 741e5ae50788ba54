#include <plait/net/detail/arguments.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

using plait::argument_change;
using ints = std::vector<std::int64_t>;
using floats = std::vector<float>;
using strings = std::vector<std::string>;

namespace {

test::struct_net one_op() {
  return {{{"Op",
            {"x"},
            {"y"},
            {{"i", std::int64_t{3}},
             {"f", 0.5F},
             {"s", "text"},
             {"is", ints{1, 2}},
             {"fs", floats{1.5F}},
             {"ss", strings{"a", "b"}},
             {"none", ints{}}}}},
          {"x"},
          {"y"}};
}

}  // namespace

TEST_CASE_TEMPLATE("get_argument: returns the argument by type", N, PLAIT_MUTABLE_NETS) {
  auto const n = test::make_net<N>(one_op());
  auto&& op = *std::ranges::begin(plait::ops(n));
  CHECK(plait::get_argument<std::int64_t>(n, op, 0, "i") == 3);
  CHECK(plait::get_argument<float>(n, op, 0, "f") == 0.5F);
  CHECK(plait::get_argument<std::string>(n, op, 0, "s") == "text");
  CHECK(plait::get_argument<ints>(n, op, 0, "is") == ints{1, 2});
  CHECK(plait::get_argument<floats>(n, op, 0, "fs") == floats{1.5F});
  CHECK(plait::get_argument<strings>(n, op, 0, "ss") == strings{"a", "b"});
  CHECK(plait::get_argument<ints>(n, op, 0, "none") == ints{});
  CHECK(plait::get_argument<strings>(n, op, 0, "none") == strings{});
  CHECK_FALSE(plait::get_argument<std::int64_t>(n, op, 0, "absent").has_value());
  CHECK(plait::get_argument<std::int64_t>(n, op, 0, "absent", 9) == 9);
  CHECK(plait::get_argument<std::int64_t>(n, op, 0, "i", 9) == 3);
  try {
    static_cast<void>(plait::get_argument<float>(n, op, 5, "i"));
    FAIL("accepted");
  } catch (plait::net_error const& wrong) {
    CHECK(wrong.op == 5);
    CHECK(std::string(wrong.what()).find("'i' of op 5 (Op)") != std::string::npos);
  }
  CHECK_THROWS_AS(static_cast<void>(plait::get_argument<float>(n, op, 0, "none")), plait::net_error);
  CHECK_THROWS_AS(static_cast<void>(plait::get_argument<ints>(n, op, 0, "fs")), plait::net_error);
}

TEST_CASE_TEMPLATE("set_argument_checked: refuses to change an argument unless it may override", N,
                   PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(one_op());
  auto&& op = *std::ranges::begin(plait::net_traits<N>::ops(n));
  auto const value = [&](std::string_view key) { return plait::net_traits<N>::argument(n, op, key); };
  CHECK(plait::set_argument_checked(n, op, 0, {"new", 1.F}) == argument_change::added);
  CHECK(value("new") == plait::argument_value(1.F));
  CHECK(plait::set_argument_checked(n, op, 0, {"i", std::int64_t{3}}) == argument_change::unchanged);
  CHECK_THROWS_AS(plait::set_argument_checked(n, op, 0, {"i", std::int64_t{4}}), plait::net_error);
  CHECK_THROWS_AS(plait::set_argument_checked(n, op, 0, {"i", 3.F}), plait::net_error);
  CHECK(value("i") == plait::argument_value(std::int64_t{3}));
  CHECK(plait::set_argument_checked(n, op, 0, {"is", strings{"x"}}, true) == argument_change::overridden);
  CHECK(value("is") == plait::argument_value(strings{"x"}));
}

TEST_CASE("get_argument: a net in an argument is neither a value nor absent") {
  plait::netdef n;
  plait::op_def& op = n.add_op("If", {"c"}, {});
  plait::arg_def& held = op.arg.emplace_back();
  held.name = n.intern("then_net");
  held.n = plait::netdef();
  CHECK_THROWS_AS(static_cast<void>(plait::get_argument<std::string>(n, op, 0, "then_net")), plait::net_error);
  CHECK_THROWS_AS(plait::set_argument_checked(n, op, 0, {"then_net", "text"}), plait::net_error);
  CHECK(n.op[0].arg[0].n.has_value());
}
