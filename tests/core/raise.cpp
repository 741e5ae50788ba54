#include <doctest/doctest.h>

#include <optional>
#include <string>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>

// The build without exceptions is tested in tests/no_exceptions.

TEST_CASE("raise: throws the error with its type and facts") {
  try {
    plait::raise(plait::net_error("op 3 reads 'x' twice", 3, "x"));
    FAIL("returned");
  } catch (plait::net_error const& problem) {
    CHECK(std::string(problem.what()) == "op 3 reads 'x' twice");
    CHECK(problem.op == 3);
    CHECK(problem.blob == "x");
  }
  std::optional<plait::net_error> kept(std::in_place, "kept");
  CHECK_THROWS_AS(plait::raise(*kept), plait::net_error);
}

TEST_CASE("attempt: recovers from errors of its type only, and returns results") {
  auto const fails_with = [](auto const& error) {
    return plait::detail::attempt<plait::net_error>([&]() -> int { plait::raise(error); },
                                                    [](plait::net_error const&) { return 2; });
  };
  CHECK(fails_with(plait::net_error("x")) == 2);
  CHECK_THROWS_AS(fails_with(plait::shape_error("x")), plait::shape_error);
  int kept = 1;
  int& same = plait::detail::attempt<plait::net_error>([&]() -> int& { return kept; },
                                                       [&](plait::net_error const&) -> int& { return kept; });
  CHECK(&same == &kept);
}
