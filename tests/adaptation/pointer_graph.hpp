// Foreign pointer IR: blocks with their jump targets and their number in the function.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <plait/graph/graph_traits.hpp>

namespace cfg {

struct Block {
  std::size_t number;
  std::vector<Block*> targets;
};

struct Function {
  std::vector<std::unique_ptr<Block>> blocks;
};

}  // namespace cfg

// clang-format off
// [adaptation: foreign pointer IR as a flow graph, at most 7 lines]
template <> struct plait::graph_traits<cfg::Function> {
  static auto size(cfg::Function const& f) { return f.blocks.size(); }
  static auto index(cfg::Function const&, cfg::Block const* b) { return b->number; }
  static cfg::Block* entry(cfg::Function const& f) { return f.blocks.front().get(); }
  static auto const& successors(cfg::Function const&, cfg::Block const* b) { return b->targets; }
};
// [end]
// clang-format on
