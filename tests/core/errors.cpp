#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>

TEST_CASE("errors: a parse_error in text reports line and column, and has both as members") {
  plait::parse_error const problem({17, 3, 5}, "expected a name");
  CHECK(std::string(problem.what()) == "3:5: expected a name");
  CHECK(problem.message == "expected a name");
  CHECK(problem.position == plait::text_position{17, 3, 5});
}

TEST_CASE("errors: a parse_error in a binary document reports the byte offset") {
  plait::parse_error const problem({1234, 0, 0}, "a varint longer than ten bytes");
  CHECK(std::string(problem.what()) == "byte 1234: a varint longer than ten bytes");
  CHECK(problem.position.offset == 1234);
}

TEST_CASE("errors: a net_error has op and blob as members, or neither") {
  plait::net_error const full("op 3 reads 'x' twice", 3, "x");
  CHECK(std::string(full.what()) == "op 3 reads 'x' twice");
  CHECK(full.op == 3);
  CHECK(full.blob == "x");

  plait::net_error const bare("no ops");
  CHECK_FALSE(bare.op.has_value());
  CHECK(bare.blob.empty());
}

TEST_CASE("errors: input errors derive from plait::error, precondition_error does not") {
  static_assert(std::is_base_of_v<plait::error, plait::parse_error>);
  static_assert(std::is_base_of_v<plait::error, plait::net_error>);
  static_assert(std::is_base_of_v<std::runtime_error, plait::error>);
  static_assert(!std::is_base_of_v<plait::error, plait::precondition_error>);
  static_assert(std::is_base_of_v<std::logic_error, plait::precondition_error>);
  // Exceptions are copied while they are in flight; a throwing copy would terminate.
  static_assert(std::is_copy_constructible_v<plait::parse_error> && std::is_copy_constructible_v<plait::net_error>);
  CHECK_THROWS_AS(throw plait::net_error("x"), plait::error);
}

TEST_CASE("errors: messages are UTF-8 without control characters; members hold the names unchanged") {
  std::string const name("\xff\n\0w", 4);
  plait::net_error const of_net("'" + name + "' is missing", 0, name);
  CHECK(std::string(of_net.what()) == "'\\xff\\x0a\\x00w' is missing");
  CHECK(of_net.blob == name);
  plait::parse_error const of_text({0, 1, 2}, "found '" + name + "'");
  CHECK(std::string(of_text.what()) == "1:2: found '\\xff\\x0a\\x00w'");
  CHECK(of_text.message == "found '\\xff\\x0a\\x00w'");
  plait::io_error const of_file("cannot open", name);
  CHECK(std::string(of_file.what()) == "\\xff\\x0a\\x00w: cannot open");
  CHECK(of_file.path == name);
  CHECK(std::string(plait::exec_error(name, 0, name).what()) == "\\xff\\x0a\\x00w");
  CHECK(std::string(plait::shape_error(name).what()) == "\\xff\\x0a\\x00w");
}

TEST_CASE("errors: memory_error reports the requested size") {
  plait::memory_error const problem(1234);
  CHECK(problem.bytes == 1234);
  CHECK(std::string(problem.what()) == "plait: no memory for 1234 bytes");
}
