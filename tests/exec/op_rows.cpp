// Row ranges of operands, as an op of a row-wise fusion group sees them.
#include <plait/exec/detail/op_rows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using plait::element_type;
using plait::shape;
using plait::slot;
using plait::tensor_spec;

TEST_CASE("divides_into_rows: rows are whole lines of the last axis") {
  auto const divides = [](shape const& dims, std::size_t rows) {
    return plait::divides_into_rows({element_type::float32, dims}, rows);
  };
  CHECK(divides({2, 3, 5}, 6));
  CHECK(divides({2, 3, 5}, 3));  // two lines each
  CHECK_FALSE(divides({2, 3, 5}, 4));
  CHECK_FALSE(divides({2, 3, 5}, 30));
  CHECK(divides({6}, 6));  // one element per row
  CHECK(divides({6}, 2));
  CHECK(divides({}, 1));
  CHECK_FALSE(divides({}, 2));
  CHECK_FALSE(divides({0, 5}, 3));
}

/// Two ops of 6 rows: the first maps 2 x 3 x 4 elements and a shared vector to 6 elements, the second these to 12 x 2.
struct two_ops {
  std::array<std::vector<float>, 4> memory = {std::vector<float>(24), std::vector<float>(4), std::vector<float>(6),
                                              std::vector<float>(24)};
  std::array<slot, 4> slots = {
      slot{memory[0].data(), {element_type::float32, {2, 3, 4}}}, slot{memory[1].data(), {element_type::float32, {4}}},
      slot{memory[2].data(), {element_type::float32, {6}}}, slot{memory[3].data(), {element_type::float32, {12, 2}}}};
  std::array<slot*, 5> operands = {&slots[0], &slots[1], &slots[2], &slots[2], &slots[3]};
  plait::op_context<plait::serial> first{{operands.data(), 2}, {operands.data() + 2, 1}};
  plait::op_context<plait::serial> second{{operands.data() + 3, 1}, {operands.data() + 4, 1}};

  plait::op_rows<plait::serial> rows() {
    plait::op_rows<plait::serial> made(6, 5);
    made.add(first, {.kind = plait::pattern_kind::rows, .whole_inputs = 0b10});
    made.add(second, {.kind = plait::pattern_kind::rows});
    return made;
  }
};

TEST_CASE("op_rows: contexts see the narrowed rows, and operands shared by all rows as a whole") {
  two_ops ops;
  auto made = ops.rows();
  plait::op_rows<plait::serial> rows = std::move(made);  // its internal pointers stay valid
  REQUIRE(rows.operand_count() == 5);
  CHECK(&rows.operand(3) == &ops.slots[2]);
  auto const check = [&](std::size_t row, std::size_t end) {
    rows.narrow(row, end, [&](std::size_t number, std::size_t offset) {
      return static_cast<std::byte*>(rows.operand(number).data) + offset;
    });
    auto const count = static_cast<std::int64_t>(end - row);
    auto& a = rows.context(0);
    auto& b = rows.context(1);
    CHECK(a.dims(0) == shape{count, 4});
    CHECK(a.raw_input(0) == ops.memory[0].data() + 4 * row);
    CHECK(a.dims(1) == shape{4});
    CHECK(a.raw_input(1) == ops.memory[1].data());
    CHECK(a.output_spec(0).dims == shape{count});
    CHECK(a.template output<float>(0) == ops.memory[2].data() + row);
    CHECK(b.raw_input(0) == ops.memory[2].data() + row);
    CHECK(b.output_spec(0).dims == shape{2 * count, 2});
    CHECK(b.template output<float>(0) == ops.memory[3].data() + 4 * row);
  };
  check(0, 2);
  check(2, 4);
  check(4, 5);
  check(0, 6);
}

TEST_CASE("op_rows: rows may be in other memory") {
  two_ops ops;
  auto rows = ops.rows();
  std::vector<float> elsewhere(8);
  rows.narrow(3, 5, [&](std::size_t number, std::size_t offset) -> void* {
    CHECK(offset == std::array<std::size_t, 5>{48, 0, 12, 12, 48}[number]);
    return elsewhere.data();
  });
  CHECK(rows.context(0).raw_input(0) == elsewhere.data());
  CHECK(rows.context(0).dims(0) == shape{2, 4});
}

}  // namespace
