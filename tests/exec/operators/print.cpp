#include <plait/exec/detail/operators/print.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/observers.hpp>

#include <support/op_oracle.hpp>
#include <support/scratch_folder.hpp>

namespace {

using plait::shape;

// Returns the lines that runs of a net write, each ended by a newline.
template <class B>
std::string printed(std::string const& net, test::feeds<B> const& fed, int runs = 1) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : fed) blobs.feed(name, value.clone());
  auto plan = plait::compile(plait::read_netdef_text(net), test::table<B>(), blobs);
  std::ostringstream text;
  plait::text_observer observer(text);
  for (int run = 0; run != runs; ++run) plan.run({.observer = &observer});
  return text.str();
}

TEST_CASE_TEMPLATE("Print: writes the name, type, shape and elements", B, PLAIT_HOST_BACKENDS) {
  auto const line = [](auto const& x, std::string const& arguments = "") {
    return printed<B>("op { type: 'Print' input: 'a/x' " + arguments + " }", {{"a/x", x}});
  };
  double const infinity = HUGE_VAL;
  auto const some = test::of<B, float>({2, 3}, {1, 2.5f, -3, 4, 1e20f, 0});
  CHECK(line(some) == "Tensor a/x of type float. Dims: (2,3,): 1,2.5,-3,4,1e+20,0\n");
  CHECK(line(some, "arg { name: 'limit' i: 2 }") == "Tensor a/x of type float. Dims: (2,3,): 1,2.5\n");
  CHECK(line(test::of<B, double>({6}, {std::nan(""), infinity, -infinity, 1.0 / 3, 123456789, 1e-8})) ==
        "Tensor a/x of type double. Dims: (6,): nan,inf,-inf,0.333333,1.23457e+08,1e-08\n");
  CHECK(line(test::of<B, float>({}, {2.5f})) == "Tensor a/x of type float. Dims: (): 2.5\n");
  CHECK(line(test::of<B, float>({0, 3}, {})) == "Tensor a/x of type float. Dims: (0,3,): \n");
  CHECK(line(test::of<B, std::int32_t>({2}, {1, -2})) == "Tensor a/x of type int. Dims: (2,): 1,-2\n");
  CHECK(line(test::of<B, std::int64_t>({2}, {1, -2})) == "Tensor a/x of type long int. Dims: (2,): 1,-2\n");
  CHECK(line(test::of<B, std::uint8_t>({2}, {1, 200})) == "Tensor a/x of type uint8. Dims: (2,): 1,200\n");
  CHECK(line(test::of<B, plait::float16>({1}, {{0x3e00}})) == "Tensor a/x of type float16. Dims: (1,): 1.5\n");
  auto const flags = printed<B>("op { type: 'GT' input: 'x' input: 'y' output: 'g' } op { type: 'Print' input: 'g' }",
                                {{"x", test::of<B, float>({2}, {1, 3})}, {"y", test::of<B, float>({2}, {2, 2})}});
  CHECK(flags == "Tensor g of type bool. Dims: (2,): 0,1\n");
  auto const many = line(test::counted<B, std::int32_t>({1'005}));
  CHECK(many.ends_with(",998,999\n"));
}

TEST_CASE_TEMPLATE("Print: writes in the order of the net, in every n-th run", B, PLAIT_HOST_BACKENDS) {
  std::string const text = printed<B>(
      "op { type: 'Print' input: 'x' } op { type: 'Negative' input: 'x' output: 'x' } op { type: 'Print' input: 'x' "
      "arg "
      "{ name: 'every_n' i: 2 } }",
      {{"x", test::of<B, float>({1}, {7})}}, 3);
  std::string const x = "Tensor x of type float. Dims: (1,): ";
  CHECK(text == x + "7\n" + x + "-7\n" + x + "-7\n" + x + "7\n" + x + "-7\n");
}

TEST_CASE("Print: writes to the observer from nested nets, too") {
  using B = plait::serial;
  std::string const text = printed<B>(
      "op { type: 'GT' input: 'x' input: 'y' output: 'c' } op { type: 'If' input: 'c' input: 'x' arg { name: "
      "'then_net' n "
      "{ op { type: 'Print' input: 'x' } external_input: 'x' } } }",
      {{"x", test::of<B, float>({1}, {7})}, {"y", test::of<B, float>({1}, {3})}}, 2);
  std::string const line = "Tensor x of type float. Dims: (1,): 7\n";
  CHECK(text == line + line);
}

TEST_CASE("Print: writes texts") {
  using B = plait::serial;
  plait::workspace<B> blobs;
  plait::feed_text(blobs, "t", {"ab", "c"}, {2});
  auto plan = plait::compile(plait::read_netdef_text("op { type: 'Print' input: 't' }"), test::table<B>(), blobs);
  std::ostringstream text;
  plait::text_observer observer(text);
  plan.run({.observer = &observer});
  CHECK(text.str() == "Tensor t of type std::basic_string<char>. Dims: (2,): ab,c\n");
}

TEST_CASE("Print: writes a file if the net asks for it") {
  using B = plait::serial;
  test::scratch_folder const folder;
  auto const before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (int plan = 0; plan != 2; ++plan) {
    plait::workspace<B> blobs;
    blobs.feed("a/x", test::of<B, float>({1}, {7}));
    auto made =
        plait::compile(plait::read_netdef_text("op { type: 'Print' input: 'a/x' arg { name: 'to_file' i: 1 } }"),
                       test::table<B>(), blobs);
    made.run();
    made.run();
  }
  std::filesystem::current_path(before);
  std::ifstream file(folder.path() / "a#x.log");
  std::string const line = "Tensor a/x of type float. Dims: (1,): 7\n";
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == line + line);
}

TEST_CASE("Print: arguments that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& arguments) {
    return test::error_of<B>(test::table<B>(), "type: 'Print' input: 'x' " + arguments,
                             {{"x", test::counted<B, float>({2})}});
  };
  CHECK(test::has(error("arg { name: 'every_n' i: 0 }"), "'every_n' is less than 1"));
  CHECK(test::has(error("arg { name: 'limit' i: -1 }"), "'limit' is negative"));
}

}  // namespace
