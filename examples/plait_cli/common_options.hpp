// Options common to several subcommands, with the same wording.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "io.hpp"
#include "names.hpp"
#include "terminal.hpp"

namespace cli {

/// Type name of options whose value is a file, for help texts, completions and the man page.
inline constexpr char const* file_type = "FILE";

/// Restricts an option to some words, and suggests one for a misspelt word.
inline CLI::Validator one_of(std::vector<std::string> const& words) {
  std::string shown;
  for (std::string const& word : words) shown += (shown.empty() ? "{" : ",") + word;
  return CLI::Validator(
      [words](std::string& given) {
        if (std::ranges::find(words, given) != words.end()) return std::string();
        return '\'' + visible(given) + "' is unknown" + suggest_names(given, words);
      },
      shown + '}');
}

inline void add_file(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "the net; - for standard input")->required()->type_name("");
}

inline void add_json(CLI::App& command, bool& json) { command.add_flag("--json", json, "print JSON"); }

inline void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "print results, warnings and errors only, no remarks");
}

/// Also accepts the older name --to, which has another meaning for subgraph.
inline void add_format(CLI::App& command, std::string& format, std::string const& names = "--format,--to") {
  command.add_option(names, format, "text, json or binary; default: by the suffix of the output, else text")
      ->check(one_of({"text", "json", "binary"}));
}

inline void add_output(CLI::App& command, std::string& path) {
  command.add_option("-o,--output-file", path, "write to this file instead of standard output")->type_name(file_type);
}

inline void add_destination(CLI::App& command, destination& to) {
  command.add_option("-o,--output-file", to.path, "write the net to this file instead of standard output")
      ->type_name(file_type);
  add_format(command, to.format);
}

/// Throws if a JSON report and a net would both go to standard output.
inline void keep_apart(bool json, bool net_on_stdout, std::string const& remedy = "-o FILE for the net") {
  if (json && net_on_stdout) throw CLI::ValidationError("--json needs " + remedy);
}

}  // namespace cli
