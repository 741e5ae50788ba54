#include <plait/exec/detail/step_values.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using B = plait::serial;

TEST_CASE("step_values: returns blobs of steps from arrays, single tensors and places of sequences") {
  plait::step_values<B> kept;
  kept.length = 3;
  kept.states = {plait::tensor<B>::from(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}, {4, 1, 2})};
  kept.values.resize(2);
  kept.values[0].name = "array";
  plait::step_values<B>::make_array(kept.values[0], {plait::element_type::float32, {2, 1}}, 3);
  for (int i = 0; i != 6; ++i) kept.values[0].array.data<float>()[i] = static_cast<float>(10 + i);
  kept.values[1].name = "each";
  kept.values[1].each.resize(3);
  kept.values[1].each[1] = {plait::tensor<B>::from(std::vector<float>{9}, {1}), nullptr, true};
  kept.links.resize(2);
  kept.links[0] = {.name = "h", .state = 0, .offset = 1};
  kept.links[1] = {.name = "x", .copy = kept.states[0].clone(), .window = 2};
  CHECK(kept.names() == std::vector<std::string>{"array", "each", "h", "x"});

  plait::blob<B> const array = kept.at("array", 2);
  CHECK(array.spec() == plait::tensor_spec{plait::element_type::float32, {2, 1}});
  CHECK(array.value.values<float>() == std::vector<float>{14, 15});
  CHECK_FALSE(kept.at("each", 0).is_set);
  CHECK(kept.at("each", 1).value.values<float>() == std::vector<float>{9});
  CHECK(kept.at("h", 0).value.raw() == kept.states[0].slice(0, 1, 2).raw());
  CHECK(kept.at("x", 1).value.values<float>() == std::vector<float>{2, 3, 4, 5});
  CHECK_FALSE(kept.at("other", 0).is_set);

  void const* const memory = kept.values[0].array.raw();
  plait::step_values<B>::make_array(kept.values[0], {plait::element_type::float32, {1, 2}}, 3);
  CHECK(kept.values[0].array.raw() == memory);
  plait::step_values<B>::make_array(kept.values[0], {plait::element_type::float32, {1, 2}}, 4);
  CHECK(kept.values[0].array.raw() != memory);
}

TEST_CASE("renew: memory is reused unless it is held elsewhere or an input aliases it") {
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
    // The blob that the op is about to write holds it, which does not count.
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
