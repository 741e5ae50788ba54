// Subcommands. Each add_ function adds one to the app, and assigns its action to `chosen` if the command line selects
// it; the action returns the exit status.
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
void add_view(CLI::App& app, action& chosen);
void add_grad(CLI::App& app, action& chosen);
void add_convert(CLI::App& app, action& chosen);
void add_prune(CLI::App& app, action& chosen);
void add_rename(CLI::App& app, action& chosen);
void add_share(CLI::App& app, action& chosen);
void add_subgraph(CLI::App& app, action& chosen);
void add_export(CLI::App& app, action& chosen);
void add_run(CLI::App& app, action& chosen);
void add_ops(CLI::App& app, action& chosen);
void add_diff(CLI::App& app, action& chosen);
void add_completion(CLI::App& app, action& chosen);
void add_man(CLI::App& app, action& chosen);

}  // namespace cli
