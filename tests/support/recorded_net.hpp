// Recorded reference nets, and their comparison up to hash order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/model.hpp>

#include <support/skip.hpp>

#ifndef PLAIT_SHARED_DIR
#define PLAIT_SHARED_DIR ""
#endif

namespace test {

/// Returns the net of a case of kind gradient, or one net of a case of kind run; nullopt, and a skip, if there are no
/// recorded cases.
inline std::optional<plait::netdef> recorded_net(std::string const& kind, std::string const& name,
                                                 std::size_t which = 0) {
  std::filesystem::path const cases = std::filesystem::path(PLAIT_SHARED_DIR) / "reference/cases";
  if (std::string(PLAIT_SHARED_DIR).empty() || !std::filesystem::is_directory(cases)) {
    skip("there are no recorded cases, as PLAIT_SHARED_DIR has no folder 'reference/cases'");
    return std::nullopt;
  }
  std::ifstream in(cases / kind / (name + ".json"));
  REQUIRE_MESSAGE(in.good(), "no recorded case " << kind << '/' << name);
  auto const data = nlohmann::json::parse(in);
  return plait::read_netdef_text(data.contains("net") ? data["net"].get<std::string>()
                                                      : data["nets"].at(which).get<std::string>());
}

/// Sorts everything that the original takes from hash sets: operands of If and While (except the condition) and of Do
/// (except the workspace), with the names bound to them, and externals. Recursive: the compared nets are only a few
/// levels deep.
inline void sort_hash_order(plait::netdef& n) {
  auto const by_text = [&](plait::symbol a, plait::symbol b) { return n.text(a) < n.text(b); };
  std::sort(n.external_input.begin(), n.external_input.end(), by_text);
  std::sort(n.external_output.begin(), n.external_output.end(), by_text);
  for (plait::op_def& op : n.op) {
    for (plait::arg_def& argument : op.arg)
      if (argument.n) sort_hash_order(*argument.n);
    auto const type = n.text(op.type);
    if (type == "If" || type == "While") {
      std::sort(op.input.begin() + 1, op.input.end(), by_text);
      std::sort(op.output.begin(), op.output.end(), by_text);
    }
    if (type != "Do") continue;
    plait::arg_def& inner = *plait::find_argument(n, op, "inner_blobs");
    plait::arg_def& outer = *plait::find_argument(n, op, "outer_blobs_idx");
    auto const all = [&] {
      std::vector<plait::symbol> blobs(op.input.begin(), op.input.end() - 1);
      blobs.insert(blobs.end(), op.output.begin(), op.output.end() - 1);
      return blobs;
    };
    std::map<std::string, plait::symbol> bound;
    auto const before = all();
    for (std::size_t i = 0; i != inner.strings.size(); ++i)
      bound[inner.strings[i]] = before.at(static_cast<std::size_t>(outer.ints.at(i)));
    std::sort(op.input.begin(), op.input.end() - 1, by_text);
    std::sort(op.output.begin(), op.output.end() - 1, by_text);
    auto const after = all();
    inner.strings.clear();
    outer.ints.clear();
    for (auto const& [name, blob] : bound) {
      inner.strings.push_back(name);
      outer.ints.push_back(std::find(after.begin(), after.end(), blob) - after.begin());
    }
  }
}

/// Checks that a net equals a recorded one, except for hash order.
inline void check_like_recorded(plait::netdef made, std::string const& kind, std::string const& name) {
  auto recorded = recorded_net(kind, name);
  if (!recorded) return;
  sort_hash_order(made);
  sort_hash_order(*recorded);
  auto const difference = plait::first_difference(made, *recorded);
  INFO(name);
  if (difference) MESSAGE(difference->path << ": " << difference->left << " / " << difference->right);
  CHECK_FALSE(difference.has_value());
}

}  // namespace test
