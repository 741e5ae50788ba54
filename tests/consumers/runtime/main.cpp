#include <iostream>
#include <string>
#include <vector>

#include <plait/runtime.hpp>

int main(int, char** argv) try {
  std::string const folder = argv[1];
  plait::session s(folder + "/net.pbtxt", {.init = folder + "/init.pbtxt"});
  s.feed("x", std::vector<float>{5, 7}, {1, 2});
  s.run();
  if (s.fetch<float>("y") != std::vector<float>{35}) return 1;
  // Errors thrown by the library are caught by their types, also across a shared object.
  try {
    s.feed("x", std::vector<float>{1}, {1, 1});
    s.run();
    return 2;
  } catch (plait::exec_error const& e) {
    if (e.type != "FC") return 3;
  }
  try {
    plait::session(folder + "/absent.pb");
    return 4;
  } catch (plait::io_error const&) {
  }
  return 0;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 5;
}
