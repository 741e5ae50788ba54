// The schedules of all cells, as recorded in tests/data/schedules.
#include <plait/rnn/recurrent_layers.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/operators.hpp>
#include <plait/exec/plan_report.hpp>
#include <plait/exec/tbb.hpp>
#include <support/named_numbers.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>
#include <support/usual_cells.hpp>

namespace {

using B = plait::tbb;

// Runs a layer of a cell on four threads, and returns its schedule.
std::string schedule_of(plait::any_cell const& cell, bool trains, std::int64_t batch) {
  test::trained_layer const layer(cell, {.forward_only = !trains});
  plait::workspace<B> blobs;
  auto const feed = [&](std::string const& name, plait::shape const& dims) {
    test::numbers const made = test::values(name, dims.size());
    blobs.feed(name, plait::tensor<B>::from(std::vector<float>(made.begin(), made.end()), dims));
  };
  constexpr std::int64_t steps = 6;
  feed("x", {steps, batch, 64});
  if (trains) feed("dy", {steps, batch, cell.output_width()});
  for (auto const& [name, dims] : layer.parameters) feed(name, dims);
  auto plan =
      plait::compile(layer.net, plait::standard_operators<B>(), blobs, {.fetch = layer.fetch, .keep_schedule = true});
  test::some_threads().execute([&] { plan.run(); });
  std::ostringstream text;
  plait::write_schedule(text, plan.schedule());
  return text.str();
}

// Compares with tests/data/schedules/<name>.txt. With the environment variable PLAIT_WRITE_SCHEDULES it writes the
// file.
void expect_golden(std::string name, std::string const& made) {
  for (char& c : name)
    if (c == ' ') c = '_';
  std::string const path = std::string(PLAIT_TEST_DATA_DIR) + "/schedules/" + name + ".txt";
  if (std::getenv("PLAIT_WRITE_SCHEDULES") != nullptr) std::ofstream(path) << made;
  std::ifstream in(path);
  std::string const wanted{std::istreambuf_iterator<char>(in), {}};
  CAPTURE(path);
  CHECK(made == wanted);
}

TEST_CASE("schedule: the ops of each shipped cell are grouped as recorded") {
  for (auto const& [name, cell] : test::usual_cells(64, 256)) {
    std::string all;
    for (std::int64_t const batch : {16, 1}) {
      all += "forward, " + std::to_string(batch) + " rows\n" + schedule_of(cell, false, batch);
      all += "training, " + std::to_string(batch) + " rows\n" + schedule_of(cell, true, batch);
    }
    expect_golden(name, all);
  }
}

}  // namespace
