// Transforms of nets that run: a transformed net computes the same outputs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/text_blob.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/transform/detail/append.hpp>
#include <plait/transform/detail/clone_and_bind.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/detail/clone_partial.hpp>
#include <plait/transform/detail/device_assignment.hpp>
#include <plait/transform/detail/export_nets.hpp>
#include <plait/transform/detail/export_pipeline.hpp>
#include <plait/transform/detail/memory_schedule.hpp>
#include <plait/transform/detail/release_blobs.hpp>
#include <plait/transform/detail/rename_blobs.hpp>
#include <plait/transform/detail/rename_value.hpp>
#include <plait/transform/detail/share_blobs.hpp>
#include <plait/transform/detail/share_gradients.hpp>
#include <plait/transform/subgraph.hpp>

#include <support/real_nets.hpp>

namespace {

using B = plait::serial;
using plait::netdef;
using plait::parameter;
using names = std::vector<std::string>;

// A predict net, the init net of its parameters, and its other feeds.
struct runnable {
  netdef init;
  netdef predict;
  std::vector<parameter> feeds = {};
};

names outputs_of(netdef const& n) {
  names made;
  for (auto&& name : plait::external_outputs(n)) made.emplace_back(plait::name_text(n, name));
  return made;
}

// Returns the values of the outputs, in the order of the net.
std::vector<plait::tensor_value> run(runnable const& r) {
  plait::workspace<B> blobs;
  auto const& table = plait::standard_operators<B>();
  plait::compile(r.init, table, blobs).run();
  plait::feed(blobs, r.feeds);
  plait::compile(r.predict, table, blobs).run();
  std::vector<plait::tensor_value> made;
  for (std::string const& name : outputs_of(r.predict)) made.push_back(plait::to_value(blobs.view(name)));
  return made;
}

// Follows external inputs that a named alias renamed.
void rename_feeds(runnable& r, plait::alias_fusion const& done) {
  for (auto const& alias : done.aliases)
    for (parameter& p : r.feeds)
      if (p.name == alias.before) p.name = alias.name;
}

struct transform {
  std::string name;
  std::function<void(runnable&)> apply;
};

// Returns every transform of a whole net that must keep its outputs.
std::vector<transform> transforms() {
  auto const map_of_internal = [](netdef const& n) {
    std::set<std::string> external;
    for (auto&& name : plait::external_inputs(n)) external.emplace(plait::name_text(n, name));
    for (auto&& name : plait::external_outputs(n)) external.emplace(plait::name_text(n, name));
    plait::name_map made;
    for (auto&& op : plait::ops(n))
      for (auto&& name : plait::outputs(n, op))
        if (std::string const text(plait::name_text(n, name)); !external.contains(text)) made.set(text, "new/" + text);
    return made;
  };
  auto const all_ops = [](netdef const& n) {
    std::vector<plait::op_index> made;
    for (plait::op_index op = 0; op != n.op.size(); ++op) made.push_back(op);
    return made;
  };
  return {
      {"release_blobs", [](runnable& r) { plait::release_blobs(r.predict); }},
      {"share_blobs", [](runnable& r) { plait::share_blobs(r.predict); }},
      {"share_blobs in any order", [](runnable& r) { plait::share_blobs(r.predict, {.any_order = true}); }},
      {"schedule_and_share_blobs", [](runnable& r) { plait::schedule_and_share_blobs(r.predict); }},
      {"share_activation_blobs", [](runnable& r) { plait::share_activation_blobs(r.predict); }},
      {"share_blobs, then release_blobs",
       [](runnable& r) {
         plait::share_blobs(r.predict);
         plait::release_blobs(r.predict);
       }},
      {"remove_dead_ops", [](runnable& r) { plait::remove_dead_ops(r.predict); }},
      {"ssa_rewrite",
       [](runnable& r) {
         plait::ssa_rewrite(r.predict, r.init);
         for (parameter& p : r.feeds) p.name += "_0";
       }},
      {"ssa_rewrite of several versions",
       [](runnable& r) { plait::ssa_rewrite(r.predict, r.init, {.naming = plait::ssa_naming::several_versions}); }},
      {"clone", [=](runnable& r) { r.predict = plait::clone(r.predict, "copy", {map_of_internal(r.predict)}).net; }},
      {"clone_partial",
       [](runnable& r) {
         plait::name_map same;
         for (auto&& name : plait::external_inputs(r.predict)) {
           std::string const text(plait::name_text(r.predict, name));
           same.set(text, text);
         }
         r.predict = plait::clone_partial(r.predict, "part", same, outputs_of(r.predict)).net;
       }},
      {"clone_and_bind", [](runnable& r) { r.predict = plait::clone_and_bind(r.predict, "copy", "copy/").net; }},
      {"rename_output",
       [](runnable& r) {
         plait::rename_output(r.predict, {0, 0}, "renamed");
       }},
      {"rename_input",
       [](runnable& r) {
         auto const last = static_cast<plait::op_index>(r.predict.op.size()) - 1;
         auto const operands = static_cast<std::uint32_t>(r.predict.op[last].input.size());
         plait::rename_input(r.predict, {last, operands - 1}, "renamed", {.from_producer = true});
       }},
      {"rename_version",
       [](runnable& r) { plait::rename_version(r.predict, r.init, outputs_of(r.predict).back(), 1, "renamed"); }},
      {"assign_device_options",
       [](runnable& r) {
         std::vector<plait::known_device> known;
         for (auto&& name : plait::external_inputs(r.predict))
           known.push_back({.blob = std::string(plait::name_text(r.predict, name)), .device = plait::device_kind::cpu});
         plait::assign_device_options(r.predict, r.init, known);
       }},
      {"rename_blobs", [=](runnable& r) { plait::rename_blobs(r.predict, map_of_internal(r.predict)); }},
      {"extract_subgraph",
       [=](runnable& r) {
         std::vector<std::string> const before = outputs_of(r.predict);
         r.predict = plait::extract_subgraph(r.predict, all_ops(r.predict)).net;
         // extract_subgraph lists outputs in the order of the ops.
         std::ranges::stable_sort(r.predict.external_output, {}, [&](plait::symbol output) {
           return std::ranges::find(before, r.predict.text(output)) - before.begin();
         });
       }},
      {"append_net",
       [](runnable& r) {
         netdef whole = r.init;
         whole.external_output.clear();
         plait::append_net(whole, r.predict);
         r.predict = std::move(whole);
         r.init = netdef();
       }},
      {"fuse_copies", [](runnable& r) { plait::fuse_copies(r.predict); }},
      {"fuse_alias_placeholders",
       [](runnable& r) { rename_feeds(r, plait::fuse_alias_placeholders(r.predict, r.init)); }},
      {"init_net_from_parameters",
       [](runnable& r) {
         r.init = plait::init_net_from_parameters<netdef>(plait::parameters_from_init_net(r.init)).net;
       }},
      {"export_nets",
       [](runnable& r) {
         auto made = plait::export_nets(r.predict, plait::parameters_from_init_net(r.init));
         r.init = std::move(made.init_net);
         r.predict = std::move(made.predict_net);
       }},
      {"run_export_pipeline",
       [](runnable& r) { rename_feeds(r, plait::run_export_pipeline(r.predict, r.init).aliases); }},
      {"run_export_pipeline for a GPU",
       [](runnable& r) {
         std::vector<plait::device_kind> const all(r.feeds.size(), plait::device_kind::cuda);
         rename_feeds(r, plait::run_export_pipeline(r.predict, r.init, {.input_devices = all}).aliases);
       }},
  };
}

// Checks that each transform keeps the outputs or refuses the net. Returns the number of transforms that accept it.
std::size_t check_transforms(runnable const& r, std::set<std::string>& applied) {
  auto const expected = run(r);
  std::size_t count = 0;
  for (transform const& t : transforms()) {
    CAPTURE(t.name);
    runnable changed = r;
    try {
      t.apply(changed);
    } catch (plait::net_error const&) {
      CHECK(changed.predict == r.predict);
      continue;
    }
    ++count;
    applied.insert(t.name);
    try {
      CHECK(run(changed) == expected);
    } catch (plait::error const& e) {
      FAIL_CHECK(e.what());
    }
  }
  return count;
}

// ---- nets

plait::op_spec fill(std::string const& name, std::vector<std::int64_t> const& dims, std::mt19937& random) {
  std::int64_t count = 1;
  for (std::int64_t const extent : dims) count *= extent;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& x : values) x = static_cast<float>(random() % 2001) / 1000 - 1;
  return plait::const_fill_op({name, {dims, values}});
}

// Returns a random net of 4 x 6 matrices with all that transforms look for: copies between devices and back, named
// aliases, Reshape in front of FC, GroupNorm as in PyTorch, overwritten names.
runnable random_net(unsigned seed) {
  std::mt19937 random(seed);
  auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  runnable made;
  using net_traits = plait::net_traits<netdef>;
  auto const add = [&](netdef& n, plait::op_spec op) { net_traits::append_op(n, op); };
  auto const weights = [&](std::vector<std::int64_t> const& dims) {
    std::string const name = "p" + std::to_string(made.init.op.size());
    add(made.init, fill(name, dims, random));
    made.init.external_output.push_back(made.init.intern(name));
    made.predict.external_input.push_back(made.predict.intern(name));
    return name;
  };
  made.predict.external_input.push_back(made.predict.intern("x"));
  names matrices = {"x"};
  std::size_t fresh = 0;
  auto const name = [&](char const* stem) { return stem + std::to_string(fresh++); };
  for (std::size_t ops = 6 + below(12); ops-- != 0;) {
    std::string const from = matrices[below(matrices.size())];
    std::string const other = matrices[below(matrices.size())];
    std::string to = below(4) == 0 && matrices.size() > 1 ? matrices[1 + below(matrices.size() - 1)] : name("h");
    switch (below(9)) {
      case 0:
        add(made.predict, {"FC", {from, weights({6, 6}), weights({6})}, {to}});
        break;
      case 1:
        if (from != "x") to = from;
        add(made.predict, {below(2) == 0 ? "Relu" : "Tanh", {from}, {to}});
        break;
      case 2:
        add(made.predict, {"Add", {from, other}, {to}});
        break;
      case 3: {
        std::string const there = name("gpu");
        add(made.predict, {"CopyCPUToGPU", {from}, {there}, {}, plait::device_spec{plait::device_kind::cuda, 0}});
        add(made.predict, {"CopyGPUToCPU", {there}, {to}, {}, plait::device_spec{plait::device_kind::cuda, 0}});
        break;
      }
      case 4:
        to = name("h");
        add(made.predict, plait::alias_with_name(from, to, name("named"), false));
        break;
      case 5: {
        std::string const shape = weights({2});
        made.init.op.pop_back();
        add(made.init, plait::const_fill_op({shape, {{2}, std::vector<std::int64_t>{-1, 6}}}));
        std::string const matrix = name("m");
        add(made.predict, {"Reshape", {from, shape}, {matrix, name("old")}});
        add(made.predict, {"FC", {matrix, weights({6, 6}), weights({6})}, {to}});
        break;
      }
      case 6:
        add(made.predict, {"GroupNorm", {from, weights({6}), weights({6})}, {to}, {{"group", std::int64_t{3}}}});
        break;
      case 7:
        add(made.predict, {below(2) == 0 ? "EnsureCPUOutput" : "CopyFromCPUInput", {from}, {to}});
        break;
      default:
        add(made.predict, {"Softmax", {from}, {to}});
    }
    if (std::ranges::find(matrices, to) == matrices.end()) matrices.push_back(to);
  }
  add(made.predict, {"Sum", matrices, {"y"}});
  made.predict.external_output.push_back(made.predict.intern("y"));
  std::vector<float> x(24);
  for (std::size_t i = 0; i != x.size(); ++i) x[i] = static_cast<float>(i % 7) / 4 - 0.75f;
  made.feeds.push_back({"x", {{4, 6}, x}});
  return made;
}

TEST_CASE("transforms: random nets compute the same outputs") {
  std::set<std::string> applied;
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    check_transforms(random_net(seed), applied);
  }
  for (transform const& t : transforms()) {
    CAPTURE(t.name);
    CHECK(applied.contains(t.name));
  }
}

TEST_CASE("transforms: nets of the test data compute the same outputs") {
  std::set<std::string> applied;
  std::mt19937 random(1);
  runnable r{{}, plait::read_netdef(std::filesystem::path(PLAIT_TEST_DATA_DIR) / "nets" / "two_layers.pbtxt")};
  for (auto const& [name, dims] :
       std::vector<std::pair<std::string, std::vector<std::int64_t>>>{{"w", {3, 3}}, {"b", {3}}})
    plait::net_traits<netdef>::append_op(r.init, fill(name, dims, random));
  r.feeds.push_back({"x", {{2, 3}, std::vector<float>{1, -2, 3, 4, 0.5f, 2}}});
  CHECK(check_transforms(r, applied) > 15);
}

// Returns true if the elements differ by rounding only.
bool near(plait::tensor_value const& got, plait::tensor_value const& wanted) {
  auto const* const a = std::get_if<std::vector<float>>(&got.data);
  auto const* const b = std::get_if<std::vector<float>>(&wanted.data);
  if (a == nullptr || b == nullptr || got.shape != wanted.shape) return got == wanted;
  return std::ranges::equal(*a, *b,
                            [](float x, float y) { return std::abs(x - y) <= 1e-4f * std::max(1.0f, std::abs(y)); });
}

// The net is as detectron2 exports one, with the results of Caffe2: see tests/data/record_detection.py.
TEST_CASE("transforms: a detection net computes the boxes, classes and masks of Caffe2") {
  auto const read = [](char const* name) {
    return plait::read_netdef(std::filesystem::path(PLAIT_TEST_DATA_DIR) / "nets" / "detection" / name);
  };
  runnable r{read("init.pb"), read("predict.pb"), plait::parameters_from_init_net(read("inputs.pb"))};
  std::vector<parameter> const wanted = plait::parameters_from_init_net(read("outputs.pb"));
  auto const got = run(r);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i != got.size(); ++i) {
    CAPTURE(wanted[i].name);
    CHECK(near(got[i], wanted[i].value));
  }
  std::set<std::string> applied;
  check_transforms(r, applied);
  for (transform const& t : transforms()) {
    CAPTURE(t.name);
    // That on the host only contradicts the copies.
    CHECK((applied.contains(t.name) || t.name == "assign_device_options"));
  }

  auto const done = plait::run_export_pipeline(r.predict, r.init,
                                               {.input_devices = {plait::device_kind::cuda, plait::device_kind::cuda}});
  CHECK(done.aliases.aliases.size() == 3);
  CHECK(done.copies.removed_ops.size() == 8);
  CHECK(done.reshapes.removed_parameters == names{"flat_shape"});
}

// Covers nets that run on their own fills, or with the init net beside them.
TEST_CASE("transforms: real nets that run compute the same outputs") {
  std::set<std::string> applied;
  std::size_t ran = 0;
  auto const& table = plait::standard_operators<B>();
  for (auto const& file : plait_test::real_nets()) {
    if (std::filesystem::file_size(file) > 50'000) continue;
    CAPTURE(file.string());
    runnable r;
    try {
      r.predict = plait::read_netdef(file);
      auto init = file;
      std::string name = file.filename().string();
      if (auto const at = name.find("predict"); at != name.npos) {
        init.replace_filename(name.replace(at, 7, "init"));
        if (std::filesystem::exists(init)) r.init = plait::read_netdef(init);
      }
      bool constant = true;
      for (netdef const* n : {&r.init, &r.predict})
        for (auto&& op : plait::ops(*n)) {
          auto const entry = table.find(plait::op_type(*n, op));
          constant = constant && entry != nullptr && entry->schema.different_runs() == nullptr;
        }
      if (!constant || r.predict.op.empty()) continue;
      if (r.predict.external_output.empty())
        for (auto&& op : plait::ops(r.predict))
          for (auto&& written : plait::outputs(r.predict, op))
            if (std::ranges::find(r.predict.external_output, written) == r.predict.external_output.end())
              r.predict.external_output.push_back(written);
      std::size_t elements = 0;
      for (auto const& made : run(r)) elements += made.size();
      if (elements > 100'000) continue;  // fills of a large model, which every transform would repeat
    } catch (plait::error const&) {
      continue;  // lacks inputs or operators
    }
    ++ran;
    check_transforms(r, applied);
  }
  MESSAGE(ran << " real nets ran");
  if (!plait_test::real_nets_folder().empty()) CHECK(ran >= 5);
}

TEST_CASE("share_gradient_blobs: random nets with their gradients compute the same outputs") {
  std::size_t shared = 0;
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    runnable r = random_net(seed);
    std::vector<std::string> gradients;
    try {
      auto const made = plait::add_gradient_ops(r.predict, {"y"}, plait::gradient_rules::standard(),
                                                {.overwritten = plait::overwritten_values::copy});
      for (auto const& each : made) gradients.push_back(each.second.values);
    } catch (plait::net_error const&) {
      continue;  // unused fills of integers have no gradient
    }
    for (std::string const& name : gradients) r.predict.external_output.push_back(r.predict.intern(name));
    auto const expected = run(r);
    shared += plait::share_gradient_blobs(r.predict, {.parameter_gradients = gradients}).shared;
    CHECK(run(r) == expected);
  }
  CHECK(shared > 0);
}

TEST_CASE("init_net_from_parameters: the net creates parameters of every type unchanged") {
  std::vector<parameter> const given = {
      {"f", {{2}, std::vector<float>{1.5f, -2}}},
      {"d", {{2}, std::vector<double>{0.25, -2}}},
      {"i16", {{2}, std::vector<std::int16_t>{-32'768, 7}}},
      {"i32", {{1, 2}, std::vector<std::int32_t>{-7, 1 << 30}}},
      {"i64", {{2}, std::vector<std::int64_t>{-7, std::int64_t{1} << 60}}},
      {"u8", {{3}, std::vector<std::uint8_t>{0, 255, 65}}},
      {"b", {{2}, std::vector<bool>{true, false}}},
      {"q", {{2}, std::vector<std::uint8_t>{0, 200}, plait::quantisation{0.5f, 128}}},
      {"qb", {{1}, std::vector<std::int32_t>{-70'000}, plait::quantisation{0.25f, 0}}},
  };
  parameter const texts{"s", {{2}, names{"a", std::string("\0b", 2)}}};
  std::vector<parameter> all = given;
  all.push_back(texts);
  auto const made = plait::init_net_from_parameters<netdef>(all);
  plait::workspace<B> blobs;
  plait::compile(made.net, plait::standard_operators<B>(), blobs).run();
  names fetched;
  for (parameter const& p : given) fetched.push_back(p.name);
  CHECK(plait::fetch(blobs, fetched) == given);
  CHECK(plait::fetch_text(blobs, "s")->elements() == std::get<names>(texts.value.data));
}

}  // namespace
