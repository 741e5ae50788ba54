#include <iostream>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/read.hpp>
#include <plait/runtime/extern_templates.hpp>

int main(int, char** argv) try {
  std::string const folder = argv[1];
  plait::workspace<plait::serial> blobs;
  plait::compile(plait::read_netdef(folder + "/init.pbtxt"), plait::standard_operators<plait::serial>(), blobs).run();
  blobs.feed("x", std::vector<float>{5, 7}, {1, 2});
  plait::compile(plait::read_netdef(folder + "/net.pbtxt"), plait::standard_operators<plait::serial>(), blobs).run();
  return blobs.fetch<float>("y") == std::vector<float>{35} ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
