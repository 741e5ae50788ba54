#include <plait/netdef/detail/mutable_nested_nets.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {
char const* const recurrent = R"(
  op { type: "RecurrentNetworkGradient" input: "s" output: "s_grad"
       arg { name: "link_external" strings: "s" strings: "t" } arg { name: "timestep" s: "t" }
       arg { name: "order" s: "s" } arg { name: "s.rename" s: "q" }
       arg { name: "step_net" n { op { type: "Relu" input: "s" output: "o" } } }
       arg { name: "backward_step_net" s: "op { type: \"ReluGradient\" input: \"s\" output: \"p\" }" } })";
}  // namespace

TEST_CASE("mutable nested nets: messages change in place, text is written back") {
  auto n = plait::read_netdef_text(recurrent);
  auto nets = plait::mutable_nested_nets(n, n.op[0]);
  REQUIRE(nets.size() == 2);
  CHECK(nets[0].argument == "step_net");
  CHECK_FALSE(nets[0].stored_as_text);
  CHECK(nets[0].net.get() == &*n.op[0].arg[4].n);
  CHECK(nets[1].stored_as_text);

  nets[1].net->add_op("Sum", {"p"}, {"r"});
  CHECK(plait::read_netdef_text(*n.op[0].arg[5].s).op.size() == 1);
  plait::store_nested_net(n, n.op[0], nets[1]);
  auto const stored = plait::read_netdef_text(*n.op[0].arg[5].s);
  REQUIRE(stored.op.size() == 2);
  CHECK(stored.text(stored.op[1].type) == "Sum");
}

TEST_CASE("argument blobs: the blobs in arguments of a recurrence are listed and renamed") {
  auto n = plait::read_netdef_text(recurrent);
  using texts = std::vector<std::string_view>;
  CHECK(plait::argument_blobs(n, n.op[0]) == texts{"s", "t", "t", "s", "q"});
  plait::rename_argument_blobs(n, n.op[0], {{"s", "S"}, {"t", "T"}, {"q", "Q"}});
  CHECK(plait::argument_blobs(n, n.op[0]) == texts{"S", "T", "T", "S", "Q"});
  CHECK(n.text(n.op[0].arg[3].name) == "S.rename");
  CHECK(n.op[0].arg[2].s == "s");  // not a blob

  auto other = plait::read_netdef_text(
      R"(op { type: "Print" arg { name: "names" strings: "s" } arg { name: "timestep" s: "s" } })");
  CHECK(plait::argument_blobs(other, other.op[0]).empty());
  plait::rename_argument_blobs(other, other.op[0], {{"s", "S"}});
  CHECK(other.op[0].arg[0].strings[0] == "s");
}

TEST_CASE("mutable nested nets: a text that is not a net is refused") {
  auto n = plait::read_netdef_text(R"(op { type: "RecurrentNetwork" arg { name: "step_net" s: "op {" } })");
  CHECK_THROWS_AS((void)plait::mutable_nested_nets(n, n.op[0]), plait::net_error);
}
