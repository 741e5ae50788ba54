// NetDef: reads text, eliminates dead ops, renames a blob, draws a graph and writes formats.
#include <iostream>
#include <string>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/netdef/write.hpp>
#include <plait/ssa/dot.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/rename.hpp>
#include <plait/transform/validate.hpp>

int main() try {
  plait::netdef net = plait::read_netdef_bytes(R"(
    name: "tour"
    op { input: "x" input: "w" output: "h" type: "Mul" }
    op { input: "h" output: "h" type: "Relu" }
    op { input: "h" output: "unused" type: "Tanh" }
    op { input: "h" output: "y" type: "Softmax" }
    external_input: "x" external_input: "w" external_output: "y")");

  for (plait::net_problem const& problem : plait::validate(net)) std::cerr << problem.message << '\n';

  auto const removed = plait::remove_dead_ops(net);
  std::cerr << removed.ops.size() << " op removed\n";
  plait::rename_output(net, {.op = 1, .output = 0}, "features");  // version 2 of h, and its readers

  plait::write_text(std::cout, net);
  plait::write_dot(std::cout, net, {.ssa = true});

  std::string const packed = plait::to_bytes(net, plait::netdef_format::binary);
  return plait::read_netdef_bytes(packed) == net ? 0 : 1;
} catch (plait::error const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
