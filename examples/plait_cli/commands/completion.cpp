// plait completion: prints a completion script for a shell.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app_model.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "op_text.hpp"

namespace cli {

namespace {

struct completion_options {
  std::string shell;
  std::string output;
};

std::string names_of(command_model const& command) {
  std::vector<std::string> names;
  for (option_model const& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names, " ");
}

std::string names_of(std::vector<command_model> const& commands) {
  std::vector<std::string> names;
  for (command_model const& command : commands) names.push_back(command.name);
  return joined(names, " ");
}

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

// Returns a text in single quotes for a shell. POSIX shells have no escapes in them, fish has \'.
std::string shell_quoted(std::string_view text, bool fish = false) {
  std::string made = "'";
  for (char const c : text) {
    if (c == '\'')
      made += fish ? "\\'" : "'\\''";
    else if (c == '\\' && fish)
      made += "\\\\";
    else
      made += c;
  }
  return made + "'";
}

// ---- bash

std::string bash_values(option_model const& option) {
  if (!option.words.empty()) return "_plait_words " + shell_quoted(joined(option.words, " "));
  return option.is_file ? "_plait_files" : ":";
}

std::string bash_case(command_model const& command) {
  std::string text = "    " + command.name + ")\n      case $prev in\n";
  std::string positional = ":";
  for (option_model const& option : command.options) {
    if (option.positional) {
      if (positional == ":") positional = bash_values(option);
    } else if (!option.is_flag()) {
      // NAME=FILE.npy is completed as a file behind its '='.
      text += "        " + joined(option.names, "|") + ") " + bash_values(option) + "; return ;;\n";
    }
  }
  return text + "      esac\n      case $cur in\n        -*) _plait_words " + shell_quoted(names_of(command)) +
         " ;;\n        *) " + positional + " ;;\n      esac ;;\n";
}

std::string bash_script(app_model const& app) {
  std::string text = R"(# bash completion of plait, made by `plait completion bash`.
_plait_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_plait_files() {
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
_plait() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' i
  COMPREPLY=()
  # Readline splits --option=value and NAME=FILE at the '='.
  if [[ $cur == '=' ]]; then
    cur=''
    prev='='
  fi
  if [[ $prev == '=' ]]; then
    i=$((COMP_CWORD - 1))
    if [[ ${COMP_WORDS[i]} == '=' ]]; then i=$((i - 1)); fi
    prev=${COMP_WORDS[i]}
    if [[ $prev != -* ]]; then
      _plait_files
      return
    fi
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  case $command in
    '') _plait_words )" +
                     shell_quoted(names_of(app.commands) + ' ' + names_of(app.self)) + " ;;\n";
  for (command_model const& command : app.commands) text += bash_case(command);
  return text + "  esac\n}\ncomplete -F _plait plait\n";
}

// ---- zsh

std::string zsh_text(std::string const& text) {
  std::string made;
  for (char const c : first_line(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string zsh_action(option_model const& option) {
  if (!option.words.empty()) return '(' + joined(option.words, " ") + ')';
  return option.is_file ? "_files" : " ";
}

std::string zsh_spec(option_model const& option) {
  std::string const value = option.is_flag() ? "" : ':' + zsh_text(option.type) + ':' + zsh_action(option);
  if (option.positional) return shell_quoted(':' + zsh_text(option.names.front()) + ':' + zsh_action(option));
  std::string const text = '[' + zsh_text(option.description) + ']' + value;
  if (option.names.size() == 1) return shell_quoted('*' + option.names.front() + text);
  return shell_quoted("*") + '{' + joined(option.names, ",") + '}' + shell_quoted(text);
}

std::string zsh_script(app_model const& app) {
  std::string text =
      "#compdef plait\n# zsh completion of plait, made by `plait completion zsh`.\n_plait() {\n"
      "  local -a commands=(\n";
  for (command_model const& command : app.commands)
    text += "    " + shell_quoted(command.name + ':' + zsh_text(command.description)) + '\n';
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  shift words\n"
      "  (( CURRENT-- ))\n  case $words[1] in\n";
  for (command_model const& command : app.commands) {
    text += "    " + command.name + ") _arguments";
    for (option_model const& option : command.options) text += " \\\n      " + zsh_spec(option);
    text += " ;;\n";
  }
  return text + "  esac\n}\n_plait \"$@\"\n";
}

// ---- fish

std::string fish_option(command_model const& command, option_model const& option) {
  std::string text = "complete -c plait -n " + shell_quoted("__fish_seen_subcommand_from " + command.name, true);
  for (std::string const& name : option.names) {
    if (option.positional) break;
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.words.empty())
    text += (option.positional ? " -a " : " -x -a ") + shell_quoted(joined(option.words, " "), true);
  else if (option.is_file)
    text += option.positional ? " -F" : " -r -F";
  else if (!option.is_flag() && !option.positional)
    text += " -x";
  return text + " -d " + shell_quoted(first_line(option.description), true) + '\n';
}

std::string fish_script(app_model const& app) {
  std::string text = "# fish completion of plait, made by `plait completion fish`.\ncomplete -c plait -f\n";
  for (command_model const& command : app.commands)
    text += "complete -c plait -n __fish_use_subcommand -a " + command.name + " -d " +
            shell_quoted(first_line(command.description), true) + '\n';
  for (command_model const& command : app.commands)
    for (option_model const& option : command.options) text += fish_option(command, option);
  return text;
}

int run(completion_options const& given, CLI::App const& app) {
  app_model const model = read_app(app);
  save_text(given.output, given.shell == "bash"  ? bash_script(model)
                          : given.shell == "zsh" ? zsh_script(model)
                                                 : fish_script(model));
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<completion_options>();
  CLI::App* const command = app.add_subcommand("completion", "print a completion script for bash, zsh or fish");
  command->footer(
      "Examples:\n  source <(plait completion bash)                                  in ~/.bashrc\n"
      "  plait completion zsh -o ~/.zfunc/_plait                        a folder in $fpath\n"
      "  plait completion fish -o ~/.config/fish/completions/plait.fish");
  command->add_option("SHELL", given->shell, "the shell")->required()->check(one_of({"bash", "zsh", "fish"}));
  add_output(*command, given->output);
  command->callback([given, &app, &chosen] { chosen = [given, &app] { return run(*given, app); }; });
}

}  // namespace cli
