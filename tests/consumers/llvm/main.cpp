// Builds an LLVM function with a counting loop: its dominators, its memory in SSA form, its values.
#include <cstddef>
#include <ranges>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <plait/graph/dominators.hpp>
#include <plait/interop/llvm.hpp>
#include <plait/ssa/construction.hpp>

PLAIT_CHECK_FLOW_GRAPH(plait::llvm_function);
PLAIT_CHECK_PROGRAM(plait::llvm_memory_program);
PLAIT_CHECK_PROGRAM(plait::llvm_value_program);

int main() {
  llvm::LLVMContext context;
  llvm::Module module("made", context);
  llvm::Type* const number = llvm::Type::getInt32Ty(context);
  auto* const function = llvm::Function::Create(llvm::FunctionType::get(number, {number}, false),
                                                llvm::Function::ExternalLinkage, "count", module);
  auto* const entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* const head = llvm::BasicBlock::Create(context, "head", function);
  auto* const body = llvm::BasicBlock::Create(context, "body", function);
  auto* const end = llvm::BasicBlock::Create(context, "end", function);
  llvm::IRBuilder<> write(entry);
  llvm::AllocaInst* const slot = write.CreateAlloca(number);
  write.CreateStore(write.getInt32(0), slot);
  write.CreateBr(head);
  write.SetInsertPoint(head);
  write.CreateCondBr(write.CreateICmpSLT(write.CreateLoad(number, slot), function->getArg(0)), body, end);
  write.SetInsertPoint(body);
  write.CreateStore(write.CreateAdd(write.CreateLoad(number, slot), write.getInt32(1)), slot);
  write.CreateBr(head);
  write.SetInsertPoint(end);
  write.CreateRet(write.CreateLoad(number, slot));

  plait::llvm_memory_program const memory(*function);
  plait::dominator_tree const tree(memory);
  if (tree.idom(body) != head || tree.idom(end) != head) return 1;
  plait::program_ssa const slots(memory);  // one phi, in the loop's head
  if (slots.phi_count() != 1 || slots.phis(head).size() != 1 || !slots.undefined_uses().empty()) return 2;
  plait::llvm_value_program const program(*function);
  plait::program_ssa const values(program);
  std::size_t ops = 0;
  for (llvm::BasicBlock const* const block : program.nodes())
    ops += static_cast<std::size_t>(std::ranges::distance(program.block(block).ops()));
  return values.phi_count() == 0 && ops == 12 && values.form().op_count() == 12 ? 0 : 3;
}
