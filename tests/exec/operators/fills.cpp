#include <plait/exec/detail/operators/fills.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/text_blob.hpp>
#include <support/run_op.hpp>

namespace {

std::string fill(std::string const& arguments, std::string const& type = "ConstantFill") {
  return "type: \"" + type + "\" output: \"y\" " + arguments;
}
std::string ints(char const* name, std::vector<int> const& values) {
  std::string made = std::string("arg { name: \"") + name + "\"";
  for (int const value : values) made += " ints: " + std::to_string(value);
  return made + " } ";
}
std::string integer(char const* name, long long value) {
  return std::string("arg { name: \"") + name + "\" i: " + std::to_string(value) + " } ";
}
std::string real(char const* name, char const* value) {
  return std::string("arg { name: \"") + name + "\" f: " + value + " } ";
}

template <class B>
plait::workspace<B> run(std::string const& op, test::feeds<B> const& fed = {}) {
  auto const& table = test::table<B>();
  return test::run_op<B>(table, op, fed);
}

TEST_CASE_TEMPLATE("fills: ZerosLike has the shape and precision of its input, if any", B, PLAIT_HOST_BACKENDS) {
  std::string const op = R"(type: "ZerosLike" input: "x" output: "y")";
  auto const zeros = [&]<class T, class Like>(T, Like like) {
    auto const blobs = run<B>(op, {{"x", test::of<B>({2, 1}, std::vector<Like>{like, like})}});
    CHECK(blobs.view("y").dims() == plait::shape{2, 1});
    CHECK(blobs.template fetch<T>("y") == std::vector<T>(2, T{0}));
  };
  zeros(0.0f, 1.5f);
  zeros(0.0, 1.5);
  zeros(0.0f, std::int64_t{7});
  auto const none = run<B>(op);
  CHECK(none.view("y").dims() == plait::shape{0});
  CHECK(none.template fetch<float>("y").empty());
}

TEST_CASE_TEMPLATE("fills: ConstantFill has every element type", B, PLAIT_HOST_BACKENDS) {
  std::string const shape = ints("shape", {2, 3});
  auto const all = [&]<class T>(std::string const& arguments, T value) {
    auto const blobs = run<B>(fill(shape + arguments));
    CHECK(blobs.view("y").dims() == plait::shape{2, 3});
    CHECK(blobs.template fetch<T>("y") == std::vector<T>(6, value));
  };
  all("", 0.0f);
  all(real("value", "1.5"), 1.5f);
  all(integer("value", 7), std::int64_t{7});
  all(integer("value", 9'007'199'254'740'993), std::int64_t{9'007'199'254'740'993});
  all(integer("dtype", 1) + integer("value", 7), 7.0f);
  all(integer("dtype", 13) + real("value", "0.25"), 0.25);
  all(integer("dtype", 13) + integer("value", 16'777'217), 16'777'217.0);
  all(integer("dtype", 2) + integer("value", -7), std::int32_t{-7});
  all(integer("dtype", 2) + real("value", "-2"), std::int32_t{-2});
  all(integer("dtype", 10), std::int64_t{0});
  all(integer("dtype", 5) + integer("value", 1), true);
  all(integer("dtype", 5) + real("value", "0"), false);
  all(integer("dtype", 6) + integer("value", 255), std::uint8_t{255});
  auto const half = run<B>(fill(shape + integer("dtype", 12) + real("value", "1")));
  CHECK(half.view("y").type() == plait::element_type::float16);
  CHECK(half.template fetch<plait::float16>("y") == std::vector<plait::float16>(6, {0x3c00}));
}

TEST_CASE_TEMPLATE("fills: the shape comes from an argument, an input, or its elements", B, PLAIT_HOST_BACKENDS) {
  CHECK(run<B>(fill("")).view("y").dims() == plait::shape());
  CHECK(run<B>(fill(ints("shape", {}))).view("y").dims() == plait::shape());
  CHECK(run<B>(fill(ints("shape", {0, 2}))).view("y").dims() == plait::shape{0, 2});
  CHECK(run<B>(fill(ints("shape", {300, 211}) + real("value", "3"))).template fetch<float>("y") ==
        std::vector<float>(63'300, 3));

  test::feeds<B> const fed = {{"x", test::of<B, std::int64_t>({2}, {3, 4})},
                              {"narrow", test::of<B, std::int32_t>({1}, {5})}};
  CHECK(run<B>(fill("input: \"x\""), fed).view("y").dims() == plait::shape{2});
  CHECK(run<B>(fill("input: \"x\" " + ints("extra_shape", {6})), fed).view("y").dims() == plait::shape{2, 6});
  std::string const elements = integer("input_as_shape", 1);
  CHECK(run<B>(fill("input: \"x\" " + elements), fed).view("y").dims() == plait::shape{3, 4});
  CHECK(run<B>(fill("input: \"narrow\" " + elements + ints("extra_shape", {1, 2})), fed).view("y").dims() ==
        plait::shape{5, 1, 2});
}

TEST_CASE("fills: the shape follows its input from run to run") {
  using B = plait::serial;
  auto const& table = test::table<B>();
  plait::workspace<B> blobs;
  blobs.feed("x", test::of<B, std::int64_t>({2}, {3, 4}));
  auto plan = plait::compile(
      plait::read_netdef_text("op { " + fill("input: \"x\" " + integer("input_as_shape", 1)) + " }"), table, blobs);
  plan.run();
  CHECK(blobs.view("y").dims() == plait::shape{3, 4});
  blobs.feed("x", test::of<B, std::int64_t>({2}, {1, 2}));
  plan.run();
  CHECK(blobs.view("y").dims() == plait::shape{1, 2});
}

TEST_CASE_TEMPLATE("fills: quantised tensors are objects with a scale and a zero point", B, PLAIT_HOST_BACKENDS) {
  auto const value = [](plait::workspace<B> blobs) {
    auto const held = std::dynamic_pointer_cast<plait::quantised_blob>(blobs.find("y")->object);
    REQUIRE(held != nullptr);
    return held->value();
  };
  std::string const shape = ints("shape", {1, 2});
  CHECK(value(run<B>(fill(
            shape + R"(arg { name: "values" s: "\001\200" })" + real("Y_scale", "0.5") + integer("Y_zero_point", 128),
            "Int8GivenTensorFill"))) ==
        plait::tensor_value{{1, 2}, std::vector<std::uint8_t>{1, 128}, plait::quantisation{0.5f, 128}});
  CHECK(value(run<B>(fill(shape + ints("values", {-70'000, 3}), "Int8GivenIntTensorFill"))) ==
        plait::tensor_value{{1, 2}, std::vector<std::int32_t>{-70'000, 3}, plait::quantisation{}});
}

TEST_CASE_TEMPLATE("fills: GivenTensor*Fill copy elements of each type", B, PLAIT_HOST_BACKENDS) {
  std::string const shape = ints("shape", {2, 2});
  std::string const reals = R"(arg { name: "values" floats: 1.5 floats: -2 floats: 0 floats: 0.1 })";
  CHECK(run<B>(fill(shape + reals, "GivenTensorFill")).template fetch<float>("y") ==
        std::vector<float>{1.5, -2, 0, 0.1f});
  CHECK(run<B>(fill(shape + reals, "GivenTensorDoubleFill")).template fetch<double>("y") ==
        std::vector<double>{1.5, -2, 0, double(0.1f)});
  std::string const integers = ints("values", {1, 0, -3, 7});
  CHECK(run<B>(fill(shape + integers, "GivenTensorFill")).template fetch<float>("y") ==
        std::vector<float>{1, 0, -3, 7});
  CHECK(run<B>(fill(shape + integers, "GivenTensorIntFill")).template fetch<std::int32_t>("y") ==
        std::vector<std::int32_t>{1, 0, -3, 7});
  CHECK(run<B>(fill(shape + integers, "GivenTensorInt64Fill")).template fetch<std::int64_t>("y") ==
        std::vector<std::int64_t>{1, 0, -3, 7});
  CHECK(run<B>(fill(shape + integers, "GivenTensorBoolFill")).template fetch<bool>("y") ==
        std::vector<bool>{true, false, true, true});
  CHECK(run<B>(fill(shape + integers, "GivenTensorInt16Fill")).template fetch<std::int16_t>("y") ==
        std::vector<std::int16_t>{1, 0, -3, 7});
  CHECK(run<B>(fill(shape + reals, "GivenTensorFp16Fill")).template fetch<plait::float16>("y") ==
        std::vector<plait::float16>{{0x3e00}, {0xc000}, {0}, {0x2e66}});
  CHECK(run<B>(fill(shape + R"(arg { name: "values" strings: "A\000\377z" })", "GivenTensorByteStringToUInt8Fill"))
            .template fetch<std::uint8_t>("y") == std::vector<std::uint8_t>{65, 0, 255, 122});
  std::string const large = "arg { name: 'shape' ints: 1 } arg { name: 'values' ints: 9007199254740993 } ";
  CHECK(run<B>(fill(large, "GivenTensorDoubleFill")).template fetch<double>("y") ==
        std::vector<double>{9'007'199'254'740'992.0});
  auto const typed = [&](int type) { return fill(shape + integers + integer("dtype", type), "GivenTensorFill"); };
  CHECK(run<B>(typed(1)).template fetch<float>("y") == std::vector<float>{1, 0, -3, 7});
  CHECK(run<B>(typed(13)).template fetch<double>("y") == std::vector<double>{1, 0, -3, 7});
  CHECK(run<B>(typed(2)).template fetch<std::int32_t>("y") == std::vector<std::int32_t>{1, 0, -3, 7});
  CHECK(run<B>(typed(5)).template fetch<bool>("y") == std::vector<bool>{true, false, true, true});
  CHECK(run<B>(fill(large + integer("dtype", 10), "GivenTensorFill")).template fetch<std::int64_t>("y") ==
        std::vector<std::int64_t>{9'007'199'254'740'993});
  CHECK(run<B>(fill("arg { name: \"shape\" ints: 0 }", "GivenTensorFill")).view("y").dims() == plait::shape{0});
  CHECK(run<B>(fill("input: \"x\" " + integers, "GivenTensorIntFill"),
               {{"x", test::of<B>({4, 1}, std::vector<float>(4))}})
            .view("y")
            .dims() == plait::shape{4, 1});
}

TEST_CASE_TEMPLATE("fills: GivenTensorStringFill copies texts", B, PLAIT_HOST_BACKENDS) {
  std::string const texts = R"(arg { name: "values" strings: "a" strings: "" strings: "cc" strings: "\377" } )";
  auto const given = plait::fetch_text(run<B>(fill(ints("shape", {2, 2}) + texts, "GivenTensorStringFill")), "y");
  CHECK(given->elements() == std::vector<std::string>{"a", "", "cc", "\xff"});
  CHECK(given->dims() == plait::shape{2, 2});
  CHECK(plait::fetch_text(run<B>(fill(ints("shape", {0, 3}), "GivenTensorStringFill")), "y")->dims() ==
        plait::shape{0, 3});
  CHECK_THROWS_AS(run<B>(fill(ints("shape", {3}) + texts, "GivenTensorStringFill")), plait::exec_error);
  std::string const shaped = "input: \"x\" " + texts;
  auto const as_x = run<B>(fill(shaped, "GivenTensorStringFill"), {{"x", test::of<B>({4, 1}, std::vector<float>(4))}});
  CHECK(plait::fetch_text(as_x, "y")->dims() == plait::shape{4, 1});
  auto const as_elements =
      run<B>(fill(shaped + integer("input_as_shape", 1) + ints("extra_shape", {2}), "GivenTensorStringFill"),
             {{"x", test::of<B, std::int32_t>({1}, {2})}});
  CHECK(plait::fetch_text(as_elements, "y")->dims() == plait::shape{2, 2});
  CHECK_THROWS_AS(run<B>(fill(shaped, "GivenTensorStringFill"), {{"x", test::of<B>({3}, std::vector<float>(3))}}),
                  plait::exec_error);
}

TEST_CASE("fills: arguments that contradict each other and numbers that the type does not have are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& op, std::string const& fact) {
    try {
      run<B>(op, {{"x", test::of<B, std::int64_t>({2}, {3, -4})}, {"m", test::of<B, std::int64_t>({1, 1}, {3})}});
      FAIL("not refused: " << op);
    } catch (plait::exec_error const& e) {
      CHECK(op.find('"' + e.type + '"') != std::string::npos);
      CHECK_MESSAGE(std::string(e.what()).find(fact) != std::string::npos, std::string(e.what()));
    }
  };
  refused(fill("input: \"x\" " + ints("shape", {2})), "'shape'");
  refused(fill(ints("extra_shape", {2})), "'extra_shape'");
  refused(fill(integer("input_as_shape", 1)), "'input_as_shape'");
  refused(fill(ints("shape", {2, -1})), "negative");
  refused(fill("input: \"x\" " + integer("input_as_shape", 1)), "negative");
  refused(fill("input: \"m\" " + integer("input_as_shape", 1)), "1 dimensions");
  refused(fill(integer("shape", 2)), "another type");
  refused(fill(integer("dtype", 14)), "'dtype'");
  refused(fill(integer("dtype", 2) + integer("value", 2'147'483'648)), "no int32");
  refused(fill(integer("dtype", 2) + real("value", "2147483648")), "no int32");
  refused(fill(integer("dtype", 2) + real("value", "0.5")), "no int32");
  refused(fill(integer("dtype", 10) + real("value", "nan")), "no int64");
  refused(fill(integer("dtype", 6) + integer("value", -1)), "no uint8");
  refused(fill(ints("shape", {3}) + ints("values", {1, 2}), "GivenTensorIntFill"), "2 values do not make");
  refused(fill(ints("shape", {1}) + "arg { name: \"values\" ints: 2147483648 }", "GivenTensorIntFill"), "no int32");
  std::string const half = ints("shape", {1}) + "arg { name: \"values\" floats: 0.5 }";
  refused(fill(half + integer("dtype", 10), "GivenTensorFill"), "no int64");
  refused(fill(half + integer("dtype", 8), "GivenTensorFill"), "no uint16");
  refused(fill(half, "GivenTensorIntFill"), "another type");
  refused(fill(ints("shape", {1}) + "arg { name: \"values\" ints: 32768 }", "GivenTensorInt16Fill"), "no int16");
  std::string const bytes = "GivenTensorByteStringToUInt8Fill";
  refused(fill(ints("shape", {3}) + "arg { name: \"values\" strings: \"ab\" }", bytes), "2 bytes do not make");
  refused(fill(ints("shape", {2}) + "arg { name: \"values\" strings: \"a\" strings: \"b\" }", bytes),
          "one text, not 2");
  refused(fill(ints("shape", {3}) + "arg { name: \"values\" s: \"ab\" }", "Int8GivenTensorFill"), "2 elements");
  refused(fill(integer("Y_zero_point", 2'147'483'648), "Int8GivenIntTensorFill"), "no int32");
  refused(fill(ints("shape", {-1}), "Int8GivenIntTensorFill"), "negative");
}

}  // namespace
