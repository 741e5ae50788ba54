// A Caffe2 model run by the library plait::runtime: the program compiles no templates of the runtime.
#include <exception>
#include <iostream>
#include <vector>

#include <plait/runtime.hpp>

int main() try {
  plait::session model("data/demo_net.pbtxt", {.init = "data/demo_init_net.pbtxt"});
  model.feed("x", std::vector<float>{1, -2, 0.5f}, {1, 3});
  bool const sharpen[] = {true};
  model.feed<bool>("sharpen", sharpen, {});
  model.run();
  std::vector<float> const p = model.fetch<float>("p");
  std::cout << "p = " << p[0] << ' ' << p[1] << '\n';
  float const sum = p[0] + p[1];
  return p.size() == 2 && sum > 0.999f && sum < 1.001f ? 0 : 1;
} catch (std::exception const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
