// LLVM's GraphTraits for foreign::function, for its dominator trees.
#pragma once

#include <memory>
#include <vector>

#include <llvm/ADT/GraphTraits.h>
#include <llvm/Support/GenericDomTree.h>
#include <llvm/Support/GenericDomTreeConstruction.h>

#include "graphs.hpp"

namespace foreign {

struct block_iterator : std::vector<std::unique_ptr<block>>::const_iterator {
  using base = std::vector<std::unique_ptr<block>>::const_iterator;
  using value_type = block*;
  using reference = block*;
  explicit block_iterator(base i) : base(i) {}
  block* operator*() const { return base::operator*().get(); }
};

}  // namespace foreign

template <>
struct llvm::GraphTraits<foreign::block*> {
  using NodeRef = foreign::block*;
  using ChildIteratorType = std::vector<foreign::block*>::iterator;
  static NodeRef getEntryNode(foreign::block* b) { return b; }
  static ChildIteratorType child_begin(NodeRef n) { return n->successors.begin(); }
  static ChildIteratorType child_end(NodeRef n) { return n->successors.end(); }
};
template <>
struct llvm::GraphTraits<llvm::Inverse<foreign::block*>> {
  using NodeRef = foreign::block*;
  using ChildIteratorType = std::vector<foreign::block*>::iterator;
  static NodeRef getEntryNode(llvm::Inverse<foreign::block*> b) { return b.Graph; }
  static ChildIteratorType child_begin(NodeRef n) { return n->predecessors.begin(); }
  static ChildIteratorType child_end(NodeRef n) { return n->predecessors.end(); }
};
template <>
struct llvm::GraphTraits<foreign::function*> : llvm::GraphTraits<foreign::block*> {
  using nodes_iterator = foreign::block_iterator;
  static NodeRef getEntryNode(foreign::function* f) { return f->blocks.front().get(); }
  static nodes_iterator nodes_begin(foreign::function* f) { return nodes_iterator(f->blocks.begin()); }
  static nodes_iterator nodes_end(foreign::function* f) { return nodes_iterator(f->blocks.end()); }
  static size_t size(foreign::function* f) { return f->blocks.size(); }
};
