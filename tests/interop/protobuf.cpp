// Protobuf adapter, on a class that protoc generated from NetDef.
#include <plait/interop/protobuf.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>

#include <netdef.pb.h>

#include <plait/net/detail/nested_names.hpp>
#include <plait/netdef/detail/binary_reader.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/append.hpp>
#include <plait/transform/detail/rename_blobs.hpp>

namespace {

using message = plait_test::NetDef;

PLAIT_CHECK_NET(message);
static_assert(plait::typed_net<message> && plait::has_external_inputs<message> && plait::has_subnets<message>);
static_assert(plait::renamable_net<message> && plait::renamable_externals<message> && plait::op_erasable_net<message>);
static_assert(plait::extensible_net<message> && plait::argument_mutable_net<message>);
static_assert(plait::device_mutable_net<message> && plait::named_net<message> && plait::inheriting_net<message>);
static_assert(plait::nested_editable_net<message> && plait::argument_readable_net<message>);
static_assert(!plait::protobuf_netdef<plait::netdef> && !plait::protobuf_netdef<int>);

constexpr char const* source = R"(
  name: "n"
  op { input: "x" input: "w" output: "y" type: "Mul" }
  op { input: "y" output: "y" type: "Relu" device_option { device_type: 1 device_id: 2 } arg { name: "order" s: "NCHW" } }
  op { input: "y" output: "dead" type: "Tanh" }
  op { input: "c" output: "z" type: "If" arg { name: "then_net" n { op { input: "y" output: "z" type: "Copy" } } } }
  external_input: "x" external_input: "w" external_input: "c" external_output: "z")";

message parsed(std::string const& text = source) {
  message n;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &n));
  return n;
}

// Converts a message to plait's model.
plait::netdef same(message const& n) { return plait::read_netdef_binary(n.SerializeAsString()); }

// Nets with every kind of nested net.
char const* const nested_sources[] = {
    // A Do with `a` as an input, which its net may leave unwritten.
    R"(op { type: "Relu" input: "x" output: "a" }
       op { type: "Do" input: "c" input: "a" input: "w" output: "a" output: "w"
            arg { name: "inner_blobs" strings: "cond" strings: "inner" }
            arg { name: "outer_blobs_idx" ints: 0 ints: 1 }
            arg { name: "net" n { op { type: "If" input: "cond" arg { name: "then_net" n {
              op { type: "Relu" input: "cond" output: "inner" } external_output: "inner" } } } } } }
       external_input: "x" external_input: "c" external_input: "w" external_output: "a")",
    // Links by other names, and a backward net that reads what the forward step wrote.
    R"(op { type: "Relu" input: "x" output: "state" }
       op { type: "Relu" input: "x" output: "hidden" }
       op { type: "RecurrentNetworkGradient" input: "x" output: "y"
            arg { name: "link_internal" strings: "h_t" strings: "x_t" } arg { name: "h_t.rename" s: "shared_h" }
            arg { name: "timestep" s: "step" }
            arg { name: "step_net" n { op { type: "Sum" input: "shared_h" input: "x_t" input: "state" input: "step"
                                            output: "hidden" } } }
            arg { name: "backward_step_net" n { op { type: "Copy" input: "hidden" output: "g" } } } }
       external_input: "x" external_output: "y")",
    // Nets in nets, two in one argument, which read and write outer blobs.
    R"(op { type: "Relu" input: "x" output: "y" device_option { device_type: 1 } }
       op { type: "While" input: "c" arg { name: "loop_net" n {
         op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Add" input: "y" input: "w" output: "y" } } }
              arg { name: "else_net" nets { op { type: "Relu" input: "x" output: "c" } } nets { } } } } } }
       op { type: "Relu" input: "unused" output: "dead" }
       external_input: "x" external_input: "c" external_input: "w" external_output: "y")",
};

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

TEST_CASE("protobuf: a message has the SSA form of the equal netdef") {
  plait::netdef const ours = plait::read_netdef_text(source);
  for (bool subnets : {false, true})
    CHECK(listing(parsed(), {.subnets = subnets}) == listing(ours, {.subnets = subnets}));
  CHECK(listing(parsed(), {.subnets = true}).back() == "c0 y2 -> z1");
}

TEST_CASE("protobuf: nested nets are those of the equal netdef") {
  for (char const* const text : nested_sources)
    CHECK(listing(parsed(text), {.subnets = true}) == listing(plait::read_netdef_text(text), {.subnets = true}));
  CHECK(listing(parsed(nested_sources[0]), {.subnets = true}).back() == "c0 a1 w0 -> a2 w1");
  CHECK(listing(parsed(nested_sources[1]), {.subnets = true}).back() == "x0 state1 -> y1");
}

TEST_CASE("protobuf: transforms change a message like the equal netdef") {
  auto const check = [](char const* text, auto const& change) {
    message theirs = parsed(text);
    plait::netdef ours = plait::read_netdef_text(text);
    auto const refusal = [&](auto& n) {
      try {
        change(n);
      } catch (plait::net_error const& problem) {
        return std::string(problem.what());
      }
      return std::string();
    };
    CHECK(refusal(theirs) == refusal(ours));
    CHECK(plait::to_text(same(theirs)) == plait::to_text(ours));
  };
  for (char const* const text : {source, nested_sources[0], nested_sources[1], nested_sources[2]}) {
    CAPTURE(text);
    check(text, [](auto& n) { (void)plait::remove_dead_ops(n, {.subnets = true}); });
    check(text, [](auto& n) { (void)plait::ssa_rewrite(n); });
    check(text, [](auto& n) {
      (void)plait::rename_blobs(n, plait::name_map{{"x", "X"}, {"y", "Y"}, {"a", "A"}, {"c", "C"}, {"state", "S"}});
    });
    check(text, [](auto& n) {
      std::remove_reference_t<decltype(n)> const other = n;
      (void)plait::append_net(n, other, {.device = plait::device_spec{plait::device_kind::cuda, 3}});
    });
  }
  message n = parsed();
  (void)plait::remove_dead_ops(n, {.subnets = true});
  CHECK(n.op_size() == 3);
  CHECK(n.op(2).type() == "If");
  message handed = parsed(nested_sources[0]);
  CHECK(plait::remove_dead_ops(handed, {.subnets = true}).ops.empty());
}

TEST_CASE("protobuf: insert_ops inserts several ops at once") {
  std::vector<std::uint32_t> const places = {0, 2, 2, 4};
  std::vector<plait::op_spec> const specs = {{"A", {}, {}}, {"B", {}, {}}, {"C", {}, {}}, {"D", {}, {}}};
  message theirs = parsed();
  plait::netdef ours = plait::read_netdef_text(source);
  plait::net_traits<message>::insert_ops(theirs, places, specs);
  plait::net_traits<plait::netdef>::insert_ops(ours, places, specs);
  CHECK(plait::to_text(same(theirs)) == plait::to_text(ours));
  CHECK(theirs.op_size() == 8);
}

TEST_CASE("protobuf: inherit copies placement, arguments and the gradient mark") {
  message theirs = parsed();
  plait::netdef ours = plait::read_netdef_text(source);
  theirs.mutable_op(1)->set_engine("CUDNN");
  ours.op[1].edit_extras().engine = ours.intern("CUDNN");
  plait::net_traits<message>::inherit(theirs, *theirs.mutable_op(2), theirs, theirs.op(1), {});
  plait::net_traits<plait::netdef>::inherit(ours, ours.op[2], ours, ours.op[1], {});
  CHECK(plait::to_text(same(theirs)) == plait::to_text(ours));
  CHECK(plait::net_traits<message>::is_gradient(theirs, theirs.op(2)));
}

TEST_CASE("protobuf: every mutation hook changes the message") {
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
  CHECK_FALSE(theirs::argument(n, n.op(4), "then_net").has_value());
  n.mutable_op(2)->mutable_arg(0)->clear_ints();
  CHECK(theirs::argument(n, n.op(2), "order") == plait::argument_value(std::vector<std::int64_t>()));
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

TEST_CASE("protobuf: a step net in text form is refused, not ignored") {
  message n;
  auto& op = *n.add_op();
  op.set_type("RecurrentNetwork");
  auto& arg = *op.add_arg();
  arg.set_name("step_net");
  arg.set_s("op { type: \"Relu\" }");
  CHECK_NOTHROW((void)plait::get_ssa(n));
  try {
    (void)plait::get_ssa(n, {.subnets = true});
    FAIL("read");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 0);
    CHECK(std::string(problem.what()) ==
          "plait: argument 'step_net' of op 0 (RecurrentNetwork) holds a net as text; "
          "store it as a message first");
  }
}
