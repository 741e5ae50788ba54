#include <plait/exec/detail/quantised_blob.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("quantised_blob: accepts uint8 and int32 elements that fill the shape") {
  using plait::quantisation;
  using plait::quantised_blob;
  using plait::tensor_value;
  tensor_value const bytes{{2}, std::vector<std::uint8_t>{1, 255}, quantisation{0.5f, 3}};
  CHECK(quantised_blob(bytes).value() == bytes);
  CHECK(quantised_blob(bytes).kind() == "quantised tensor");
  tensor_value const ints{{}, std::vector<std::int32_t>{-7}, quantisation{}};
  CHECK(quantised_blob(ints).value() == ints);
  for (tensor_value const& wrong :
       {tensor_value{{3}, std::vector<std::uint8_t>{1, 255}, quantisation{}},
        tensor_value{{-1}, std::vector<std::uint8_t>{}, quantisation{}},
        tensor_value{{1}, std::vector<std::uint8_t>{1}, {}}, tensor_value{{1}, std::vector<float>{1}, quantisation{}},
        tensor_value{{1}, std::vector<std::int8_t>{1}, quantisation{}}})
    CHECK_THROWS_AS(quantised_blob{wrong}, plait::shape_error);
}
