#include <plait/exec/detail/operators/channel_shuffle.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

struct shuffle_case {
  shape dims;
  std::int64_t groups;
  bool last;
};
std::vector<shuffle_case> const cases = {
    {{2, 6, 3, 2}, 2, false}, {{2, 6, 3, 2}, 3, false}, {{2, 3, 2, 6}, 3, true},
    {{3, 8}, 4, false},       {{3, 8}, 2, true},        {{2, 4, 5}, 1, false},
    {{2, 4, 5}, 4, false},    {{0, 4, 2, 2}, 2, false}, {{1, 12, 70, 30}, 3, false}};

template <class B, class T>
void check_type() {
  for (shuffle_case const& at : cases) {
    CAPTURE(to_string(at.dims));
    CAPTURE(at.groups);
    std::size_t const axis = at.last ? at.dims.rank() - 1 : 1;
    std::int64_t const each = at.dims[axis] / at.groups;
    auto const x = test::numbered<T>(at.dims);
    std::vector<T> wanted(x.size());
    for (test::index i : test::indices(at.dims)) {
      T const value = x[test::place(at.dims, i)];
      i[axis] = i[axis] % each * at.groups + i[axis] / each;
      wanted[test::place(at.dims, i)] = value;
    }
    std::string const arguments = " arg { name: 'group' i: " + std::to_string(at.groups) +
                                  " } arg { name: 'order' s: '" + (at.last ? "NHWC" : "NCHW") + "' }";
    auto const blobs = test::run_op<B>(test::table<B>(), "type: 'ChannelShuffle' input: 'x' output: 'y'" + arguments,
                                       {{"x", test::of<B, T>(at.dims, x)}});
    CHECK(blobs.view("y").dims() == at.dims);
    CHECK(blobs.template fetch<T>("y") == wanted);
    auto const back =
        test::run_op<B>(test::table<B>(), "type: 'ChannelShuffleGradient' input: 'y' output: 'x'" + arguments,
                        {{"y", test::of<B, T>(at.dims, wanted)}});
    CHECK(back.template fetch<T>("x") == x);
  }
}

TEST_CASE_TEMPLATE("ChannelShuffle: groups are interleaved, and the gradient restores them", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
  check_type<B, std::int64_t>();
}

TEST_CASE("ChannelShuffle: channels that groups do not divide are refused") {
  using B = plait::serial;
  std::string const error =
      test::error_of<B>(test::table<B>(), "type: 'ChannelShuffle' input: 'x' output: 'y' arg { name: 'group' i: 4 }",
                        {{"x", test::counted<B, float>({2, 6})}});
  CHECK(test::has(error, "have channels for 4 groups"));
}

}  // namespace
