// Subcommands of plait.
#include "commands.hpp"

namespace cli {

void add_commands(CLI::App& app, action& chosen) {
  add_info(app, chosen);
  add_check(app, chosen);
  add_ssa(app, chosen);
  add_dot(app, chosen);
  add_view(app, chosen);
  add_grad(app, chosen);
  add_convert(app, chosen);
  add_prune(app, chosen);
  add_rename(app, chosen);
  add_share(app, chosen);
  add_subgraph(app, chosen);
  add_export(app, chosen);
  add_run(app, chosen);
  add_ops(app, chosen);
  add_diff(app, chosen);
  add_completion(app, chosen);
  add_man(app, chosen);
}

}  // namespace cli
