// Transforms of a net, one after the other: dead ops, a part of it, versions as names, shared memory, a copy; and what
// each of them reports.
#include <iostream>
#include <string>
#include <vector>

#include <plait/net/op_stats.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/backward_slice.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/clone.hpp>
#include <plait/transform/compare_graphs.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/memory_plan.hpp>
#include <plait/transform/subgraph.hpp>

int main() try {
  plait::netdef net = plait::read_netdef_bytes(R"(
    name: "pipeline"
    op { input: "x" input: "w" output: "a" type: "FC" }
    op { input: "a" output: "a" type: "Relu" }
    op { input: "a" output: "b" type: "Tanh" }
    op { input: "b" output: "c" type: "Sigmoid" }
    op { input: "c" output: "y" type: "Softmax" }
    op { input: "a" output: "unused" type: "Negative" }
    external_input: "x" external_input: "w" external_output: "y")");

  plait::dead_ops_report const dead = plait::remove_dead_ops(net);
  for (plait::op_count const& each : plait::op_stats(net)) std::cout << each.type << ": " << each.count << '\n';

  // The part that makes c of the last version of a, as a net with its boundary as external inputs and outputs.
  auto const ssa = plait::get_ssa(net);
  using names = std::vector<std::string>;
  std::vector<plait::op_index> const path = plait::backward_slice(ssa, names{"a"}, names{"c"});
  auto const part = plait::extract_subgraph(net, path);

  // One name for blobs that are never in use at once; the graph stays what it was.
  plait::netdef shared = net;
  plait::blob_sharing const sharing = plait::share_blobs(shared);
  auto const difference = plait::compare_graphs(net, shared);

  // A copy under another name, and one in which no blob is written twice.
  plait::netdef renamed = plait::clone(net, "copy").net;
  plait::ssa_rewrite(renamed, {.naming = plait::ssa_naming::several_versions});

  std::cout << dead.ops.size() << " dead, " << part.net.op.size() << " in the part, " << sharing.candidates
            << " blobs share " << sharing.shared << '\n';
  bool const shares = sharing.shared < sharing.candidates && !difference;
  return dead.ops.size() == 1 && part.net.op.size() == 2 && shares && renamed.op.size() == 5 ? 0 : 1;
} catch (plait::error const& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
