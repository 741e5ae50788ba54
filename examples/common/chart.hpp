// Curves as SVG.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace example {

struct curve {
  std::string name;
  std::string colour;
  std::vector<std::pair<double, double>> points;
};

/// A picture of curves in one pair of axes, which begin at the first x and at y = 0.
struct chart {
  std::string title;     ///< short: one line
  std::string subtitle;  ///< wrapped over lines
  std::string x_label;
  std::string y_label;
  std::vector<curve> curves;
};

void write_svg(std::ostream& out, chart const& c);

}  // namespace example
