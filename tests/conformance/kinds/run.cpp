// Cases of kind run: nets that run one after the other in one workspace.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "../blobs.hpp"
#include "../kinds.hpp"
#include "../step_executor.hpp"
#include "../tensors.hpp"

namespace conformance {

namespace {

// Throws unsupported_case for an op type without an operator.
void check_types(plait::netdef const& net, bool unknown_is_the_case) {
  for (plait::op_def const& op : net.op) {
    std::string const type(net.text(op.type));
    if (!caffe2_has(type) && !unknown_is_the_case) throw unsupported_case("operator " + type);
  }
}

bool has_word(std::string_view text, std::string_view word) {
  auto const is_end = [](char c) { return std::string_view(" ,;:").find(c) != std::string_view::npos; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    std::size_t const end = at + word.size();
    if (at != 0 && is_end(text[at - 1]) && (end == text.size() || is_end(text[end]))) return true;
  }
  return false;
}

bool lists_operand(std::string_view list, plait::netdef const& net, plait::op_def const& op) {
  auto const is_there = [&](plait::symbol name) { return has_word(list, net.text(name)); };
  return std::ranges::any_of(op.input, is_there) || std::ranges::any_of(op.output, is_there);
}

// Returns true if the text is about a declared output of a net or of a net nested in it.
bool names_declared_output(case_inputs const& in, std::string_view text) {
  for (auto const& source : member<std::vector<std::string>>(in.data(), "nets")) {
    plait::netdef const net = parse_net(source, "nets");
    auto const is_there = [&](plait::netdef const& n) {
      return std::ranges::any_of(n.external_output, [&](plait::symbol name) {
        return text.find("declares '" + std::string(n.text(name)) + "' as an output") != std::string_view::npos;
      });
    };
    if (is_there(net)) return true;
    for (plait::op_def const& op : net.op)
      for (plait::nested_net const& inside : plait::nested_nets(net, op))
        if (is_there(*inside.net)) return true;
  }
  return false;
}

}  // namespace

case_result run_run(case_inputs& in) {
  std::vector<plait::netdef> nets;
  for (auto const& text : member<std::vector<std::string>>(in.data(), "nets")) nets.push_back(parse_net(text, "nets"));
  bool const unknown =
      member<std::string>(in.data(), "message", "").find("Cannot create operator") != std::string::npos;
  for (plait::netdef const& net : nets) check_types(net, unknown);

  blobs held;
  json const feeds = member<json>(in.data(), "feeds", json::object());
  for (auto const& [name, given] : feeds.items()) held.feed(name, tensor_from_json(given, name));

  for (plait::netdef& net : nets) {
    // All blobs of a net outlive it here, as in Caffe2: later nets may read any of them. A declared output that the net
    // does not write is refused.
    if (plait::get_ssa(net, {.subnets = true}).unwritten_outputs().empty()) net.external_output.clear();
    set_executor(net);
    held.run_as_caffe2(net);
  }

  case_result got;
  if (auto const expect = in.data().find("expect"); expect != in.data().end())
    for (auto const& [name, tensor] : expect->items())
      if (held.contains(name)) got.add(name, tensor_to_json(as_recorded(held.fetch(name))));
  return got;
}

std::vector<std::string> run_refusal_problems(case_inputs const& in, plait::error const& refusal) {
  if (names_declared_output(in, refusal.what())) return {};
  auto const* const raised = dynamic_cast<plait::exec_error const*>(&refusal);
  if (raised == nullptr) return {"is not an exec_error"};
  std::string_view const text = raised->what();
  std::string_view const operands = text.substr(std::min(text.rfind("; inputs"), text.size()));
  bool names_type = false;
  bool names_operand = false;
  for (auto const& source : member<std::vector<std::string>>(in.data(), "nets")) {
    plait::netdef const net = parse_net(source, "nets");
    for (plait::op_def const& op : net.op) {
      if (net.text(op.type) != raised->type) continue;
      names_type = names_type || text.find('(' + raised->type) != std::string_view::npos;
      names_operand = names_operand || lists_operand(operands, net, op);
      for (plait::nested_net const& inside : plait::nested_nets(net, op))
        for (plait::op_def const& inner : inside.net->op)
          names_operand = names_operand || lists_operand(operands, *inside.net, inner);
    }
  }
  std::vector<std::string> problems;
  if (!names_type) problems.push_back("the error does not name an op of the nets");
  if (!names_operand) problems.push_back("the error does not list a blob of the op");
  return problems;
}

}  // namespace conformance
