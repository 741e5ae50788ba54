#include "table.hpp"

#include <algorithm>
#include <utility>

#include "terminal.hpp"

namespace cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 6;

// Shrinks the widest flexible cells until a row fits, as far as possible.
void fit(std::vector<std::size_t>& widths, std::vector<column> const& columns, std::size_t width) {
  std::size_t fixed = gap * (columns.size() - 1);
  std::vector<std::size_t*> flexible;
  for (std::size_t i = 0; i != columns.size(); ++i) {
    if (columns[i].flexible)
      flexible.push_back(&widths[i]);
    else
      fixed += widths[i];
  }
  // From the narrowest cell on, each gets at most an equal share of the width that is left.
  std::ranges::sort(flexible, {}, [](std::size_t const* w) { return *w; });
  std::size_t left = width > fixed ? width - fixed : 0;
  for (std::size_t i = 0; i != flexible.size(); ++i) {
    std::size_t const share = std::max(left / (flexible.size() - i), narrowest);
    *flexible[i] = std::min(*flexible[i], share);
    left -= std::min(left, *flexible[i]);
  }
}

}  // namespace

void table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = visible(cell);
  rows_.push_back(std::move(cells));
}

void table::print(std::ostream& out, std::size_t width, bool in_colour) const {
  std::vector<std::size_t> widths;
  bool titled = false;
  for (column const& c : columns_) {
    widths.push_back(text_width(c.title));
    titled |= !c.title.empty();
  }
  for (auto const& row : rows_)
    for (std::size_t i = 0; i != row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  fit(widths, columns_, width);

  auto const line = [&](std::vector<std::string> const& cells, bool title) {
    std::string text;
    for (std::size_t i = 0; i != cells.size(); ++i) {
      std::string const cell = cut(cells[i], widths[i]);
      std::string const space(widths[i] - std::min(widths[i], text_width(cell)), ' ');
      if (i != 0) text.append(gap, ' ');
      text += columns_[i].number ? space + cell : i + 1 == cells.size() ? cell : cell + space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << (title ? coloured(text, colour::bold, in_colour) : text) << '\n';
  };
  if (titled) {
    std::vector<std::string> titles;
    for (column const& c : columns_) titles.push_back(c.title);
    line(titles, true);
  }
  for (auto const& row : rows_) line(row, false);
}

}  // namespace cli
