#include <plait/exec/detail/operators/losses.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/softmax_with_loss.hpp>
#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::check_close;
using test::table;
using floats = std::vector<float>;
using ints = std::vector<std::int32_t>;

template <class T>
std::vector<T> numbers(std::int64_t count, double range = 2, std::uint32_t seed = 5) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>((static_cast<double>(seed >> 8) / (1 << 23) - 1.0) * range);
  }
  return made;
}
template <class T>
std::vector<T> distributions(std::int64_t rows, std::int64_t classes, std::uint32_t seed) {
  std::vector<T> made = numbers<T>(rows * classes, 1, seed);
  for (std::int64_t r = 0; r != rows; ++r) {
    double sum = 0;
    for (std::int64_t i = 0; i != classes; ++i)
      sum += std::abs(static_cast<double>(made[static_cast<std::size_t>(r * classes + i)]));
    for (std::int64_t i = 0; i != classes; ++i) {
      T& x = made[static_cast<std::size_t>(r * classes + i)];
      x = static_cast<T>(std::abs(static_cast<double>(x)) / sum);
    }
  }
  return made;
}
ints labels_of(std::int64_t rows, std::int64_t classes) {
  ints made;
  for (std::int64_t r = 0; r != rows; ++r) made.push_back(static_cast<std::int32_t>((r * 7 + 3) % classes));
  return made;
}

std::string op(std::string const& type, std::string const& more = {}) {
  return "type: \"" + type + "\" input: \"x\" input: \"l\" output: \"y\" " + more;
}

TEST_CASE_TEMPLATE("LabelCrossEntropy, CrossEntropy: -log of probabilities is bounded", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (std::int64_t const classes : {1, 4, 33, 300}) {
      std::int64_t const rows = 5;
      auto const x = distributions<T>(rows, classes, 1);
      auto const soft = distributions<T>(rows, classes, 2);
      auto const hard = labels_of(rows, classes);
      std::vector<double> by_label;
      std::vector<double> by_distribution;
      for (std::size_t r = 0; r != 5; ++r) {
        auto const at = [&](std::size_t i) { return static_cast<std::size_t>(classes) * r + i; };
        by_label.push_back(-std::log(static_cast<double>(x[at(static_cast<std::size_t>(hard[r]))])));
        long double sum = 0;
        for (std::size_t i = 0; i != static_cast<std::size_t>(classes); ++i)
          sum -= static_cast<long double>(soft[at(i)]) * std::log(static_cast<long double>(x[at(i)]));
        by_distribution.push_back(static_cast<double>(sum));
      }
      for (shape const& dims : {shape{rows}, shape{rows, 1}}) {
        auto const narrow = test::run_op<B>(operators, op("LabelCrossEntropy"),
                                            {{"x", test::of<B>({rows, classes}, x)}, {"l", test::of<B>(dims, hard)}});
        CHECK(narrow.view("y").dims() == shape{rows});
        check_close(narrow.template fetch<T>("y"), by_label, 2, 1);
        auto const wide =
            test::run_op<B>(operators, op("LabelCrossEntropy"),
                            {{"x", test::of<B>({rows, classes}, x)},
                             {"l", test::of<B>(dims, std::vector<std::int64_t>(hard.begin(), hard.end()))}});
        CHECK(wide.template fetch<T>("y") == narrow.template fetch<T>("y"));
      }
      auto const got =
          test::run_op<B>(operators, op("CrossEntropy"),
                          {{"x", test::of<B>({rows, classes}, x)}, {"l", test::of<B>({rows, classes}, soft)}});
      CHECK(got.view("y").dims() == shape{rows});
      check_close(got.template fetch<T>("y"), by_distribution, 4, 1);
    }
  };
  check(float{});
  check(double{});
  auto const zero =
      test::run_op<B>(operators, op("LabelCrossEntropy"),
                      {{"x", test::of<B, float>({2, 2}, {1, 0, 0, 1})}, {"l", test::of<B, std::int32_t>({2}, {1, 1})}});
  CHECK(zero.template fetch<float>("y")[0] == doctest::Approx(20 * std::log(10.0)));
  CHECK(zero.template fetch<float>("y")[1] == 0.0f);
  auto const vector =
      test::run_op<B>(operators, op("LabelCrossEntropy"),
                      {{"x", test::of<B, float>({2}, {0.5, 0.25})}, {"l", test::of<B, std::int32_t>({1}, {1})}});
  CHECK(vector.template fetch<float>("y")[0] == doctest::Approx(std::log(4.0)));
  auto const none = test::run_op<B>(operators, op("LabelCrossEntropy"),
                                    {{"x", test::of<B, float>({0, 3}, {})}, {"l", test::of<B, std::int32_t>({0}, {})}});
  CHECK(none.view("y").dims() == shape{0});
}

TEST_CASE_TEMPLATE("SoftmaxWithLoss: labels, distributions, weights, scale, axis are applied", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (shape const& dims : {shape{3, 4}, shape{2, 3, 5}, shape{40, 300}})
      for (std::int64_t axis = 1; axis != static_cast<std::int64_t>(dims.rank()); ++axis)
        for (int form = 0; form != 16; ++form) {
          bool const soft = (form & 1) != 0;
          bool const weighted = (form & 2) != 0;
          bool const in_place = (form & 4) != 0;
          bool const by_rows = (form & 8) != 0;
          CAPTURE(plait::to_string(dims));
          CAPTURE(form);
          auto const cut = static_cast<std::size_t>(axis);
          std::int64_t const rows = dims.size_to(cut);
          std::int64_t const classes = dims.size_from(cut);
          auto const width = static_cast<std::size_t>(classes);
          auto const x = numbers<T>(dims.size());
          auto const q = distributions<T>(rows, classes, 3);
          auto const l = labels_of(rows, classes);
          std::vector<T> w = numbers<T>(rows, 1, 9);
          for (T& weight : w) weight = std::abs(weight);
          std::vector<double> p;
          double loss = 0;
          double weights = 0;
          for (std::size_t r = 0; r != static_cast<std::size_t>(rows); ++r) {
            double total = 0;
            for (std::size_t i = 0; i != width; ++i) total += std::exp(static_cast<double>(x[r * width + i]));
            double own = 0;
            for (std::size_t i = 0; i != width; ++i) {
              double const log_p = static_cast<double>(x[r * width + i]) - std::log(total);
              p.push_back(std::exp(log_p));
              double const share = soft ? static_cast<double>(q[r * width + i])
                                        : static_cast<double>(static_cast<std::size_t>(l[r]) == i);
              own -= share * log_p;
            }
            double const weight = weighted ? static_cast<double>(w[r]) : 1;
            loss += own * weight;
            weights += weight;
          }
          shape label_dims;
          for (std::size_t i = 0; i != cut; ++i) label_dims.push_back(dims[i]);
          test::feeds<B> fed = {{"x", test::of<B>(dims, x)}};
          fed.emplace_back("l", soft ? test::of<B>(dims, q) : test::of<B>(label_dims, l));
          if (weighted) fed.emplace_back("w", test::of<B>({rows}, w));
          std::string const to = in_place ? "x" : "p";
          auto const blobs = test::run_op<B>(
              operators,
              std::string("type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" ") + (weighted ? "input: \"w\" " : "") +
                  "output: \"" + to + "\" output: \"loss\" arg { name: \"axis\" i: " + std::to_string(axis) + " } " +
                  "arg { name: \"scale\" f: 0.5 } " + (soft ? "arg { name: \"label_prob\" i: 1 }" : "") +
                  (by_rows ? "arg { name: \"average_by_batch_size\" i: 1 }" : ""),
              fed);
          CHECK(blobs.view(to).dims() == dims);
          CHECK(blobs.view("loss").dims() == shape{});
          check_close(blobs.template fetch<T>(to), p, 8, 1);
          check_close(blobs.template fetch<T>("loss"), {0.5 * loss / (by_rows ? static_cast<double>(rows) : weights)},
                      16, 1);
        }
  };
  check(float{});
  check(double{});

  std::string const loss =
      "type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" input: \"w\" output: \"p\" output: \"loss\" ";
  auto const unweighted = test::run_op<B>(operators, loss,
                                          {{"x", test::of<B, float>({2, 2}, {1, 2, 3, 4})},
                                           {"l", test::of<B, std::int32_t>({2}, {0, 1})},
                                           {"w", test::of<B, float>({2}, {0, 0})}});
  CHECK(unweighted.template fetch<float>("loss") == floats{0});
  // The loss is exact even where the probability is rounded to 0.
  auto const sure =
      test::run_op<B>(operators, "type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" output: \"p\" output: \"loss\"",
                      {{"x", test::of<B, float>({1, 2}, {0, 500})}, {"l", test::of<B, std::int32_t>({1, 1}, {0})}});
  CHECK(sure.template fetch<float>("p") == floats{0, 1});
  CHECK(sure.template fetch<float>("loss") == floats{500});
  auto const none =
      test::run_op<B>(operators, "type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" output: \"p\" output: \"loss\"",
                      {{"x", test::of<B, float>({0, 2}, {})}, {"l", test::of<B, std::int32_t>({0}, {})}});
  CHECK(none.template fetch<float>("loss") == floats{0});
}

TEST_CASE_TEMPLATE("SigmoidCrossEntropyWithLogits: all three losses hold for large logits", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T, double range) {
    for (shape const& dims : {shape{3, 4}, shape{2, 3, 50}, shape{7}, shape{2, 1}})
      for (int form = 0; form != 3; ++form) {
        auto const x = numbers<T>(dims.size(), range);
        auto t = numbers<T>(dims.size(), 1, 77);
        for (T& target : t) target = std::abs(target);
        auto const width = static_cast<std::size_t>(dims[dims.rank() - 1]);
        std::vector<double> y(x.size() / width, 0.0);
        for (std::size_t i = 0; i != x.size(); ++i) {
          auto const a = static_cast<double>(x[i]);
          auto const b = static_cast<double>(t[i]);
          double const soft_plus = std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a)));  // log(1 + e^a)
          double const log_p = a - soft_plus;
          double const value = form == 0   ? b * log_p - (1 - b) * soft_plus
                               : form == 1 ? (2 * b - 1) * log_p
                                           : b * a - (1 - b) * soft_plus;
          y[i / width] -= value / static_cast<double>(width);
        }
        auto const got = test::run_op<B>(
            operators,
            op("SigmoidCrossEntropyWithLogits", form == 0   ? ""
                                                : form == 1 ? "arg { name: \"log_D_trick\" i: 1 }"
                                                            : "arg { name: \"unjoined_lr_loss\" i: 1 }"),
            {{"x", test::of<B>(dims, x)}, {"l", test::of<B>(dims, t)}});
        CHECK(got.view("y").dims().rank() == dims.rank() - 1);
        check_close(got.template fetch<T>("y"), y, 8 * std::max(1.0, range), 1);
      }
  };
  check(float{}, 3);
  check(float{}, 200);
  check(double{}, 3);
}

TEST_CASE_TEMPLATE("Accuracy: the result is the share of labels among the top_k", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const run = [&](shape const& dims, floats const& x, ints const& l, int top) {
    auto const got =
        test::run_op<B>(operators, op("Accuracy", "arg { name: \"top_k\" i: " + std::to_string(top) + " }"),
                        {{"x", test::of<B>(dims, x)}, {"l", test::of<B>({static_cast<std::int64_t>(l.size())}, l)}});
    CHECK(got.view("y").dims() == shape{});
    return got.template fetch<float>("y")[0];
  };
  floats const x = {0.1f, 0.7f, 0.2f, 0.3f, 0.3f, 0.4f};
  CHECK(run({2, 3}, x, {1, 2}, 1) == 1.0f);
  CHECK(run({2, 3}, x, {1, 0}, 1) == 0.5f);
  CHECK(run({2, 3}, x, {2, 0}, 2) == 1.0f);
  CHECK(run({2, 3}, x, {2, 1}, 2) == 0.5f);  // 0.3 twice: the first class ranks higher
  CHECK(run({2, 3}, x, {0, 1}, 3) == 1.0f);
  CHECK(run({2, 3}, x, {0, 1}, 30) == 1.0f);
  CHECK(std::isnan(run({0, 3}, {}, {}, 1)));
}

TEST_CASE("losses: labels and shapes that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const refused = [&](std::string const& text, plait::tensor<B> const& labels, char const* why) {
    try {
      test::run_op<B>(operators, text, {{"x", test::of<B, float>({2, 3}, {1, 2, 3, 4, 5, 6})}, {"l", labels.clone()}});
      FAIL("was not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK(text.find(e.type) != std::string::npos);
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  std::string const with_loss = "type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" output: \"p\" output: \"loss\" ";
  for (std::string const& text : {op("LabelCrossEntropy"), op("Accuracy"), with_loss}) {
    refused(text, test::of<B, std::int32_t>({2}, {0, 3}), "index 3 at place 1");
    refused(text, test::of<B, std::int64_t>({2}, {-1, 0}), "index -1 at place 0");
    refused(text, test::of<B, float>({2}, {0, 1}), "int32 or int64");
    refused(text, test::of<B, std::int32_t>({3}, {0, 1, 2}), "2 rows");
  }
  refused(op("CrossEntropy"), test::of<B, float>({2, 2}, {0, 1, 0, 1}), "3 classes of 2 rows");
  refused(op("CrossEntropy"), test::of<B, float>({2, 3}, {0, 1, 0, 0, 1.5f, 0}), "place 4");
  refused(op("CrossEntropy"), test::of<B, float>({2, 3}, {0, -1, 0, 0, 1, 0}), "place 1");
  refused(op("Accuracy", "arg { name: \"top_k\" i: 0 }"), test::of<B, std::int32_t>({2}, {0, 1}), "top_k");
  std::string const soft = "arg { name: \"label_prob\" i: 1 }";
  refused(with_loss + soft, test::of<B, float>({2, 3}, {1, 0, 0, 0.5f, 0.5f, 0.1f}), "row 1");
  refused(with_loss + soft, test::of<B, float>({2, 3}, {2, -1, 0, 1, 0, 0}), "row 0");
  refused(with_loss + soft, test::of<B, float>({3, 2}, {1, 0, 1, 0, 1, 0}), "3 probabilities for each of 2 rows");
  refused(with_loss + "arg { name: \"scale\" f: -1 }", test::of<B, std::int32_t>({2}, {0, 1}), "scale");
  refused(op("SigmoidCrossEntropyWithLogits"), test::of<B, float>({3, 2}, {1, 0, 1, 0, 1, 0}), "different shapes");

  // Nothing is written before labels are checked, not even in place.
  plait::workspace<B> blobs;
  blobs.feed("x", test::of<B, float>({1, 2}, {1, 2}));
  blobs.feed("l", test::of<B, std::int32_t>({1}, {5}));
  auto plan =
      plait::compile(plait::read_netdef_text(
                         "op { type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" output: \"x\" output: \"loss\" }"),
                     operators, blobs);
  CHECK_THROWS_AS(plan.run(), plait::exec_error);
  CHECK(blobs.template fetch<float>("x") == floats{1, 2});
}

TEST_CASE("losses: all backends give the same bits") {
  shape const dims{900, 130};
  auto const x = numbers<float>(dims.size());
  auto const l = labels_of(900, 130);
  auto const run = [&]<class B>(B) {
    return test::run_op<B>(table<B>(),
                           "type: \"SoftmaxWithLoss\" input: \"x\" input: \"l\" output: \"p\" output: \"y\"",
                           {{"x", test::of<B>(dims, x)}, {"l", test::of<B>({900}, l)}})
        .template fetch<float>("y");
  };
  test::for_parallel_backends([&](auto backend) { CHECK(run(backend) == run(plait::serial())); });
}

}  // namespace
