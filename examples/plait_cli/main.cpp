// plait: command line tool for NetDef files.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <ios>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/core/errors.hpp>
#include <plait/version.hpp>

#include "app_model.hpp"
#include "commands.hpp"
#include "io.hpp"
#include "names.hpp"
#include "terminal.hpp"

namespace {

constexpr char const* about = R"(Inspects, transforms and runs NetDef files.

FILE is a net as protobuf text, JSON or binary, detected by content; "-" is standard input.)";

constexpr char const* examples = R"(Examples:
  plait info predict_net.pb
  plait check predict_net.pbtxt
  plait ssa --json predict_net.pb | jq '.ops[0]'
  plait dot --ssa predict_net.pb | dot -Tsvg -o net.svg
  plait view net.pb --y loss -o net.html
  plait convert predict_net.pb -o predict_net.pbtxt
  plait subgraph predict_net.pb --from data --to softmax --extract -o part.pbtxt
  plait grad net.pb --y loss --append -o train.pb
  plait run predict_net.pb --init init_net.pb --random data=1x3x224x224 --time 10
  plait diff predict_net.pb changed.pbtxt

Exit status: 0 success, 1 bad input or findings, 2 wrong usage; of diff: 0 no difference, 1 a difference, 2 trouble.
`plait COMMAND --help` shows its options.)";

int report(std::string const& message, int status = 1) {
  std::cerr << cli::coloured(message, cli::colour::red, cli::shows_colour(STDERR_FILENO)) << '\n';
  return status;
}

// Returns true if standard output is a pipe without a reader.
bool has_no_reader() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

// Throws wrong_usage about a name that does not exist, with a similar one.
[[noreturn]] void refuse_name(std::string const& what, std::string const& name, std::vector<std::string> const& names,
                              std::string const& program) {
  std::string const hint = cli::did_you_mean(name, names);
  throw cli::wrong_usage(program + ": there is no " + what + " '" + cli::visible(name) + '\'' +
                         (hint.empty() ? "; " : hint + ' ') + program + " --help lists them");
}

// Throws wrong_usage if there is no such subcommand.
void expect_command(CLI::App const& app, std::string const& name) {
  std::vector<std::string> names;
  for (cli::command_model const& command : cli::read_app(app).commands) names.push_back(command.name);
  if (std::ranges::find(names, name) == names.end()) refuse_name("subcommand", name, names, "plait");
}

// Throws wrong_usage for the first option that the selected subcommand does not have.
void refuse_unknown_option(CLI::App const& app) {
  auto const selected = app.get_subcommands();
  if (selected.empty()) return;
  CLI::App const& command = *selected.front();
  std::vector<std::string> names;
  for (cli::command_model const& known : cli::read_app(app).commands) {
    if (known.name != command.get_name()) continue;
    for (cli::option_model const& option : known.options)
      if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  for (std::string const& extra : command.remaining(true))
    if (extra.size() > 1 && extra[0] == '-')
      refuse_name("option", extra.substr(0, extra.find('=')), names, "plait " + command.get_name());
}

int run(int argc, char** argv) {
  CLI::App app(about, "plait");
  app.set_version_flag("--version", "plait " + std::to_string(PLAIT_VERSION_MAJOR) + '.' +
                                        std::to_string(PLAIT_VERSION_MINOR) + '.' +
                                        std::to_string(PLAIT_VERSION_PATCH));
  app.require_subcommand(1);
  cli::action chosen;
  cli::add_info(app, chosen);
  cli::add_check(app, chosen);
  cli::add_ssa(app, chosen);
  cli::add_dot(app, chosen);
  cli::add_view(app, chosen);
  cli::add_grad(app, chosen);
  cli::add_convert(app, chosen);
  cli::add_prune(app, chosen);
  cli::add_rename(app, chosen);
  cli::add_share(app, chosen);
  cli::add_subgraph(app, chosen);
  cli::add_export(app, chosen);
  cli::add_run(app, chosen);
  cli::add_ops(app, chosen);
  cli::add_diff(app, chosen);
  cli::add_completion(app, chosen);
  cli::add_man(app, chosen);
  app.footer(examples);  // last, since a subcommand inherits the footer of its app
  if (argc > 1 && argv[1][0] != '-') expect_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (CLI::ExtrasError const& stop) {
    refuse_unknown_option(app);
    return app.exit(stop) == 0 ? 0 : 2;
  } catch (CLI::ParseError const& stop) {
    return app.exit(stop) == 0 ? 0 : 2;  // also for --help and --version
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  // A reader may close the pipe early; that ends the output, not the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  int status = 0;
  try {
    status = run(argc, argv);
  } catch (cli::wrong_usage const& problem) {
    status = report(problem.what(), 2);
  } catch (cli::failure const& problem) {
    status = report(problem.what());
  } catch (std::bad_alloc const&) {
    status = report("plait: out of memory");
  } catch (std::exception const& problem) {
    status = report("plait: " + std::string(problem.what()));
  }
  std::cout.flush();
  if (!std::cout && !has_no_reader()) status = report("plait: standard output cannot be written");
  return status;
}
