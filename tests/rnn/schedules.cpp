// The schedules of all cells, as recorded in tests/data/schedules.
#include <plait/rnn/recurrent_layers.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <support/named_numbers.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>
#include <support/usual_cells.hpp>

namespace {

using B = plait::tbb;

// A layer of a cell on four threads.
class running_layer {
 public:
  running_layer(plait::any_cell const& cell, bool trains, std::int64_t batch)
      : layer_(cell, {.forward_only = !trains}), trains_(trains), batch_(batch), width_(cell.output_width()) {
    feed_sequence(6);
    for (auto const& [name, dims] : layer_.parameters) feed(name, dims);
    plan_.emplace(plait::compile(layer_.net, plait::standard_operators<B>(), blobs_, {.fetch = layer_.fetch}));
  }
  void feed_sequence(std::int64_t steps) {
    feed("x", {steps, batch_, 64});
    if (trains_) feed("dy", {steps, batch_, width_});
  }
  plait::schedule run() {
    test::some_threads().execute([&] { plan_->run(); });
    return plan_->schedule();
  }

 private:
  void feed(std::string const& name, plait::shape const& dims) {
    test::numbers const made = test::values(name, dims.size());
    blobs_.feed(name, plait::tensor<B>::from(std::vector<float>(made.begin(), made.end()), dims));
  }

  test::trained_layer layer_;
  bool trains_;
  std::int64_t batch_;
  std::int64_t width_;
  plait::workspace<B> blobs_;
  std::optional<plait::plan<B>> plan_;
};

std::string schedule_of(plait::any_cell const& cell, bool trains, std::int64_t batch) {
  std::ostringstream text;
  plait::write_schedule(text, running_layer(cell, trains, batch).run());
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

TEST_CASE("schedule: a run of one step has no group of an earlier run of several") {
  running_layer layer(plait::lstm_cell{64, 256}, false, 16);
  auto const step_groups = [&] { return layer.run().nets.front().groups; };
  CHECK(step_groups().size() == 1);
  layer.feed_sequence(1);
  CHECK(step_groups().size() == 2);  // FC is not packed for one step
  layer.feed_sequence(6);
  CHECK(step_groups().size() == 1);
}

}  // namespace
