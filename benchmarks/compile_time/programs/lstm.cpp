#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators/data_movement.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/trained_model.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layers.hpp>

int main() {
  using backend = plait::serial;
  plait::trained_model model("lstm");
  auto const x = model.net.external_input("x");
  auto const layer = plait::add_recurrent_layer(model, "lstm", plait::lstm_cell{16, 16}, {.sequence = x});
  plait::operators<backend> table;
  plait::add_fully_connected_operators(table);
  plait::add_recurrence(table);
  plait::add_fill_operators(table);
  plait::add_random_fill_operators(table);
  plait::add_reshape_operators(table);
  plait::add_slice_operators(table);
  plait::add_sum_operators(table);
  plait::workspace<backend> blobs;
  plait::compile(model.init.net(), table, blobs).run();
  blobs.feed("x", std::vector<float>(16), {1, 1, 16});
  plait::compile(model.net.net(), table, blobs, {.fetch = {layer.output.name()}}).run();
  return blobs.fetch<float>(layer.output.name())[0] > 0;
}
