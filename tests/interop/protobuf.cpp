// A class that protoc generated is a net like any other.
#include <plait/interop/protobuf.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>

#include <netdef.pb.h>

#include <plait/netdef/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_ops.hpp>
#include <plait/transform/rename.hpp>

namespace {

using message = plait_test::NetDef;

PLAIT_CHECK_NET(message);
static_assert(plait::typed_net<message> && plait::has_external_inputs<message> && plait::has_subnets<message>);
static_assert(plait::renamable_net<message> && plait::renamable_externals<message> && plait::op_erasable_net<message>);
static_assert(plait::extensible_net<message> && plait::argument_mutable_net<message>);
static_assert(plait::device_mutable_net<message> && plait::named_net<message>);
static_assert(!plait::protobuf_netdef<plait::netdef> && !plait::protobuf_netdef<int>);

constexpr char const* source = R"(
  name: "n"
  op { input: "x" input: "w" output: "y" type: "Mul" }
  op { input: "y" output: "y" type: "Relu" device_option { device_type: 1 device_id: 2 } arg { name: "order" s: "NCHW" } }
  op { input: "y" output: "dead" type: "Tanh" }
  op { input: "c" output: "z" type: "If" arg { name: "then_net" n { op { input: "y" output: "z" type: "Copy" } } } }
  external_input: "x" external_input: "w" external_input: "c" external_output: "z")";

message parsed() {
  message n;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(source, &n));
  return n;
}

template <plait::net N>
std::vector<std::string> listing(N const& n, plait::ssa_options const& options) {
  auto const ssa = plait::get_ssa(n, options);
  std::vector<std::string> lines;
  for (auto const& op : ssa.ops()) {
    std::string line;
    for (plait::value v : op.reads()) line += std::string(ssa.name(v)) + std::to_string(v.version) + ' ';
    line += "->";
    for (plait::value v : op.writes()) line += ' ' + std::string(ssa.name(v)) + std::to_string(v.version);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("a generated message has the SSA form of the netdef it equals") {
  plait::netdef const ours = plait::read_netdef_text(source);
  for (bool subnets : {false, true})
    CHECK(listing(parsed(), {.subnets = subnets}) == listing(ours, {.subnets = subnets}));
  CHECK(listing(parsed(), {.subnets = true}).back() == "c0 y2 -> z1");
}

TEST_CASE("transforms change the message") {
  message n = parsed();
  (void)plait::remove_dead_ops(n, {.subnets = true});
  CHECK(n.op_size() == 3);
  CHECK(n.op(2).type() == "If");
}

TEST_CASE("every mutation hook does to the message what it does to a netdef") {
  using theirs = plait::net_traits<message>;
  message n = parsed();
  theirs::insert_op(n, 1, {.type = "Scale", .inputs = {"y"}, .outputs = {"y"}, .arguments = {{"scale", 2.0f}}});
  REQUIRE(n.op_size() == 5);
  CHECK(n.op(0).type() == "Mul");
  CHECK(n.op(1).type() == "Scale");
  CHECK(n.op(1).arg(0).f() == 2.0f);
  CHECK_FALSE(n.op(1).has_device_option());
  CHECK(n.op(2).type() == "Relu");

  CHECK(theirs::device(n, n.op(2)) == plait::device_spec{plait::device_kind::cuda, 2});
  theirs::set_device(n, *n.mutable_op(2), plait::device_spec{});
  CHECK(theirs::device(n, n.op(2)) == plait::device_spec{});
  CHECK_FALSE(n.op(2).device_option().has_device_id());
  theirs::set_device(n, *n.mutable_op(2), std::nullopt);
  CHECK_FALSE(theirs::device(n, n.op(2)).has_value());

  CHECK(theirs::string_argument(n, n.op(2), "order") == "NCHW");
  CHECK_FALSE(theirs::int_argument(n, n.op(2), "order").has_value());
  theirs::set_argument(n, *n.mutable_op(2), {"order", std::vector<std::int64_t>{1, 2}});
  CHECK(n.op(2).arg_size() == 1);
  CHECK(theirs::argument(n, n.op(2), "order") == plait::argument_value(std::vector<std::int64_t>{1, 2}));
  CHECK_FALSE(n.op(2).arg(0).has_s());
  theirs::erase_argument(n, *n.mutable_op(2), "order");
  CHECK(n.op(2).arg_size() == 0);

  std::vector<std::uint32_t> const gone = {0, 2};
  theirs::erase_ops(n, gone);
  REQUIRE(n.op_size() == 3);
  CHECK(n.op(0).type() == "Scale");
  CHECK(n.op(1).type() == "Tanh");
  CHECK(n.op(2).type() == "If");
  theirs::erase_external_inputs(n, gone);
  REQUIRE(n.external_input_size() == 1);
  CHECK(n.external_input(0) == "w");
}

TEST_CASE("a step net in text form is refused, not overlooked") {
  message n;
  auto& op = *n.add_op();
  op.set_type("RecurrentNetwork");
  auto& arg = *op.add_arg();
  arg.set_name("step_net");
  arg.set_s("op { type: \"Relu\" }");
  CHECK_NOTHROW((void)plait::get_ssa(n));
  CHECK_THROWS_AS((void)plait::get_ssa(n, {.subnets = true}), plait::net_error);
}
