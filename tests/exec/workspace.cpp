#include <plait/exec/workspace.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/serial.hpp>

namespace {

using workspace = plait::workspace<plait::serial>;

TEST_CASE("workspace: a child sees its parent's blobs, not the other way round") {
  workspace parent;
  parent.feed<float>("x", {1}, {1});
  workspace child(parent);
  CHECK(child.fetch<float>("x") == std::vector<float>{1});
  child.feed<float>("y", {2}, {1});
  CHECK_FALSE(parent.contains("y"));
  child.feed<float>("x", {3}, {1});  // the blob there is
  CHECK(parent.fetch<float>("x") == std::vector<float>{3});
  child.local("x").value = parent.view("x").clone();
  child.local("x").is_set = true;
  child.feed<float>("x", {4}, {1});  // now its own
  CHECK(parent.fetch<float>("x") == std::vector<float>{3});
  CHECK(child.fetch<float>("x") == std::vector<float>{4});
  CHECK(parent.names() == std::vector<std::string>{"x"});
}

TEST_CASE("workspace: blobs keep their address, tensors are shared, reset forgets") {
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
