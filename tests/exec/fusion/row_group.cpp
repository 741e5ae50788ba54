// Row-parallel groups: members, the rows that each thread computes, and exceptions of kernels.
#include <plait/exec/detail/fusion/row_group.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_chain.hpp>
#include <support/thread_counts.hpp>

namespace {

using plait::op_index;
using plait::slot;
using test::one_thread;
using test::three_threads;

constexpr std::size_t enough = plait::cost_model().row_work;

/// Op that adds to each element of input 0 its row's element of input 1; the first one if input 1 is whole; the element
/// of equal index if the op is a sum.
template <class B>
struct adding : plait::op_kernel<B> {
  plait::op_pattern<B> rows{.kind = plait::pattern_kind::rows, .work = enough, .whole_outputs = 0b10};
  bool fails = false;
  double const* fails_from = nullptr;  // where input 0 fails, or up to 13 elements behind it
  std::size_t begun = 0;
  std::atomic<std::size_t> calls = 0;  // of run_rows
  std::atomic<std::size_t> rows_run = 0;
  std::atomic<std::size_t> rows_adding = 0;

  void infer(plait::shape_context&) override {}
  void run(plait::op_context<B>& c) override {
    auto const* const x = c.template input<double>(0);
    auto const* const more = c.template input<double>(1);
    auto* const y = c.template output<double>(0);
    auto const width = static_cast<std::size_t>(c.dims(0)[c.dims(0).rank() - 1]);
    for (std::size_t i = 0; i != c.output_size(0); ++i)
      y[i] = x[i] + more[rows.is_whole_input(1) ? 0 : rows.is_sum ? i : i / width];
  }
  void patterns(plait::op_context<B> const&, std::vector<plait::op_pattern<B>>& to) const override {
    if (rows.work != 0) to.push_back(rows);
  }
  void run_part(plait::op_context<B>& c, plait::op_part const& part) override {
    if (part.kind == plait::op_part::kinds::outputs) {
      ++begun;
      return;
    }
    run_rows(c);
    if (part.addend == nullptr) return;
    rows_adding += static_cast<std::size_t>(c.dims(0)[0]);
    for (std::size_t i = 0; i != c.output_size(0); ++i)
      c.template output<double>(0)[i] += static_cast<double const*>(part.addend)[i];
  }
  void run_rows(plait::op_context<B>& c) {
    ++calls;
    if (fails) throw std::runtime_error("no rows");
    auto const* const from = c.template input<double>(0);
    if (fails_from != nullptr && from >= fails_from && from < fails_from + 14) throw std::runtime_error("not these");
    rows_run += static_cast<std::size_t>(c.dims(0)[0]);
    run(c);
  }
};

/// Chain of ops on 1 x 7 x 2 tensors, with a vector of 7, or a scalar, for each op.
template <class B>
struct chain : test::op_chain<B, adding<B>> {
  explicit chain(std::size_t ops) : test::op_chain<B, adding<B>>(ops, {1, 7, 2}, {7}) {}
  /// Runs the groups and returns their sizes in order.
  std::vector<std::size_t> sizes() { return test::run_groups(find_groups()); }
  plait::fused_groups<B> find_groups() { return this->find(&plait::plan_passes::fuse_rows, true); }
};

using sizes = std::vector<std::size_t>;

template <class B>
plait::row_group<B>& only(plait::fused_groups<B> const& groups) {
  REQUIRE(groups.size() == 1);
  return dynamic_cast<plait::row_group<B>&>(*groups[0]);
}
template <class B>
op_index run(plait::fused_groups<B> const& groups) {
  op_index op = 0;
  only(groups).run(op);
  return op;
}

TEST_CASE("row_group: each row is computed once, with the results of separate ops") {
  chain<three_threads> c(4);
  chain<three_threads> wanted(4);
  CHECK(c.sizes() == sizes{4});
  wanted.run_in_order();
  CHECK(c.memory == wanted.memory);
  for (auto const& kernel : c.kernels) {
    CHECK(kernel->begun == 1);
    CHECK(kernel->rows_run == 7);
  }
}

TEST_CASE("row_group: operands may move between runs") {
  chain<three_threads> c(2);
  auto const groups = c.find_groups();
  std::vector<double> other(14, -1);
  c.slots[2].data = other.data();
  CHECK(run(groups) == 1);
  for (std::size_t i = 0; i != other.size(); ++i)  // 0, 1, … and two vectors that start at 3 and 4
    CHECK(other[i] == static_cast<double>(i + 3 + i / 2 + 4 + i / 2));
}

TEST_CASE("row_group: one thread without an in-place sum, one op, one row or little work form no group") {
  CHECK(chain<one_thread>(4).sizes().empty());
  CHECK(chain<three_threads>(1).sizes().empty());
  chain<three_threads> row(2);
  for (slot& s : row.slots) s.type.dims = s.type.dims.rank() == 3 ? plait::shape{1, 1, 14} : plait::shape{1};
  CHECK(row.sizes().empty());
  chain<three_threads> little(2);
  for (auto& kernel : little.kernels) kernel->rows.work = enough / 2 - 1;
  CHECK(little.sizes().empty());
}

TEST_CASE("row_group: an op that is not row-parallel, or has other rows, ends a group") {
  chain<three_threads> c(5);
  c.kernels[2]->rows.work = 0;
  CHECK(c.sizes() == sizes{2, 2});
  chain<three_threads> other(4);
  other.slots[8].type.dims = {6};  // the last op's vector
  CHECK(other.sizes() == sizes{3});
  chain<three_threads> torn(4);  // as many elements, but seven chunks would split a row of the last op
  torn.slots[4].type.dims = {2, 7};
  CHECK(torn.sizes() == sizes{3});
}

TEST_CASE("row_group: members may share a storage only row by row") {
  chain<three_threads> in_place(3);
  in_place.share(2, 1);
  CHECK(in_place.sizes() == sizes{3});

  chain<three_threads> other_type(4);  // as many bytes, of other elements
  other_type.share(3, 2);
  other_type.slots[3].type = {plait::element_type::float32, {1, 7, 4}};
  other_type.operands[3][0] = &other_type.slots[0];
  CHECK(test::first_ops(other_type.find_groups()) == std::vector<op_index>{0, 2});

  chain<three_threads> whole(4);  // op 2 reads all of op 1's result
  whole.operands[2][1] = &whole.slots[2];
  whole.kernels[2]->rows.whole_inputs = 0b10;
  CHECK(whole.sizes() == sizes{2, 2});

  chain<three_threads> overwritten(4);  // op 2 overwrites an input that op 1 reads as a whole
  overwritten.operands[1][1] = &overwritten.slots[3];
  overwritten.kernels[1]->rows.whole_inputs = 0b10;
  CHECK(overwritten.sizes() == sizes{2, 2});
}

TEST_CASE_TEMPLATE("row_group: the op before computes an in-place sum if it can", B, one_thread, three_threads) {
  // Op 1 adds value 5 to value 1, in place.
  auto const make = [](bool in_place, bool swapped) {
    auto made = std::make_unique<chain<B>>(3);
    made->resize(5, {1, 7, 2}, 0.5);
    if (in_place) made->share(2, 1);
    if (swapped) std::swap(made->operands[1][0], made->operands[1][1]);
    made->kernels[0]->rows.can_add = true;
    made->kernels[1]->rows.is_sum = true;
    return made;
  };
  for (bool const in_place : {true, false})
    for (bool const swapped : {true, false}) {
      auto const c = make(in_place, swapped);
      auto const wanted = make(in_place, swapped);
      wanted->run_in_order();
      // One thread has no use for the other ops of a group.
      bool const grouped = B::concurrency() != 1;
      CHECK(c->sizes() == (grouped ? sizes{3} : in_place ? sizes{2} : sizes{}));
      if (grouped) CHECK(c->memory == wanted->memory);
      CHECK(c->kernels[0]->rows_adding == (in_place ? 7 : 0));
      CHECK(c->kernels[1]->rows_run == (grouped && !in_place ? 7 : 0));
      CHECK(c->kernels[2]->rows_run == (grouped ? 7 : 0));
    }
  auto const twice = make(true, false);  // op 0's result is added to itself
  twice->operands[1][1] = twice->operands[1][0];
  twice->sizes();
  CHECK(twice->kernels[0]->rows_adding == 0);
}

struct pretended_device : one_thread {
  static constexpr bool on_device = true;
};

TEST_CASE("row_group: on a device, a group is an op and the in-place sum that it computes") {
  auto const make = [](bool in_place, bool can_add) {
    chain<pretended_device> made(4);
    made.resize(7, {1, 7, 2}, 0.5);  // the addend of op 2
    if (in_place) made.share(3, 2);
    made.kernels[1]->rows = {.kind = plait::pattern_kind::rows, .can_add = can_add};
    made.kernels[2]->rows.is_sum = true;
    return made;
  };
  auto c = make(true, true);
  auto wanted = make(true, true);
  wanted.kernels[1]->run(wanted.contexts[1]);
  wanted.kernels[2]->run(wanted.contexts[2]);
  auto const groups = c.find_groups();
  CHECK(test::first_ops(groups) == std::vector<op_index>{1});
  CHECK(test::run_groups(groups) == sizes{2});
  CHECK(c.memory == wanted.memory);
  CHECK(c.kernels[1]->rows_adding == 1);
  CHECK(c.kernels[2]->calls == 0);
  CHECK_FALSE(only(groups).may_interchange());
  CHECK(make(false, true).sizes().empty());
  CHECK(make(true, false).sizes().empty());
}

TEST_CASE("row_group: an op that threads do not divide by rows runs whole, alone or with a sum") {
  auto const take_sum = [](auto& c) {  // op 1 adds a tensor of the same shape to value 1, in place
    c.resize(c.kernels.size() + 2, {1, 7, 2}, 0.5);
    c.share(2, 1);
    c.kernels[0]->rows.can_add = true;
    c.kernels[0]->rows.undivided = true;
    c.kernels[1]->rows.is_sum = true;
  };
  chain<three_threads> c(4);
  chain<three_threads> wanted(4);
  take_sum(c);
  take_sum(wanted);
  wanted.run_in_order();
  CHECK(c.sizes() == sizes{2, 2});
  CHECK(c.memory == wanted.memory);
  CHECK(c.kernels[0]->rows_adding == 7);
  CHECK(c.kernels[0]->calls == 1);
  CHECK(c.kernels[2]->calls == 3);

  chain<one_thread> one(4);
  take_sum(one);
  CHECK(one.sizes() == sizes{2});

  chain<three_threads> elsewhere(4);  // the sum is not in place: it joins the ops that follow
  take_sum(elsewhere);
  elsewhere.resize(2, {1, 7, 2});
  CHECK(elsewhere.sizes() == sizes{3});
  CHECK(elsewhere.kernels[0]->calls == 0);

  chain<three_threads> amid(5);
  amid.kernels[2]->rows.undivided = true;
  CHECK(amid.sizes() == sizes{2, 2});
  CHECK(amid.kernels[2]->calls == 0);
}

/// Chain of ops as the body of a loop: each run reads the result of the run before, and writes its own to another
/// place.
struct loop {
  static constexpr std::size_t bytes = 14 * sizeof(double);

  explicit loop(std::size_t ops) : body(ops), states(5 * 14, 1) {}
  std::vector<plait::moving_storage> moving(int step = 1) {
    auto* const data = reinterpret_cast<std::byte*>(states.data());
    std::int64_t const first = step == 1 ? 0 : 4;
    return {{0, data, bytes, plait::npos, first, step},
            {static_cast<std::uint32_t>(body.size()), data, bytes, plait::npos, first + step, step}};
  }
  /// Returns the states after runs in order; after(run, state) changes the result of each run.
  template <class After>
  std::vector<double> one_by_one(std::size_t runs, After const& after, int step = 1) {
    std::vector<double> const before = states;
    for (std::size_t r = 0; r != runs; ++r) {
      std::size_t const from = step == 1 ? r : 4 - r;
      body.slots[0].data = states.data() + from * 14;
      double* const to = states.data() + (step == 1 ? from + 1 : from - 1) * 14;
      body.slots[body.size()].data = to;
      body.run_in_order();
      after(r, to);
    }
    std::vector<double> made = before;
    std::swap(made, states);
    return made;
  }

  chain<three_threads> body;
  std::vector<double> states;
};

TEST_CASE("row_group: loop interchange keeps the results of runs in order") {
  loop l(3);
  auto const groups = l.body.find_groups();
  plait::row_group<three_threads>& rows = only(groups);
  REQUIRE(rows.may_interchange());
  CHECK_FALSE(rows.has_whole(0));
  for (int const step : {1, -1}) {
    auto const wanted = l.one_by_one(
        4, [](std::size_t, double*) {}, step);
    std::size_t const before = l.body.kernels[2]->rows_run;
    std::size_t run = 0;
    op_index op = 0;
    rows.run_all(4, l.moving(step), {}, run, op);
    CHECK(l.states == wanted);
    CHECK(l.body.kernels[2]->rows_run == before + 4 * 7);
    l.states.assign(5 * 14, 1);
  }
}

TEST_CASE("row_group: an interchanged loop reports the first run that fails") {
  loop l(3);
  auto const groups = l.body.find_groups();
  plait::row_group<three_threads>& rows = only(groups);
  std::vector<double> const third(l.states.begin() + 2 * 14, l.states.begin() + 3 * 14);
  l.body.kernels[0]->fails_from = l.states.data() + 2 * 14;
  std::size_t run = 0;
  op_index op = 0;
  CHECK_THROWS_WITH_AS(rows.run_all(4, l.moving(), {}, run, op), "not these", std::runtime_error);
  CHECK(run == 2);
  CHECK(op == 0);
  l.body.kernels[0]->fails_from = nullptr;
  l.states.assign(5 * 14, 1);
  auto const wanted = l.one_by_one(2, [](std::size_t, double*) {});
  rows.run_all(2, l.moving(), {}, run, op);
  CHECK(l.states == wanted);
}

TEST_CASE("row_group: each thread adds addends to its rows of a run's result before the next run") {
  loop l(2);
  auto const groups = l.body.find_groups();
  std::vector<double> first(2 * 14);
  std::iota(first.begin(), first.end(), 100);
  std::vector<double> const second(4 * 14, 0.25);
  // Addends for places from 3 on, and for all places.
  std::vector<plait::moving_addend> const addends{
      {1, plait::element_type::float64, 14, reinterpret_cast<std::byte const*>(first.data()), 3},
      {1, plait::element_type::float64, 14, reinterpret_cast<std::byte const*>(second.data()), 1}};
  auto const wanted = l.one_by_one(4, [&](std::size_t r, double* state) {
    for (std::size_t i = 0; i != 14; ++i) {
      if (r + 1 >= 3) state[i] += first[(r - 2) * 14 + i];
      state[i] += 0.25;
    }
  });
  std::size_t run = 0;
  op_index op = 0;
  only(groups).run_all(4, l.moving(), addends, run, op);
  CHECK(l.states == wanted);
}

TEST_CASE("row_group: loops are not interchanged if threads need a barrier") {
  chain<one_thread> one(2);
  one.resize(4, {1, 7, 2});
  one.share(2, 1);
  one.kernels[0]->rows.can_add = one.kernels[1]->rows.is_sum = true;
  CHECK_FALSE(only(one.find_groups()).may_interchange());

  chain<three_threads> whole(2);  // op 0 overwrites a value that all rows share
  double shared = 0;
  slot all{&shared, {plait::element_type::float64, {1}}, 99};
  whole.operands[0] = {&whole.slots[0], &all, &whole.slots[1], &all};
  whole.contexts[0] =
      plait::op_context<three_threads>({whole.operands[0].data(), 2}, {whole.operands[0].data() + 2, 2});
  whole.kernels[0]->rows.whole_inputs = 0b10;
  CHECK_FALSE(only(whole.find_groups()).may_interchange());

  chain<three_threads> read(2);
  read.kernels[1]->rows.whole_inputs = 0b10;
  read.slots[4].type.dims = {1};
  auto const groups = read.find_groups();
  CHECK(only(groups).may_interchange());
  CHECK(only(groups).has_whole(4));

  chain<three_threads> apart(2);  // no row depends on the other output of op 0
  slot sum{&shared, {plait::element_type::float64, {1}}, 99};
  apart.operands[0].push_back(&sum);
  apart.contexts[0] =
      plait::op_context<three_threads>({apart.operands[0].data(), 2}, {apart.operands[0].data() + 2, 2});
  auto const besides = apart.find_groups();
  CHECK(only(besides).may_interchange());
  CHECK(only(besides).has_whole(99));
}

TEST_CASE("row_group: an exception of a kernel propagates, with the index of its op") {
  chain<three_threads> c(4);
  auto const groups = c.find_groups();
  c.kernels[2]->fails = true;
  op_index op = 0;
  CHECK_THROWS_WITH_AS(only(groups).run(op), "no rows", std::runtime_error);
  CHECK(op == 2);
  c.kernels[2]->fails = false;
  CHECK(run(groups) == 3);
}

TEST_CASE("row_group: divides storages that no op shares between all rows") {
  chain<three_threads> c(2);
  c.kernels[1]->rows.whole_inputs = 0b10;
  c.slots[4].type.dims = {1};
  auto const groups = c.find_groups();
  for (std::uint32_t const storage : {0U, 1U, 2U, 3U}) CHECK(only(groups).divides(storage));
  CHECK_FALSE(only(groups).divides(4));
}

}  // namespace
