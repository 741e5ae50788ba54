// Subcommands of plait-inspect: those of the first steps of scripts/demo.sh.
#include "commands.hpp"

namespace cli {

void add_commands(CLI::App& app, action& chosen) {
  add_info(app, chosen);
  add_ssa(app, chosen);
  add_dot(app, chosen);
  add_prune(app, chosen);
}

}  // namespace cli
