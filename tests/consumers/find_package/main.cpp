#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

int main() {
  plait::netdef const net = plait::read_netdef_text(R"(
    name: "example"
    op { type: "Mul" input: "x" input: "w" output: "y" }
    op { type: "Add" input: "y" input: "b" output: "y" }
  )");
  auto const ssa = plait::get_ssa(net);
  return net.op.size() == 2 && ssa.version("y") == 2 ? 0 : 1;
}
