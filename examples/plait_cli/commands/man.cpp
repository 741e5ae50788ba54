// plait man: prints the manual page.
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <plait/version.hpp>

#include "app_model.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "op_text.hpp"

namespace cli {

namespace {

struct man_options {
  std::string output;
};

// Escapes text for roff: backslashes, hyphens, control lines, and characters beyond ASCII by their numbers.
std::string roff(std::string_view text) {
  std::string made;
  bool begins_line = true;
  for (std::size_t i = 0; i != text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    if (begins_line && (text[i] == '.' || text[i] == '\'')) made += "\\&";
    begins_line = text[i] == '\n';
    if (text[i] == '\\') {
      made += "\\e";
    } else if (text[i] == '-') {
      made += "\\-";
    } else if (byte < 0x80) {
      made += text[i];
    } else {
      std::size_t const more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
      std::uint32_t code = byte & (0x3FU >> more);
      for (std::size_t end = i + more; i != end && i + 1 != text.size();)
        code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU);
      std::ostringstream hex;
      hex << std::hex << std::uppercase << code;
      std::string digits = hex.str();
      if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
      made += "\\[u" + digits + ']';
    }
  }
  return made;
}

std::string usage(command_model const& command) {
  std::string text = "\\fBplait " + roff(command.name) + "\\fR";
  for (option_model const& option : command.options)
    if (option.positional)
      text +=
          (option.required ? " \\fI" : " [\\fI") + roff(option.names.front()) + (option.required ? "\\fR" : "\\fR]");
  return text + " [\\fIOPTION\\fR]...";
}

std::string option_text(option_model const& option) {
  std::string text = ".TP\n";
  if (option.positional) {
    text += "\\fI" + roff(option.names.front()) + "\\fR";
    if (!option.words.empty()) text += ": " + roff(joined(option.words));
  } else {
    std::string names;
    for (std::string const& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    text += names;
    if (!option.is_flag()) text += " \\fI" + roff(option.type) + "\\fR";
  }
  return text + '\n' + roff(option.description) + (option.required && !option.positional ? " (required)" : "") + '\n';
}

std::string lines(std::string const& text) { return text.empty() ? "" : ".PP\n.nf\n" + roff(text) + "\n.fi\n"; }

std::string page(app_model const& app) {
  std::string const version = std::to_string(PLAIT_VERSION_MAJOR) + '.' + std::to_string(PLAIT_VERSION_MINOR) + '.' +
                              std::to_string(PLAIT_VERSION_PATCH);
  std::string const& about = app.self.description;
  std::string const summary = about.substr(0, about.find('\n'));
  std::string text = ".\\\" Made by `plait man`.\n.TH PLAIT 1 \"\" \"plait " + version + "\" \"User Commands\"\n" +
                     ".SH NAME\nplait \\- " + roff(summary) + "\n.SH SYNOPSIS\n.B plait\n.I COMMAND\n" +
                     "[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n";
  if (std::size_t const rest = about.find_first_not_of('\n', summary.size()); rest != std::string::npos)
    text += roff(about.substr(rest)) + '\n';
  for (option_model const& option : app.self.options) text += option_text(option);
  text += ".SH COMMANDS\n";
  for (command_model const& command : app.commands) {
    text += ".SS " + usage(command) + '\n' + roff(command.description) + ".\n";
    for (option_model const& option : command.options)
      if (option.names.back() != "--help") text += option_text(option);
    text += lines(command.footer);
  }
  return text + ".SH EXAMPLES AND EXIT STATUS\n" + lines(app.self.footer);
}

}  // namespace

void add_man(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<man_options>();
  CLI::App* const command = app.add_subcommand("man", "print the manual page, plait(1)");
  command->footer("Example:\n  plait man -o plait.1 && man -l plait.1");
  add_output(*command, given->output);
  command->callback([given, &app, &chosen] {
    chosen = [given, &app] {
      save_text(given->output, page(read_app(app)));
      return 0;
    };
  });
}

}  // namespace cli
