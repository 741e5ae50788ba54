#include <plait/netdef/model.hpp>

#include <utility>

#include <doctest/doctest.h>

TEST_CASE("model: gradient ops without other cold fields share one object, until one is edited") {
  plait::netdef net;
  plait::op_def& a = net.add_op("Relu", {"x"}, {"y"});
  CHECK_FALSE(a.rare);
  CHECK_FALSE(a.extras().is_gradient_op.has_value());
  a.rare.mark_gradient();
  plait::op_def b = a;
  CHECK(&a.extras() == &b.extras());
  CHECK(b.extras().is_gradient_op == true);

  b.edit_extras().engine = net.intern("CUDNN");
  CHECK(b.extras().is_gradient_op == true);
  CHECK_FALSE(a.extras().engine);

  plait::op_def c = b;
  c.edit_extras().is_gradient_op = false;
  CHECK(b.extras().is_gradient_op == true);
  c.rare.mark_gradient();
  CHECK(c.extras().is_gradient_op == true);
  CHECK(net.text(c.extras().engine) == "CUDNN");

  b = a;
  CHECK(&a.extras() == &b.extras());
  plait::op_def d = std::move(c);
  CHECK_FALSE(c.rare);
  CHECK(net.text(d.extras().engine) == "CUDNN");
  d = plait::op_def();
  CHECK_FALSE(d.rare);

  plait::op_def plain;
  plain.edit_extras().op_version = 3;
  CHECK_FALSE(plain.extras().is_gradient_op.has_value());
}

TEST_CASE("model: adopt translates the cold fields of an op to the symbols of the other net") {
  plait::netdef from;
  plait::op_def& op = from.add_op("FC", {"x", "w", "b"}, {"y"});
  op.rare.mark_gradient();
  plait::netdef to;
  to.intern("something else");
  plait::op_def const marked = to.adopt(op, from);
  CHECK(&marked.extras() == &op.extras());

  op.edit_extras().engine = from.intern("PACKED");
  op.edit_extras().control_input = {from.intern("before")};
  plait::op_def const adopted = to.adopt(op, from);
  CHECK(to.text(adopted.extras().engine) == "PACKED");
  REQUIRE(adopted.extras().control_input.size() == 1);
  CHECK(to.text(adopted.extras().control_input[0]) == "before");
  CHECK(adopted.extras().is_gradient_op == true);
}
