// Bit-vector liveness: plait's solver, a hand-written solver specialised for liveness, and a textbook worklist over
// std::vector<bool>.
//
// Programs: the graphs of benchmarks/graph with four ops per block that read two blobs and write one. Most blobs are
// local to the block, a quarter are among 100 that live across blocks: 100 facts. All rivals get dense numbers. "solve"
// starts from the gen and kill sets of each block; "all" computes these from the ops, too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/dataflow/detail/dense_liveness.hpp>
#include <plait/dataflow/gen_kill.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/ssa/detail/dense_program.hpp>

#include "../graph/graphs.hpp"

namespace {

constexpr std::uint32_t shared_blobs = 100;
constexpr std::uint32_t own_blobs = 6;  // block-local blobs

struct input {
  explicit input(bench::edges const& edges) : graph(edges), g(graph) {
    std::mt19937 random(3);
    auto const is_shared = [&] { return random() % 4 == 0; };
    p.clear();
    for (std::size_t b = 0; b != g.size(); ++b) {
      std::uint32_t written = 0;
      for (int op = 0; op != 4; ++op) {
        for (int slot = 0; slot != 2; ++slot) {
          if (is_shared() || written == 0)
            p.read(own_blobs + static_cast<std::uint32_t>(random()) % shared_blobs);
          else
            p.read(static_cast<std::uint32_t>(random()) % written);
        }
        if (is_shared())
          p.write(own_blobs + static_cast<std::uint32_t>(random()) % shared_blobs);
        else
          p.write(written == own_blobs ? 0 : written++);
        p.end_op();
      }
      p.end_block();
    }
    p.set_blob_count(own_blobs + shared_blobs);
  }

  bench::csr_graph graph;
  plait::flow_snapshot<bench::csr_graph> g;
  plait::dense_program p;
};

using solver = plait::gen_kill_solver<plait::flow_direction::backward, plait::join_kind::any>;

// Scans a block for its gen and kill sets: upward-exposed reads, and writes, of all blobs.
template <class Read, class Write>
void scan(plait::dense_program const& p, std::uint32_t block, std::vector<std::uint32_t>& written, Read read,
          Write write) {
  for (auto const op : p.ops(block)) {
    for (auto const b : p.reads(op))
      if (written[b] != block) read(b);
    for (auto const b : p.writes(op)) {
      written[b] = block;
      write(b);
    }
  }
}

void prepare(input const& in, solver& s) {
  s.reset(in.g.size(), in.p.blob_count());
  std::vector<std::uint32_t> written(in.p.blob_count(), plait::npos);
  for (std::uint32_t block = 0; block != in.g.size(); ++block)
    scan(
        in.p, block, written, [&](auto b) { s.gen.insert(block, b); }, [&](auto b) { s.kill.insert(block, b); });
}

// The hand-written solver specialised for liveness.
class by_hand {
 public:
  static constexpr std::size_t width = (own_blobs + shared_blobs + 63) / 64;

  void prepare(input const& in) {
    std::size_t const n = in.g.size();
    gen.assign(n * width, 0);
    kill.assign(n * width, 0);
    std::vector<std::uint32_t> written(in.p.blob_count(), plait::npos);
    for (std::uint32_t block = 0; block != n; ++block)
      scan(
          in.p, block, written, [&](auto b) { gen[block * width + b / 64] |= std::uint64_t{1} << (b % 64); },
          [&](auto b) { kill[block * width + b / 64] |= std::uint64_t{1} << (b % 64); });
  }
  // The width is a compile-time constant here.
  bool update(plait::dense_graph::successor_rows const& successors, std::uint32_t b) {
    std::uint64_t joined[width] = {};
    for (std::uint32_t const s : successors[b])
      for (std::size_t i = 0; i != width; ++i) joined[i] |= in[s * width + i];
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i != width; ++i) {
      out[b * width + i] = joined[i];
      std::uint64_t const now = gen[b * width + i] | (joined[i] & ~kill[b * width + i]);
      changed |= now ^ in[b * width + i];
      in[b * width + i] = now;
    }
    return changed != 0;
  }
  void solve(plait::dense_graph const& g) {
    auto const n = static_cast<std::uint32_t>(g.size());
    in.assign(n * width, 0);
    out.assign(n * width, 0);
    queue.reset(n);
    auto const successors = g.successors();
    plait::csr<std::uint32_t> const& predecessors = g.predecessors();
    for (std::uint32_t b = n; b-- != 0;)
      if (update(successors, b))
        for (std::uint32_t const p : predecessors[b])
          if (p >= b) queue.push(p);
    while (!queue.empty()) {
      auto const b = static_cast<std::uint32_t>(queue.pop_max());
      if (update(successors, b))
        for (std::uint32_t const p : predecessors[b]) queue.push(p);
    }
  }
  std::vector<std::uint64_t> gen, kill, in, out;
  plait::bit_queue queue;
};

// The textbook worklist: a bit set per block, and a queue of distinct blocks, initially from the last to the first.
class by_worklist {
 public:
  void prepare(input const& in) {
    std::size_t const n = in.g.size();
    use.assign(n, std::vector<bool>(in.p.blob_count()));
    def.assign(n, std::vector<bool>(in.p.blob_count()));
    std::vector<std::uint32_t> written(in.p.blob_count(), plait::npos);
    for (std::uint32_t block = 0; block != n; ++block)
      scan(
          in.p, block, written, [&](auto b) { use[block][b] = true; }, [&](auto b) { def[block][b] = true; });
  }
  void solve(plait::dense_graph const& g) {
    std::size_t const n = g.size();
    std::size_t const facts = use.front().size();
    live_in.assign(n, std::vector<bool>(facts));
    live_out.assign(n, std::vector<bool>(facts));
    std::deque<std::uint32_t> queue;
    std::vector<bool> queued(n, true);
    for (std::size_t b = n; b-- != 0;) queue.push_back(static_cast<std::uint32_t>(b));
    while (!queue.empty()) {
      std::uint32_t const b = queue.front();
      queue.pop_front();
      queued[b] = false;
      std::vector<bool>& out = live_out[b];
      for (std::uint32_t const s : g.successors(b))
        for (std::size_t i = 0; i != facts; ++i)
          if (live_in[s][i]) out[i] = true;
      bool changed = false;
      for (std::size_t i = 0; i != facts; ++i) {
        bool const now = use[b][i] || (out[i] && !def[b][i]);
        if (now != live_in[b][i]) {
          live_in[b][i] = now;
          changed = true;
        }
      }
      if (!changed) continue;
      for (std::uint32_t const p : g.predecessors(b))
        if (!queued[p]) {
          queued[p] = true;
          queue.push_back(p);
        }
    }
  }
  std::vector<std::vector<bool>> use, def, live_in, live_out;
};

bench::edges make_edges(std::int64_t shape, std::int64_t nodes) {
  auto const n = static_cast<std::size_t>(nodes);
  return shape == 0 ? bench::random_edges(n) : shape == 1 ? bench::layered_edges(n) : bench::joined_functions(n);
}

// The rivals must agree before they are timed.
bool agree(input const& in) {
  solver s;
  prepare(in, s);
  s.solve(in.g);
  by_hand hand;
  hand.prepare(in);
  hand.solve(in.g);
  by_worklist list;
  list.prepare(in);
  list.solve(in.g);
  plait::dense_liveness const all(in.g, in.p);
  for (std::uint32_t b = 0; b != in.g.size(); ++b)
    for (std::uint32_t blob = 0; blob != in.p.blob_count(); ++blob) {
      bool const live = s.before(b).contains(blob);
      if (live != ((hand.in[b * by_hand::width + blob / 64] >> (blob % 64) & 1) != 0) ||
          live != list.live_in[b][blob] || live != all.is_live_in(b, blob) ||
          s.after(b).contains(blob) != all.is_live_out(b, blob))
        return false;
    }
  return true;
}

template <class Run>
void measure(benchmark::State& state, std::int64_t blocks, int shape, Run run) {
  bench::edges const edges = make_edges(shape, blocks);
  input const in(edges);
  if (in.g.size() < 2) return state.SkipWithError("no real functions here");
  if (blocks <= 10'000 && !agree(in)) return state.SkipWithError("the rivals do not agree");
  run(in);
  state.SetItemsProcessed(static_cast<std::int64_t>(in.g.size()) * state.iterations());
}

void solve_plait(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    solver s;
    prepare(in, s);
    for (auto _ : state) {
      s.solve(in.g);
      benchmark::DoNotOptimize(s.before(0).words().data());
    }
  });
}
void solve_by_hand(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    by_hand s;
    s.prepare(in);
    for (auto _ : state) {
      s.solve(in.g);
      benchmark::DoNotOptimize(s.in.data());
    }
  });
}
void solve_vector_bool(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    by_worklist s;
    s.prepare(in);
    for (auto _ : state) {
      s.solve(in.g);
      benchmark::DoNotOptimize(s.live_in.data());
    }
  });
}
void all_plait(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    plait::dense_liveness live;
    for (auto _ : state) {
      live.compute(in.g, in.p);
      benchmark::DoNotOptimize(live.exposed().data());
    }
  });
}
void all_by_hand(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    by_hand s;
    for (auto _ : state) {
      s.prepare(in);
      s.solve(in.g);
      benchmark::DoNotOptimize(s.in.data());
    }
  });
}
void all_vector_bool(benchmark::State& state, std::int64_t blocks, int shape) {
  measure(state, blocks, shape, [&](input const& in) {
    by_worklist s;
    for (auto _ : state) {
      s.prepare(in);
      s.solve(in.g);
      benchmark::DoNotOptimize(s.live_in.data());
    }
  });
}

int add_all() {
  struct rival {
    char const* subject;
    char const* name;
    void (*run)(benchmark::State&, std::int64_t, int);
  };
  char const* const shapes[] = {"random", "layered", "joined functions"};
  for (rival const& r :
       {rival{"liveness, solved", "plait", solve_plait}, rival{"liveness, solved", "by hand", solve_by_hand},
        rival{"liveness, solved", "vector<bool>", solve_vector_bool}, rival{"liveness, all", "plait", all_plait},
        rival{"liveness, all", "by hand", all_by_hand}, rival{"liveness, all", "vector<bool>", all_vector_bool}})
    for (int shape = 0; shape != 3; ++shape)
      for (std::int64_t const blocks : {1'000, 10'000, 100'000, 1'000'000})
        benchmark::RegisterBenchmark(
            (std::string(r.subject) + '/' + shapes[shape] + '/' + r.name + '/' + std::to_string(blocks)).c_str(),
            [run = r.run, blocks, shape](benchmark::State& state) { run(state, blocks, shape); })
            ->Unit(benchmark::kMicrosecond);
  return 0;
}
[[maybe_unused]] int const added = add_all();

}  // namespace
