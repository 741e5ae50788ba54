#include <plait/gradient/detail/operand_uses.hpp>

#include <doctest/doctest.h>

using plait::operand_use;
using plait::use_of_operand;

TEST_CASE("operand_uses: elements unless the table lists the operand") {
  CHECK(use_of_operand("TanhGradient", 0) == operand_use::elements);
  CHECK(use_of_operand("SparseToDense", 0) == operand_use::elements);
  CHECK(use_of_operand("SparseToDense", 2) == operand_use::shape);
  CHECK(use_of_operand("CopyOnDeviceLike", 0) == operand_use::elements);
  CHECK(use_of_operand("CopyOnDeviceLike", 1) == operand_use::device);
  CHECK(use_of_operand("Nothing", 0) == operand_use::elements);
}

TEST_CASE("operand_uses: a fill with input_as_shape reads the elements of its input") {
  CHECK(use_of_operand("ConstantFill", 0) == operand_use::shape);
  CHECK(use_of_operand("ConstantFill", 0, true) == operand_use::elements);
}

TEST_CASE("operand_uses: types that broadcast or change the element type do not keep the shape") {
  for (char const* const type : {"Tanh", "Copy", "Softmax", "Sum"}) CHECK(plait::keeps_shape(type));
  for (char const* const type : {"Add", "Mul", "Pow", "Cast", "Not", "FC", "ConstantFill"})
    CHECK_FALSE(plait::keeps_shape(type));
}
