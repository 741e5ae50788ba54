#include <doctest/doctest.h>

#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/scope_names.hpp>

TEST_CASE("scope_names: contains the names of the net and of all enclosing nets") {
  plait::symbol_table outermost, around, own;
  outermost.intern("a");
  around.intern("b");
  plait::scope_names const first(outermost);
  plait::scope_names const second(around, &first);
  plait::scope_names const third(own, &second);
  CHECK(third.contains("a"));
  CHECK(third.contains("b"));
  CHECK_FALSE(third.contains("c"));
  own.intern("c");  // later additions are visible
  CHECK(third.contains("c"));
  CHECK_FALSE(second.contains("c"));
  CHECK_FALSE(first.contains("b"));
}
