// Micro-kernels of each instruction set, compared with sums written out, without tolerance: operands are small whole
// numbers, with exact sums and products.
#include <plait/exec/detail/kernels/gemm_tiles.hpp>

#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <support/gemm_cases.hpp>

namespace {

using plait::detail::gemm_kernel;
using plait::detail::gemm_tile;
using std::ptrdiff_t;
using test::whole_numbers;

/// Arguments of a tile besides its size.
struct way {
  int beta;
  bool from_elsewhere;
  ptrdiff_t from_row;  ///< 0: the same row for all
  bool adds;
  ptrdiff_t a_gap = 0;     ///< nonzero if a is not packed
  bool a_by_rows = false;  ///< for at most loose_rows rows
};

template <class T>
void check_tile(gemm_kernel<T> const& kernel, ptrdiff_t rows, ptrdiff_t panels, ptrdiff_t k, ptrdiff_t missing,
                way const& w) {
  ptrdiff_t const width = kernel.width;
  ptrdiff_t const columns = panels * width - missing;
  ptrdiff_t const c_row = panels * width + 3;
  bool const by_rows = w.a_by_rows && rows <= kernel.loose_rows;
  ptrdiff_t const a_step = by_rows ? 1 : rows + w.a_gap;
  ptrdiff_t const a_row = by_rows ? k + w.a_gap : 1;
  auto const a = whole_numbers<T>((k + w.a_gap) * (rows + w.a_gap), 1);
  auto const b = whole_numbers<T>(k * panels * width, 2);
  auto const elsewhere = whole_numbers<T>(rows * c_row, 3);
  auto const more = whole_numbers<T>(rows * c_row, 4);
  auto c = whole_numbers<T>(rows * c_row, 5);
  auto wanted = c;
  for (ptrdiff_t i = 0; i != rows; ++i)
    for (ptrdiff_t j = 0; j != columns; ++j) {
      T sum = 0;
      for (ptrdiff_t l = 0; l != k; ++l)
        sum += a[static_cast<std::size_t>(l * a_step + i * a_row)] *
               b[static_cast<std::size_t>(j / width * width * k + l * width + j % width)];
      auto const at = static_cast<std::size_t>(i * c_row + j);
      T const from = w.from_elsewhere ? elsewhere[static_cast<std::size_t>(i * w.from_row + j)] : c[at];
      wanted[at] = sum + static_cast<T>(w.beta) * from + (w.adds ? more[at] : T(0));
    }

  gemm_tile<T> t{};
  t.k = k;
  t.a = a.data();
  t.a_step = a_step;
  t.a_row = a_row;
  t.b = b.data();
  t.b_row = width;
  t.b_panel = width * k;
  t.c = c.data();
  t.c_row = c_row;
  t.columns = columns;
  t.from = w.from_elsewhere ? elsewhere.data() : c.data();
  t.from_row = w.from_elsewhere ? w.from_row : c_row;
  t.beta = static_cast<T>(w.beta);
  t.more = w.adds ? more.data() : nullptr;
  t.more_row = c_row;
  t.ahead = reinterpret_cast<char const*>(b.data());
  t.count = 1;
  kernel.tiles[static_cast<std::size_t>(panels)][static_cast<std::size_t>(rows)](t);
  CAPTURE(rows);
  CAPTURE(panels);
  CAPTURE(k);
  CAPTURE(missing);
  CAPTURE(w.beta);
  CAPTURE(w.adds);
  CHECK(c == wanted);
}

TEST_CASE_TEMPLATE("gemm_tiles: tiles sum products, beta * from and the addend, and write nothing beside the tile", T,
                   float, double) {
  for (auto const set : test::instruction_sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    CAPTURE(static_cast<int>(set));
    ptrdiff_t const c_row = kernel.width + 3;  // for one panel; wider tiles read rows that overlap
    for (ptrdiff_t rows = 1; rows <= kernel.rows; ++rows)
      for (ptrdiff_t panels = 1; panels <= kernel.wide_panels[static_cast<std::size_t>(rows)]; ++panels)
        for (ptrdiff_t const k : {1, 4, 7, 33})
          for (ptrdiff_t const missing : {ptrdiff_t{0}, ptrdiff_t{1}, ptrdiff_t{kernel.width - 1}})
            for (way const& w : {way{0, false, 0, false}, way{0, false, 0, true}, way{1, false, 0, false},
                                 way{-2, false, 0, true}, way{1, true, 0, true}, way{3, true, c_row, false},
                                 way{0, false, 0, false, 3}, way{1, false, 0, false, 2, true}})
              check_tile(kernel, rows, panels, k, missing, w);
  }
}

// c contains NaN before it is written, and `from`, which is not read, is null.
TEST_CASE_TEMPLATE("gemm_tiles: c is written, not read, if beta is 0", T, float, double) {
  for (auto const set : test::instruction_sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    std::vector<T> const a(2, T(1));
    std::vector<T> const b(static_cast<std::size_t>(kernel.width), T(2));
    std::vector<T> c(static_cast<std::size_t>(2 * kernel.width), std::numeric_limits<T>::quiet_NaN());
    gemm_tile<T> t{};
    t.k = 1;
    t.a = a.data();
    t.a_step = 2;
    t.b = b.data();
    t.b_row = t.b_panel = t.c_row = t.columns = kernel.width;
    t.c = c.data();
    t.ahead = reinterpret_cast<char const*>(b.data());
    t.count = 1;
    kernel.tiles[1][2](t);
    CHECK(c == std::vector<T>(c.size(), T(2)));
  }
}

TEST_CASE_TEMPLATE("gemm_tiles: a call of several tiles equals as many calls, and leaves the pointers at the last", T,
                   float, double) {
  constexpr ptrdiff_t k = 5, count = 3, step = 7;
  for (auto const set : test::instruction_sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    CAPTURE(static_cast<int>(set));
    for (ptrdiff_t rows = 1; rows <= kernel.rows; ++rows)
      for (bool const adds : {false, true})
        for (bool const back : {false, true}) {
          CAPTURE(rows);
          CAPTURE(adds);
          CAPTURE(back);
          ptrdiff_t const size = rows * kernel.width;
          auto const a = whole_numbers<T>(k * rows + count * step, 1);
          auto const b = whole_numbers<T>(k * kernel.width + count * step, 2);
          auto const from = whole_numbers<T>(size + count * step, 3);
          auto const more = whole_numbers<T>(size + count * step, 4);
          auto const before = whole_numbers<T>(count * size, 5);
          ptrdiff_t const first = back ? count - 1 : 0;
          auto const tile = [&](std::vector<T>& c, ptrdiff_t i) {
            gemm_tile<T> t{};
            t.k = k;
            t.a = a.data() + i * step;
            t.a_step = rows;
            t.a_row = 1;
            t.b = b.data() + i * step;
            t.b_row = t.b_panel = t.c_row = t.from_row = t.more_row = t.columns = kernel.width;
            t.c = c.data() + i * size;
            t.from = from.data() + i * step;
            t.beta = T(2);
            t.more = adds ? more.data() + i * step : nullptr;
            t.ahead = reinterpret_cast<char const*>(b.data());
            t.count = 1;
            return t;
          };
          auto const function = kernel.tiles[1][static_cast<std::size_t>(rows)];
          auto wanted = before, c = before;
          for (ptrdiff_t i = 0; i != count; ++i) {
            gemm_tile<T> one = tile(wanted, i);
            function(one);
          }
          gemm_tile<T> all = tile(c, first);
          all.count = count;
          all.a_next = all.b_next = all.from_next = all.more_next = back ? -step : step;
          all.c_next = back ? -size : size;
          function(all);
          CHECK(c == wanted);
          gemm_tile<T> const last = tile(c, count - 1 - first);
          CHECK(all.a == last.a);
          CHECK(all.b == last.b);
          CHECK(all.c == last.c);
          CHECK(all.from == last.from);
          CHECK(all.more == last.more);
        }
  }
}

// Rows of b begin anywhere, and in any order.
TEST_CASE_TEMPLATE("placed tiles: they read rows of b at their places, and add a bias to each row", T, float, double) {
  for (auto const set : test::instruction_sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    auto const& placed = plait::detail::placed_tiles_for<T>(set);
    CAPTURE(static_cast<int>(set));
    for (ptrdiff_t rows = 1; rows <= kernel.loose_rows; ++rows)
      for (ptrdiff_t panels = 1; panels <= kernel.wide_panels[static_cast<std::size_t>(rows)]; ++panels)
        for (ptrdiff_t const k : {1, 2, 9}) {
          CAPTURE(rows);
          CAPTURE(panels);
          CAPTURE(k);
          ptrdiff_t const columns = panels * kernel.width;
          std::vector<ptrdiff_t> places;
          for (ptrdiff_t i = 0; i != k; ++i) places.push_back((i * 7 + 3) % 10);
          auto const a = whole_numbers<T>(rows * k, 1);
          auto const b = whole_numbers<T>(columns + 10, 2);
          auto const bias = whole_numbers<T>(rows, 3);
          std::vector<T> c(static_cast<std::size_t>(rows * columns));
          std::vector<T> wanted;
          for (ptrdiff_t i = 0; i != rows; ++i)
            for (ptrdiff_t j = 0; j != columns; ++j) {
              T sum = bias[static_cast<std::size_t>(i)];
              for (ptrdiff_t l = 0; l != k; ++l)
                sum += a[static_cast<std::size_t>(i * k + l)] *
                       b[static_cast<std::size_t>(places[static_cast<std::size_t>(l)] + j)];
              wanted.push_back(sum);
            }
          gemm_tile<T> t{};
          t.k = k;
          t.a = a.data();
          t.a_row = k;
          t.b = b.data();
          t.b_panel = kernel.width;
          t.b_places = places.data();
          t.bias = bias.data();
          t.c = c.data();
          t.c_row = t.columns = columns;
          t.count = 1;
          placed[static_cast<std::size_t>(panels)][static_cast<std::size_t>(rows)](t);
          CHECK(c == wanted);
        }
  }
}

}  // namespace
