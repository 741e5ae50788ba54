#include "app_model.hpp"

#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "common_options.hpp"

namespace cli {

namespace {

option_model read_option(CLI::Option const& option) {
  option_model made;
  made.positional = option.get_positional();
  if (made.positional) made.names.push_back(option.get_name(true));
  for (std::string const& name : option.get_snames()) made.names.push_back('-' + name);
  for (std::string const& name : option.get_lnames()) made.names.push_back("--" + name);
  made.description = option.get_description();
  made.required = option.get_required();
  if (option.get_items_expected_max() == 0) return made;
  made.type = option.get_type_name();
  // The words of one_of() are its validator's description, which CLI11 appends: "TEXT:{text,json,binary}".
  if (std::size_t const brace = made.type.find(":{"); brace != std::string::npos && made.type.ends_with('}')) {
    std::istringstream list(made.type.substr(brace + 2, made.type.size() - brace - 3));
    for (std::string word; std::getline(list, word, ',');) made.words.push_back(word);
    made.type.erase(0, brace + 1);
  }
  made.is_file = made.type == file_type || made.names.front() == file_type;
  return made;
}

void add_options(CLI::App const& app, command_model& to) {
  for (CLI::Option const* option : app.get_options()) to.options.push_back(read_option(*option));
  auto const is_group = [](CLI::App const* sub) { return sub->get_name().empty(); };
  for (CLI::App const* group : app.get_subcommands(is_group)) add_options(*group, to);
}

command_model read_command(CLI::App const& app) {
  command_model made{app.get_name(), app.get_description(), app.get_footer(), {}};
  add_options(app, made);
  return made;
}

}  // namespace

app_model read_app(CLI::App const& app) {
  app_model made{read_command(app), {}};
  auto const is_command = [](CLI::App const* sub) { return !sub->get_name().empty(); };
  for (CLI::App const* command : app.get_subcommands(is_command)) made.commands.push_back(read_command(*command));
  return made;
}

}  // namespace cli
