// The subcommands. Each adds itself to the app and, when it is the one that was asked for, leaves in `chosen` what is
// to be done; that returns the exit status.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cli {

using action = std::function<int()>;

void add_info(CLI::App& app, action& chosen);
void add_check(CLI::App& app, action& chosen);
void add_ssa(CLI::App& app, action& chosen);
void add_dot(CLI::App& app, action& chosen);
void add_grad(CLI::App& app, action& chosen);
void add_convert(CLI::App& app, action& chosen);
void add_prune(CLI::App& app, action& chosen);
void add_rename(CLI::App& app, action& chosen);
void add_share(CLI::App& app, action& chosen);
void add_subgraph(CLI::App& app, action& chosen);
void add_export(CLI::App& app, action& chosen);
void add_run(CLI::App& app, action& chosen);
void add_ops(CLI::App& app, action& chosen);

}  // namespace cli
