#include <plait/interop/llvm.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <plait/graph/dominators.hpp>
#include <plait/graph/print.hpp>
#include <plait/ssa/construction.hpp>

#include <support/skip.hpp>

namespace {

PLAIT_CHECK_FLOW_GRAPH(plait::llvm_function);
PLAIT_CHECK_PROGRAM(plait::llvm_memory_program);
PLAIT_CHECK_PROGRAM(plait::llvm_value_program);
static_assert(plait::has_program_names<plait::llvm_memory_program>);

std::string const text = [] {
  std::string source = R"(
define i32 @sum(i32 %n) {
entry:
  %i = alloca i32
  %s = alloca i32
  %kept = alloca i32
  call void @use(ptr %kept)
  store i32 0, ptr %i
  store i32 0, ptr %s
  br label %head
head:
  %a = load i32, ptr %i
  %more = icmp slt i32 %a, %n
  br i1 %more, label %body, label %end
body:
  %b = load i32, ptr %s
  %c = add i32 %b, %a
  store i32 %c, ptr %s
  %d = add i32 %a, 1
  store i32 %d, ptr %i
  br label %head
end:
  %r = load i32, ptr %s
  ret i32 %r
unreachable:
  br label %end
}
declare void @use(ptr)
)";
#if LLVM_VERSION_MAJOR < 15  // typed pointers
  for (std::size_t at = 0; (at = source.find("ptr", at)) != std::string::npos;) source.replace(at, 3, "i32*");
#endif
  return source;
}();

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, std::string const& source) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(llvm::MemoryBufferRef(source, "test"), problem, context);
  REQUIRE_MESSAGE(module != nullptr, problem.getMessage().str());
  return module;
}

// Returns all modules: the one above, and the real ones if they are available.
std::vector<std::string> modules() {
  std::vector<std::string> found = {text};
#if LLVM_VERSION_MAJOR >= 17
  MESSAGE("without real modules: LLVM 17 and later do not read their typed pointers");
#else
  std::filesystem::path const folder = std::filesystem::path(PLAIT_SHARED_DIR) / "cfg";
  if (std::string(PLAIT_SHARED_DIR).empty() || !std::filesystem::is_directory(folder)) {
    test::skip("there are no real modules, as PLAIT_SHARED_DIR has no folder 'cfg'");
    return found;
  }
  for (auto const& file : std::filesystem::directory_iterator(folder)) {
    std::string const name = file.path().filename().string();
    if (!name.ends_with(".ll") || name.ends_with(".mem2reg.ll")) continue;
    auto buffer = llvm::MemoryBuffer::getFile(file.path().string());
    REQUIRE(buffer);
    found.push_back((*buffer)->getBuffer().str());
  }
#endif
  return found;
}

}  // namespace

TEST_CASE("llvm function: blocks, edges and dominators are those of LLVM") {
  for (std::string const& source : modules()) {
    llvm::LLVMContext context;
    auto const module = parse(context, source);
    for (llvm::Function& function : *module) {
      if (function.isDeclaration()) continue;
      plait::llvm_function const f(function);
      plait::dominator_tree const ours(f);
      llvm::DominatorTree theirs(function);
      for (llvm::BasicBlock const* block : plait::nodes(f)) {
        CHECK(ours.contains(block) == theirs.isReachableFromEntry(block));
        CHECK(f.nodes()[f.index(block)] == block);
        if (!ours.contains(block) || block == f.entry()) continue;
        REQUIRE(ours.idom(block) == theirs.getNode(block)->getIDom()->getBlock());
        auto const ways = plait::successors(f, block);
        CHECK(std::equal(llvm::succ_begin(block), llvm::succ_end(block), ways.begin(), ways.end()));
      }
    }
  }
}

TEST_CASE("llvm function: listings have the names of blocks") {
  llvm::LLVMContext context;
  auto const module = parse(context, text);
  plait::llvm_function const f(*module->getFunction("sum"));
  CHECK(plait::to_text(f) ==
        "flow graph:\n  entry -> head\n  head -> body, end\n  end\n  body -> head\n  unreachable -> end  ; "
        "unreachable\n");
}

TEST_CASE("llvm memory program: phis are those of mem2reg") {
  std::size_t compared = 0;
  for (std::string const& source : modules()) {
    llvm::LLVMContext context;
    auto const module = parse(context, source);
    for (llvm::Function& function : *module) {
      if (function.isDeclaration()) continue;
      plait::llvm_memory_program const p(function);
      plait::program_ssa const ssa(p);
      std::size_t loads_and_stores = 0;
      for (llvm::Instruction const& i : llvm::instructions(function))
        if (p.slot(i) != nullptr && ssa.graph().number(i.getParent()) != plait::npos) ++loads_and_stores;
      CHECK(ssa.form().op_count() == loads_and_stores);

      // mem2reg also simplifies phis: of one value and undefined ones, or of one value with several stores. All others
      // are equal in number, block by block.
      std::set<std::pair<llvm::Value const*, llvm::Value const*>> stored;
      bool exact = true;
      for (llvm::Instruction const& i : llvm::instructions(function))
        if (auto const* store = llvm::dyn_cast<llvm::StoreInst>(&i); store != nullptr && p.slot(i) != nullptr)
          exact = exact && stored.emplace(p.slot(i), store->getValueOperand()).second;
      std::vector<std::pair<llvm::BasicBlock const*, std::size_t>> phis;
      for (llvm::BasicBlock const* block : ssa.graph().order()) {
        phis.emplace_back(block,
                          static_cast<std::size_t>(std::ranges::distance(block->phis())) + ssa.phis(block).size());
        for (auto const& phi : ssa.phis(block))
          for (plait::value const v : phi.arguments()) exact = exact && v.version != 0;
      }
      std::vector<llvm::AllocaInst*> slots;
      for (llvm::Instruction& i : llvm::instructions(function))
        if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i); slot != nullptr && llvm::isAllocaPromotable(slot))
          slots.push_back(slot);
      REQUIRE(slots.size() == p.name_count());
      llvm::DominatorTree tree(function);
      if (!slots.empty()) llvm::PromoteMemToReg(slots, tree);
      for (auto const& [block, count] : phis) {
        auto const theirs = static_cast<std::size_t>(std::ranges::distance(block->phis()));
        CHECK(theirs <= count);
        if (exact) CHECK(theirs == count);
      }
      compared += exact ? 1 : 0;
    }
  }
  CHECK(compared != 0);
}

TEST_CASE("llvm value program: each value is written once, with the uses that LLVM counts") {
  llvm::LLVMContext context;
  auto const module = parse(context, text);
  llvm::Function& function = *module->getFunction("sum");
  plait::llvm_value_program const p(function);
  plait::program_ssa const ssa(p);
  CHECK(ssa.undefined_uses().empty());
  CHECK(ssa.phi_count() == 0);
  llvm::Value const* const n = function.getArg(0);
  plait::blob_index const blob = ssa.find(n);
  REQUIRE(blob != plait::npos);
  CHECK(ssa.uses({blob, 0}).size() == 1);
  for (llvm::Instruction const& i : llvm::instructions(function)) {
    if (i.getType()->isVoidTy() || ssa.graph().number(i.getParent()) == plait::npos) continue;
    plait::blob_index const made = ssa.find(static_cast<llvm::Value const*>(&i));
    REQUIRE(made != plait::npos);
    CHECK(ssa.uses({made, 1}).size() == i.getNumUses());
  }
}

TEST_CASE("llvm value program: an incomplete block is a net without ops") {
  llvm::LLVMContext context;
  llvm::Module module("made", context);
  auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* const function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  auto* const entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* const phis = llvm::BasicBlock::Create(context, "phis", function);
  llvm::IRBuilder<>(entry).CreateBr(phis);
  llvm::PHINode::Create(llvm::Type::getInt32Ty(context), 0, "p", phis);
  llvm::BasicBlock::Create(context, "empty", function);
  plait::llvm_value_program const p(*function);
  for (llvm::BasicBlock const& block : *function)
    CHECK(std::ranges::distance(p.block(&block).ops()) == (&block == entry ? 1 : 0));
  plait::program_ssa const ssa(p);
  CHECK(ssa.graph().size() == 2);
}
