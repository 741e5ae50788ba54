// Nets with recurrences that Caffe2's front end and an application generated.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/netdef/write.hpp>
#include <plait/ssa/versioning.hpp>
#include <support/real_nets.hpp>
#include <support/recurrent_nets.hpp>

namespace {

using serial = plait::serial;

bool has_recurrence(plait::netdef const& n) {
  for (plait::op_def const& op : n.op)
    if (n.text(op.type) == "RecurrentNetwork") return true;
  return false;
}

// Returns true if the table has each op of a net and of its nested nets.
bool all_there(plait::netdef const& n, plait::operators<serial> const& table) {
  return std::ranges::all_of(n.op, [&](plait::op_def const& op) {
    if (table.find(n.text(op.type)) == nullptr) return false;
    auto const inside = plait::nested_nets(n, op);
    return std::ranges::all_of(inside, [&](plait::nested_net const& one) { return all_there(*one.net, table); });
  });
}

plait::netdef generated(std::string const& name) {
  return plait::read_netdef(plait_test::real_nets_folder() / "_generated" / (name + ".pbtxt"));
}

TEST_CASE("real nets with recurrences: are read, analysed with nested nets, and written back") {
  std::size_t count = 0;
  for (auto const& file : plait_test::real_nets()) {
    std::string const name = file.filename().string();
    if (file.parent_path().filename() != "_generated" && name != "concat_elim_test_net.pb") continue;
    CAPTURE(name);
    plait::netdef const n = plait::read_netdef(file);
    for (auto const format : {plait::netdef_format::text, plait::netdef_format::json, plait::netdef_format::binary})
      CHECK(plait::read_netdef_bytes(plait::to_bytes(n, format), format) == n);
    CHECK(plait::get_ssa(n, {.subnets = true}).op_count() == n.op.size());
    if (!has_recurrence(n)) continue;
    ++count;
    for (plait::op_def const& op : n.op)
      for (auto const& inside : plait::nested_nets(n, op)) {
        CAPTURE(inside.argument);
        auto const form = plait::get_ssa(*inside.net, {.subnets = true});
        CHECK(form.op_count() == inside.net->op.size());
        // Steps read linked blobs, outer blobs and their own.
        for (plait::blob_index const b : form.undefined()) {
          plait::symbol const blob = inside.net->find(form.name(b));
          auto const& given = inside.net->external_input;
          CHECK(std::find(given.begin(), given.end(), blob) != given.end());
        }
      }
  }
  if (!plait_test::real_nets_folder().empty()) CHECK(count >= 23);  // most of them as text and as binary
}

// Feeds the inputs of a net: 2 sequences, one of them shorter than `steps`; widths as in the init nets.
void feed(plait::workspace<serial>& blobs, plait::netdef const& n, std::int64_t steps) {
  std::uint64_t seed = 1;
  auto const given = [&](std::string const& name, plait::shape const& dims) {
    if (!blobs.contains(name)) test::feed_some<float>(blobs, name, dims, ++seed);
  };
  std::int64_t const hidden = 32, encoded = 20;
  given("input", {steps, 2, 16});
  given("hidden_init", {1, 2, hidden});
  given("cell_init", {1, 2, hidden});
  blobs.feed("seq_lengths", std::vector<std::int32_t>{static_cast<std::int32_t>(steps), 5}, {2});
  given("encoder_outputs", {6, 2, encoded});
  blobs.feed("encoder_lengths", std::vector<std::int32_t>{6, 4}, {2});
  given("decoder_inputs", {steps, 2, 16});
  blobs.feed("decoder_lengths", std::vector<std::int32_t>{static_cast<std::int32_t>(steps), 5}, {2});
  given("h0", {1, 2, hidden});
  given("c0", {1, 2, hidden});
  given("attn0", {1, 2, encoded});
  for (plait::symbol const s : n.external_input) {
    std::string const name(n.text(s));
    auto const is = [&](std::string const& end) { return name.ends_with(end); };
    if (is("_w")) {
      bool const gru = name.starts_with("gru/");
      std::int64_t const rows = is("decoder/i2h_w") || is("decoder/gates_t_w") ? 4 * hidden
                                : is("attention_logits_w")                     ? 1
                                : name.starts_with("att/")                     ? encoded
                                : gru && is("i2h_w")                           ? 3 * hidden
                                                                               : hidden;
      std::int64_t const columns = is("decoder/gates_t_w")        ? hidden + encoded
                                   : is("decoder_hidden_state_w") ? hidden
                                   : is("i2h_w")                  ? 16
                                   : name.starts_with("att/")     ? encoded
                                                                  : hidden;
      given(name, {rows, columns});
      if (!blobs.contains(name.substr(0, name.size() - 1) + "b")) given(name.substr(0, name.size() - 1) + "b", {rows});
    }
  }
}

void run(plait::netdef const& n, plait::workspace<serial>& blobs) {
  plait::compile(n, test::table<serial>(), blobs).run();
}

TEST_CASE("real nets with recurrences: outputs stay, or are 0 with drop_states, after the end of a sequence") {
  if (!plait_test::has_real_nets()) return;
  constexpr std::string_view end = "__predict.pbtxt";
  std::size_t ran = 0;
  for (auto const& file : plait_test::real_nets()) {
    std::string name = file.filename().string();
    if (name == "concat_elim_test_net.pb")  // has many unpublished ops
      CHECK(!all_there(plait::read_netdef(file), test::table<serial>()));
    if (!name.ends_with(end) || file.parent_path().filename() != "_generated") continue;
    plait::netdef n = plait::read_netdef(file);
    if (!has_recurrence(n) || !all_there(n, test::table<serial>())) continue;
    ++ran;
    name.resize(name.size() - end.size());
    CAPTURE(name);
    plait::workspace<serial> blobs;
    if (std::filesystem::exists(plait_test::real_nets_folder() / "_generated" / (name + "__init.pbtxt")))
      run(generated(name + "__init"), blobs);
    feed(blobs, n, 7);
    n.external_output.clear();
    run(n, blobs);
    std::size_t recurrences = 0;
    for (plait::op_def const& op : n.op) {
      if (n.text(op.type) != "RecurrentNetwork") continue;
      ++recurrences;
      std::string const all(n.text(op.output[0]));
      auto const& dims = blobs.view(all).dims();
      REQUIRE(dims.rank() == 3);
      CHECK(dims[0] == 7);
      auto const values = blobs.fetch<float>(all);
      auto const row = static_cast<std::size_t>(dims[2]);
      double size = 0;
      for (std::size_t i = 0; i != values.size(); ++i) {
        CHECK(std::isfinite(values[i]));
        size += std::abs(values[i]);
        std::size_t const step = i / (2 * row);
        if (i % (2 * row) < row || step < 5) continue;
        CHECK(values[i] == (name == "lstm_drop_states" ? 0 : values[i - 2 * row]));
      }
      CHECK(size > 0);
    }
    CHECK(recurrences >= 1);
  }
  CHECK(ran >= 11);
}

TEST_CASE("real nets with recurrences: agree with their unrolled forms") {
  if (!plait_test::has_real_nets()) return;
  struct pair {
    char const* cell;
    std::int64_t steps;
    std::vector<std::string> states;
  };
  for (pair const& p : {pair{"lstm", 12, {"rnn/hidden_state", "rnn/cell_state"}},
                        pair{"milstm", 25, {"rnn/hidden_t_intermediate", "rnn/cell_t"}}}) {
    std::string const unrolled = std::string(p.cell) + "_static_unrolled" + std::to_string(p.steps);
    plait::workspace<serial> blobs;
    run(generated(unrolled + "__init"), blobs);
    feed(blobs, {}, p.steps);
    for (auto n : {generated(unrolled + "__predict"), generated(std::string(p.cell) + "_forward__predict")}) {
      n.external_output.clear();
      run(n, blobs);
    }
    for (std::string const& state : p.states) {
      auto const expected = blobs.fetch<float>(state + "_concat");
      auto const got = blobs.fetch<float>(state + "_all");
      REQUIRE(got.size() == expected.size());
      for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) < 1e-6f);
    }
  }
}

}  // namespace
