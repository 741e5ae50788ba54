#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/exec/standard_operators.hpp>

float run(plait::netdef const& net) {
  plait::workspace<plait::serial> blobs;
  blobs.feed("x", std::vector<float>(6), {2, 3});
  plait::compile(net, plait::standard_operators<plait::serial>(), blobs).run();
  return blobs.fetch<float>("y")[0];
}

int main() { return run({}) > 0; }
