#include "flow_graphs.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

namespace cfg_conformance {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Reads "NAME NBLOCKS": the name may contain blanks.
std::pair<std::string, std::size_t> header_of(line_cursor& line) {
  std::string_view text = line.rest();
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  std::size_t const blank = text.find_last_of(' ');
  if (blank == std::string_view::npos || blank == 0) line.fail("expected 'func NAME NBLOCKS'");
  std::string_view const count = text.substr(blank + 1);
  std::size_t blocks = 0;
  if (!is_number(count) || std::from_chars(count.data(), count.data() + count.size(), blocks).ec != std::errc())
    line.fail("expected the number of blocks after the function's name");
  if (blocks == 0) line.fail("a function without an entry block");
  return {plain_name(text.substr(0, blank)), blocks};
}

// Reads "LABEL : SUCC …": the label may contain blanks and colons, the text after the last colon cannot.
std::string label_of(line_cursor& line) {
  std::size_t const colon = line.rest().rfind(':');
  if (colon == std::string_view::npos || (colon != 0 && line.rest()[colon - 1] != ' '))
    line.fail("expected 'ID LABEL : SUCC_ID …'");
  std::string_view label = line.rest().substr(0, colon);
  label = label.substr(0, label.find_last_not_of(' ') + 1);
  std::string name = plain_name(label);
  line.expect(line.rest().substr(0, colon + 1));
  return name;
}

}  // namespace

std::optional<std::uint32_t> function_graph::find(std::string const& label) const {
  if (auto const found = numbers_.find(label); found != numbers_.end()) return found->second;
  if (is_number(label) && !blocks_.empty() &&
      (is_number(blocks_[0].label) || blocks_[0].label.empty() || blocks_[0].label == "entry"))
    return 0;
  return std::nullopt;
}

bool function_graph::add_block(std::string label) {
  if (!numbers_.emplace(label, static_cast<std::uint32_t>(blocks_.size())).second) return false;
  blocks_.push_back({std::move(label), {}});
  return true;
}

std::vector<function_graph> read_flow_graphs(document const& from) {
  std::vector<function_graph> made;
  std::set<std::string> names;
  std::size_t missing = 0;  // blocks of the last function still to come
  std::size_t announced = 0;
  line_reader lines(from);
  while (lines.next()) {
    line_cursor line(lines);
    line.skip_blanks();
    if (line.rest().empty() || (missing == 0 && line.rest().starts_with('#'))) continue;
    if (missing == 0) {
      line.expect("func ");
      auto [name, blocks] = header_of(line);
      if (!names.insert(name).second) lines.fail("a second function '" + name + "'");
      made.emplace_back(std::move(name), lines.number());
      missing = announced = blocks;
      continue;
    }
    function_graph& f = made.back();
    auto const id = static_cast<std::uint32_t>(f.size());
    if (line.number() != id) lines.fail("expected block " + std::to_string(id));
    line.expect(" ");
    std::string const label = label_of(line);
    if (!f.add_block(label)) lines.fail("a second block '" + label + "'");
    std::vector<std::uint32_t> targets;
    for (line.skip_blanks(); !line.rest().empty(); line.skip_blanks()) {
      std::size_t const target = line.number();
      if (target >= announced) lines.fail("successor " + std::to_string(target) + " is no block of this function");
      targets.push_back(static_cast<std::uint32_t>(target));
    }
    f.set_successors(id, std::move(targets));
    --missing;
  }
  if (missing != 0) lines.fail("the last function lacks " + std::to_string(missing) + " of its blocks");
  return made;
}

}  // namespace cfg_conformance
