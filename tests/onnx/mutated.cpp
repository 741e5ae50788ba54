// Mutation tests: ONNX's node tests with one attribute or operand changed, against ONNX Runtime. What it refuses is
// refused, and no result is wrong. tests/data/onnx/mutate.py generates more such files.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_runs.hpp>

namespace {

struct mutated_case {
  std::string name;
  bool is_valid = false;
  std::string reason;
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

std::vector<mutated_case> cases_of(std::string const& path) {
  std::istringstream in(onnx_runs::bytes_of(path));
  std::vector<mutated_case> made;
  for (std::string line; std::getline(in, line);) {
    REQUIRE(line.starts_with("case "));
    mutated_case& each = made.emplace_back();
    each.name = line.substr(5);
    std::getline(in, line);
    each.is_valid = line.starts_with("right");
    each.reason = line.substr(line.find(' ') + 1);
    std::getline(in, line);
    std::istringstream sizes(line);
    auto const take = [&](std::string const& size) {
      std::string bytes(std::stoul(size), ' ');
      in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      return bytes;
    };
    std::string size;
    sizes >> size;
    each.model = take(size);
    for (auto* list = &each.inputs; sizes >> size;)
      if (size == ">")
        list = &each.outputs;
      else
        list->push_back(take(size));
  }
  return made;
}

std::vector<plait::tensor_value> values_of(std::vector<std::string> const& documents) {
  std::vector<plait::tensor_value> made;
  for (std::string const& each : documents) made.push_back(plait::value_of(plait::parse_onnx_tensor(each)));
  return made;
}

struct verdict {
  enum kinds { right, refused_when_read, refused_when_run, unfit, wrong } is;
  std::string why = {};
};

/// Returns true if ONNX Runtime refuses the case although the specification allows it.
bool is_legal(std::string const& name) {
  struct known {
    char const* type;
    char const* change;
  };
  static constexpr known all[] = {{"RNN", "without hidden_size"},  // an optional attribute: the weights have it
                                  {"GRU", "without hidden_size"},
                                  {"LSTM", "without hidden_size"},
                                  {"Scan", "x empty"},                             // no steps
                                  {"GlobalAveragePool", "x one place less on 1"},  // no channels
                                  {"GlobalMaxPool", "x one place less on 1"}};
  return std::ranges::any_of(all, [&](known const& each) {
    return name.starts_with(std::string(each.type) + ' ') && name.find(each.change) != std::string::npos;
  });
}

/// Runs a case. The verdict is `unfit` if a tensor of the case has a type that plait lacks.
verdict test(mutated_case const& each) {
  std::vector<plait::tensor_value> wanted;
  onnx_runs::values inputs;
  plait::onnx_model const model = plait::parse_onnx(each.model);
  try {
    wanted = values_of(each.outputs);
    auto const given = values_of(each.inputs);
    for (std::size_t i = 0; i != given.size(); ++i) inputs.emplace(model.graph.inputs.at(i).name, given[i]);
  } catch (plait::error const& e) {
    return {verdict::unfit, e.what()};
  }
  plait::onnx_net net;
  try {
    net = onnx_runs::read(model, inputs);
  } catch (plait::error const& e) {
    return {verdict::refused_when_read, e.what()};
  }
  try {
    std::string const off = onnx_runs::run(net, inputs, wanted);
    return {off.empty() ? verdict::right : verdict::wrong, off};
  } catch (plait::error const& e) {
    return {verdict::refused_when_run, e.what()};
  } catch (std::bad_alloc const& e) {
    return {verdict::wrong, e.what()};
  }
}

// The environment variable PLAIT_ONNX_CASES names another file; then every difference is printed.
TEST_CASE("mutated models: those that ONNX Runtime refuses are refused, and no result is wrong") {
  char const* const other = std::getenv("PLAIT_ONNX_CASES");
  std::string const file = other != nullptr ? other : std::string(PLAIT_TEST_DATA_DIR) + "/onnx/mutated.cases";
  std::map<std::string, std::size_t> counts;
  std::string lines;
  for (mutated_case const& each : cases_of(file)) {
    CAPTURE(each.name);
    CAPTURE(each.reason);
    verdict const found = test(each);
    CAPTURE(found.why);
    static constexpr char const* names[] = {"right", "refused when read", "refused when run", "unfit", "wrong"};
    ++counts[std::string(each.is_valid ? "valid: " : "invalid: ") + names[found.is]];
    if (each.is_valid || is_legal(each.name))
      CHECK(found.is != verdict::wrong);
    else
      CHECK((found.is == verdict::refused_when_read || found.is == verdict::refused_when_run ||
             found.is == verdict::unfit));
    if (other != nullptr && (each.is_valid ? found.is != verdict::right : found.is != verdict::refused_when_read))
      lines += "\n" + std::string(each.is_valid ? "VALID " : "INVALID ") + names[found.is] + " | " + each.name + " | " +
               found.why + " | " + each.reason;
  }
  for (auto const& [what, count] : counts) lines = what + ": " + std::to_string(count) + "; " + lines;
  MESSAGE(lines);
}

}  // namespace
