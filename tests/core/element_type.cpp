#include <plait/core/detail/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <plait/net/detail/parameter.hpp>

namespace {

using plait::element_type;

static_assert(to_string(element_type::float32) == "float32" && to_string(element_type::boolean) == "bool");

TEST_CASE("element_type: names are unique") {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(element_type::uint64); ++i) {
    std::string_view const name = to_string(static_cast<element_type>(i));
    CHECK(!name.empty());
    CHECK(names.insert(name).second);
  }
}

TEST_CASE("element_type: the first ones are in the order of tensor_value's alternatives") {
  using storage = plait::tensor_value::storage;
  CHECK(std::variant_size_v<storage> == static_cast<std::size_t>(element_type::string) + 3);
  CHECK(plait::tensor_value{{}, std::vector<std::string>()}.type() == element_type::string);
  CHECK(plait::tensor_value{{}, std::vector<std::uint32_t>()}.type() == element_type::uint32);
  CHECK(plait::tensor_value{{}, std::vector<std::uint64_t>()}.type() == element_type::uint64);
}

}  // namespace
