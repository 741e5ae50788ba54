#include <plait/net/detail/caffe2_in_place.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace {

using pairs = std::vector<plait::operand_pair>;

// Expected pairs from Caffe2, which checks nets in which an op has one name twice.
TEST_CASE("caffe2_in_place: the operands that may have one name") {
  CHECK(plait::caffe2_in_place("Relu") == pairs{{0, 0}});
  CHECK(plait::caffe2_in_place("Xor") == pairs{{0, 0}});
  CHECK(plait::caffe2_in_place("ReluGradient") == pairs{{1, 0}});
  CHECK(plait::caffe2_in_place("ThresholdedReluGradient") == pairs{{1, 0}});
  CHECK(plait::caffe2_in_place("SwishGradient") == pairs{{2, 0}});
  CHECK(plait::caffe2_in_place("Mul") == pairs{{0, 0}, {1, 0}});
  CHECK(plait::caffe2_in_place("Div") == pairs{{0, 0}});
  CHECK(plait::caffe2_in_place("MomentumSGDUpdate") == pairs{{0, 0}, {1, 1}, {3, 2}});
  for (char const* none : {"Abs", "Softmax", "Copy", "FC", "RecurrentNetwork", "of no type that Caffe2 has", ""})
    CHECK(plait::caffe2_in_place(none).empty());
}

}  // namespace
