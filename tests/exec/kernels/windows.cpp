#include <plait/exec/detail/kernels/windows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

#include <support/image_oracle.hpp>
#include <support/op_oracle.hpp>

namespace {

plait::windows windows_of(test::window_case const& c) {
  plait::windows made;
  for (std::size_t axis = 0; axis != c.rank(); ++axis) {
    std::size_t const at = 3 - c.rank() + axis;
    made.in[at] = c.extent(axis);
    made.out[at] = c.windows(axis);
    made.kernel[at] = c.kernel[axis];
    made.stride[at] = c.stride[axis];
    made.dilation[at] = c.dilation[axis];
    made.head[at] = c.head[axis];
  }
  return made;
}

TEST_CASE("windows: place_of() and window_at() are inverse to each other") {
  for (test::window_case const& c : test::window_cases()) {
    plait::windows const w = windows_of(c);
    for (std::size_t axis = 0; axis != 3; ++axis)
      for (std::int64_t tap = 0; tap != w.kernel[axis]; ++tap) {
        std::int64_t seen = 0;
        for (std::int64_t window = 0; window != w.out[axis]; ++window) {
          std::int64_t const place = w.place_of(axis, window, tap);
          if (place < 0) continue;
          ++seen;
          CHECK(w.window_at(axis, place, tap) == window);
        }
        for (std::int64_t place = 0; place != w.in[axis]; ++place) {
          std::int64_t const window = w.window_at(axis, place, tap);
          if (window < 0) continue;
          --seen;
          CHECK(w.place_of(axis, window, tap) == place);
        }
        CHECK(seen == 0);
      }
    for (std::size_t axis = 0; axis != 3; ++axis) {
      for (std::int64_t window = 0; window != w.out[axis]; ++window)
        for (std::int64_t tap = 0; tap != w.kernel[axis]; ++tap) {
          bool const inside = w.tap_from(axis, window, 0) <= tap && tap < w.tap_from(axis, window, w.in[axis]);
          CHECK(inside == (w.place_of(axis, window, tap) >= 0));
        }
      for (std::int64_t place = 0; place != w.in[axis]; ++place) {
        std::vector<std::int64_t> wanted, got;
        for (std::int64_t tap = 0; tap != w.kernel[axis]; ++tap)
          if (w.window_at(axis, place, tap) >= 0) wanted.insert(wanted.end(), {tap, w.window_at(axis, place, tap)});
        w.for_each_at(axis, place, [&](std::int64_t tap, std::int64_t window) {
          got.insert(got.end(), {tap, window});
        });
        CHECK(got == wanted);
      }
    }
    for (std::int64_t tap = 0; tap != w.kernel[2]; ++tap)
      for (std::int64_t place = 0; place <= w.in[2]; ++place) {
        std::int64_t first = 0;
        while (first < w.out[2] && first * w.stride[2] + w.shift(tap) < place) ++first;
        CHECK(w.window_from(place, tap, 0, w.out[2]) == first);
      }
  }
}

TEST_CASE("windows: are_places() is true if windows are the places, one by one") {
  plait::windows w;
  w.in = w.out = {1, 4, 5};
  CHECK(w.are_places());
  CHECK(w.places() == 20);
  CHECK(w.taps() == 1);
  w.stride[2] = 2;
  w.out[2] = 3;
  CHECK_FALSE(w.are_places());
  CHECK(w.count() == 12);
}

// Compares with the definition. Columns are linear, so the way back is the product with the transposed matrix.
TEST_CASE_TEMPLATE("windows_to_columns, columns_to_windows: columns are right in both orders and in groups", B,
                   plait::serial, plait::omp, plait::tbb) {
  for (test::window_case c : test::window_cases())
    for (std::int64_t const groups : {1, 2, 3}) {
      if (!c.last && groups != 1) continue;
      c.x.set(0, 1);
      CAPTURE(plait::to_string(c.x));
      CAPTURE(c.last);
      plait::windows const w = windows_of(c);
      std::int64_t const channels = c.channels();
      auto const x = test::numbered<double>(c.x, 1);
      std::size_t const count = static_cast<std::size_t>(channels) * w.taps() * w.count();
      std::vector<double> columns(count, -1);
      std::vector<double> back(x.size(), -1);
      std::vector<double> slopes(count);
      for (std::size_t i = 0; i != count; ++i) slopes[i] = static_cast<double>(i * 31 % 17);
      if (c.last) {
        plait::windows_to_columns<B>(w, {0, static_cast<std::int64_t>(w.count())}, x.data(), columns.data(), channels,
                                     groups);
        plait::columns_to_windows<B>(w, slopes.data(), back.data(), channels, groups);
      } else {
        plait::windows_to_columns<B>(w, {0, static_cast<std::int64_t>(w.count())}, x.data(), columns.data(), channels);
        plait::columns_to_windows<B>(w, slopes.data(), back.data(), channels);
      }
      std::vector<double> expected(count, 0);
      std::vector<double> expected_back(x.size(), 0);
      std::int64_t const width = channels / groups;
      plait::shape const all(c.kernel);
      std::int64_t window = 0;
      test::index extents;
      for (std::size_t axis = 0; axis != c.rank(); ++axis) extents.push_back(c.windows(axis));
      for (test::index const& at : test::indices(plait::shape(extents))) {
        c.for_taps(at, [&](test::index const& tap, test::index const& place) {
          if (place.empty()) return;
          auto const tap_number = static_cast<std::int64_t>(test::place(all, tap));
          for (std::int64_t channel = 0; channel != channels; ++channel) {
            std::int64_t const column =
                c.last ? ((channel / width * static_cast<std::int64_t>(w.count()) + window) * all.size() + tap_number) *
                                 width +
                             channel % width
                       : (channel * all.size() + tap_number) * static_cast<std::int64_t>(w.count()) + window;
            std::size_t const element = test::place(c.x, c.at(0, channel, place));
            expected[static_cast<std::size_t>(column)] = x[element];
            expected_back[element] += slopes[static_cast<std::size_t>(column)];
          }
        });
        ++window;
      }
      CHECK(columns == expected);
      CHECK(back == expected_back);
    }
}

}  // namespace
