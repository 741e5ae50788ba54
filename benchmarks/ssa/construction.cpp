// SSA construction of programs against LLVM's mem2reg: phi placement, renaming, and the preparation for each.
//
// Random programs of a sequence of regions of sixteen blocks: the first block of a region writes four variables of that
// region; half of the blocks branch ahead, a few back; each block reads two variables of its region or of the previous
// one and writes one. The same program exists as an LLVM function (allocas, loads, stores) and as plain arrays. mem2reg
// rewrites the function, which plait does not; the copy it works on is made outside the measurement. Real functions:
// the modules of the shared folder, if present.
#ifdef PLAIT_BENCH_LLVM

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <plait/interop/llvm.hpp>
#include <plait/ssa/construction.hpp>

namespace {

struct instruction {
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
};
struct basic_block {
  std::vector<instruction> ops;
};
// Variables are numbers, and numbered for the whole program.
struct plain_program {
  std::vector<basic_block> blocks;
  std::vector<std::vector<std::uint32_t>> targets;
  std::size_t variables = 0;

  std::size_t size() const { return blocks.size(); }
  static std::uint32_t entry() { return 0; }
  std::vector<std::uint32_t> const& successors(std::uint32_t n) const { return targets[n]; }
  basic_block const& block(std::uint32_t n) const { return blocks[n]; }
  std::size_t name_count() const { return variables; }
  static std::uint32_t name_index(std::uint32_t name) { return name; }
  static std::uint32_t name_at(std::size_t i) { return static_cast<std::uint32_t>(i); }
};

plain_program make_program(std::size_t count) {
  constexpr std::size_t region = 16;
  constexpr std::size_t own = 4;
  std::mt19937 random(1);
  plain_program p;
  p.blocks.resize(count);
  p.targets.resize(count);
  p.variables = (count / region + 1) * own;
  for (std::size_t b = 0; b != count; ++b) {
    std::size_t const first = b / region * region;
    std::size_t const end = std::min(count - 1, first + region);
    auto const variable = [&](std::size_t back) {
      std::size_t const from = first / region - std::min(first / region, random() % (back + 1));
      return static_cast<std::uint32_t>(from * own + random() % own);
    };
    if (b == first)
      for (std::size_t v = 0; v != own; ++v)
        p.blocks[b].ops.push_back({{}, {static_cast<std::uint32_t>(b / region * own + v)}});
    p.blocks[b].ops.push_back({{variable(1)}, {}});
    p.blocks[b].ops.push_back({{variable(1)}, {}});
    p.blocks[b].ops.push_back({{}, {variable(0)}});
    if (b + 1 == count) break;
    p.targets[b].push_back(static_cast<std::uint32_t>(b + 1));
    if (random() % 2 == 0) {
      std::size_t const to = random() % 8 == 0 ? first + 1 + random() % (b - first + 1) : b + 1 + random() % (end - b);
      p.targets[b].push_back(static_cast<std::uint32_t>(std::min(to, count - 1)));
    }
  }
  return p;
}

// Functions of LLVM, and their cloning.
struct functions {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  explicit functions(plain_program const& p) : module(std::make_unique<llvm::Module>("program", context)) {
    llvm::Type* const number = llvm::Type::getInt32Ty(context);
    auto* const f = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {number, llvm::Type::getInt1Ty(context)}, false),
        llvm::Function::ExternalLinkage, "f", *module);
    std::vector<llvm::BasicBlock*> blocks;
    for (std::size_t b = 0; b != p.size(); ++b) blocks.push_back(llvm::BasicBlock::Create(context, "", f));
    std::vector<llvm::AllocaInst*> slots;
    llvm::IRBuilder<> build(blocks[0]);
    for (std::size_t v = 0; v != p.variables; ++v) slots.push_back(build.CreateAlloca(number));
    for (std::size_t b = 0; b != p.size(); ++b) {
      build.SetInsertPoint(blocks[b]);
      llvm::Value* last = f->getArg(0);
      for (instruction const& op : p.blocks[b].ops)
        if (!op.inputs.empty())
          last = build.CreateLoad(number, slots[op.inputs[0]]);
        else
          build.CreateStore(last, slots[op.outputs[0]]);
      if (p.targets[b].empty())
        build.CreateRetVoid();
      else if (p.targets[b].size() == 1)
        build.CreateBr(blocks[p.targets[b][0]]);
      else
        build.CreateCondBr(f->getArg(1), blocks[p.targets[b][0]], blocks[p.targets[b][1]]);
    }
  }
  explicit functions(std::string const& file) {
    llvm::SMDiagnostic problem;
    module = llvm::parseIRFile(file, problem, context);
  }
};

std::vector<llvm::AllocaInst*> promotable(llvm::Function& f) {
  std::vector<llvm::AllocaInst*> found;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i); slot != nullptr && llvm::isAllocaPromotable(slot))
      found.push_back(slot);
  return found;
}

void mem2reg(benchmark::State& state, functions& all) {
  for (auto _ : state) {
    state.PauseTiming();
    auto copy = llvm::CloneModule(*all.module);
    state.ResumeTiming();
    for (llvm::Function& f : *copy) {
      if (f.isDeclaration()) continue;
      llvm::DominatorTree tree(f);
      auto const slots = promotable(f);
      if (!slots.empty()) llvm::PromoteMemToReg(slots, tree);
    }
    state.PauseTiming();
    copy.reset();
    state.ResumeTiming();
  }
}

void plait_of_llvm(benchmark::State& state, functions& all) {
  plait::program_ssa<plait::llvm_memory_program> ssa;
  for (auto _ : state)
    for (llvm::Function const& f : *all.module) {
      if (f.isDeclaration()) continue;
      plait::llvm_memory_program const p(f);
      ssa.compute(p);
      benchmark::DoNotOptimize(ssa.phi_count());
    }
}

// Dominators, placement and renaming on an existing snapshot.
template <class P>
void plait_dense(benchmark::State& state, std::vector<P> const& programs) {
  std::vector<plait::program_snapshot<P>> snapshots;
  for (P const& p : programs) snapshots.emplace_back(p);
  plait::dense_dominators tree;
  plait::dense_construction ssa;
  for (auto _ : state)
    for (auto const& s : snapshots) {
      tree.compute(s.graph());
      ssa.compute(s.graph(), tree, s.code());
      benchmark::DoNotOptimize(ssa.phi_count());
    }
}

void synthetic_plait(benchmark::State& state) {
  plain_program const p = make_program(static_cast<std::size_t>(state.range(0)));
  plait::program_ssa<plain_program> ssa;
  for (auto _ : state) {
    ssa.compute(p);
    benchmark::DoNotOptimize(ssa.phi_count());
  }
}
void synthetic_dense(benchmark::State& state) {
  plait_dense<plain_program>(state, {make_program(static_cast<std::size_t>(state.range(0)))});
}
void synthetic_of_llvm(benchmark::State& state) {
  functions all(make_program(static_cast<std::size_t>(state.range(0))));
  plait_of_llvm(state, all);
}
void synthetic_mem2reg(benchmark::State& state) {
  functions all(make_program(static_cast<std::size_t>(state.range(0))));
  mem2reg(state, all);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(synthetic_plait)->Name("construction/plait: own IR")->Apply(sizes);
BENCHMARK(synthetic_dense)->Name("construction/plait: of a snapshot")->Apply(sizes);
BENCHMARK(synthetic_of_llvm)->Name("construction/plait: LLVM IR")->Apply(sizes);
// mem2reg takes quadratic time here (phi_placement.hpp): minutes where plait takes a tenth of a second.
BENCHMARK(synthetic_mem2reg)->Name("construction/mem2reg")->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

#if defined(PLAIT_BENCH_CFG)
[[maybe_unused]] bool const real = [] {
  for (auto const& entry : std::filesystem::directory_iterator(PLAIT_BENCH_CFG)) {
    std::string const file = entry.path().string();
    if (!file.ends_with(".ll") || file.ends_with(".mem2reg.ll")) continue;
    auto const all = std::make_shared<functions>(file);
    std::string const name = entry.path().stem().string();
    auto const add = [&](std::string const& variant, auto run) {
      benchmark::RegisterBenchmark(("construction/" + variant + "/" + name).c_str(), [all,
                                                                                      run](benchmark::State& state) {
        run(state, *all);
      })->Unit(benchmark::kMicrosecond);
    };
    add("plait: LLVM IR", plait_of_llvm);
    add("plait: of a snapshot", [](benchmark::State& state, functions& f) {
      std::vector<plait::llvm_memory_program> programs;
      for (llvm::Function const& function : *f.module)
        if (!function.isDeclaration()) programs.emplace_back(function);
      plait_dense(state, programs);
    });
    add("mem2reg", mem2reg);
  }
  return true;
}();
#endif

}  // namespace

#endif
