// Options common to several subcommands, with the same wording.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "io.hpp"

namespace cli {

inline void add_file(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "the net; - for standard input")->required();
}

inline void add_json(CLI::App& command, bool& json) { command.add_flag("--json", json, "print JSON"); }

/// Also accepts the older name --to, which has another meaning for subgraph.
inline void add_format(CLI::App& command, std::string& format, std::string const& names = "--format,--to") {
  command.add_option(names, format, "text, json or binary; default: by the suffix of the output, else text")
      ->check(CLI::IsMember({"text", "json", "binary"}));
}

inline void add_destination(CLI::App& command, destination& to) {
  command.add_option("-o,--output-file", to.path, "write the net to this file instead of standard output");
  add_format(command, to.format);
}

/// Throws if a JSON report and a net would both go to standard output.
inline void keep_apart(bool json, bool net_on_stdout, std::string const& remedy = "-o FILE for the net") {
  if (json && net_on_stdout) throw CLI::ValidationError("--json needs " + remedy);
}

}  // namespace cli
