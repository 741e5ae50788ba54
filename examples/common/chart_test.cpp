// Writes charts with long texts and large numbers to the working directory, for test.cmake.
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "common/chart.hpp"

namespace {

example::chart make_chart(std::string subtitle, double steps, double loss) {
  example::chart made{"char_lstm",
                      std::move(subtitle),
                      "steps",
                      "loss of a character",
                      {{"training", "#1f77b4", {}}, {"held out", "#d62728", {}}}};
  for (int i = 0; i <= 40; ++i) {
    made.curves[0].points.emplace_back(steps * i / 40, loss * std::exp(-i / 8.));
    made.curves[1].points.emplace_back(steps * i / 40, loss * std::exp(-i / 9.));
  }
  return made;
}

void write(char const* file, example::chart const& c) {
  std::ofstream out(file);
  write_svg(out, c);
}

}  // namespace

int main() {
  std::string const recipe =
      "--cell gru --layers 2 --size 512 --streams 64 --window 100 --optimizer rmsprop --rate 0.000123457 --clip "
      "0.333333 "
      "--seed 18446744073709551615";
  write("short.svg", make_chart("--hidden 8", 100, 1));
  write("recipe.svg", make_chart(recipe, 123456789, 3.4));
  write("numbers.svg", make_chart(recipe, 1, 1.23456e-7));
  write("large.svg", make_chart("", 2e6, 123456.7));
  write("wide.svg", make_chart(std::string(500, 'W') + ' ' + std::string(300, 'm') + " <&> \u4e16\u754c", 1000, 1));
  write("empty.svg", {});
}
