// Thread teams on the host, where a team is one thread. tests/cuda/thread_team.cpp tests teams of devices.
#include <plait/exec/detail/kernels/thread_team.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

static_assert(!plait::detail::has_teams<plait::serial>);
static_assert(plait::team_columns(0) == 1);
static_assert(plait::team_columns(1) == 1);
static_assert(plait::team_columns(3) == 4);
static_assert(plait::team_columns(1000) == 32);

TEST_CASE_TEMPLATE("for_each_team: each task runs once", B, plait::serial, plait::tbb) {
  for (std::size_t const tasks : {0U, 1U, 7U, 5000U}) {
    std::vector<int> met(tasks, 0);
    int* const at = met.data();
    plait::for_each_team<B>(tasks, 10, 10, [=](std::size_t task) { ++at[task]; });
    CHECK(met == std::vector<int>(tasks, 1));
  }
}

TEST_CASE("for_team_elements, reduce_team_row: each element is visited once") {
  for (std::size_t const n : {0U, 1U, 33U, 9000U}) {
    std::vector<int> met(n, 0);
    int* const at = met.data();
    plait::for_team_elements(n, [=](std::size_t i) { ++at[i]; });
    CHECK(plait::reduce_team_row<plait::sum_reduction, int>(n, [=](std::size_t i) { return ++at[i]; }) ==
          static_cast<int>(2 * n));
    CHECK(met == std::vector<int>(n, 2));
  }
}

TEST_CASE("reduce_team_columns: each column is reduced") {
  for (std::size_t const rows : {0U, 1U, 64U, 65U, 200U})
    for (std::size_t const columns : {1U, 5U, 32U}) {
      std::vector<std::size_t> sums(columns + 1, 9);
      std::size_t* const to = sums.data();
      plait::reduce_team_columns<plait::sum_reduction, std::size_t>(
          columns, rows, [](std::size_t row, std::size_t column) { return row * column; },
          [=](std::size_t column, std::size_t const& total) { to[column] = total; });
      for (std::size_t c = 0; c != columns; ++c) CHECK(sums[c] == c * (rows == 0 ? 0 : rows * (rows - 1) / 2));
      CHECK(sums[columns] == 9);
    }
}

}  // namespace
