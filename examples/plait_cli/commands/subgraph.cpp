// plait subgraph: prints the boundary of a subgraph, or extracts it as a net.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/backward_slice.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/subgraph.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "names.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using form = plait::ssa_form<plait::netdef>;

struct subgraph_options {
  std::string file;
  std::optional<std::string> ops;
  std::vector<std::string> from;
  std::vector<std::string> to;
  bool json = false;
  bool quiet = false;
  bool extract = false;
  destination out;
};

// Parses positions and ranges such as "3,5-9". Checks the number of ops before it expands a range.
std::vector<plait::op_index> positions(std::string_view list, std::size_t op_count) {
  std::vector<plait::op_index> found;
  auto const wrong = [&](std::string_view item) {
    return failure("plait: --ops: '" + visible(item) + "' is neither a position nor a range of positions in a net of " +
                   std::to_string(op_count) + " ops");
  };
  for (bool more = true; more;) {
    std::size_t const comma = list.find(',');
    more = comma != list.npos;
    std::string_view const item = list.substr(0, comma);
    if (more) list.remove_prefix(comma + 1);

    std::uint32_t first = 0;
    auto [at, problem] = std::from_chars(item.data(), item.data() + item.size(), first);
    std::uint32_t last = first;
    char const* const end = item.data() + item.size();
    if (problem == std::errc() && at != end && *at == '-') {
      auto const [stop, second] = std::from_chars(at + 1, end, last);
      at = stop;
      problem = second;
    }
    if (problem != std::errc() || at != end || last < first || last >= op_count) throw wrong(item);
    for (plait::op_index op = first; op <= last; ++op) found.push_back(op);
  }
  return found;
}

nlohmann::ordered_json to_json(form const& ssa, std::vector<plait::value> const& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (plait::value v : values) list.push_back({{"blob", ssa.name(v)}, {"version", v.version}});
  return list;
}

void print(std::ostream& out, plait::netdef const& net, form const& ssa, std::vector<plait::op_index> const& ops,
           plait::subgraph_boundary const& boundary) {
  out << "ops    ";
  for (plait::op_index op : ops) out << ' ' << op << ':' << visible(net.text(net.op[op].type));
  auto const list = [&](std::string_view what, std::vector<plait::value> const& values) {
    out << '\n' << what;
    for (plait::value v : values) out << ' ' << visible(ssa.name(v)) << ':' << v.version;
  };
  list("inputs ", boundary.inputs);
  list("outputs", boundary.outputs);
  out << '\n';
}

int run(subgraph_options const& given) {
  source const in = load(given.file);
  expect_blobs(in, "--from", given.from);
  expect_blobs(in, "--to", given.to);
  bool const net_on_stdout = given.extract && given.out.to_stdout();
  try {
    form const ssa = plait::get_ssa(in.net, {.subnets = true, .control_inputs = true});
    std::vector<plait::op_index> const ops =
        given.ops ? positions(*given.ops, ssa.op_count()) : plait::backward_slice(ssa, given.from, given.to);
    plait::subgraph_boundary const boundary = plait::find_subgraph_boundary(ssa, ops);
    if (given.extract) save(given.out, plait::extract_subgraph(in.net, ops).net);
    if (given.json)
      print_json({{"file", in.label},
                  {"ops", ops},
                  {"inputs", to_json(ssa, boundary.inputs)},
                  {"outputs", to_json(ssa, boundary.outputs)}});
    else if (!given.extract || !given.quiet)  // the boundary is a remark about the net
      print(net_on_stdout ? std::cerr : std::cout, in.net, ssa, ops, boundary);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  return 0;
}

}  // namespace

void add_subgraph(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<subgraph_options>();
  CLI::App* const command =
      app.add_subcommand("subgraph", "print what enters and leaves a subgraph, or extract it as a net");
  command->footer(
      "--from and --to mean the last version of each blob; ops that write a --from blob are left out.\n"
      "Examples:\n  plait subgraph net.pb --ops 3,5-9\n"
      "  plait subgraph net.pb --from data --to fc8 --extract -o part.pb");
  add_file(*command, given->file);
  auto* const ops = command->add_option("--ops", given->ops, "the ops by position: 3,5-9");
  auto* const to = command->add_option("--to", given->to, "the blobs that the subgraph computes, separated by commas")
                       ->delimiter(',')
                       ->allow_extra_args(false);
  command->add_option("--from", given->from, "with --to: blobs that are inputs of the subgraph, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(to);
  ops->excludes(to);
  auto* const extract = command->add_flag("--extract", given->extract, "write the subgraph as a net");
  command->add_option("-o,--output-file", given->out.path, "write that net to this file instead of standard output")
      ->needs(extract)
      ->type_name(file_type);
  add_format(*command, given->out.format, "--format");
  command->get_option("--format")->needs(extract);
  add_json(*command, given->json);
  add_quiet(*command, given->quiet);
  command->callback([given, ops, to, &chosen] {
    if (ops->count() == 0 && to->count() == 0) throw CLI::RequiredError("--ops or --to");
    keep_apart(given->json, given->extract && given->out.to_stdout());
    chosen = [given] { return run(*given); };
  });
}

}  // namespace cli
