// expect: plait: the callable of a static cell captures nothing: make a number that it uses a template argument, or a parameter of type plait::scalar
// errors: 1
#include <plait/gradient/static_cell.hpp>

int main() {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  auto const cell = plait::static_cell([](auto x, plait::scalar bias) { return x + bias; });
#else
  double const bias = 1.5;
  double const& used = bias;
  auto const cell = plait::static_cell([used](auto x) { return x + used; });
#endif
  return static_cast<int>(cell.input_count) / 3;
}
