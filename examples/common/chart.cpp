#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

namespace example {

namespace {

constexpr double width = 720, height = 440;
constexpr double left = 70, right = width - 30, top = 50, bottom = height - 60;

// Values of an axis and where they are in the picture, with some six round numbers between first and last.
struct axis {
  double first, last;
  double from, to;

  double place(double value) const { return from + (value - first) / (last - first) * (to - from); }
  double step() const {
    double const rough = (last - first) / 6;
    double const power = std::pow(10, std::floor(std::log10(rough)));
    for (double const factor : {1., 2., 5.})
      if (factor * power >= rough) return factor * power;
    return 10 * power;
  }
  std::vector<double> ticks() const {
    std::vector<double> made;
    for (double k = std::ceil(first / step()); k * step() <= last; ++k) made.push_back(k * step());
    return made;
  }
};

std::string escaped(std::string_view text) {
  std::string made;
  for (char const c : text) made += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return made;
}

void line(std::ostream& out, double x1, double y1, double x2, double y2, std::string_view colour) {
  out << "<line x1='" << x1 << "' y1='" << y1 << "' x2='" << x2 << "' y2='" << y2 << "' stroke='" << colour << "'/>\n";
}

void text(std::ostream& out, double x, double y, std::string_view what, std::string_view more = "") {
  out << "<text x='" << x << "' y='" << y << "' " << more << '>' << escaped(what) << "</text>\n";
}

std::string label(double value) {
  std::string made = std::to_string(std::round(value * 1e4) / 1e4);
  made.erase(made.find_last_not_of('0') + 1);
  if (made.ends_with('.')) made.pop_back();
  return made;
}

}  // namespace

void write_svg(std::ostream& out, chart const& c) {
  axis x{0, 1, left, right};
  axis y{0, 0, bottom, top};
  bool begun = false;
  for (curve const& one : c.curves)
    for (auto const& [px, py] : one.points) {
      x.first = begun ? std::min(x.first, px) : px;
      x.last = begun ? std::max(x.last, px) : px;
      y.last = std::max(y.last, py);
      begun = true;
    }
  if (x.last == x.first) x.last += 1;
  if (y.last == 0) y.last = 1;

  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='sans-serif' font-size='12' text-anchor='middle'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  text(out, width / 2, 28, c.title, "font-size='16'");
  for (double const value : x.ticks()) {
    line(out, x.place(value), top, x.place(value), bottom, "#e8e8e8");
    text(out, x.place(value), bottom + 18, label(value));
  }
  for (double const value : y.ticks()) {
    line(out, left, y.place(value), right, y.place(value), "#e8e8e8");
    text(out, left - 8, y.place(value) + 4, label(value), "text-anchor='end'");
  }
  line(out, left, bottom, right, bottom, "black");
  line(out, left, top, left, bottom, "black");
  text(out, (left + right) / 2, height - 18, c.x_label);
  text(out, 0, 0, c.y_label, "transform='translate(20 " + std::to_string((top + bottom) / 2) + ") rotate(-90)'");

  double legend = top + 16;
  for (curve const& one : c.curves) {
    out << "<polyline fill='none' stroke-width='2' stroke='" << one.colour << "' points='";
    for (auto const& [px, py] : one.points) out << x.place(px) << ',' << y.place(py) << ' ';
    out << "'/>\n";
    text(out, right - 8, legend, one.name, "text-anchor='end' fill='" + one.colour + "'");
    legend += 18;
  }
  out << "</svg>\n";
}

}  // namespace example
