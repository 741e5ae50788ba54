#include <plait/exec/detail/operators/generate_proposals.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string const op = "type: 'GenerateProposals' input: 's' input: 'd' input: 'i' input: 'a' output: 'r' output: 'p' ";

// Arguments for places of a pixel and boxes without the last pixel.
std::string const plain =
    "arg { name: 'spatial_scale' f: 1 } arg { name: 'min_size' f: 0 } arg { name: 'legacy_plus_one' i: 0 } ";

template <class T>
struct proposals {
  std::vector<T> rois;
  std::vector<T> scores;
};

// Runs the op for scores N×A×H×W without deltas, if none are given.
template <class B, class T>
proposals<T> run(shape const& dims, std::vector<T> const& scores, std::vector<T> const& images,
                 std::vector<T> const& anchors, std::string const& arguments, std::vector<T> deltas = {}) {
  deltas.resize(scores.size() * 4);
  auto const blobs = test::run_op<B>(test::table<B>(), op + arguments,
                                     {{"s", test::of<B, T>(dims, scores)},
                                      {"d", test::of<B, T>({dims[0], 4 * dims[1], dims[2], dims[3]}, deltas)},
                                      {"i", test::of<B, T>({dims[0], 3}, images)},
                                      {"a", test::of<B, T>({dims[1], 4}, anchors)}});
  proposals<T> made{blobs.template fetch<T>("r"), blobs.template fetch<T>("p")};
  CHECK(blobs.view("r").dims() == shape{static_cast<std::int64_t>(made.scores.size()), 5});
  return made;
}

template <class B, class T>
void check_type() {
  // Boxes of 4×4 at every second pixel of one row: neighbours share half, of which the union is three times as large.
  shape const dims{2, 1, 1, 3};
  std::vector<T> const scores = {T(0.2), T(0.9), T(0.4), T(0.5), T(0.5), T(0.7)};
  std::vector<T> const images = {10, 20, 1, 10, 20, 1};
  std::vector<T> const anchors = {0, 0, 4, 4};
  std::string const half =
      "arg { name: 'spatial_scale' f: 0.5 } arg { name: 'min_size' f: 0 } "
      "arg { name: 'legacy_plus_one' i: 0 } ";
  auto const all = run<B, T>(dims, scores, images, anchors, half);
  CHECK(all.scores == std::vector<T>{T(0.9), T(0.4), T(0.2), T(0.7), T(0.5), T(0.5)});
  CHECK(all.rois == std::vector<T>{0, 2, 0, 6, 4, 0, 4, 0, 8, 4, 0, 0, 0, 4, 4,  //
                                   1, 4, 0, 8, 4, 1, 0, 0, 4, 4, 1, 2, 0, 6, 4});
  auto const apart = run<B, T>(dims, scores, images, anchors, half + "arg { name: 'nms_thresh' f: 0.3 }");
  CHECK(apart.scores == std::vector<T>{T(0.9), T(0.7), T(0.5)});
  CHECK(apart.rois == std::vector<T>{0, 2, 0, 6, 4, 1, 4, 0, 8, 4, 1, 0, 0, 4, 4});
  auto const few = run<B, T>(dims, scores, images, anchors, half + "arg { name: 'post_nms_topN' i: 1 }");
  CHECK(few.scores == std::vector<T>{T(0.9), T(0.7)});
  auto const ranked = run<B, T>(dims, scores, images, anchors,
                                half + "arg { name: 'pre_nms_topN' i: 2 } arg { name: 'nms_thresh' f: 0.3 }");
  CHECK(ranked.scores == std::vector<T>{T(0.9), T(0.7), T(0.5)});
  // A box moves to the right by its width, and becomes no higher than 1000 / 16 times.
  std::vector<T> deltas(24);
  deltas[1] = 1;
  deltas[10] = 100;
  auto const moved = run<B, T>(dims, scores, images, anchors, half + "arg { name: 'pre_nms_topN' i: 1 }", deltas);
  CHECK(moved.rois == std::vector<T>{0, 6, 0, 10, 10, 1, 4, 0, 8, 4});
}

TEST_CASE_TEMPLATE("GenerateProposals: boxes with the highest scores that do not overlap", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("GenerateProposals: no images, and an output that changes between runs", B, PLAIT_HOST_BACKENDS) {
  CHECK(run<B, float>({0, 1, 2, 2}, {}, {}, {0, 0, 4, 4}, plain).scores.empty());
  CHECK(run<B, float>({1, 2, 0, 2}, {}, {9, 9, 1}, {0, 0, 4, 4, 0, 0, 2, 2}, plain).scores.empty());
  plait::workspace<B> blobs;
  blobs.feed("s", test::of<B, float>({1, 1, 1, 2}, {0.5f, 0.25f}));
  blobs.feed("d", test::of<B, float>({1, 4, 1, 2}, std::vector<float>(8)));
  blobs.feed("i", test::of<B, float>({1, 3}, {9, 9, 1}));
  blobs.feed("a", test::of<B, float>({1, 4}, {0, 0, 4, 4}));
  auto plan = plait::compile(plait::read_netdef_text("op { " + op + plain + " }"), test::table<B>(), blobs);
  plan.run();
  CHECK(blobs.template fetch<float>("p") == std::vector<float>{0.5f, 0.25f});
  blobs.feed("a", test::of<B, float>({1, 4}, {8, 0, 12, 4}));  // the second box is outside
  plan.run();
  CHECK(blobs.template fetch<float>("p") == std::vector<float>{0.5f});
}

TEST_CASE("GenerateProposals: small boxes, centres outside and NaN are dropped") {
  using B = plait::serial;
  auto const count = [](std::vector<float> const& anchor, std::string const& arguments,
                        std::vector<float> const& image = {100, 100, 2}) {
    return run<B, float>({1, 1, 1, 1}, {0.5f}, image, anchor, "arg { name: 'spatial_scale' f: 1 } " + arguments)
        .scores.size();
  };
  CHECK(count({1, 1, 18, 18}, "arg { name: 'min_size' f: 9 }") == 1);
  CHECK(count({1, 1, 18, 18}, "arg { name: 'min_size' f: 9.1 }") == 0);
  CHECK(count({1, 1, 18, 18}, "arg { name: 'min_size' f: 9 } arg { name: 'legacy_plus_one' i: 0 }") == 0);
  CHECK(count({5, 5, 2, 2}, "arg { name: 'min_size' f: 0 }") == 0);
  CHECK(count({200, 200, 218, 218}, "arg { name: 'min_size' f: 0 }") == 1);  // the last pixel
  CHECK(count({200, 200, 218, 218}, plain) == 0);
  CHECK(count({std::numeric_limits<float>::quiet_NaN(), 0, 2, 2}, plain) == 0);
  // Scores that are not numbers come last.
  auto const made = run<B, float>({1, 1, 1, 3}, {std::numeric_limits<float>::quiet_NaN(), 0.25f, 0.5f}, {9, 9, 1},
                                  {0, 0, 4, 4}, plain + "arg { name: 'pre_nms_topN' i: 2 }");
  CHECK(made.scores == std::vector<float>{0.5f, 0.25f});
}

TEST_CASE("GenerateProposals: many equal scores keep the order of anchors and places") {
  using B = plait::serial;
  std::vector<float> const scores(600, 0.5f);
  auto const made = run<B, float>({1, 2, 10, 30}, scores, {1000, 1000, 1}, {0, 0, 1, 1, 500, 500, 501, 501},
                                  plain + "arg { name: 'pre_nms_topN' i: 400 } arg { name: 'post_nms_topN' i: 350 }");
  REQUIRE(made.scores.size() == 350);
  for (std::size_t k : {0U, 29U, 30U, 299U}) {
    CHECK(made.rois[5 * k + 1] == static_cast<float>(k % 30));
    CHECK(made.rois[5 * k + 2] == static_cast<float>(k / 30));
  }
  CHECK(made.rois[5 * 349 + 1] == 500.0f + 49 % 30);
}

TEST_CASE("GenerateProposals: shapes and arguments are refused") {
  using B = plait::serial;
  auto const refusal = [](shape const& deltas, shape const& images, shape const& anchors,
                          std::string const& arguments) {
    return test::error_of<B>(test::table<B>(), op + arguments,
                             {{"s", test::counted<B, float>({1, 2, 2, 2})},
                              {"d", test::counted<B, float>(deltas)},
                              {"i", test::counted<B, float>(images)},
                              {"a", test::counted<B, float>(anchors)}});
  };
  CHECK(refusal({1, 8, 2, 2}, {1, 3}, {2, 4}, "").empty());
  CHECK(test::has(refusal({1, 4, 2, 2}, {1, 3}, {2, 4}, ""), "be 1x8x2x2"));
  CHECK(test::has(refusal({1, 8, 2, 2}, {1, 4}, {2, 4}, ""), "the height, width and scale of each image"));
  CHECK(test::has(refusal({1, 8, 2, 2}, {1, 3}, {3, 4}, ""), "be 2×4"));
  CHECK(test::has(refusal({1, 10, 2, 2}, {1, 3}, {2, 5}, ""), "not have rotated anchors"));
  CHECK(test::has(refusal({1, 8, 2, 2}, {1, 3}, {2, 4}, "arg { name: 'spatial_scale' f: 0 }"), "is not above 0"));
  CHECK(test::has(refusal({1, 8, 2, 2}, {1, 3}, {2, 4}, "arg { name: 'correct_transform_coords' i: 0 }"),
                  "only 1 is supported"));
}

TEST_CASE_TEMPLATE("GenerateProposalsCPP: another name of GenerateProposals", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_op<B>(
      test::table<B>(),
      "type: 'GenerateProposalsCPP' input: 's' input: 'd' input: 'i' input: 'a' output: 'r' output: 'p' " + plain,
      {{"s", test::of<B, float>({1, 1, 1, 1}, {0.5f})},
       {"d", test::of<B, float>({1, 4, 1, 1}, {0, 0, 0, 0})},
       {"i", test::of<B, float>({1, 3}, {9, 9, 1})},
       {"a", test::of<B, float>({1, 4}, {0, 0, 4, 4})}});
  CHECK(blobs.template fetch<float>("r") == std::vector<float>{0, 0, 0, 4, 4});
}

}  // namespace
