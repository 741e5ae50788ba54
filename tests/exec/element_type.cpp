#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <plait/exec/detail/element_type.hpp>

namespace {

using plait::element_type;

static_assert(plait::element<float> && plait::element<bool> && plait::element<plait::bfloat16>);
static_assert(!plait::element<char> && !plait::element<long double> && !plait::element<float const>);
static_assert(plait::element<std::uint32_t> && plait::element<std::uint64_t> && !plait::element<std::string>);
static_assert(plait::element_type_of<std::int64_t> == element_type::int64);

}  // namespace

TEST_CASE_TEMPLATE("visit_type: visits the C++ type of an enumerator, which has its size", T, float, double,
                   std::int32_t, std::int64_t, bool, std::uint8_t, plait::float16, plait::bfloat16) {
  element_type const type = plait::element_type_of<T>;
  CHECK(plait::size_of(type) == sizeof(T));
  int calls = 0;
  bool const found =
      plait::visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t, plait::float16, plait::bfloat16>(
          type, [&]<class U>(U value) {
            ++calls;
            CHECK(std::is_same_v<U, T>);
            CHECK(value == U{});
          });
  CHECK(found);
  CHECK(calls == 1);
}

TEST_CASE("visit_type: does not visit a type that is not listed") {
  int calls = 0;
  CHECK_FALSE(plait::visit_type<float, double>(element_type::int32, [&](auto) { ++calls; }));
  CHECK_FALSE(plait::visit_type<bool>(element_type::float32, [&](auto) { ++calls; }));
  CHECK(plait::size_of(element_type::string) == 0);
  CHECK(calls == 0);
}

TEST_CASE("float16 and bfloat16: equality compares bits") {
  CHECK(plait::float16{0x3c00} == plait::float16{0x3c00});
  CHECK(plait::float16{0x3c00} != plait::float16{0x3c01});
  CHECK(plait::bfloat16{} == plait::bfloat16{0});
}
