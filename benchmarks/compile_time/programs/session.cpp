#include <plait/runtime.hpp>

int main(int, char** argv) {
  plait::session s(argv[1]);
  s.feed("x", std::vector<float>(6), {2, 3});
  s.run();
  return s.fetch<float>("y")[0] > 0;
}
