// json_seeds FROM TO: writes the text nets of one folder to another as JSON, as seeds of the JSON reader.
#include <exception>
#include <filesystem>
#include <iostream>

#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 3) return 2;
  try {
    fs::remove_all(argv[2]);
    fs::create_directories(argv[2]);
    for (fs::directory_entry const& net : fs::directory_iterator(argv[1]))
      plait::write_netdef(fs::path(argv[2]) / net.path().filename(), plait::read_netdef(net.path()),
                          plait::netdef_format::json);
  } catch (std::exception const& problem) {
    std::cerr << "json_seeds: " << problem.what() << '\n';
    return 1;
  }
  return 0;
}
