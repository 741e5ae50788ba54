// Commands and options of the command line as plain values, read from the CLI11 app: for completions and the man page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

struct option_model {
  std::vector<std::string> names;  ///< "-o", "--output-file"; the name in usages of a positional
  std::string description;
  std::string type;                ///< type of its value, for help texts; empty: a flag
  std::vector<std::string> words;  ///< all values, if they are some words
  bool positional = false;
  bool required = false;
  bool is_file = false;
  bool is_flag() const { return !positional && type.empty(); }
};

struct command_model {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<option_model> options;  ///< positionals, too, in their order
};

struct app_model {
  command_model self;  ///< the program without a command
  std::vector<command_model> commands;
};

app_model read_app(CLI::App const& app);

}  // namespace cli
