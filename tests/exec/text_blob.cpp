#include <plait/exec/detail/text_blob.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

TEST_CASE("feed_text: texts are fetched as they were fed, and are no tensor") {
  plait::workspace<plait::serial> blobs;
  plait::feed_text(blobs, "t", {"a", "", "ccc", "d"}, {2, 2});
  auto const found = plait::fetch_text(blobs, "t");
  CHECK(found->elements() == std::vector<std::string>{"a", "", "ccc", "d"});
  CHECK(found->dims() == plait::shape{2, 2});
  CHECK(blobs.contains("t"));
  try {
    (void)blobs.view("t");
    FAIL("accepted");
  } catch (plait::net_error const& e) {
    CHECK(std::string(e.what()) == "plait: blob 't' holds a tensor of texts, not a tensor");
  }
  plait::feed_text(blobs, "t", {}, {0});
  CHECK(plait::fetch_text(blobs, "t")->elements().empty());
  CHECK(found->elements().size() == 4);  // fetched texts stay valid
}

TEST_CASE("feed_text and fetch_text: texts that do not fill a shape or are missing are refused") {
  plait::workspace<plait::serial> blobs;
  CHECK_THROWS_AS(plait::feed_text(blobs, "t", {"a"}, {2}), plait::shape_error);
  CHECK_FALSE(blobs.contains("t"));
  blobs.feed("x", std::vector<float>{1}, {1});
  for (std::string const name : {"t", "x"}) {
    try {
      (void)plait::fetch_text(blobs, name);
      FAIL("accepted");
    } catch (plait::net_error const& e) {
      CHECK(e.blob == name);
    }
  }
}
