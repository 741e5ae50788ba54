// plait: command line tool for NetDef files.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <ios>
#include <iostream>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include <plait/core/errors.hpp>
#include <plait/version.hpp>

#include "commands.hpp"
#include "io.hpp"
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
  app.footer(examples);  // last, since a subcommand inherits the footer of its app
  auto const is_named = [&](CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty())
    throw cli::wrong_usage("plait: there is no subcommand '" + std::string(argv[1]) + "'; plait --help lists them");
  try {
    app.parse(argc, argv);
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
