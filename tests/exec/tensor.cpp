#include <plait/exec/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <support/emulated_device.hpp>

namespace {

using plait::shape;
using tensor = plait::tensor<plait::serial>;

std::vector<float> count(std::size_t n) {
  std::vector<float> made(n);
  for (std::size_t i = 0; i != n; ++i) made[i] = static_cast<float>(i);
  return made;
}

TEST_CASE_TEMPLATE("tensor: elements are returned as they were given", T, float, double, std::int32_t, std::int64_t,
                   bool, std::uint8_t) {
  std::vector<T> const elements = {T(1), T(0), T(1), T(1), T(0), T(0)};
  auto const t = tensor::from(elements, {2, 3});
  CHECK(t.template values<T>() == elements);
  CHECK(t.spec() == plait::tensor_spec{plait::element_type_of<T>, {2, 3}});
  CHECK(t.template to<plait::omp>().template values<T>() == elements);
  CHECK(t.is_contiguous());
  CHECK(reinterpret_cast<std::uintptr_t>(t.raw()) % 64 == 0);
}

TEST_CASE("tensor::to: copies elements to a device, to another one and back, also those of a view") {
  using first = test::emulated_device;
  struct second : first {};
  auto const t = tensor::from(count(6), {2, 3});
  auto const there = t.to<first>();
  auto const elsewhere = there.to<second>();
  CHECK(elsewhere.spec() == t.spec());
  CHECK(elsewhere.raw() != there.raw());
  CHECK(elsewhere.to<plait::serial>().values<float>() == count(6));
  auto const turned = there.transpose(std::vector<std::size_t>{1, 0});
  CHECK(turned.to<plait::serial>().values<float>() == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(turned.to<second>().values<float>() == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("tensor::from: accepts contiguous ranges") {
  std::vector<float> elements = {1, 2, 3};
  std::array<float, 3> const fixed = {1, 2, 3};
  float const plain[] = {1, 2, 3};
  for (auto const& t : {tensor::from(std::span<float>(elements), {3}), tensor::from(std::span(plain), {3}),
                        tensor::from(fixed, {3}), tensor::from(plain, {3})})
    CHECK(t.values<float>() == elements);
  CHECK_THROWS_AS((void)tensor::from(fixed, {4}), plait::shape_error);
}

TEST_CASE("tensor: copies share memory, clones do not") {
  auto a = tensor::from(count(4), {4});
  CHECK(a.is_unique());
  auto const b = a;
  auto const c = a.clone();
  a.data<float>()[0] = 9;
  CHECK(b.values<float>()[0] == 9);
  CHECK(c.values<float>()[0] == 0);
  CHECK(b.shares_memory(a));
  CHECK_FALSE(c.shares_memory(a));
  CHECK_FALSE(a.is_unique());
}

// Compares views of views with plain indexing.
TEST_CASE("tensor: random views equal index arithmetic, without a copy") {
  std::mt19937 random(2);
  for (int round = 0; round != 300; ++round) {
    auto const whole = tensor::from(count(2 * 3 * 4 * 5), {2, 3, 4, 5});
    tensor view = whole;
    auto const all = [](tensor const& t) {
      std::vector<float> made;
      for (std::int64_t i = 0; i != t.size(); ++i) {
        std::int64_t rest = i;
        std::int64_t offset = 0;
        for (std::size_t axis = t.rank(); axis-- != 0; rest /= t.dims()[axis])
          offset += rest % t.dims()[axis] * t.strides()[axis];
        made.push_back(t.data<float>()[offset]);
      }
      return made;
    };
    for (int step = 0; step != 3; ++step) {
      auto const before = all(view);
      shape const dims = view.dims();
      std::size_t const axis = view.rank() == 0 ? 0 : random() % view.rank();
      if (view.rank() == 0) break;
      if (std::size_t const kind = random() % 3; kind == 0) {
        auto const first = static_cast<std::int64_t>(random() % static_cast<std::size_t>(dims[axis] + 1));
        auto const last =
            first + static_cast<std::int64_t>(random() % static_cast<std::size_t>(dims[axis] - first + 1));
        auto const by = static_cast<std::int64_t>(1 + random() % 2);
        view = view.slice(axis, first, last, by);
        std::vector<float> expected;
        for (std::int64_t i = 0; i != dims.size(); ++i) {
          std::int64_t const place = i / dims.size_from(axis + 1) % dims[axis];
          if (place >= first && place < last && (place - first) % by == 0)
            expected.push_back(before[static_cast<std::size_t>(i)]);
        }
        REQUIRE(all(view) == expected);
      } else if (kind == 1 && dims[axis] != 0) {
        auto const at = static_cast<std::int64_t>(random() % static_cast<std::size_t>(dims[axis]));
        view = view.select(axis, at);
        std::vector<float> expected;
        for (std::int64_t i = 0; i != dims.size(); ++i)
          if (i / dims.size_from(axis + 1) % dims[axis] == at) expected.push_back(before[static_cast<std::size_t>(i)]);
        REQUIRE(all(view) == expected);
      } else {
        std::vector<std::size_t> order(view.rank());
        for (std::size_t i = 0; i != order.size(); ++i) order[i] = i;
        std::ranges::shuffle(order, random);
        auto const turned = view.transpose(order);
        for (std::size_t i = 0; i != order.size(); ++i) REQUIRE(turned.dims()[i] == dims[order[i]]);
        std::vector<std::size_t> back(order.size());
        for (std::size_t i = 0; i != order.size(); ++i) back[order[i]] = i;
        REQUIRE(all(turned.transpose(back)) == before);
        view = turned;
      }
      REQUIRE(view.shares_memory(whole));
      REQUIRE(view.values<float>() == all(view));
      REQUIRE(view.clone().values<float>() == all(view));
      REQUIRE(view.to<plait::omp>().values<float>() == all(view));
      REQUIRE(view.reshape({view.size()}).values<float>() == all(view));
    }
  }
}

TEST_CASE("tensor: borrowed memory is written through, and kept alive by its owner") {
  std::vector<float> memory = count(6);
  auto borrowed = tensor::borrow(std::span(memory), {2, 3});
  borrowed.data<float>()[5] = 50;
  CHECK(memory[5] == 50);
  auto owner = std::make_shared<std::vector<float>>(count(3));
  std::weak_ptr<std::vector<float>> const watch = owner;
  {
    auto const kept = tensor::borrow(std::span(*owner), {3}, owner);
    owner.reset();
    CHECK_FALSE(watch.expired());
    CHECK(kept.values<float>() == count(3));
  }
  CHECK(watch.expired());
}

template <class Tensor>
constexpr bool has_elements = requires(Tensor t) { t.template elements<float>(); };
static_assert(has_elements<tensor&> && has_elements<tensor const&>);
static_assert(!has_elements<plait::tensor<test::emulated_device>&>);  // the host cannot access them
static_assert(std::is_same_v<decltype(std::declval<tensor const&>().elements<float>()), std::span<float const>>);

TEST_CASE("tensor::elements: returns elements in place, if they are contiguous and of that type") {
  auto t = tensor::from(count(6), {2, 3});
  std::span<float> const all = t.elements<float>();
  CHECK(all.data() == t.raw());
  CHECK(std::vector(all.begin(), all.end()) == count(6));
  all[5] = 50;
  CHECK(t.values<float>()[5] == 50);
  tensor const row = t.slice(0, 1, 2);
  CHECK(row.elements<float>().data() == all.data() + 3);
  CHECK(row.elements<float>().size() == 3);
  CHECK(tensor::from(count(1), {}).elements<float>().size() == 1);
  CHECK(tensor().elements<float>().empty());
  CHECK_THROWS_WITH_AS((void)t.elements<double>(), "plait: the tensor holds float32, not float64", plait::shape_error);
  CHECK_THROWS_WITH_AS((void)t.slice(1, 0, 2).elements<float>(), doctest::Contains("float32 2x2 do not follow"),
                       plait::shape_error);
  CHECK(t.slice(1, 0, 2).contiguous().elements<float>().size() == 4);
}

TEST_CASE("tensor::view: replaces any tensor by a view of other memory") {
  std::vector<float> memory = count(24);
  plait::tensor_spec const type{plait::element_type::float32, {2, 3}};
  auto const own = std::make_shared<int>();
  auto const strided = tensor::adopt(memory.data(), type, {4, 1}, nullptr);
  for (tensor t : {tensor(), tensor::uninitialized(plait::element_type::int64, {5}), strided,
                   tensor::borrow<float>(std::span(memory).first(6), {2, 3}, own)})
    for (std::size_t const first : {4U, 11U}) {
      t.view(memory.data() + first, type);
      CHECK(t.owner() == nullptr);
      CHECK(t.spec() == type);
      CHECK(t.values<float>() == std::vector<float>(memory.begin() + static_cast<std::ptrdiff_t>(first),
                                                    memory.begin() + static_cast<std::ptrdiff_t>(first) + 6));
    }
  CHECK(own.use_count() == 1);
}

TEST_CASE("tensor: invalid types, axes and extents are refused") {
  auto const t = tensor::from(count(6), {2, 3});
  CHECK_THROWS_WITH_AS(tensor::from(count(5), {2, 3}), "plait: 5 elements do not make a tensor of 2x3",
                       plait::shape_error);
  CHECK_THROWS_WITH_AS(t.values<double>(), "plait: the tensor holds float32, not float64", plait::shape_error);
  CHECK_THROWS_AS(t.slice(2, 0, 1), plait::shape_error);
  CHECK_THROWS_AS(t.slice(0, 1, 3), plait::shape_error);
  CHECK_THROWS_AS(t.slice(0, -1, 1), plait::shape_error);
  CHECK_THROWS_AS(t.slice(1, 0, 3, 0), plait::shape_error);
  CHECK_THROWS_AS(t.select(0, 2), plait::shape_error);
  CHECK_THROWS_AS(t.transpose(std::vector<std::size_t>{0, 0}), plait::shape_error);
  CHECK_THROWS_AS(t.transpose(std::vector<std::size_t>{0}), plait::shape_error);
  CHECK_THROWS_AS(t.reshape({4}), plait::shape_error);
}

TEST_CASE("tensor: may be empty or a scalar") {
  CHECK(tensor().size() == 0);
  CHECK(tensor::from(std::vector<float>(), {0, 3}).clone().values<float>().empty());
  CHECK(tensor::from(count(1), {}).values<float>() == std::vector<float>{0});
  CHECK(tensor::from(count(1), {}).rank() == 0);
}

}  // namespace
