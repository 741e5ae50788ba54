// LLVM adapter: functions as flow graphs and as programs (LLVM 14 or later).
//
//   plait::llvm_function const f(function);            // a flow graph; nodes are llvm::BasicBlock const*
//   plait::dominator_tree const tree(f);
//   plait::llvm_memory_program const slots(function);  // a program: loads and stores of promotable allocas
//   plait::program_ssa const ssa(slots);               // its phis are those of mem2reg
//   plait::llvm_value_program const values(function);  // a program: instructions read and write llvm::Values
//
// All three refer to the function, which must not change. LLVM numbers blocks only since version 20; here they are
// numbered once, in the order of the function, and looked up in a hash map: O(1) per query, O(blocks) space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <plait/graph/graph_traits.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

/// Control flow graph of a function with a body. Edges are those of llvm::successors: one for each successor operand of
/// a terminator, so that a switch with two cases for one block has two edges to it.
class llvm_function {
 public:
  using node = llvm::BasicBlock const*;

  explicit llvm_function(llvm::Function const& f) : function_(&f) {
    for (llvm::BasicBlock const& block : f) {
      numbers_.try_emplace(&block, static_cast<std::uint32_t>(blocks_.size()));
      blocks_.push_back(&block);
    }
  }

  llvm::Function const& function() const noexcept { return *function_; }
  std::size_t size() const noexcept { return blocks_.size(); }
  node entry() const { return &function_->getEntryBlock(); }
  /// Returns nothing for a block without terminator. (LLVM's own iterators are not C++20 iterators.)
  auto successors(node n) const {
    llvm::Instruction const* const last = n->getTerminator();
    return std::views::iota(0u, last == nullptr ? 0u : last->getNumSuccessors()) |
           std::views::transform([last](unsigned i) { return node(last->getSuccessor(i)); });
  }
  std::size_t index(node n) const { return numbers_.lookup(n); }
  std::span<node const> nodes() const noexcept { return blocks_; }
  /// Returns the name of a block for listings (graph/print.hpp); empty if it has none.
  std::string_view text(node n) const { return n->getName(); }

 private:
  llvm::Function const* function_;
  std::vector<node> blocks_;
  llvm::DenseMap<node, std::uint32_t> numbers_;
};

/// Program of the stack memory of a function: blobs are its promotable allocas (llvm::isAllocaPromotable), ops the
/// loads, which read one, and the stores, which write one. Its pruned SSA form is that of LLVM's mem2reg, before
/// mem2reg simplifies phis with undefined operands.
class llvm_memory_program : public llvm_function {
 public:
  class block_net;

  explicit llvm_memory_program(llvm::Function const& f) : llvm_function(f) {
    for (llvm::Instruction const& i : llvm::instructions(f))
      if (auto const* slot = llvm::dyn_cast<llvm::AllocaInst>(&i); slot != nullptr && llvm::isAllocaPromotable(slot)) {
        numbers_.try_emplace(slot, static_cast<std::uint32_t>(slots_.size()));
        slots_.push_back(slot);
      }
  }

  block_net block(node n) const;

  /// Returns the promotable alloca that a load or a store accesses; nullptr for anything else.
  llvm::AllocaInst const* slot(llvm::Instruction const& i) const {
    auto const* const at = llvm::dyn_cast_or_null<llvm::AllocaInst>(llvm::getLoadStorePointerOperand(&i));
    return at != nullptr && numbers_.count(at) != 0 ? at : nullptr;
  }

  // Names are numbered for the whole program.
  std::size_t name_count() const noexcept { return slots_.size(); }
  std::size_t name_index(llvm::AllocaInst const* slot) const { return numbers_.lookup(slot); }
  llvm::AllocaInst const* name_at(std::size_t i) const { return slots_[i]; }

 private:
  std::vector<llvm::AllocaInst const*> slots_;
  llvm::DenseMap<llvm::AllocaInst const*, std::uint32_t> numbers_;
};

/// Net of the loads and stores of a block; a handle.
class llvm_memory_program::block_net {
 public:
  using op = llvm::Instruction const*;

  block_net(llvm_memory_program const& p, node n) : program_(&p), block_(n) {}
  auto ops() const {
    return std::ranges::subrange(block_->begin(), block_->end()) |
           std::views::transform([](llvm::Instruction const& i) { return &i; }) |
           std::views::filter([p = program_](op i) { return p->slot(*i) != nullptr; });
  }
  auto inputs(op i) const { return slots(i, llvm::isa<llvm::LoadInst>(i)); }
  auto outputs(op i) const { return slots(i, llvm::isa<llvm::StoreInst>(i)); }
  char const* type(op i) const { return i->getOpcodeName(); }

 private:
  using names = std::ranges::take_view<std::ranges::single_view<llvm::AllocaInst const*>>;
  names slots(op i, bool wanted) const { return {std::views::single(program_->slot(*i)), wanted ? 1 : 0}; }

  llvm_memory_program const* program_;
  node block_;
};

inline llvm_memory_program::block_net llvm_memory_program::block(node n) const { return {*this, n}; }

/// Program of the values of a function: ops are its instructions except phis, blobs the instructions and arguments that
/// they use and define. Constants, globals and blocks are not blobs. Arguments are external inputs of the entry. Every
/// blob is written once; the result of a phi is written by no op.
class llvm_value_program : public llvm_function {
 public:
  using llvm_function::llvm_function;
  class block_net;
  block_net block(node n) const;
};

/// Net of the instructions of a block; a handle.
class llvm_value_program::block_net {
 public:
  using op = llvm::Instruction const*;

  explicit block_net(node n) : block_(n) {}
  /// Returns the instructions after the phis; nothing for an empty block.
  auto ops() const {
    auto const first = std::find_if_not(block_->begin(), block_->end(),
                                        [](llvm::Instruction const& i) { return llvm::isa<llvm::PHINode>(i); });
    return std::ranges::subrange(first, block_->end()) |
           std::views::transform([](llvm::Instruction const& i) { return &i; });
  }
  auto inputs(op i) const {
    return std::ranges::subrange(i->value_op_begin(), i->value_op_end()) |
           std::views::filter([](llvm::Value const* v) { return llvm::isa<llvm::Instruction, llvm::Argument>(v); });
  }
  auto outputs(op i) const {
    return std::views::iota(0u, i->getType()->isVoidTy() ? 0u : 1u) |
           std::views::transform([i](unsigned) { return static_cast<llvm::Value const*>(i); });
  }
  auto external_inputs() const {
    bool const is_entry = block_ == &block_->getParent()->getEntryBlock();
    return std::views::iota(std::size_t{0}, is_entry ? block_->getParent()->arg_size() : 0) |
           std::views::transform([f = block_->getParent()](std::size_t i) {
             return static_cast<llvm::Value const*>(f->getArg(static_cast<unsigned>(i)));
           });
  }
  char const* type(op i) const { return i->getOpcodeName(); }

 private:
  node block_;
};

inline llvm_value_program::block_net llvm_value_program::block(node n) const { return block_net(n); }

}  // namespace plait
