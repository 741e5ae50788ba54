#include "net_files.hpp"

#include <system_error>

#include <plait/core/errors.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

namespace example {

namespace fs = std::filesystem;

fs::path beside(fs::path const& file, std::string_view what) {
  fs::path made = file;
  return made.replace_extension("." + std::string(what) + file.extension().string());
}

void replace_net(fs::path const& file, plait::netdef const& net) {
  auto const format = file.extension() == ".pb"     ? plait::netdef_format::binary
                      : file.extension() == ".json" ? plait::netdef_format::json
                                                    : plait::netdef_format::text;
  fs::path const part = file.string() + ".part";
  plait::write_netdef(part, net, format);
  std::error_code problem;
  fs::rename(part, file, problem);
  if (problem) throw plait::io_error(problem.message(), file.string());
}

plait::netdef read_net(fs::path const& file) {
  try {
    return plait::read_netdef(file);
  } catch (plait::parse_error const& problem) {  // which does not know the file
    throw plait::io_error(problem.what(), file.string());
  }
}

}  // namespace example
