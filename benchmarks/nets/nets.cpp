// Overhead of nets: SSA, gradients, compilation to a plan, and a run of additions of one number each.
// benchmarks/rivals/nets.py is the same in Caffe2; benchmarks/rivals/compare.sh nets interleaves their runs.
//
//   plait_nets [--what NAME]...
//
// Prints one line per case: subject, threads, milliseconds (median, then the fastest), the case, ns per op.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace {

volatile std::size_t kept = 0;  // keeps results from being optimised away

// Runs f for about a third of a second, each time on a result of `prepare`, which is not timed.
template <class Prepare, class F>
void report(std::string const& what, std::size_t ops, Prepare prepare, F f) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  double sum = 0;
  for (int run = -3; run < 5 || (sum < 333 && run != 20'000); ++run) {
    auto made = prepare();
    clock::time_point const start = clock::now();
    kept = f(made);
    double const time = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    if (run < 0) continue;
    times.push_back(time);
    sum += time;
  }
  std::ranges::sort(times);
  std::printf("plait\t1\t%.5f\t%.5f\t%s %zu\t%.1f\n", times[times.size() / 2], times[0], what.c_str(), ops,
              1e6 * times[0] / static_cast<double>(ops));
  std::fflush(stdout);
}

std::string name(std::string text, std::size_t number) { return text += std::to_string(number); }

// x1 = x0 + b, x2 = x1 + b, ...
plait::netdef additions(std::size_t ops) {
  plait::netdef n;
  for (char const* of : {"x0", "b"}) n.external_input.push_back(n.intern(of));
  for (std::size_t op = 0; op != ops; ++op) n.add_op("Add", {name("x", op), "b"}, {name("x", op + 1)});
  n.external_output.push_back(n.intern(name("x", ops)));
  return n;
}

// Alternating FC and Tanh, each FC with distinct parameters.
plait::netdef layers(std::size_t ops) {
  plait::netdef n;
  n.external_input.push_back(n.intern("x0"));
  for (std::size_t op = 0; op != ops; ++op) {
    std::string const number = std::to_string(op);
    std::string const next = name("x", op + 1);
    if (op % 2 == 0) {
      for (char const* of : {"_w", "_b"}) n.external_input.push_back(n.intern(number + of));
      n.add_op("FC", {name("x", op), number + "_w", number + "_b"}, {next});
    } else {
      n.add_op("Tanh", {name("x", op)}, {next});
    }
  }
  n.external_output.push_back(n.intern(name("x", ops)));
  return n;
}

void ssa(std::size_t ops) {
  plait::netdef const net = layers(ops);
  report(
      "ssa", ops, [] { return 0; }, [&](int) { return plait::get_ssa(net).op_count(); });
}

void gradients(std::size_t ops) {
  plait::netdef const net = layers(ops);
  std::vector<plait::gradient_seed> const ys{name("x", ops)};
  report(
      "gradients", ops, [&] { return net; },
      [&](plait::netdef& made) {
        plait::add_gradient_ops(made, ys, plait::gradient_rules::standard());
        return made.op.size();
      });
}

struct fed_additions {
  plait::operators<plait::serial> table;
  plait::workspace<plait::serial> blobs;
  plait::netdef net;

  explicit fed_additions(std::size_t ops) : net(additions(ops)) {
    plait::add_arithmetic_operators(table);
    for (char const* of : {"x0", "b"}) blobs.feed(of, std::vector<float>{0.5f}, {1});
  }
};

void compile(std::size_t ops) {
  fed_additions x(ops);
  report(
      "compile", ops, [] { return 0; }, [&](int) { return plait::compile(x.net, x.table, x.blobs).op_count(); });
}

void run(std::size_t ops) {
  fed_additions x(ops);
  auto plan = plait::compile(x.net, x.table, x.blobs);
  report(
      "run", ops, [] { return 0; },
      [&](int) {
        plan.run();
        return std::size_t{0};
      });
}

struct subject {
  std::string_view what;
  void (*time)(std::size_t ops);
};
constexpr subject subjects[] = {{"ssa", ssa}, {"gradients", gradients}, {"compile", compile}, {"run", run}};

}  // namespace

int main(int argc, char** argv) {
  std::vector<subject> chosen;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--what") continue;
    auto const found = std::ranges::find(subjects, argv[i], &subject::what);
    if (found == std::end(subjects)) {
      std::fprintf(stderr, "no such word: %s\n", argv[i]);
      return 2;
    }
    chosen.push_back(*found);
  }
  if (chosen.empty()) chosen.assign(std::begin(subjects), std::end(subjects));
  for (subject const& each : chosen)
    for (std::size_t const ops : {100U, 1'000U, 10'000U}) each.time(ops);
}
