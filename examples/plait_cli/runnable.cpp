#include "runnable.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "names.hpp"
#include "nested_ops.hpp"
#include "report.hpp"

namespace cli {

namespace {

using backend = plait::serial;
using traits = plait::net_traits<plait::netdef>;

// Returns the arguments of all op types of plait, since nets set `order` of Relu, too, and those by which Caffe2
// selects kernels.
std::set<std::string, std::less<>> known_arguments() {
  std::set<std::string, std::less<>> known = {"cudnn_exhaustive_search", "deterministic", "exhaustive_search",
                                              "shared_buffer",           "use_cudnn",     "ws_nbytes_limit"};
  for (plait::op_schema const* schema : plait::standard_operators<backend>().schemas()) {
    for (auto const& a : schema->arguments()) known.insert(a.name);
    for (auto const& a : schema->net_arguments()) known.insert(a.name);
    for (auto const& a : schema->refused_arguments()) known.insert(a.name);
  }
  return known;
}

std::vector<std::string> arguments_of(plait::op_schema const& schema) {
  std::vector<std::string> names;
  for (auto const& a : schema.arguments()) names.push_back(a.name);
  for (auto const& a : schema.net_arguments()) names.push_back(a.name);
  return names;
}

op_problem problem_of(op_place const& at, std::string_view kind, std::string const& message,
                      std::string argument = {}) {
  return {kind,
          at.index,
          at.of.inside,
          std::string(at.type()),
          std::move(argument),
          at.of.path + op_title(at.net(), at.index) + ' ' + message};
}

// Returns "2 inputs, but takes 1 to 3" if the count is out of the range.
std::optional<std::string> count_problem(std::size_t count, std::pair<std::size_t, std::size_t> range,
                                         std::string_view what) {
  if (count >= range.first && count <= range.second) return std::nullopt;
  std::string wanted = std::to_string(range.first);
  if (range.second == plait::npos)
    wanted += " or more";
  else if (range.second != range.first)
    wanted += " to " + std::to_string(range.second);
  return "has " + counted(count, what) + "; its type has " + wanted;
}

// Returns the message of the innermost cause of an exception.
std::string cause_of(std::exception const& problem) {
  std::string text = problem.what();
  auto const* nested = dynamic_cast<std::nested_exception const*>(&problem);
  std::exception_ptr inner = nested == nullptr ? nullptr : nested->nested_ptr();
  while (inner != nullptr) {
    try {
      std::rethrow_exception(std::exchange(inner, nullptr));
    } catch (std::exception const& cause) {
      text = cause.what();
      if (auto const* more = dynamic_cast<std::nested_exception const*>(&cause)) inner = more->nested_ptr();
    }
  }
  return std::string(plait::detail::without_prefix(text));
}

// Returns the component that has a missing op type, or a similar type.
std::string hint_for(std::string_view type) {
  std::string const component = plait::detail::component_hint(type);
  return component.empty() ? did_you_mean(type, cli::op_types()) : component;
}

class op_checker {
 public:
  explicit op_checker(std::vector<op_problem>& found) : found_(found) {}

  void check(op_place const& at) {
    std::size_t const before = found_.size();
    auto const entry = operators_.find(at.type());
    if (entry == nullptr) {
      found_.push_back(problem_of(at, "unknown op type", "is of no type that plait runs" + hint_for(at.type())));
    } else {
      check_counts(at, entry->schema);
      check_arguments(at, entry->schema);
    }
    bool const nested = std::ranges::any_of(at.op().arg, [](auto const& a) { return a.n || !a.nets.empty() || a.s; });
    if (found_.size() == before && !nested) compile(at);
  }

  // Compiles a whole net for what only its nested nets and several ops together show.
  void compile(plait::netdef const& net) {
    plait::workspace<backend> blobs;
    try {
      static_cast<void>(plait::compile(net, operators_, blobs));
    } catch (plait::exec_error const& problem) {
      found_.push_back(
          {"argument", problem.op, {}, problem.type, {}, op_title(net, problem.op) + ": " + cause_of(problem)});
    }
  }

 private:
  void check_counts(op_place const& at, plait::op_schema const& schema) {
    for (auto const& wrong : {count_problem(at.op().input.size(), schema.input_range(), "input"),
                              count_problem(at.op().output.size(), schema.output_range(), "output")})
      if (wrong) found_.push_back(problem_of(at, "operand count", *wrong));
  }

  void check_arguments(op_place const& at, plait::op_schema const& schema) {
    auto const has = [&](std::string_view name) { return traits::has_argument(at.net(), at.op(), name); };
    plait::op_arguments made(schema, at.op().input.size(), at.op().output.size());
    auto const add = [&](std::string const& name, std::string const& what) {
      found_.push_back(problem_of(at, "argument", "has argument '" + name + "', " + what, name));
    };
    for (auto const& refused : schema.refused_arguments())
      if (has(refused.name)) add(refused.name, "which " + refused.text);
    for (std::size_t i = 0; i != schema.arguments().size(); ++i) {
      plait::argument_info const& info = schema.arguments()[i];
      if (info.passed_over) continue;
      if (!has(info.name)) {
        if (info.required) missing(at, info.name);
        continue;
      }
      auto value = traits::argument(at.net(), at.op(), info.name);
      std::string const given = value ? type_name(*value) : "a tensor or net";
      try {
        if (!value) made.fail(info.name, "");
        made.set(i, std::move(*value));
      } catch (plait::shape_error const&) {
        add(info.name, given + ", which should be " + type_name(info.fallback));
      }
    }
    for (auto const& info : schema.net_arguments())
      if (info.required && !has(info.name)) missing(at, info.name);
  }

  void missing(op_place const& at, std::string const& name) {
    found_.push_back(problem_of(at, "argument", "lacks the argument '" + name + '\'', name));
  }

  static std::string type_name(plait::argument_value const& value) {
    constexpr char const* names[] = {"an int", "a float", "a string", "ints", "floats", "strings"};
    return names[value.index()];
  }

  // Compiles the op alone, for what its kernel requires of arguments.
  void compile(op_place const& at) {
    plait::netdef alone;
    alone.op.push_back(alone.adopt(at.op(), at.net()));
    plait::workspace<backend> blobs;
    try {
      static_cast<void>(plait::compile(alone, operators_, blobs));
    } catch (plait::error const& problem) {
      found_.push_back(problem_of(at, "argument", "is refused: " + cause_of(problem)));
    }
  }

  plait::operators<backend> const& operators_ = plait::standard_operators<backend>();
  std::vector<op_problem>& found_;
};

}  // namespace

std::vector<std::string> op_types() {
  std::vector<std::string> types;
  for (plait::op_schema const* schema : plait::standard_operators<backend>().schemas()) types.push_back(schema->type());
  return types;
}

std::string unknown_type(std::string_view type) {
  if (plait::standard_operators<backend>().find(type) != nullptr) return {};
  return "there is no op type '" + std::string(type) + '\'' + hint_for(type);
}

std::vector<op_problem> unknown_arguments(plait::netdef const& net) {
  auto const& operators = plait::standard_operators<backend>();
  auto const known = known_arguments();
  std::vector<op_problem> found;
  for_each_op(net, [&](op_place const& at) {
    auto const entry = operators.find(at.type());
    if (entry == nullptr) return;
    for (plait::arg_def const& a : at.op().arg) {
      std::string_view const name = at.net().text(a.name);
      if (!known.contains(name) && !name.ends_with(".rename"))
        found.push_back(problem_of(at, "unknown argument",
                                   "has an argument '" + std::string(name) + "', which no op type of plait has" +
                                       did_you_mean(name, arguments_of(entry->schema)),
                                   std::string(name)));
    }
  });
  return found;
}

std::vector<op_problem> runnable_problems(plait::netdef const& net) {
  std::vector<op_problem> found;
  op_checker checker(found);
  for_each_op(net, [&](op_place const& at) { checker.check(at); });
  if (found.empty()) checker.compile(net);
  return found;
}

}  // namespace cli
