#include "interrupt.hpp"

#include <csignal>

namespace example {

namespace {

std::sig_atomic_t volatile seen = 0;
void remember(int) {
  seen = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void catch_interrupt() { std::signal(SIGINT, remember); }
bool interrupted() { return seen != 0; }

}  // namespace example
