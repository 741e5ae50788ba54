#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string_view>

namespace example {

namespace {

constexpr double width = 720, plot_height = 330;
constexpr double font_size = 12, line_height = 16, title_size = 16;
constexpr double margin = 12;  // between text and what is next to it

// Values of an axis and where they are in the picture, with some six round numbers between first and last.
struct axis {
  double first, last;
  double from = 0, to = 1;

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

// Returns an upper bound of the width of a character, in units of the font size; 0 for a continuation byte of UTF-8.
// Usual sans-serif fonts are narrower; DejaVu Sans reaches the bound.
double width_bound(char c) {
  auto const byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) return (byte & 0xc0) == 0x80 ? 0 : 1;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 1;
  return c >= 'A' && c <= 'Z' ? 0.8 : 0.65;
}
double width_bound(std::string_view text) {
  double sum = 0;
  for (char const c : text) sum += width_bound(c);
  return sum * font_size;
}

// Breaks text into lines of at most `limit`, at spaces where it can.
std::vector<std::string> wrapped(std::string_view text, double limit) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = 0;
    double sum = 0;
    while (end != text.size() && sum + width_bound(text[end]) * font_size <= limit)
      sum += width_bound(text[end++]) * font_size;
    std::size_t next = end;
    if (end != text.size()) {
      std::size_t const space = text.rfind(' ', end);
      if (space != std::string_view::npos && space != 0) {
        end = space;
        next = space + 1;
      }
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  return lines;
}

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
  std::ostringstream made;
  made << value;
  return made.str();
}

double widest(std::vector<double> const& values) {
  double most = 0;
  for (double const value : values) most = std::max(most, width_bound(label(value)));
  return most;
}

}  // namespace

void write_svg(std::ostream& out, chart const& c) {
  axis x{0, 1};
  axis y{0, 0};
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

  std::vector<std::string> const subtitle = wrapped(c.subtitle, width - 2 * margin);
  double const top = margin + title_size + margin + static_cast<double>(subtitle.size()) * line_height;
  double const bottom = top + plot_height;
  double const height = bottom + 2 * line_height + 2 * margin;
  double const left = margin + line_height + margin + widest(y.ticks()) + 8;
  double const right = width - margin - widest(x.ticks()) / 2;
  x.from = left;
  x.to = right;
  y.from = bottom;
  y.to = top;

  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='sans-serif' font-size='" << font_size << "' text-anchor='middle'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  double at = margin + title_size;
  text(out, width / 2, at, c.title, "font-size='" + std::to_string(static_cast<int>(title_size)) + "'");
  for (std::string const& one : subtitle) text(out, width / 2, at += line_height, one, "fill='#666666'");
  for (double const value : x.ticks()) {
    line(out, x.place(value), top, x.place(value), bottom, "#e8e8e8");
    text(out, x.place(value), bottom + line_height, label(value));
  }
  for (double const value : y.ticks()) {
    line(out, left, y.place(value), right, y.place(value), "#e8e8e8");
    text(out, left - 8, y.place(value) + 4, label(value), "text-anchor='end'");
  }
  line(out, left, bottom, right, bottom, "black");
  line(out, left, top, left, bottom, "black");
  text(out, (left + right) / 2, height - margin, c.x_label);
  text(out, 0, 0, c.y_label,
       "transform='translate(" + label(margin + font_size) + ' ' + label((top + bottom) / 2) + ") rotate(-90)'");

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
