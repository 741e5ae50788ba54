#include "io.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include <plait/interop/onnx/detail/parse.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#include "foreign.hpp"
#include "onnx_graph.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

constexpr std::string_view prefix = "plait: ";

std::string without_prefix(std::string_view message) {
  if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  return visible(message);
}

plait::netdef_format format_of(destination const& to) {
  if (auto const named = format_called(to.format)) return *named;
  std::string const suffix = std::filesystem::path(to.path).extension().string();
  if (suffix == ".json") return plait::netdef_format::json;
  if (suffix == ".pb" || suffix == ".bin" || suffix == ".binary") return plait::netdef_format::binary;
  return plait::netdef_format::text;
}

}  // namespace

std::string placed(std::string_view label, plait::text_position at, std::string_view message) {
  std::string text(label);
  if (at.line != 0)
    text += ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  else
    text += ": byte " + std::to_string(at.offset);
  return text + ": " + visible(message);
}

failure about(std::string_view label, plait::error const& problem) {
  if (auto const* parse = dynamic_cast<plait::parse_error const*>(&problem))
    return failure(placed(label, parse->position, parse->message));
  return failure(std::string(label) + ": " + without_prefix(problem.what()));
}

failure about(source const& in, plait::error const& problem) {
  std::optional<std::size_t> op;
  if (auto const* net = dynamic_cast<plait::net_error const*>(&problem)) op = net->op;
  if (auto const* exec = dynamic_cast<plait::exec_error const*>(&problem)) op = exec->op;
  if (!op || *op >= in.op_positions.size()) return about(std::string_view(in.label), problem);
  return failure(placed(in.label, in.op_positions[*op], without_prefix(problem.what())));
}

std::string read_file(std::string const& path, std::size_t most) {
  bool const standard = path == "-";
  if (std::error_code ignored; !standard && std::filesystem::is_directory(path, ignored))
    throw failure(visible(path) + ": is a folder");
  std::ifstream file;
  if (!standard) {
    file.open(path, std::ios::binary);
    if (!file) throw failure(visible(path) + ": cannot open");
  }
  std::istream& in = standard ? std::cin : file;
  std::string bytes;
  constexpr std::size_t chunk = std::size_t{1} << 16;
  while (in && bytes.size() <= most) {
    std::size_t const size = bytes.size();
    bytes.resize(size + chunk);
    in.read(bytes.data() + size, static_cast<std::streamsize>(chunk));
    bytes.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw failure(standard ? "plait: standard input cannot be read" : visible(path) + ": cannot read");
  return bytes;
}

namespace {

source load_file(std::string const& path, bool with_onnx) {
  source made;
  made.label = path == "-" ? "<stdin>" : visible(path);
  plait::read_options options;
  options.diagnostics = &made.diagnostics;
  options.op_positions = &made.op_positions;
  std::string const document = read_file(path, options.limits.max_bytes);
  if (with_onnx && is_onnx_model(document)) {
    try {
      made.net = graph_net(plait::parse_onnx(document));
      made.is_onnx = true;
      return made;
    } catch (plait::error const& problem) {
      throw about(std::string_view(made.label), problem);
    }
  }
  if (auto const foreign = foreign_format(document)) throw failure(made.label + " is " + visible(*foreign));
  try {
    made.net = plait::read_netdef_bytes(document, options, &made.format);
  } catch (plait::error const& problem) {
    throw about(std::string_view(made.label), problem);
  }
  return made;
}

}  // namespace

source load(std::string const& path) { return load_file(path, false); }
source load_any(std::string const& path) { return load_file(path, true); }

std::optional<plait::netdef_format> format_called(std::string_view name) {
  for (auto format : {plait::netdef_format::text, plait::netdef_format::json, plait::netdef_format::binary})
    if (name == plait::to_string(format)) return format;
  return std::nullopt;
}

void save(destination const& to, plait::netdef const& net) {
  plait::netdef_format const format = format_of(to);
  if (to.to_stdout() && format == plait::netdef_format::binary && isatty(STDOUT_FILENO) != 0)
    throw failure("plait: a binary net is not written to a terminal; name a file with -o");
  try {
    std::string bytes = plait::to_bytes(net, format);
    if (to.to_stdout() && format != plait::netdef_format::binary && !bytes.ends_with('\n')) bytes += '\n';
    save_text(to.path, bytes);
  } catch (plait::error const& problem) {
    throw about(std::string_view(to.to_stdout() ? "<stdout>" : to.path), problem);
  }
}

void save_text(std::string const& path, std::string_view text) {
  if (path.empty() || path == "-") {
    std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
    return;  // main() checks standard output
  }
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) throw failure(path + ": is a folder");
  // Writes a temporary file and renames it, so that a full disk does not destroy the old file; devices and links are
  // written directly.
  std::error_code ignored;
  auto const there = std::filesystem::symlink_status(path, ignored);
  bool const direct = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
  std::string const written = direct ? path : path + ".part";
  std::ofstream out(written, std::ios::binary | std::ios::trunc);
  if (!out) throw failure(path + ": cannot be opened for writing");
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  std::error_code problem;
  if (!direct && out) {
    if (std::filesystem::exists(there)) std::filesystem::permissions(written, there.permissions(), ignored);
    std::filesystem::rename(written, path, problem);
  }
  if (out && !problem) return;
  if (!direct) std::filesystem::remove(written, ignored);
  throw failure(path + ": cannot be written");
}

void print_json(nlohmann::ordered_json const& value) {
  std::cout << value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace cli
