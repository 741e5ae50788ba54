// Element programs, assembled by hand and run on the host: contents of cells, functions that can be called, and places
// of operands. fusion/device_group.cpp tests programs of plans.
#include <plait/exec/detail/kernels/element_program.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using plait::device_function;
using plait::element_cell;
using plait::element_program;
using plait::serial;

struct less_than {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct weighted {
  double weight;
  double offset;
  double operator()(double x) const { return weight * x + offset; }
};
struct too_large {
  double numbers[3];
  double operator()(double x) const { return numbers[0] + x; }
};
struct with_memory {
  std::vector<double> numbers;
  double operator()(double x) const { return x; }
};
struct four {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) const {
    return a * 1000 + b * 100 + c * 10 + d;
  }
};

template <class T, std::uint32_t Lanes>
void check_cell(T first) {
  element_cell<Lanes> cell = {};
  for (std::uint32_t l = 0; l != Lanes; ++l) cell.set(l, static_cast<T>(first + static_cast<T>(l)));
  for (std::uint32_t l = 0; l != Lanes; ++l)
    CHECK(cell.template get<T>(l) == static_cast<T>(first + static_cast<T>(l)));
}

TEST_CASE("element_cell: elements of any type are stored side by side") {
  check_cell<std::uint8_t, 4>(250);
  check_cell<std::int32_t, 4>(std::numeric_limits<std::int32_t>::min());
  check_cell<float, 4>(0.5f);
  check_cell<double, 2>(-1e300);
  check_cell<std::int64_t, 2>(std::numeric_limits<std::int64_t>::min());
  check_cell<std::uint8_t, 2>(7);
  check_cell<double, 1>(3.25);
  check_cell<std::uint8_t, 1>(255);
}

TEST_CASE("device_function: wraps functions that are a few numbers, with cells for the widest type") {
  CHECK(device_function::of<serial, float, float>(less_than()).lanes == 4);
  CHECK(device_function::of<serial, double, double>(less_than()).lanes == 2);
  auto const one = device_function::of<serial, double>(weighted{1, 2});
  auto const other = device_function::of<serial, std::int32_t, std::int32_t, std::int32_t, std::int32_t>(four());
  CHECK(bool(one.start));
  CHECK_FALSE(bool(device_function::of<serial, double>(too_large{}).start));
  CHECK_FALSE(bool(device_function::of<serial, double>(with_memory{}).start));
  // All functions have the same launcher, or no two could be in one program.
  CHECK(bool(one.start == other.start));
}

template <class T>
element_program::place place(std::vector<T>& of, std::size_t offset, std::uint32_t row, std::uint8_t column,
                             std::uint8_t cell) {
  return {reinterpret_cast<std::byte*>(of.data() + offset), row, column, sizeof(T), cell};
}

TEST_CASE("element_program: operands are segments of rows, or broadcast rows and columns, in any number of lanes") {
  constexpr std::uint32_t rows = 5;
  constexpr std::uint32_t width = 3;
  for (std::uint8_t const lanes : {std::uint8_t{1}, std::uint8_t{4}}) {
    CAPTURE(static_cast<int>(lanes));
    std::vector<std::int32_t> whole(rows * 2 * width);
    std::iota(whole.begin(), whole.end(), 0);
    std::vector<std::int32_t> row{1, 2, 3};
    std::vector<std::int32_t> column{4, 5, 6, 7, 8};
    std::vector<std::int32_t> one{9};
    std::vector<std::int32_t> made(rows * 2 * width, -1);
    std::vector<std::int32_t> copy(rows * width, -1);
    auto const f = device_function::of<serial, std::int32_t, std::int32_t, std::int32_t, std::int32_t>(four());
    element_program program = {};
    program.count = rows * width;
    program.width = width;
    program.lanes = lanes;
    program.cells = 4;
    program.read_count = 4;
    program.reads[0] = place(whole, width, 2 * width, 1, 0);  // the second half of each row
    program.reads[1] = place(row, 0, 0, 1, 1);
    program.reads[2] = place(column, 0, 1, 0, 2);
    program.reads[3] = place(one, 0, 0, 0, 3);
    program.call_count = 1;
    program.calls[0] = {lanes == 1 ? f.run_one : f.run_several, {0, 1, 2, 3}, 0, 1};
    program.first_writes = 1;
    program.writes[0] = place(copy, 0, width, 1, 0);      // before the call overwrites it
    program.writes[1] = place(made, 0, 2 * width, 1, 0);  // the first half of each row
    CHECK(program.threads() == (lanes == 1 ? 15 : 4));
    f.start(program.threads(), program);
    for (std::uint32_t i = 0; i != rows; ++i)
      for (std::uint32_t j = 0; j != width; ++j) {
        std::int32_t const x = whole[i * 2 * width + width + j];
        CHECK(copy[i * width + j] == x);
        CHECK(made[i * 2 * width + j] == four()(x, row[j], column[i], one[0]));
        CHECK(made[i * 2 * width + width + j] == -1);
      }
  }
}

TEST_CASE("element_program: functions carry their numbers, and comparisons of wide numbers give booleans") {
  for (bool const several : {false, true}) {
    std::vector<double> x{-2, -1, 0, 1, 2};
    std::vector<double> y(5);
    std::vector<std::uint8_t> less(5, 9);
    auto const scale = device_function::of<serial, double>(weighted{-3, 0.5});
    auto const compare = device_function::of<serial, double, double>(less_than());
    element_program program = {};
    program.count = program.width = 5;
    program.lanes = several ? std::uint8_t{2} : std::uint8_t{1};
    program.cells = 2;
    program.read_count = 1;
    program.reads[0] = place(x, 0, 5, 1, 0);
    program.call_count = 2;
    program.calls[0] = {several ? scale.run_several : scale.run_one, {0, 0, 0, 0}, 1, 1};
    program.selves[0] = scale.self;
    program.calls[1] = {several ? compare.run_several : compare.run_one, {0, 1, 0, 0}, 0, 1};
    program.writes[0] = place(y, 0, 5, 1, 1);
    program.writes[1] = place(less, 0, 5, 1, 0);
    scale.start(program.threads(), program);
    for (std::size_t i = 0; i != x.size(); ++i) {
      CHECK(y[i] == -3 * x[i] + 0.5);
      CHECK(less[i] == (x[i] < y[i] ? 1 : 0));
    }
  }
}

}  // namespace
