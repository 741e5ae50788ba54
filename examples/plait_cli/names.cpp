#include "names.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <utility>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "terminal.hpp"

namespace cli {

namespace {

char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the edit distance (optimal string alignment: a swap of neighbours counts once), ignoring case.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i != from.size(); ++i) {
    std::vector<std::size_t> next{i + 1};
    for (std::size_t j = 0; j != to.size(); ++j) {
      bool const same = lower(from[i]) == lower(to[j]);
      std::size_t best = std::min({row[j] + (same ? 0U : 1U), row[j + 1] + 1, next[j] + 1});
      bool const swapped = i != 0 && j != 0 && lower(from[i]) == lower(to[j - 1]) && lower(from[i - 1]) == lower(to[j]);
      if (swapped) best = std::min(best, before[j - 1] + 1);
      next.push_back(best);
    }
    before = std::exchange(row, std::move(next));
  }
  return row.back();
}

// Returns the names by their distance from the wanted one.
std::vector<std::pair<std::size_t, std::string>> by_distance(std::string_view wanted, std::vector<std::string> names) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& name : names) {
    std::size_t const distance = edit_distance(wanted, name);
    ranked.emplace_back(distance, std::move(name));
  }
  std::ranges::sort(ranked);
  return ranked;
}

bool is_similar(std::string_view wanted, std::size_t distance) {
  return distance <= 1 + wanted.size() / 4 && distance < wanted.size();
}

}  // namespace

std::string suggest_names(std::string_view wanted, std::vector<std::string> names) {
  constexpr std::size_t shown = 8;
  if (names.empty()) return "; there are none";
  auto const ranked = by_distance(wanted, std::move(names));
  std::string text = ";";
  if (auto const& [distance, name] = ranked[0]; is_similar(wanted, distance))
    text += " did you mean '" + visible(name) + "'? There";
  else
    text += " there";
  text += ranked.size() == 1 ? " is " : " are ";
  std::size_t const listed = ranked.size() <= shown + 1 ? ranked.size() : shown;
  for (std::size_t i = 0; i != listed; ++i)
    text += (i == 0 ? "'" : i + 1 == ranked.size() ? " and '" : ", '") + visible(ranked[i].second) + '\'';
  if (listed != ranked.size()) text += " and " + std::to_string(ranked.size() - listed) + " more";
  return text;
}

std::string did_you_mean(std::string_view wanted, std::vector<std::string> names) {
  auto const ranked = by_distance(wanted, std::move(names));
  if (ranked.empty() || !is_similar(wanted, ranked[0].first)) return {};
  return "; did you mean '" + visible(ranked[0].second) + "'?";
}

std::vector<std::string> blob_names(plait::netdef const& net) {
  plait::ssa_form const ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
  std::vector<std::string> made;
  for (plait::blob_index b : ssa.blobs()) made.emplace_back(ssa.name(b));
  return made;
}

void expect_blobs(source const& in, std::string_view option, std::vector<std::string> const& names) {
  if (names.empty()) return;
  try {
    std::vector<std::string> const all = blob_names(in.net);
    for (std::string const& name : names)
      if (std::ranges::find(all, name) == all.end())
        throw failure(in.label + ": " + std::string(option) + ": the net has no blob '" + visible(name) + '\'' +
                      suggest_names(name, all));
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
}

}  // namespace cli
