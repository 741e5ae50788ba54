#include <plait/exec/detail/mdspan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>

#include <doctest/doctest.h>
#include <plait/exec/backends/serial/serial.hpp>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace {

// Smallest type that satisfies strided_view.
template <class T>
struct archetype {
  using element_type = T;
  T* data;
  std::array<int, 2> extents;
  std::array<int, 2> steps;
  T* data_handle() const { return data; }
  static constexpr std::size_t rank() { return 2; }
  int extent(std::size_t axis) const { return extents[axis]; }
  int stride(std::size_t axis) const { return steps[axis]; }
};
struct no_strides {
  using element_type = float;
  float* data_handle() const;
  static constexpr std::size_t rank() { return 1; }
  int extent(std::size_t) const;
};
static_assert(plait::strided_view<archetype<float>> && plait::strided_view<archetype<float const>>);
static_assert(!plait::strided_view<archetype<char>> && !plait::strided_view<no_strides> &&
              !plait::strided_view<std::vector<float>> && !plait::strided_view<int>);

TEST_CASE("borrow_view: a view is read and written in place, whatever its strides") {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  archetype<float> const columns{memory.data(), {3, 2}, {1, 3}};  // column-major
  auto t = plait::borrow_view<plait::serial>(columns);
  CHECK(t.dims() == plait::shape{3, 2});
  CHECK(t.values<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
  t.select(0, 1).select(0, 1).data<float>()[0] = 50;
  CHECK(memory[4] == 50);
}

// View that can be constructed over a tensor: row-major, or with any strides.
template <class T, class Index, bool Strided, std::size_t... Extents>
struct small_view {
  using element_type = T;
  using index_type = Index;
  static constexpr std::size_t rank() { return sizeof...(Extents); }
  static constexpr std::size_t static_extent(std::size_t axis) {
    return std::array<std::size_t, sizeof...(Extents) + 1>{Extents..., 0}[axis];
  }
  using numbers = std::array<Index, sizeof...(Extents)>;
  struct extents_type {
    explicit extents_type(numbers const& n) : each(n) {}
    numbers each;
  };
  struct mapping_type {
    explicit mapping_type(extents_type const& e)
      requires(!Strided)
        : extents(e) {
      Index next = 1;
      for (std::size_t axis = rank(); axis-- != 0; next = static_cast<Index>(next * e.each[axis])) steps[axis] = next;
    }
    mapping_type(extents_type const& e, numbers const& s)
      requires Strided
        : extents(e), steps(s) {}
    Index stride(std::size_t axis) const { return steps[axis]; }
    extents_type extents;
    numbers steps;
  };
  small_view(T* at, mapping_type const& m) : data(at), mapping(m) {}
  T* data_handle() const { return data; }
  Index extent(std::size_t axis) const { return mapping.extents.each[axis]; }
  Index stride(std::size_t axis) const { return mapping.steps[axis]; }
  T* data;
  mapping_type mapping;
};
constexpr std::size_t any = static_cast<std::size_t>(-1);
template <class T, std::size_t... Extents>
using rows = small_view<T, int, false, Extents...>;
template <class T, std::size_t... Extents>
using strided = small_view<T, int, true, Extents...>;
static_assert(plait::made_of_mapping<rows<float, any>> && !plait::made_of_mapping<archetype<float>> &&
              !plait::made_of_mapping<rows<char, any>> && !plait::made_of_mapping<int>);

using tensor = plait::tensor<plait::serial>;

template <class V, class Tensor>
constexpr bool can_be_viewed = requires(Tensor t) { plait::view_as<V>(t); };
static_assert(can_be_viewed<rows<float, any>, tensor&> && can_be_viewed<rows<float const, any>, tensor const&>);
static_assert(!can_be_viewed<rows<float, any>, tensor const&>);  // a const tensor has no writable view

template <class V, class Tensor>
V seen(Tensor&& t) {
  return plait::view_as<V>(t);
}
using list = rows<float, any>;
using plane = rows<float, any, any>;
using strided_plane = strided<float, any, any>;

TEST_CASE("view_as: a tensor is read and written in place") {
  auto t = tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  auto const all = seen<rows<float, any, 3>>(t);
  CHECK(all.data == t.raw());
  CHECK(all.extent(0) == 2);
  CHECK(all.extent(1) == 3);
  all.data[4] = 50;
  CHECK(t.values<float>()[4] == 50);

  auto turned = t.transpose(std::vector<std::size_t>{1, 0}).slice(0, 1, 3);
  auto const view = seen<strided_plane>(turned);
  CHECK(view.mapping.steps == std::array{1, 3});
  CHECK(plait::borrow_view<plait::serial>(view).values<float>() == turned.values<float>());
  // An axis of extent one may have any stride.
  auto const corner = t.slice(1, 2, 3).slice(0, 1, 2);
  CHECK(seen<rows<float const, 1, 1>>(corner).data[0] == 6);

  CHECK(*seen<rows<float const>>(tensor::from(std::vector<float>{7}, {})).data == 7);
  auto const none = tensor::from(std::vector<float>{}, {0, 3}).transpose(std::vector<std::size_t>{1, 0});
  CHECK(seen<rows<float const, any, any>>(none).extent(0) == 3);
}

TEST_CASE("view_as: types and layouts that a view cannot represent are refused") {
  auto t = tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  auto const refuses = [](auto const& see, char const* why) {
    CHECK_THROWS_WITH_AS(see(), doctest::Contains(why), plait::shape_error);
  };
  refuses([&] { seen<rows<double, any, any>>(t); }, "not float64");
  refuses([&] { seen<list>(t); }, "float32 2x3: it has 1 axes");
  refuses([&] { seen<rows<float, any, 4>>(t); }, "its axis 1 has 4 places");
  auto const turned = t.transpose(std::vector<std::size_t>{1, 0});
  refuses([&] { seen<rows<float const, any, any>>(turned); }, "axis 0 has other strides");
  auto same = tensor::adopt(t.raw(), t.spec(), {0, 1}, nullptr);  // rows that alias
  refuses([&] { seen<strided_plane>(same); }, "no index for axis 0");
  auto const too_long = tensor::from(std::vector<float>(200), {200});
  refuses([&] { seen<small_view<float const, std::int8_t, false, any>>(too_long); }, "no index for axis 0");

  using deep = rows<float, 1, 1, 1, 1, 1, 1, 1, 1, 1>;
  refuses([&] { seen<deep>(t); }, "it has 9 axes");
  float memory = 0;
  deep const view(&memory, deep::mapping_type(deep::extents_type({1, 1, 1, 1, 1, 1, 1, 1, 1})));
  CHECK_THROWS_AS((void)plait::borrow_view<plait::serial>(view), plait::shape_error);
}

#if defined(__cpp_lib_mdspan)
TEST_CASE("std::mdspan: converts from and to tensors") {
  using any_two = std::dextents<std::int64_t, 2>;
  auto t = tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  auto const all = seen<std::mdspan<float, std::extents<int, 2, std::dynamic_extent>>>(t);
  CHECK(all.data_handle()[5] == 6);
  CHECK(all.extent(1) == 3);
  auto turned = t.transpose(std::vector<std::size_t>{1, 0});
  using row_major = std::mdspan<float, any_two>;
  CHECK_THROWS_AS(seen<row_major>(turned), plait::shape_error);
  using column_major = std::mdspan<float, any_two, std::layout_left>;
  CHECK(seen<column_major>(turned).data_handle() == t.raw());
  using any_strides = std::mdspan<float, any_two, std::layout_stride>;
  auto const view = seen<any_strides>(turned);
  CHECK(view.stride(1) == 3);
  CHECK(plait::borrow_view<plait::serial>(view).values<float>() == turned.values<float>());
  auto one = tensor::from(std::vector<float>{7}, {});
  auto const place = seen<std::mdspan<float, std::extents<int>>>(one);
  CHECK(*place.data_handle() == 7);
  CHECK(plait::borrow_view<plait::serial>(place).rank() == 0);
}
#endif

}  // namespace
