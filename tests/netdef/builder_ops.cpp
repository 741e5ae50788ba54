#include <plait/netdef/detail/builder_ops.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/net_builder.hpp>

namespace {

// Checks that `add` appends the ops of a text to a net with the blobs a, b and c.
template <class Add>
void check_ops(Add const& add, std::string const& expected) {
  plait::net_builder net("n");
  auto const [a, b, c] = net.external_inputs("a", "b", "c");
  add(net, a, b, c);
  plait::netdef const wanted = plait::read_netdef_text("name: \"n\" " + expected +
                                                       " external_input: \"a\" external_input: \"b\" "
                                                       "external_input: \"c\"");
  auto const difference = plait::first_difference(net.net(), wanted);
  INFO(expected);
  if (difference) MESSAGE(difference->path << ": " << difference->left << " / " << difference->right);
  CHECK(net.net() == wanted);
}

}  // namespace

TEST_CASE("builder ops: ops with one input and one output") {
  auto const check = [](auto const& member, std::string const& type) {
    check_ops([&](auto& n, auto& a, auto&, auto&) { CHECK(member(n, a).name() == "n/" + type); },
              "op { type: \"" + type + "\" input: \"a\" output: \"n/" + type + "\" }");
  };
  check([](auto& n, auto& a) { return n.negative(a); }, "Negative");
  check([](auto& n, auto& a) { return n.sqr(a); }, "Sqr");
  check([](auto& n, auto& a) { return n.sqrt(a); }, "Sqrt");
  check([](auto& n, auto& a) { return n.exp(a); }, "Exp");
  check([](auto& n, auto& a) { return n.log(a); }, "Log");
  check([](auto& n, auto& a) { return n.tanh(a); }, "Tanh");
  check([](auto& n, auto& a) { return n.sigmoid(a); }, "Sigmoid");
  check([](auto& n, auto& a) { return n.relu(a); }, "Relu");
  check([](auto& n, auto& a) { return n.softmax(a); }, "Softmax");
  check([](auto& n, auto& a) { return n.copy(a); }, "Copy");
  check([](auto& n, auto& a) { return n.stop_gradient(a); }, "StopGradient");
  check([](auto& n, auto& a) { return n.averaged_loss(a); }, "AveragedLoss");
  check([](auto& n, auto& a) { return n.sum_elements(a); }, "SumElements");
}

TEST_CASE("builder ops: ops with two inputs and one output") {
  auto const check = [](auto const& member, std::string const& type) {
    check_ops([&](auto& n, auto& a, auto& b, auto&) { CHECK(member(n, a, b).name() == "y"); },
              "op { type: \"" + type + "\" input: \"a\" input: \"b\" output: \"y\" }");
  };
  check([](auto& n, auto& a, auto& b) { return n.add(a, b, "y"); }, "Add");
  check([](auto& n, auto& a, auto& b) { return n.sub(a, b, "y"); }, "Sub");
  check([](auto& n, auto& a, auto& b) { return n.mul(a, b, "y"); }, "Mul");
  check([](auto& n, auto& a, auto& b) { return n.div(a, b, "y"); }, "Div");
  check([](auto& n, auto& a, auto& b) { return n.sum({a, b}, "y"); }, "Sum");
  check([](auto& n, auto& a, auto& b) { return n.matmul(a, b, "y"); }, "MatMul");
  check([](auto& n, auto& a, auto& b) { return n.gather(a, b, "y"); }, "Gather");
  check([](auto& n, auto& a, auto& b) { return n.squared_l2_distance(a, b, "y"); }, "SquaredL2Distance");
  check([](auto& n, auto& a, auto& b) { return n.lt(a, b, "y"); }, "LT");
  check([](auto& n, auto& a, auto& b) { return n.le(a, b, "y"); }, "LE");
  check([](auto& n, auto& a, auto& b) { return n.gt(a, b, "y"); }, "GT");
  check([](auto& n, auto& a, auto& b) { return n.ge(a, b, "y"); }, "GE");
  check([](auto& n, auto& a, auto& b) { return n.eq(a, b, "y"); }, "EQ");
}

TEST_CASE("builder ops: ops with arguments, or with other numbers of operands") {
  check_ops([](auto& n, auto& a, auto& b, auto& c) { n.fc(a, b, c, "y"); },
            R"(op { type: "FC" input: "a" input: "b" input: "c" output: "y" })");
  check_ops([](auto& n, auto& a, auto&, auto&) { n.scale(a, 2.5f, a); },
            R"(op { type: "Scale" input: "a" output: "a" arg { name: "scale" f: 2.5 } })");
  check_ops([](auto& n, auto& a, auto&, auto&) { n.pow(a, 2, "y"); },
            R"(op { type: "Pow" input: "a" output: "y" arg { name: "exponent" f: 2 } })");
  check_ops([](auto& n, auto& a, auto&, auto&) { n.clip(a, -1, 0.5f, "y"); },
            R"(op { type: "Clip" input: "a" output: "y" arg { name: "min" f: -1 } arg { name: "max" f: 0.5 } })");
  check_ops(
      [](auto& n, auto& a, auto&, auto&) {
        n.transpose(a, {1, 0}, "y");
      },
      R"(op { type: "Transpose" input: "a" output: "y" arg { name: "axes" ints: 1 ints: 0 } })");
  check_ops(
      [](auto& n, auto& a, auto& b, auto&) {
        CHECK(n.concat({a, b}, 0, "y").name() == "y");
      },
      R"(op { type: "Concat" input: "a" input: "b" output: "y" output: "_y_concat_dims"
                    arg { name: "axis" i: 0 } })");
  check_ops(
      [](auto& n, auto& a, auto& b, auto&) {
        n.concat({a, b});
      },
      R"(op { type: "Concat" input: "a" input: "b" output: "n/Concat" output: "_n/Concat_concat_dims" })");
  check_ops(
      [](auto& n, auto& a, auto&, auto&) {
        n.reshape(a, {-1, 4}, "y");
      },
      R"(op { type: "Reshape" input: "a" output: "y" output: "_y_dims" arg { name: "shape" ints: -1 ints: 4 } })");
  check_ops(
      [](auto& n, auto& a, auto& b, auto&) {
        auto const [softmax, loss] = n.softmax_with_loss(a, b, {"p", "loss"});
        CHECK(softmax.name() == "p");
        CHECK(loss.name() == "loss");
      },
      R"(op { type: "SoftmaxWithLoss" input: "a" input: "b" output: "p" output: "loss" })");
  check_ops(
      [](auto& n, auto& a, auto&, auto&) {
        auto const [p, q] = n.template split<2>(a, 1);
        CHECK(p.name() == "n/Split:0");
        CHECK(q.name() == "n/Split:1");
        CHECK(n.split(a, 3).back().name() == "n/Split:2");  // as in Caffe2, which numbers each output separately
      },
      R"(op { type: "Split" input: "a" output: "n/Split:0" output: "n/Split:1" arg { name: "axis" i: 1 } }
         op { type: "Split" input: "a" output: "n/Split_2:0" output: "n/Split_2:1" output: "n/Split:2" })");
  check_ops([](auto& n, auto&, auto&, auto&) { n.create_scope("ws"); }, R"(op { type: "CreateScope" output: "ws" })");
}

TEST_CASE("builder ops: fills choose the op and dtype by the type of the value") {
  check_ops(
      [](auto& n, auto&, auto&, auto&) {
        n.constant_fill({2, 3}, 1.0, "y");
      },
      R"(op { type: "ConstantFill" output: "y" arg { name: "shape" ints: 2 ints: 3 } arg { name: "value" f: 1 } })");
  check_ops([](auto& n, auto&, auto&, auto&) { n.constant_fill({}, 7, "y"); },
            R"(op { type: "ConstantFill" output: "y" arg { name: "shape" } arg { name: "value" i: 7 }
                    arg { name: "dtype" i: 10 } })");
  check_ops([](auto& n, auto&, auto&, auto&) { n.constant_fill({1}, true, "y"); },
            R"(op { type: "ConstantFill" output: "y" arg { name: "shape" ints: 1 } arg { name: "value" i: 1 }
                    arg { name: "dtype" i: 5 } })");
  check_ops(
      [](auto& n, auto&, auto&, auto&) {
        n.given_tensor({2}, {0.5f, 2}, "y");
      },
      R"(op { type: "GivenTensorFill" output: "y" arg { name: "shape" ints: 2 }
                    arg { name: "values" floats: 0.5 floats: 2 } })");
  check_ops(
      [](auto& n, auto&, auto&, auto&) {
        n.given_tensor(plait::tensor_value{{2}, std::vector<std::int64_t>{5, 6}});
      },
      R"(op { type: "GivenTensorInt64Fill" output: "n/GivenTensorInt64Fill" arg { name: "shape" ints: 2 }
              arg { name: "values" ints: 5 ints: 6 } })");
}

TEST_CASE("builder ops: a tensor without a fill op is refused") {
  plait::net_builder net("n");
  CHECK_THROWS_AS(net.given_tensor({3}, {1, 2}, "y"), plait::net_error);
  CHECK(net.net().op.empty());
}
