#include <plait/net/detail/parameter.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using shape = std::vector<std::int64_t>;

TEST_CASE("element_count: product of the dimensions, nullopt if negative or too large") {
  CHECK(plait::element_count(shape{}) == 1);
  CHECK(plait::element_count(shape{2, 3, 4}) == 24);
  CHECK(plait::element_count(shape{2, 0, 4}) == 0);
  CHECK_FALSE(plait::element_count(shape{2, -1}).has_value());
  std::int64_t const huge = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(plait::element_count(shape{huge, huge}).has_value());
  CHECK(plait::element_count(shape{huge, huge, 0}) == 0);
  static_assert(plait::element_count(std::span<std::int64_t const>()) == 1U);
}

TEST_CASE("tensor_value: the type follows the alternative") {
  CHECK(plait::tensor_value{{}, std::vector<float>{1}}.type() == plait::element_type::float32);
  CHECK(plait::tensor_value{{}, std::vector<double>{1}}.type() == plait::element_type::float64);
  CHECK(plait::tensor_value{{}, std::vector<std::uint16_t>{1}}.type() == plait::element_type::uint16);
  CHECK(plait::tensor_value{{}, std::vector<bool>{true}}.type() == plait::element_type::boolean);
  CHECK(plait::tensor_value{{}, std::vector<std::string>{"a"}}.type() == plait::element_type::string);
  CHECK(plait::to_string(plait::element_type::boolean) == "bool");
  CHECK(plait::to_string(plait::element_type::int8) == "int8");
  CHECK(plait::to_string(plait::element_type::string) == "string");
}

TEST_CASE("is_well_formed: as many elements as the shape says") {
  CHECK(plait::is_well_formed({{2, 2}, std::vector<float>{1, 2, 3, 4}}));
  CHECK(plait::is_well_formed({{}, std::vector<std::string>{"scalar"}}));
  CHECK_FALSE(plait::is_well_formed({{2, 2}, std::vector<float>{1, 2, 3}}));
  CHECK_FALSE(plait::is_well_formed({{-1}, std::vector<float>{1}}));
}
