#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>

TEST_CASE("a parse error in text says line and column, and carries both") {
  plait::parse_error const problem({17, 3, 5}, "expected a name");
  CHECK(std::string(problem.what()) == "3:5: expected a name");
  CHECK(problem.message == "expected a name");
  CHECK(problem.position == plait::text_position{17, 3, 5});
}

TEST_CASE("a parse error in a binary document says the byte") {
  plait::parse_error const problem({1234, 0, 0}, "a varint longer than ten bytes");
  CHECK(std::string(problem.what()) == "byte 1234: a varint longer than ten bytes");
  CHECK(problem.position.offset == 1234);
}

TEST_CASE("a net error carries op and blob, or neither") {
  plait::net_error const full("op 3 reads 'x' twice", 3, "x");
  CHECK(std::string(full.what()) == "op 3 reads 'x' twice");
  CHECK(full.op == 3);
  CHECK(full.blob == "x");

  plait::net_error const bare("no ops");
  CHECK_FALSE(bare.op.has_value());
  CHECK(bare.blob.empty());
}

TEST_CASE("errors about input have one base, bugs of the caller another") {
  static_assert(std::is_base_of_v<plait::error, plait::parse_error>);
  static_assert(std::is_base_of_v<plait::error, plait::net_error>);
  static_assert(std::is_base_of_v<std::runtime_error, plait::error>);
  static_assert(!std::is_base_of_v<plait::error, plait::precondition_error>);
  static_assert(std::is_base_of_v<std::logic_error, plait::precondition_error>);
  // Exceptions are copied while they are in flight; a throwing copy would terminate.
  static_assert(std::is_copy_constructible_v<plait::parse_error> && std::is_copy_constructible_v<plait::net_error>);
  CHECK_THROWS_AS(throw plait::net_error("x"), plait::error);
}
