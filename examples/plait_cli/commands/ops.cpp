// plait ops: the op types that nets can be run with.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/core/errors.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/serial.hpp>

#include "commands.hpp"
#include "io.hpp"
#include "names.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct ops_options {
  std::string type;
  bool markdown = false;
};

std::string count(std::pair<std::size_t, std::size_t> range) {
  if (range.second == plait::npos) return std::to_string(range.first) + "+";
  if (range.first == range.second) return std::to_string(range.first);
  return std::to_string(range.first) + "-" + std::to_string(range.second);
}

struct value_writer {
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(float number) const {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + '0' : text;
  }
  std::string operator()(std::string const& text) const { return '"' + text + '"'; }
  template <class T>
  std::string operator()(std::vector<T> const& list) const {
    std::string text;
    for (T const& item : list) text += (text.empty() ? "" : ", ") + (*this)(item);
    return '[' + text + ']';
  }
};

std::string value_text(plait::argument_value const& value) { return std::visit(value_writer(), value); }

std::string type_text(plait::argument_value const& value) {
  constexpr char const* names[] = {"int", "float", "string", "ints", "floats", "strings"};
  return names[value.index()];
}

std::string memory_text(plait::op_schema const& schema) {
  std::string text;
  auto const add = [&](std::string const& part) { text += (text.empty() ? "" : "; ") + part; };
  for (auto const& pair : schema.updates())
    add("changes input " + std::to_string(pair.input) + " into output " + std::to_string(pair.output));
  for (auto const& pair : schema.views())
    add("output " + std::to_string(pair.output) + " can be a view of input " + std::to_string(pair.input));
  for (std::size_t i = 0; i != schema.input_range().second && i != 4; ++i)
    for (std::size_t o = 0; o != schema.output_range().second && o != 4; ++o)
      if (schema.may_be_in_place(i, o)) add("output " + std::to_string(o) + " can stand in input " + std::to_string(i));
  if (!schema.shape_inputs().empty()) {
    std::string inputs;
    for (std::size_t i : schema.shape_inputs()) inputs += (inputs.empty() ? "" : ", ") + std::to_string(i);
    add("shapes depend on the elements of input " + inputs +
        (schema.shapes_by_elements() != nullptr ? ", if arguments say so" : ""));
  }
  if (schema.has_results_after_run()) add("outputs have memory of their own, or that of the input of their name");
  if (schema.claims_rows())
    add(std::string("rows are independent") + (schema.rows_by_arguments() ? ", depending on arguments" : ""));
  if (schema.has_side_effects()) add("has side effects");
  return text;
}

void print_one(plait::op_schema const& schema) {
  std::cout << schema.type() << ": " << schema.text() << "\ninputs: " << count(schema.input_range())
            << ", outputs: " << count(schema.output_range()) << '\n';
  if (std::string const memory = memory_text(schema); !memory.empty()) std::cout << memory << '\n';
  if (schema.arguments().empty() && schema.net_arguments().empty()) return;
  table rows({{"argument"}, {"type"}, {"default"}, {"", false, true}});
  for (auto const& a : schema.net_arguments()) rows.add({a.name, "net", a.required ? "required" : "none", a.text});
  for (auto const& a : schema.arguments())
    rows.add({a.name, type_text(a.fallback), a.required ? "required" : value_text(a.fallback), a.text});
  rows.print(std::cout, output_width(), shows_colour(1));
}

void print_markdown(std::vector<plait::op_schema const*> const& all) {
  std::cout << "# Operators\n\n"
               "Made by `plait ops --markdown`. The op types that plait runs, on every backend; semantics are those of "
               "the Caffe2 operator of the same name unless differences.md says otherwise.\n";
  for (auto const* schema : all) {
    std::cout << "\n## " << schema->type() << "\n\n" << schema->text() << "\n\n";
    std::cout << "Inputs: " << count(schema->input_range()) << ". Outputs: " << count(schema->output_range()) << '.';
    if (std::string const memory = memory_text(*schema); !memory.empty()) std::cout << " Memory: " << memory << '.';
    std::cout << '\n';
    if (schema->arguments().empty() && schema->net_arguments().empty()) continue;
    std::cout << "\n| argument | type | default | |\n|---|---|---|---|\n";
    for (auto const& a : schema->net_arguments())
      std::cout << "| `" << a.name << "` | net | " << (a.required ? "required" : "none") << " | " << a.text << " |\n";
    for (auto const& a : schema->arguments())
      std::cout << "| `" << a.name << "` | " << type_text(a.fallback) << " | "
                << (a.required ? "required" : value_text(a.fallback)) << " | " << a.text << " |\n";
  }
}

int run(ops_options const& given) {
  auto const& operators = plait::standard_operators<plait::serial>();
  auto const all = operators.schemas();
  if (given.markdown) {
    print_markdown(all);
    return 0;
  }
  if (!given.type.empty()) {
    auto const found = operators.find(given.type);
    if (found == nullptr) {
      std::vector<std::string> types;
      for (auto const* schema : all) types.push_back(schema->type());
      throw failure("plait: there is no op type '" + visible(given.type) + '\'' +
                    names_like(given.type, std::move(types)) + "; `plait ops` lists them");
    }
    print_one(found->schema);
    return 0;
  }
  table rows({{"type"}, {"in", true}, {"out", true}, {"", false, true}});
  for (auto const* schema : all)
    rows.add({schema->type(), count(schema->input_range()), count(schema->output_range()), schema->text()});
  rows.print(std::cout, output_width(), shows_colour(1));
  return 0;
}

}  // namespace

void add_ops(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<ops_options>();
  CLI::App* const command = app.add_subcommand("ops", "the op types that nets can be run with");
  auto* const type = command->add_option("TYPE", given->type, "only this one, with its arguments");
  command->add_flag("--markdown", given->markdown, "all of them as a document")->excludes(type);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
