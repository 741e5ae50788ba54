#include <plait/exec/workspace.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/backends/serial/serial.hpp>

namespace {

using workspace = plait::workspace<plait::serial>;

TEST_CASE("workspace: a child sees its parent's blobs, but not vice versa") {
  workspace parent;
  parent.feed<float>("x", {1}, {1});
  workspace child(parent);
  CHECK(child.fetch<float>("x") == std::vector<float>{1});
  child.feed<float>("y", {2}, {1});
  CHECK_FALSE(parent.contains("y"));
  child.feed<float>("x", {3}, {1});  // writes the parent's blob
  CHECK(parent.fetch<float>("x") == std::vector<float>{3});
  child.local("x").value = parent.view("x").clone();
  child.local("x").is_set = true;
  child.feed<float>("x", {4}, {1});  // writes its own blob
  CHECK(parent.fetch<float>("x") == std::vector<float>{3});
  CHECK(child.fetch<float>("x") == std::vector<float>{4});
  CHECK(parent.names() == std::vector<std::string>{"x"});
}

TEST_CASE("workspace: blobs keep their addresses, tensors are shared, reset clears") {
  workspace blobs;
  auto& x = blobs.get("x");
  CHECK_FALSE(blobs.contains("x"));
  auto const fed = plait::tensor<plait::serial>::from(std::vector<float>{1, 2}, {2});
  blobs.feed("x", fed);
  for (int i = 0; i != 1000; ++i) static_cast<void>(blobs.get("b" + std::to_string(i)));
  CHECK(&blobs.get("x") == &x);
  CHECK(blobs.view("x").shares_memory(fed));
  blobs.reset();
  CHECK_FALSE(blobs.contains("x"));
  CHECK(&blobs.get("x") == &x);
}

TEST_CASE("workspace::feed: accepts vectors, spans and arrays") {
  workspace blobs;
  std::vector<float> elements = {1, 2};
  blobs.feed("vector", elements, {2});
  blobs.feed("span", std::span<float>(elements), {2});
  blobs.feed("array", std::array{1.0f, 2.0f}, {1, 2});
  blobs.feed("flags", std::vector<bool>{true, false}, {2});
  for (char const* const name : {"vector", "span", "array"}) CHECK(blobs.fetch<float>(name) == elements);
  CHECK(blobs.fetch<bool>("flags") == std::vector<bool>{true, false});
  CHECK_THROWS_WITH_AS(blobs.feed("array", std::array{1.0f}, {2}),
                       "plait: blob 'array': 1 elements do not make a tensor of 2", plait::shape_error);
}

TEST_CASE("workspace::refill: replaces the elements of a tensor in place") {
  workspace blobs;
  blobs.feed<float>("x", {1, 2, 3, 4}, {2, 2});
  plait::tensor<plait::serial> const held = blobs.view("x");
  blobs.refill<float>("x", {5, 6, 7, 8});
  CHECK(blobs.view("x").shares_memory(held));
  CHECK(held.values<float>() == std::vector<float>{5, 6, 7, 8});
  CHECK_THROWS_WITH_AS(blobs.refill<float>("x", {1}),
                       "plait: blob 'x' holds float32 2x2; 1 elements cannot take their place", plait::shape_error);
  CHECK_THROWS_AS(blobs.refill<double>("x", {1, 2, 3, 4}), plait::net_error);
  CHECK_THROWS_AS(blobs.refill<float>("y", {1}), plait::net_error);
  blobs.feed("x", held.transpose(std::vector<std::size_t>{1, 0}));
  CHECK_THROWS_WITH_AS(blobs.refill<float>("x", {1, 2, 3, 4}), doctest::Contains("not contiguous"), plait::shape_error);
  CHECK(held.values<float>() == std::vector<float>{5, 6, 7, 8});
}

TEST_CASE("workspace::bind: a name refers to a blob of another workspace until it is unbound") {
  workspace outer;
  workspace inner;
  outer.feed<float>("x", {1}, {1});
  inner.feed<float>("a", {5}, {1});
  auto const* const own = inner.find("a");
  inner.bind("a", *outer.find("x"));
  inner.bind("b", outer.get("y"));
  CHECK(inner.fetch<float>("a") == std::vector<float>{1});
  inner.feed<float>("b", {2}, {1});
  CHECK(outer.fetch<float>("y") == std::vector<float>{2});
  inner.reset();  // does not clear blobs of others
  CHECK(outer.contains("x"));
  inner.unbind("a");
  inner.unbind("b");
  inner.unbind("never bound");
  CHECK(inner.find("a") == own);
  CHECK_FALSE(inner.contains("a"));
  CHECK_FALSE(inner.contains("b"));
  CHECK(inner.names().empty());
  CHECK(outer.contains("y"));
}

TEST_CASE("workspace: a blob may hold an object instead of a tensor") {
  struct thing : plait::blob_object {
    std::string_view kind() const override { return "thing"; }
  };
  workspace blobs;
  auto& x = blobs.get("x");
  CHECK(to_string(x.spec()) == "nothing");
  x.object = std::make_shared<thing>();
  x.is_set = true;
  CHECK(to_string(x.spec()) == "object");
  CHECK_THROWS_WITH_AS(blobs.view("x"), "plait: blob 'x' holds a thing, not a tensor", plait::net_error);
  blobs.feed<float>("x", {1}, {1});
  CHECK(x.object == nullptr);
  CHECK(to_string(x.spec()) == "float32 1");
}

TEST_CASE("workspace: errors name the blob") {
  workspace blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  CHECK_THROWS_WITH_AS(blobs.view("gone"), "plait: the workspace has no blob 'gone'", plait::net_error);
  try {
    static_cast<void>(blobs.fetch<double>("x"));
    FAIL("of another type");
  } catch (plait::net_error const& e) {
    CHECK(e.blob == "x");
    CHECK(std::string(e.what()) == "plait: blob 'x' holds float32 2, not float64");
  }
}

}  // namespace
