// Recurrent layers: every exact pass of a plan, on or off, keeps the bits of steps that run op by op.
#include <plait/exec/detail/plan_passes.hpp>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <plait/exec/operators.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <support/named_numbers.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>
#include <support/usual_cells.hpp>

namespace {

using B = plait::tbb;

// Kinds of groups, and execution modes of step nets, in all schedules so far.
struct seen {
  std::set<plait::group_kind> kinds = {};
  std::set<std::string> how = {};
};

// Fetches the results of two runs of a layer.
std::vector<std::vector<float>> run(test::trained_layer const& layer, std::int64_t steps, std::int64_t batch,
                                    std::int64_t inputs, std::int64_t width, plait::compile_options options,
                                    seen& what) {
  plait::workspace<B> blobs;
  auto const feed = [&](std::string const& name, plait::shape const& dims) {
    test::numbers const made = test::values(name, dims.size());
    blobs.feed(name, plait::tensor<B>::from(std::vector<float>(made.begin(), made.end()), dims));
  };
  feed("x", {steps, batch, inputs});
  if (!layer.seeds.empty()) feed("dy", {steps, batch, width});
  for (auto const& [name, dims] : layer.parameters) feed(name, dims);
  options.fetch = layer.fetch;
  auto plan = plait::compile(layer.net, plait::standard_operators<B>(), blobs, options);
  std::vector<std::vector<float>> made;
  for (int i = 0; i != 2; ++i) {
    plan.run();
    for (std::string const& name : layer.fetch) made.push_back(blobs.fetch<float>(name));
  }
  for (plait::schedule const& net : plan.schedule().nets) {
    what.how.insert(std::string(net.how));
    for (plait::schedule::group const& g : net.groups) what.kinds.insert(g.kind);
  }
  return made;
}

TEST_CASE("plan_passes: recurrent layers have the same bits with each pass on or off") {
  test::some_threads threads;
  std::mt19937 random(1);
  seen what;
  constexpr std::int64_t inputs = 20, hidden = 64, steps = 6;
  for (auto const& [name, cell] : test::usual_cells(inputs, hidden))
    for (bool const trains : {false, true}) {
      test::trained_layer layer(cell, {.forward_only = !trains});
      for (std::int64_t const batch : {1, 2, 9}) {
        CAPTURE(name);
        CAPTURE(trains);
        CAPTURE(batch);
        for (bool const accumulate : {false, true}) {
          plait::plan_passes none = plait::plan_passes::none();
          none.accumulate = accumulate;
          auto const result = [&](plait::compile_options const& options) {
            return threads.execute(
                [&] { return run(layer, steps, batch, inputs, cell.output_width(), options, what); });
          };
          auto const alone = result({.passes = none});
          for (int i = 0; i != 6; ++i) {
            plait::plan_passes some{.accumulate = accumulate};
            for (bool* pass : {&some.share_memory, &some.fuse_epilogues, &some.fuse_rows, &some.fuse_elements,
                               &some.stream, &some.pack, &some.overlap_steps, &some.interchange_steps})
              *pass = i == 0 || random() % 3 != 0;
            plait::compile_options options{.passes = some};
            if (i % 2 == 0) options.costs = plait::cost_model::everything_pays();
            CHECK(result(options) == alone);
          }
        }
      }
    }
  CHECK(what.kinds == std::set{plait::group_kind::alone, plait::group_kind::rows, plait::group_kind::elements});
  CHECK(what.how.size() == 3);  // step by step, overlapping, several steps of its rows by each thread
}

}  // namespace
