// Dependences between members of a fusion group, and the storages that its members divide.
#include <plait/exec/detail/fusion/fused_group.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using B = plait::serial;

/// Op with operands in some storages, of four floats each unless a test changes their type.
struct op {
  std::vector<plait::slot> slots;
  std::vector<plait::slot*> operands;
  plait::op_context<B> context;
  plait::op_pattern<B> by = {.kind = plait::pattern_kind::rows};

  op(std::initializer_list<std::uint32_t> inputs, std::initializer_list<std::uint32_t> outputs) {
    for (auto const& storages : {inputs, outputs})
      for (std::uint32_t const s : storages) slots.push_back({nullptr, {plait::element_type::float32, {4}}, s});
    for (plait::slot& s : slots) operands.push_back(&s);
    context = plait::op_context<B>({operands.data(), inputs.size()}, {operands.data() + inputs.size(), outputs.size()});
  }
  plait::group_member<B> member() { return {nullptr, &context, by}; }
};

bool clash(op& a, op& b) { return plait::detail::clashes(a.member(), b.member()); }

TEST_CASE("clashes: ops that access a written storage in equal parts do not clash, others do") {
  op reads_0({0, 1}, {2});
  op reads_1({1}, {3});
  op writes_0({3}, {0});
  CHECK_FALSE(clash(reads_0, reads_1));
  CHECK_FALSE(clash(reads_0, writes_0));
  CHECK_FALSE(clash(writes_0, reads_0));
  reads_0.by.whole_inputs = 0b10;  // storage 1, which no op writes
  CHECK_FALSE(clash(reads_0, writes_0));
  reads_0.by.whole_inputs = 0b01;
  CHECK(clash(reads_0, writes_0));
  CHECK(clash(writes_0, reads_0));
  CHECK_FALSE(clash(reads_0, reads_1));
}

TEST_CASE("clashes: parts are equal only if values have one size, and elements have one size") {
  op reads({0}, {1});
  op writes({2}, {0});
  writes.slots[1].type = {plait::element_type::float64, {2}};
  CHECK(clash(reads, writes));
  writes.slots[1].type = {plait::element_type::float32, {3}};
  CHECK(clash(reads, writes));
  writes.slots[1].type = {plait::element_type::int32, {2, 2}};
  CHECK_FALSE(clash(reads, writes));
}

TEST_CASE("clashes: whole outputs clash with parts, but not with each other") {
  op a({0}, {1, 2});
  op b({1}, {3, 2});
  a.by.whole_outputs = b.by.whole_outputs = 0b10;
  CHECK_FALSE(clash(a, b));
  op reads({2}, {4});
  CHECK(clash(a, reads));
}

TEST_CASE("divides: true for a storage that all ops access in parts") {
  op a({0, 1}, {2});
  op b({2}, {3, 4});
  a.by.whole_inputs = 0b10;
  b.by.whole_outputs = 0b10;
  std::vector<plait::group_member<B>> const members{a.member(), b.member()};
  std::vector<bool> made;
  for (std::uint32_t s = 0; s != 6; ++s) made.push_back(plait::detail::divides(std::span(members), s));
  CHECK(made == std::vector<bool>{true, false, true, true, false, true});
}

}  // namespace
