// Column-parallel groups: members, and the columns that each thread computes.
#include <plait/exec/detail/fusion/column_group.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_chain.hpp>
#include <support/thread_counts.hpp>

namespace {

using plait::column_part;
using plait::op_index;
using plait::slot;
using test::one_thread;
using test::three_threads;

constexpr std::size_t enough = plait::cost_model().column_work;

/// Op that adds to each element of input 0 the one of input 1, or the sum of input 1 if that is whole. As an
/// element-wise op, it also takes a scalar input 1.
template <class B>
struct adding : plait::op_kernel<B> {
  plait::op_pattern<B> columns{.kind = plait::pattern_kind::columns, .work = enough};
  bool by_itself = false;
  std::atomic<std::size_t> columns_run = 0;
  std::vector<column_part> parts = std::vector<column_part>(3);  // by first column, in thirds of the width
  std::atomic<std::size_t> calls = 0;

  void infer(plait::shape_context&) override {}
  void run(plait::op_context<B>& c) override { run_columns(c, {c.size(0), 0, c.size(0)}); }
  void run_part(plait::op_context<B>& c, plait::op_part const& part) override { run_columns(c, part.columns); }
  void run_columns(plait::op_context<B> const& c, column_part const& part) {
    ++calls;
    if (part.first * 3 / part.width < 3) parts[part.first * 3 / part.width] = part;
    double const* const more = c.template input<double>(1);
    for (std::size_t block = 0; block != c.size(0); block += part.width)
      for (std::size_t i = block + part.first; i != block + part.last; ++i) {
        ++columns_run;
        c.template output<double>(0)[i] =
            c.template input<double>(0)[i] +
            (columns.is_whole_input(1) ? std::accumulate(more, more + c.size(1), 0.0) : more[i]);
      }
  }
  void patterns(plait::op_context<B> const& c, std::vector<plait::op_pattern<B>>& to) const override {
    if (!by_itself) {
      if (columns.work != 0) to.push_back(columns);
      return;
    }
    plait::element_function does;
    if (c.size(1) == 1)
      does.run = [](void const*, void* const* at, std::size_t count) { add<0>(at, count); };
    else
      does.run = [](void const*, void* const* at, std::size_t count) { add<1>(at, count); };
    to.push_back({.kind = plait::pattern_kind::elements, .does = does});
  }
  template <std::size_t Step>
  static void add(void* const* at, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i)
      static_cast<double*>(at[2])[i] =
          static_cast<double const*>(at[0])[i] + static_cast<double const*>(at[1])[i * Step];
  }
};

/// Chain of ops on rows of 192 numbers: twelve steps, or four blocks of three.
template <class B>
struct chain : test::op_chain<B, adding<B>> {
  static constexpr std::size_t width = 192;

  explicit chain(std::size_t ops) : test::op_chain<B, adding<B>>(ops, {1, 1, width}, {1, 1, width}) {}
  /// Runs the groups and returns their sizes in order.
  std::vector<std::size_t> sizes() { return test::run_groups(find()); }
  plait::fused_groups<B> find() { return test::op_chain<B, adding<B>>::find(&plait::plan_passes::fuse_columns, true); }
};

using sizes = std::vector<std::size_t>;

TEST_CASE("column_group: each column is computed once, with the results of separate ops") {
  chain<three_threads> c(4);
  chain<three_threads> wanted(4);
  CHECK(c.sizes() == sizes{4});
  wanted.run_in_order();
  CHECK(c.memory == wanted.memory);
  for (auto const& kernel : c.kernels) {
    CHECK(kernel->calls == 3);
    CHECK(kernel->columns_run == c.width);
  }
}

TEST_CASE("column_group: a block has the width of the narrowest operand, or one that an op requests") {
  chain<three_threads> c(3);
  c.kernels[1]->columns.width = 48;  // three steps: a thread has one step of each of four blocks
  CHECK(c.sizes() == sizes{3});
  for (auto const& kernel : c.kernels)
    for (std::size_t p = 0; p != 3; ++p) {
      CHECK(kernel->parts[p].width == 48);
      CHECK(kernel->parts[p].first == 16 * p);
      CHECK(kernel->parts[p].last == 16 * (p + 1));
    }

  chain<three_threads> narrow(3);  // the last op's operands are a fourth as wide
  narrow.operands[2] = {&narrow.slots[5], &narrow.slots[6], &narrow.slots[3]};
  narrow.contexts[2] = plait::op_context<three_threads>({narrow.operands[2].data(), 2}, {&narrow.operands[2][2], 1});
  for (std::size_t const of : {3U, 5U, 6U}) narrow.slots[of].type.dims = {1, 48};
  CHECK(narrow.sizes() == sizes{3});
  CHECK(narrow.kernels[0]->parts[2].width == 48);
  CHECK(narrow.kernels[0]->columns_run == 192);
  CHECK(narrow.kernels[2]->columns_run == 48);

  chain<three_threads> other(3);
  other.kernels[1]->columns.width = 48;
  other.kernels[2]->columns.width = 96;
  CHECK(other.sizes() == sizes{2});

  chain<three_threads> steps(2);  // chunks begin at multiples of all steps
  steps.kernels[1]->columns.step = 64;
  CHECK(steps.sizes() == sizes{2});
  CHECK(steps.kernels[0]->parts[1].first == 64);
}

TEST_CASE("column_group: every other run traverses columns backwards") {
  chain<three_threads> c(2);
  auto const groups = c.find();
  for (bool const backwards : {false, true, false}) {
    op_index op = 0;
    groups.at(0)->run(op);
    CHECK(op == 1);
    CHECK(c.kernels[1]->parts[0].backwards == backwards);
  }
}

TEST_CASE("column_group: element-wise ops run on chunks of blocks, with scalar operands or without") {
  chain<three_threads> c(3);
  chain<three_threads> wanted(3);
  for (auto* made : {&c, &wanted}) {
    made->kernels[0]->columns.width = 48;
    made->kernels[1]->by_itself = true;
    made->kernels[2]->by_itself = true;
    made->slots[6].type.dims = {1};
    made->kernels[2]->columns.whole_inputs = 0b10;
  }
  CHECK(c.sizes() == sizes{3});
  wanted.run_in_order();
  CHECK(c.memory == wanted.memory);
  CHECK(c.kernels[1]->calls == 0);
}

TEST_CASE("column_group: operands may move between runs") {
  chain<three_threads> c(2);
  auto const groups = c.find();
  std::vector<double> other(c.width, -1);
  c.slots[2].data = other.data();
  op_index op = 0;
  groups.at(0)->run(op);
  for (std::size_t i = 0; i != other.size(); ++i)  // three rows of numbers that start at 0, 3 and 4
    CHECK(other[i] == static_cast<double>(3 * i + 7));
}

TEST_CASE("column_group: one thread, one op, several rows, few columns or little work form no group") {
  CHECK(chain<one_thread>(4).sizes().empty());
  CHECK(chain<three_threads>(1).sizes().empty());
  chain<three_threads> rows(2);
  for (slot& s : rows.slots) s.type.dims = {2, 96};
  CHECK(rows.sizes().empty());
  chain<three_threads> few(2);
  few.kernels[0]->columns.width = 16;
  CHECK(few.sizes().empty());
  few.kernels[0]->columns.width = 24;  // no multiple of the step
  CHECK(few.sizes().empty());
  chain<three_threads> little(2);
  for (auto& kernel : little.kernels) kernel->columns.work = enough / 2 - 1;
  CHECK(little.sizes().empty());
}

TEST_CASE("column_group: an op that is not column-parallel ends a group") {
  chain<three_threads> c(5);
  c.kernels[2]->columns.work = 0;
  CHECK(c.sizes() == sizes{2, 2});
}

TEST_CASE("column_group: members may share a storage only column by column") {
  chain<three_threads> in_place(3);
  in_place.share(2, 1);
  CHECK(in_place.sizes() == sizes{3});

  chain<three_threads> other_type(4);  // as many bytes, of other columns
  other_type.share(3, 2);
  other_type.slots[3].type = {plait::element_type::float32, {1, 2 * 192}};
  other_type.operands[3][0] = other_type.operands[3][1];
  CHECK(test::first_ops(other_type.find()) == std::vector<op_index>{0});

  chain<three_threads> whole(4);  // op 2 reads all of op 1's result
  whole.operands[2][1] = &whole.slots[2];
  whole.kernels[2]->columns.whole_inputs = 0b10;
  CHECK(whole.sizes() == sizes{2, 2});

  chain<three_threads> overwritten(4);  // op 2 overwrites an input that op 1 reads as a whole
  overwritten.operands[1][1] = &overwritten.slots[3];
  overwritten.kernels[1]->columns.whole_inputs = 0b10;
  CHECK(overwritten.sizes() == sizes{2, 2});
}

}  // namespace
