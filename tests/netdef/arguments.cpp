#include <plait/netdef/arguments.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/netdef/detail/text_reader.hpp>

namespace {

using strings = std::vector<std::string>;

TEST_CASE("arguments: read_argument is the inverse of make_argument") {
  plait::netdef n;
  plait::argument_value const values[] = {std::int64_t{-3},
                                          1.5f,
                                          std::string(),
                                          std::string("bytes\0too", 9),
                                          std::vector<std::int64_t>{},
                                          std::vector<std::int64_t>{1, -2},
                                          std::vector<float>{0.5f},
                                          strings{"", "b"}};
  for (auto const& value : values) {
    plait::arg_def const made = plait::make_argument(n, {"key", value});
    CHECK(n.text(made.name) == "key");
    CHECK(plait::read_argument(made) == value);
  }
}

// NetDef has no way to write an empty list of floats or strings.
TEST_CASE("arguments: an empty list of any type is read as an empty list") {
  plait::netdef n;
  for (plait::argument_value const& empty :
       {plait::argument_value(std::vector<float>()), plait::argument_value(strings())})
    CHECK(plait::read_argument(plait::make_argument(n, {"key", empty})) ==
          plait::argument_value(std::vector<std::int64_t>()));
}

TEST_CASE("arguments: nets and tensors have no value") {
  auto const n = plait::read_netdef_text(R"(
    op { type: "If" arg { name: "then_net" n { op { type: "Relu" } } }
                    arg { name: "nets" nets { } }
                    arg { name: "t" t { dims: 1 } } })");
  for (auto const& argument : n.op[0].arg) CHECK_FALSE(plait::read_argument(argument));
}

TEST_CASE("arguments: find_argument returns the first of a name, in ops and in nets") {
  auto n = plait::read_netdef_text(R"(
    arg { name: "a" i: 1 }
    op { type: "X" arg { name: "b" i: 2 } arg { name: "a" i: 3 } arg { name: "a" i: 4 } })");
  plait::netdef const& same = n;
  REQUIRE(plait::find_argument(n, n.op[0], "a") != nullptr);
  CHECK(plait::find_argument(n, n.op[0], "a")->i == 3);
  CHECK(plait::find_argument(same, same.op[0], "a") == &n.op[0].arg[1]);
  CHECK(plait::find_argument(same, same, "a")->i == 1);
  CHECK(plait::find_argument(same, same, "b") == nullptr);
  CHECK(plait::find_argument(same, same.op[0], "") == nullptr);
}

}  // namespace
