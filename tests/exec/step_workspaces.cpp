#include <plait/exec/detail/step_workspaces.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/serial.hpp>

namespace {

using B = plait::serial;

TEST_CASE("step workspaces see what they share, and through it the net around") {
  plait::step_workspaces<B> kept;
  CHECK(kept.size() == 0);
  plait::workspace<B> outside;
  outside.feed("w", std::vector<float>{1}, {1});
  kept.around().bind("w", *outside.find("w"));
  plait::workspace<B>& first = kept.add();
  kept.add();
  kept.shared().feed("s", std::vector<float>{2}, {1});
  first.local("own");
  CHECK(&kept[0] == &first);
  CHECK(kept[1].find("w") == outside.find("w"));
  CHECK(kept[1].find("s") == first.find("s"));
  CHECK(kept[1].find("own") == nullptr);
  kept.around().unbind("w");
  CHECK_FALSE(first.contains("w"));
  CHECK(outside.contains("w"));
}

TEST_CASE("memory is used again unless another holds it or an input stands in it") {
  plait::slot given;
  plait::slot before;
  plait::slot* inputs[] = {&given, &before};
  given.type = before.type = {plait::element_type::none, {0}};
  plait::op_context<B> const c(inputs, {});
  std::vector<bool> const replaced{false, true};
  plait::tensor<B> memory;
  plait::tensor_spec const type{plait::element_type::float32, {4, 2}};
  plait::renew(memory, type, c, replaced);
  CHECK(memory.spec() == type);
  void* const first = memory.raw();
  plait::renew(memory, type, c, replaced);
  CHECK(memory.raw() == first);
  {
    plait::tensor<B> const held = memory.slice(0, 1, 3);
    // The blob that the op is about to write holds it: that is nobody else.
    before = {const_cast<void*>(held.raw()), held.spec()};
    plait::renew(memory, type, c, replaced);
    CHECK(memory.raw() == first);
    before.type.type = plait::element_type::none;
    plait::renew(memory, type, c, replaced);
    CHECK(memory.raw() != first);
  }
  void* const second = memory.raw();
  given = {memory.raw(), type};
  plait::renew(memory, type, c, replaced);
  CHECK(memory.raw() != second);
  CHECK(memory.spec() == type);
  given.type.type = plait::element_type::none;
  plait::renew(memory, {plait::element_type::float32, {5, 2}}, c, replaced);
  CHECK(memory.dims() == plait::shape{5, 2});
}

}  // namespace
