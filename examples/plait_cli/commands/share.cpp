// plait share: lets blobs with disjoint live ranges share one name, or frees blobs after their last use.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/memory_plan.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "names.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct share_command {
  std::string file;
  destination to;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> keep;
  std::string scope;
  bool any_order = false;
  bool reorder = false;
  bool free = false;
};

nlohmann::ordered_json free_blobs(share_command const& given, source& in, file_report& changes) {
  auto const found = plait::release_blobs(in.net, {.keep = given.keep});
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (plait::released_blob const& r : found) {
    list.push_back({{"op", r.after}, {"blob", r.name}});
    changes.add('\'' + visible(r.name) + "' is freed after op " + std::to_string(r.after));
  }
  return {{"file", in.label}, {"freed", std::move(list)}};
}

nlohmann::ordered_json share(share_command const& given, source& in, file_report& changes) {
  plait::share_options const how{.keep = given.keep, .any_order = given.any_order, .scope = given.scope};
  plait::scheduled_sharing made;
  if (given.reorder)
    made = plait::schedule_and_share_blobs(in.net, how);
  else
    made.sharing = plait::share_blobs(in.net, how);
  auto const& [renamed, candidates, shared, bytes, shared_bytes] = made.sharing;
  nlohmann::ordered_json names = nlohmann::ordered_json::object();
  for (auto const& [from, to] : renamed) {
    names[std::string(from)] = to;
    changes.add('\'' + visible(from) + "' is now '" + visible(to) + '\'');
  }
  changes.add(counted(shared, "blob") + " in place of " + std::to_string(candidates));
  nlohmann::ordered_json report{
      {"file", in.label}, {"blobs_before", candidates}, {"blobs", shared}, {"renamed", std::move(names)}};
  if (given.reorder) report["order"] = made.schedule.ops;
  return report;
}

int run(share_command const& given) {
  source in = load(given.file);
  expect_blobs(in, "--keep", given.keep);
  file_report changes(in.label);
  nlohmann::ordered_json report;
  try {
    report = given.free ? free_blobs(given, in, changes) : share(given, in, changes);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  save(given.to, in.net);
  if (given.json)
    print_json(report);
  else if (!given.quiet)
    (given.to.to_stdout() ? std::cerr : std::cout) << changes.text();
  return 0;
}

}  // namespace

void add_share(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<share_command>();
  CLI::App* const command = app.add_subcommand("share", "give blobs with disjoint live ranges one name");
  command->footer("Changes are listed; on standard error if the net goes to standard output.");
  add_file(*command, given->file);
  add_destination(*command, given->to);
  add_json(*command, given->json);
  add_quiet(*command, given->quiet);
  command
      ->add_option("--keep", given->keep, "blobs that keep their names, separated by commas; external ones always do")
      ->delimiter(',');
  command->add_option("--scope", given->scope, "make shared blobs in this scope");
  CLI::Option* const any_order =
      command->add_flag("--any-order", given->any_order, "for runtimes that run ops as soon as their inputs are ready");
  CLI::Option* const reorder =
      command->add_flag("--reorder", given->reorder, "reorder ops first, so that less is live at once")
          ->excludes(any_order);
  command->add_flag("--free", given->free, "insert ops that free blobs after their last use, instead")
      ->excludes(any_order)
      ->excludes(reorder)
      ->excludes("--scope");
  command->callback([given, &chosen] {
    keep_apart(given->json, given->to.to_stdout());
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
