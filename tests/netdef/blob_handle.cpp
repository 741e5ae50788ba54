#include <plait/netdef/detail/blob_handle.hpp>

#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/netdef/net_builder.hpp>

using plait::blob_handle;
using plait::blob_operand;
using plait::blob_operands;

namespace {

std::vector<std::string> names(blob_operands const& given) {
  std::vector<std::string> made;
  for (blob_operand const& one : given) made.emplace_back(one.name());
  return made;
}
using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("blob handle: converts to its name, also after the destruction of its builder") {
  blob_handle x;
  CHECK(x.name().empty());
  {
    plait::net_builder net;
    x = net.external_input("x");
  }
  std::string const name = x;
  CHECK(name == "x");
  std::string_view const view = x;
  CHECK(view == "x");
  CHECK(std::string(x) == "x");
  CHECK(std::optional<std::string>(x) == "x");
  CHECK(strings{x, "y"} == strings{"x", "y"});
  CHECK_FALSE(std::convertible_to<std::string, blob_handle>);
}

TEST_CASE("blob operands: handles and texts, single, in a list, or in any range") {
  plait::net_builder net;
  auto const [x, y] = net.external_inputs("x", "y");
  CHECK(names({}).empty());
  CHECK(names(x) == strings{"x"});
  CHECK(names("w") == strings{"w"});
  CHECK(names(std::string("w")) == strings{"w"});
  CHECK(names({x, "w", std::string_view("v")}) == strings{"x", "w", "v"});
  CHECK(names({"a", "b"}) == strings{"a", "b"});
  CHECK(names(std::vector<blob_handle>{x, y}) == strings{"x", "y"});
  CHECK(names(std::array{y, x}) == strings{"y", "x"});
  CHECK(names(std::list<std::string>{"a", "b"}) == strings{"a", "b"});
  CHECK(blob_operand("a").is_text());
  CHECK_FALSE(blob_operand(x).is_text());
  CHECK(blob_operand(x).owner() == blob_operand(y).owner());
  CHECK_FALSE(std::convertible_to<int, blob_operand>);
  CHECK_FALSE(std::convertible_to<std::vector<int>, blob_operands>);
}
