#include <plait/transform/detail/external_blobs.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>

namespace {

template <class N, class Name>
std::vector<std::string> texts(N const& n, std::vector<Name> const& found) {
  std::vector<std::string> made;
  for (Name const& name : found) made.push_back(test::text_of(n, name));
  return made;
}
using names = std::vector<std::string>;

test::struct_net const sub{{{"Mul", {"x", "w"}, {"t"}}, {"Relu", {"t"}, {"y"}}, {"Relu", {"y"}, {"x"}}}};

}  // namespace

TEST_CASE_TEMPLATE("external_blob_names: without a scope everything is external", N, PLAIT_ALL_NETS) {
  auto const n = test::make_net<N>(sub);
  auto const found = plait::external_blob_names(n);
  CHECK(texts(n, found.inputs) == names{"x", "w"});
  CHECK(texts(n, found.outputs) == names{"t", "y", "x"});
}

TEST_CASE_TEMPLATE("external_blob_names: with a scope only visible names are external", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>(sub);
  auto const found = plait::external_blob_names(n, names{"w", "y", "x", "other"});
  CHECK(texts(n, found.inputs) == names{"x", "w"});
  CHECK(texts(n, found.outputs) == names{"y", "x"});
}

TEST_CASE_TEMPLATE("external_blob_names: reading a name that is not in scope is refused", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}, {"Mul", {"y", "w"}, {"y"}}}});
  try {
    (void)plait::external_blob_names(n, names{"x", "y"});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 1);
    CHECK(problem.blob == "w");
  }
}

TEST_CASE("external_blob_names: nested nets count on request") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "If" input: "c" arg { name: "then_net" n { op { type: "Mul" input: "x" input: "w" output: "y" } } } })");
  CHECK(texts(n, plait::external_blob_names(n).inputs) == names{"c"});
  auto const found = plait::external_blob_names(n, names{"c", "x", "w", "y"}, {.subnets = true});
  CHECK(texts(n, found.inputs) == names{"c", "x", "w"});
  CHECK(texts(n, found.outputs) == names{"y"});
  CHECK_THROWS_AS((void)plait::external_blob_names(n, names{"c", "x", "y"}, {.subnets = true}), plait::net_error);
}
