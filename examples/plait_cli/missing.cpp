#include "missing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <plait/exec/operators.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "nested_ops.hpp"
#include "report.hpp"
#include "runnable.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using backend = plait::serial;
using form = plait::ssa_form<plait::netdef>;

// Known facts about a tensor. Letters stand for unknown extents.
struct tensor_facts {
  std::string type;                  // empty: unknown
  std::vector<std::string> extents;  // empty: unknown shape
  bool is_scalar = false;

  bool has_shape() const { return is_scalar || !extents.empty(); }
  std::string shape() const {
    std::string text;
    for (std::string const& extent : extents) text += (text.empty() ? "" : "x") + extent;
    return is_scalar ? "scalar" : text;
  }
};

class fact_finder {
 public:
  fact_finder(source const& in, form const& ssa, plait::workspace<backend> const& blobs)
      : net_(in.net), ssa_(ssa), blobs_(blobs) {}

  // Returns what the ops that read a value say about it. Follows ops whose output has the type of their first input.
  tensor_facts find(plait::value wanted) const {
    std::vector<plait::value> pending{wanted};
    tensor_facts found;
    for (std::size_t i = 0; i != pending.size() && i != most_followed; ++i)
      for (auto const& use : ssa_.consumers(pending[i])) {
        plait::op_def const& op = net_.op[use.op];
        if (use.slot >= op.input.size()) continue;  // a control input, or one of a nested net
        merge(found, of_operand(op, use.slot));
        if (use.slot != 0 || !keeps_type(op)) continue;
        for (plait::value const written : ssa_.writes(use.op))
          if (std::ranges::find(pending, written) == pending.end()) pending.push_back(written);
      }
    return found;
  }

 private:
  static constexpr std::size_t most_followed = 1000;

  static void merge(tensor_facts& into, tensor_facts const& more) {
    if (into.type.empty()) into.type = more.type;
    if (!into.has_shape()) {
      into.extents = more.extents;
      into.is_scalar = more.is_scalar;
    }
    for (std::size_t i = 0; i != into.extents.size() && into.extents.size() == more.extents.size(); ++i)
      if (!is_number(into.extents[i]) && is_number(more.extents[i])) into.extents[i] = more.extents[i];
  }
  static bool is_number(std::string const& text) { return text.find_first_not_of("0123456789") == text.npos; }

  bool keeps_type(plait::op_def const& op) const {
    auto const entry = plait::standard_operators<backend>().find(net_.text(op.type));
    return entry != nullptr && op.input.size() == 1 && op.output.size() == 1 && entry->schema.may_be_in_place(0, 0);
  }

  std::optional<std::int64_t> integer(plait::op_def const& op, std::string_view name) const {
    for (plait::arg_def const& a : op.arg)
      if (net_.text(a.name) == name) return a.i;
    return std::nullopt;
  }
  std::string text(plait::op_def const& op, std::string_view name, std::string fallback) const {
    for (plait::arg_def const& a : op.arg)
      if (net_.text(a.name) == name && a.s) return std::string(*a.s);
    return fallback;
  }

  // Returns the extents of another input, which is set.
  std::vector<std::int64_t> extents_of(plait::op_def const& op, std::size_t slot) const {
    std::vector<std::int64_t> extents;
    if (slot >= op.input.size()) return extents;
    auto const* blob = blobs_.find(net_.text(op.input[slot]));
    if (blob == nullptr || !blob->is_set || blob->object != nullptr) return extents;
    for (std::int64_t const extent : blob->value.dims()) extents.push_back(extent);
    return extents;
  }

  // Returns what an op says about one of its inputs, by the meaning of the operand.
  tensor_facts of_operand(plait::op_def const& op, std::size_t slot) const {
    std::string_view const type = net_.text(op.type);
    auto const is = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, type) != names.end();
    };
    auto const known = [](std::vector<std::int64_t> const& extents, std::size_t axis, char const* letter) {
      return axis < extents.size() ? std::to_string(extents[axis]) : std::string(letter);
    };
    bool const last = text(op, "order", "NCHW") == "NHWC";
    auto const image = [&](std::string const& channels) {
      return last ? tensor_facts{"float32", {"N", "H", "W", channels}}
                  : tensor_facts{"float32", {"N", channels, "H", "W"}};
    };
    if (is({"Conv", "ConvTranspose"})) {
      auto const weights = extents_of(op, 1);
      std::int64_t const groups = integer(op, "group").value_or(1);
      std::size_t const axis = type == "Conv" ? (last && !weights.empty() ? weights.size() - 1 : 1) : 0;
      if (slot == 0 && (weights.empty() || weights.size() == 4))
        return image(axis < weights.size() ? std::to_string(weights[axis] * groups) : "C");
      if (slot == 2) return {"float32", {"M"}};
      auto const extent = [&](char const* name) {
        return integer(op, name) ? integer(op, name) : integer(op, "kernel");
      };
      auto const high = extent("kernel_h");
      auto const wide = extent("kernel_w");
      if (slot != 1 || type != "Conv" || !high || !wide) return {"float32", {}};
      std::string const h = std::to_string(*high);
      std::string const w = std::to_string(*wide);
      return last ? tensor_facts{"float32", {"M", h, w, "C"}} : tensor_facts{"float32", {"M", "C", h, w}};
    }
    if (is({"MaxPool", "AveragePool", "LRN", "ResizeNearest"}) && slot == 0) return image("C");
    if (is({"SpatialBN", "InstanceNorm", "GroupNorm"}))
      return slot == 0 ? image(known(extents_of(op, 1), 0, "C")) : tensor_facts{"float32", {"C"}};
    if (is({"NHWC2NCHW"})) return {"float32", {"N", "H", "W", "C"}};
    if (is({"NCHW2NHWC"})) return {"float32", {"N", "C", "H", "W"}};
    if (is({"FC", "FCTransposed"})) {
      auto const weights = extents_of(op, 1);
      bool const plain = integer(op, "axis").value_or(1) == 1 && integer(op, "axis_w").value_or(1) == 1;
      if (slot == 0 && plain) return {"float32", {"N", known(weights, type == "FC" ? 1 : 0, "K")}};
      if (slot == 1 && plain && type == "FC") return {"float32", {"M", "K"}};
      return {"float32", slot == 2 ? std::vector<std::string>{"M"} : std::vector<std::string>()};
    }
    if (is({"LabelCrossEntropy", "SoftmaxWithLoss", "Accuracy"}) && slot == 1) return {"int32", {"N"}};
    if (is({"Gather", "BatchGather"}) && slot == 1) return {"int64", {"N"}};
    if (type.starts_with("SparseLengths")) {
      std::size_t const indices = type.find("Weighted") != type.npos ? 2 : 1;
      if (slot == indices) return {"int64", {"N"}};
      if (slot == indices + 1) return {"int32", {"M"}};
    }
    if (type.starts_with("Lengths") && slot == 1) return {"int32", {"M"}};
    if (is({"Reshape", "ExpandDims"}) && slot == 1) return {"int64", {"M"}};
    if (is({"If", "While"}) && slot == 0) return {"bool", {}, true};
    if (is({"Not", "And", "Or", "Xor"})) return {"bool", {}};
    if (is({"Where"}) && slot == 0) return {"bool", {}};
    if (is({"RecurrentNetwork"}) && slot == 0) return {"float32", {"T", "N", "D"}};
    return {};
  }

  plait::netdef const& net_;
  form const& ssa_;
  plait::workspace<backend> const& blobs_;
};

// Reads value_info.json, which exporters put beside a net: {"data": [1, [1, 3, 224, 224]]}, types as in TensorProto.
std::map<std::string, tensor_facts> read_value_info(std::string const& path) {
  std::map<std::string, tensor_facts> found;
  std::ifstream file(std::filesystem::path(path).replace_filename("value_info.json"));
  if (path == "-" || !file) return found;
  nlohmann::json const info = nlohmann::json::parse(file, nullptr, false);
  if (!info.is_object()) return found;
  std::map<int, char const*> const types = {{1, "float32"},  {2, "int32"},   {5, "bool"},  {6, "uint8"},
                                            {7, "int8"},     {8, "uint16"},  {9, "int16"}, {10, "int64"},
                                            {12, "float16"}, {13, "float64"}};
  for (auto const& [name, entry] : info.items()) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !entry[1].is_array()) continue;
    tensor_facts facts;
    if (auto const type = types.find(entry[0].get<int>()); type != types.end()) facts.type = type->second;
    for (auto const& extent : entry[1]) facts.extents.push_back(extent.dump());
    facts.is_scalar = facts.extents.empty();
    found.emplace(name, std::move(facts));
  }
  return found;
}

// Returns the values that ops require before any op writes them, and that the workspace lacks.
std::vector<plait::value> unset_inputs(source const& in, form const& ssa, plait::workspace<backend> const& blobs) {
  std::vector<plait::value> found;
  for (auto const& step : ssa.ops()) {
    plait::op_def const& op = in.net.op[step.index];
    auto const entry = plait::standard_operators<backend>().find(in.net.text(op.type));
    auto const reads = step.reads();
    std::size_t const listed = op.input.size();
    std::size_t const controls = op.extras().control_input.size();
    for (std::size_t i = 0; i != reads.size(); ++i) {
      plait::value const v = reads[i];
      bool const later = entry != nullptr && entry->schema.has_results_after_run();
      bool const required = i < listed ? entry == nullptr || !later || entry->schema.requires_input(i, listed)
                                       : i >= listed + controls && !later;
      if (!required || v.version != ssa.first_version(v.blob) || ssa.producing_op(v) != plait::npos) continue;
      if (!blobs.contains(ssa.name(v)) && std::ranges::find(found, v) == found.end()) found.push_back(v);
    }
  }
  return found;
}

// Returns the init net beside a predict net, "init_net.pb" for "predict_net.pb", or "FILE" if there is none.
std::string init_net_of(std::string const& path) {
  std::filesystem::path const net(path);
  std::string name = net.filename().string();
  std::size_t const at = name.find("predict");
  if (at == name.npos) return "FILE";
  name.replace(at, 7, "init");
  std::filesystem::path const init = net.parent_path() / name;
  std::error_code ignored;
  return std::filesystem::exists(init, ignored) ? init.string() : "FILE";
}

std::string input_text(std::string const& name, tensor_facts const& facts) {
  std::string text = "input '" + visible(name) + "' is unset";
  if (!facts.type.empty() || facts.has_shape()) {
    text += ':';
    if (!facts.type.empty()) text += ' ' + facts.type;
    if (facts.has_shape()) text += ' ' + facts.shape();
  }
  std::string const suffix = facts.type.empty() || facts.type == "float32" ? "" : ':' + facts.type;
  return text + "; --feed " + visible(name) + "=FILE.npy or --random " + visible(name) + '=' +
         (facts.has_shape() ? facts.shape() : "SHAPE") + suffix;
}

}  // namespace

std::optional<std::string> missing_text(source const& in, plait::workspace<backend> const& blobs,
                                        std::string const& path, bool with_init) {
  file_report report(in.label);
  for_each_op(in.net, [&](op_place const& at) {
    std::string const unknown = unknown_type(at.type());
    std::size_t const outermost = at.of.inside.empty() ? at.index : at.of.inside.front();
    if (!unknown.empty())
      report.add(in, outermost, visible(at.of.path + op_title(at.net(), at.index) + ": " + unknown));
  });
  form const ssa = plait::get_ssa(in.net, {.subnets = true, .control_inputs = true});
  std::vector<plait::value> const unset = unset_inputs(in, ssa, blobs);
  auto const info = read_value_info(path);
  fact_finder const facts(in, ssa, blobs);
  for (plait::value const v : unset) {
    std::string const name(ssa.name(v));
    auto const known = info.find(name);
    report.add(input_text(name, known != info.end() ? known->second : facts.find(v)));
  }
  if (report.empty()) return std::nullopt;
  if (!unset.empty() && !with_init)
    report.add("parameters usually come from an init net: --init " + visible(init_net_of(path)));
  std::string text = report.text();
  text.pop_back();  // main() ends the line
  return text;
}

}  // namespace cli
