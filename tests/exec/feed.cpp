#include <plait/exec/feed.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using plait::parameter;
using plait::tensor_value;
using workspace = plait::workspace<plait::serial>;

tensor_value value_of(workspace const& blobs, std::string const& name) { return plait::to_value(blobs.view(name)); }

TEST_CASE_TEMPLATE("feed: values are fetched as they were fed", T, float, double, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, bool, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  for (tensor_value const& given : {tensor_value{{2, 3}, std::vector<T>{1, 0, 1, 1, 0, 0}},
                                    tensor_value{{}, std::vector<T>{1}}, tensor_value{{4, 0}, std::vector<T>{}}}) {
    CHECK(plait::to_value(plait::to_tensor<plait::serial>(given)) == given);
    workspace blobs;
    plait::feed(blobs, std::vector<parameter>{{"a", given}});
    CHECK(value_of(blobs, "a") == given);
  }
}

TEST_CASE("feed: quantised values keep their scale and zero point") {
  std::vector<parameter> const given = {
      {"q", {{2}, std::vector<std::uint8_t>{1, 255}, plait::quantisation{0.5f, 128}}},
      {"bias", {{1}, std::vector<std::int32_t>{-70'000}, plait::quantisation{0.25f, 0}}}};
  workspace blobs;
  plait::feed(blobs, given);
  CHECK(plait::fetch(blobs, {"q", "bias"}) == given);
  CHECK_THROWS_WITH_AS((void)blobs.view("q"), "plait: blob 'q' holds a quantised tensor, not a tensor",
                       plait::net_error);
  CHECK_THROWS_AS((void)plait::to_tensor<plait::serial>(given[0].value), plait::shape_error);
}

TEST_CASE("fetch: returns fed values by name") {
  std::vector<parameter> const given = {{"a", {{2}, std::vector<float>{1, 2}}},
                                        {"n", {{}, std::vector<std::int64_t>{7}}}};
  workspace blobs;
  plait::feed(blobs, given);
  CHECK(plait::fetch(blobs, std::vector<std::string>{"a", "n"}) == given);
  CHECK(plait::fetch(blobs, {"n"}) == std::vector<parameter>{given[1]});
  CHECK(plait::fetch(blobs, std::vector<std::string>()).empty());
  CHECK_THROWS_WITH_AS((void)plait::fetch(blobs, {"a", "b"}), "plait: the workspace has no blob 'b'", plait::net_error);
}

TEST_CASE("feed: the last of several parameters of one name wins") {
  workspace blobs;
  tensor_value const first{{1}, std::vector<float>{1}};
  tensor_value const second{{2}, std::vector<double>{2, 3}};
  plait::feed(blobs, std::vector<parameter>{{"a", first}, {"a", second}});
  CHECK(value_of(blobs, "a") == second);
}

TEST_CASE("feed: invalid values are refused, and the workspace is unchanged") {
  tensor_value const good{{2}, std::vector<float>{1, 2}};
  tensor_value const better{{2}, std::vector<float>{3, 4}};
  struct wrong {
    tensor_value value;
    std::string says;
  };
  for (wrong const& each : {wrong{{{2}, std::vector<std::string>{"a", "b"}}, "no tensors of string"},
                            wrong{{{3}, std::vector<float>{1, 2}}, "3"}, wrong{{{-1}, std::vector<float>{}}, "-1"},
                            wrong{{{1, 1, 1, 1, 1, 1, 1, 1, 1}, std::vector<float>{1}}, "at most 8 dimensions"}}) {
    CAPTURE(each.says);
    workspace blobs;
    plait::feed(blobs, std::vector<parameter>{{"a", good}});
    std::string said;
    try {
      plait::feed(blobs, std::vector<parameter>{{"a", better}, {"b", each.value}});
    } catch (plait::shape_error const& e) {
      said = e.what();
    }
    CAPTURE(said);
    CHECK(said.find(each.says) != said.npos);
    CHECK(value_of(blobs, "a") == good);
    CHECK_FALSE(blobs.contains("b"));
  }
}

}  // namespace
