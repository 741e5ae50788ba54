// plait view: writes a net as an interactive HTML page.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/detail/op_roles.hpp>
#include <plait/ssa/detail/repeated_ops.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/devices.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "names.hpp"
#include "op_text.hpp"
#include "seeds.hpp"
#include "terminal.hpp"
#include "view/page.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;
using form = plait::ssa_form<plait::netdef>;

struct view_options {
  std::string file;
  std::string output;
  std::string init;
  std::vector<std::string> ys;
  std::string overwritten = "refuse";
  bool numpy_broadcasting = false;
};

// ---- one net of the page

// Net of the page: the outermost one, or one nested in an op of a net before it.
struct page_net {
  plait::netdef const* net;
  std::size_t owner_net = 0;
  std::size_t owner_op = 0;
  plait::nested_net const* nested = nullptr;                   // null: the outermost net
  std::map<std::string, std::size_t, std::less<>> outer = {};  // values that the owner reads, by name
};

// Numbers the values that an op, an input or an output uses; the others exist in the tables of the SSA form only.
class value_numbers {
 public:
  explicit value_numbers(form const& ssa) : ssa_(ssa), number_(ssa.value_count(), plait::npos) {
    std::vector<bool> used(ssa.value_count());
    for (auto values : {ssa.external_inputs(), ssa.external_outputs()})
      for (plait::value v : values) used[ssa.index(v)] = true;
    for (plait::blob_index b : ssa.blobs())
      for (std::uint32_t version = 0; version <= ssa.version(b); ++version) {
        plait::value const v{b, version};
        if (!used[ssa.index(v)] && ssa.producing_op(v) == plait::npos && ssa.consumers(v).empty()) continue;
        number_[ssa.index(v)] = static_cast<std::uint32_t>(values_.size());
        values_.push_back(v);
      }
  }
  std::vector<plait::value> const& values() const { return values_; }
  std::size_t operator[](plait::value v) const { return number_[ssa_.index(v)]; }
  template <class Values>
  ordered_json listed(Values const& values) const {
    ordered_json list = ordered_json::array();
    for (plait::value v : values) list.push_back((*this)[v]);
    return list;
  }

 private:
  form const& ssa_;
  std::vector<std::uint32_t> number_;
  std::vector<plait::value> values_;
};

// Returns the maximal chains of values that ops overwrite in place, of two values or more.
ordered_json listed_chains(form const& ssa, value_numbers const& numbers) {
  std::vector<std::uint32_t> const chain_of = plait::in_place_chains(ssa);
  ordered_json chains = ordered_json::array();
  std::uint32_t last = plait::npos;
  for (plait::value v : numbers.values()) {  // versions of a blob, and with them the values of a chain, are consecutive
    std::uint32_t const chain = chain_of[ssa.index(v)];
    if (chain != plait::npos) {
      if (chain != last) chains.push_back(ordered_json::array());
      chains.back().push_back(numbers[v]);
    }
    last = chain;
  }
  return chains;
}

// Returns the repeated blocks of ops as [first op, ops per block, blocks]. An op alone is no block. Ops with nested
// nets repeat none.
ordered_json listed_repeats(form const& ssa, ordered_json const& ops) {
  std::vector<std::string> labels;
  for (ordered_json const& op : ops)
    labels.push_back(op.contains("nets") ? "" : op["type"].get<std::string>() + (op.contains("gradient") ? " g" : ""));
  ordered_json repeats = ordered_json::array();
  for (auto const& r : plait::detail::repeat_finder<plait::netdef>(ssa, labels).find())
    if (r.period > 1) repeats.push_back({r.first, r.period, r.count});
  return repeats;
}

// Marks the values on entry that are parameters: those that `written` (by an init net) lists or, without an init net,
// those that no forward op reads as its first input.
std::vector<bool> parameters(form const& ssa, std::vector<bool> const& gradient,
                             std::set<std::string, std::less<>> const* written) {
  if (written == nullptr) return plait::likely_parameters(ssa, [&](plait::op_index op) { return !gradient[op]; });
  std::vector<bool> is_parameter(ssa.value_count());
  for (plait::blob_index b : ssa.blobs())
    if (written->contains(std::string_view(ssa.name(b)))) is_parameter[ssa.index({b, ssa.first_version(b)})] = true;
  return is_parameter;
}

// Builds the data of the page.
class page_builder {
 public:
  page_builder(plait::netdef const& net, std::size_t forward_ops, std::set<std::string, std::less<>> const* written)
      : forward_ops_(forward_ops), written_(written) {
    nets_.push_back({.net = &net});
  }

  ordered_json build() {
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i != nets_.size(); ++i) list.push_back(build_net(i));
    return list;
  }

 private:
  ordered_json build_net(std::size_t at) {
    plait::netdef const& net = *nets_[at].net;
    form const ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
    value_numbers const numbers(ssa);
    std::vector<bool> gradient(ssa.op_count());
    for (std::size_t op = 0; op != ssa.op_count(); ++op)
      gradient[op] = net.op[op].extras().is_gradient_op.value_or(false) || (at == 0 && op >= forward_ops_);
    ordered_json made = {{"name", net.text(net.name)}};
    if (nets_[at].nested != nullptr)
      made["owner"] = {
          {"net", nets_[at].owner_net}, {"op", nets_[at].owner_op}, {"argument", nets_[at].nested->argument}};
    made["inputs"] = numbers.listed(ssa.external_inputs());
    made["outputs"] = numbers.listed(ssa.external_outputs());
    made["values"] = build_values(nets_[at], ssa, numbers, gradient);
    made["chains"] = listed_chains(ssa, numbers);
    made["ops"] = build_ops(at, ssa, numbers, gradient);
    made["repeats"] = listed_repeats(ssa, made["ops"]);
    return made;
  }

  ordered_json build_values(page_net const& at, form const& ssa, value_numbers const& numbers,
                            std::vector<bool> const& gradient) const {
    std::vector<bool> const is_parameter = parameters(ssa, gradient, written_);
    std::vector<bool> is_input(numbers.values().size());
    std::vector<bool> is_output(numbers.values().size());
    for (plait::value v : ssa.external_inputs()) is_input[numbers[v]] = true;
    for (plait::value v : ssa.external_outputs()) is_output[numbers[v]] = true;
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i != numbers.values().size(); ++i) {
      plait::value const v = numbers.values()[i];
      ordered_json entry = {{"blob", ssa.name(v)}, {"version", v.version}};
      if (plait::op_index const op = ssa.producing_op(v); op != plait::npos)
        entry["producer"] = op;
      else if (auto const found = outer_value(at, std::string(ssa.name(v))); found != plait::npos)
        entry["outer"] = found;
      ordered_json readers = ordered_json::array();
      for (plait::operand o : ssa.consumers(v))
        if (readers.empty() || readers.back() != o.op) readers.push_back(o.op);
      entry["readers"] = std::move(readers);
      if (is_input[i]) entry["input"] = true;
      if (is_output[i]) entry["output"] = true;
      if (is_parameter[ssa.index(v)]) entry["parameter"] = true;
      list.push_back(std::move(entry));
    }
    return list;
  }

  // Returns the value of the enclosing net that a blob of a nested net has on entry; npos if the op binds the name.
  static std::size_t outer_value(page_net const& at, std::string name) {
    if (at.nested == nullptr || std::ranges::find(at.nested->locals, name) != at.nested->locals.end())
      return plait::npos;
    for (auto const& [inner, bound] : at.nested->bound)
      if (inner == name) {
        name = bound;
        break;
      }
    auto const found = at.outer.find(name);
    return found == at.outer.end() ? plait::npos : found->second;
  }

  ordered_json build_ops(std::size_t at, form const& ssa, value_numbers const& numbers,
                         std::vector<bool> const& gradient) {
    plait::netdef const& net = *nets_[at].net;
    // A nested net may write blobs of the outer net: its declared outputs do not tell dead ops.
    std::vector<bool> const dead = at == 0 ? plait::dead_ops(ssa, [&](plait::op_index op) { return gradient[op]; })
                                           : std::vector<bool>(ssa.op_count());
    ordered_json list = ordered_json::array();
    for (plait::op_index i = 0; i != ssa.op_count(); ++i) {
      plait::op_def const& op = net.op[i];
      ordered_json entry = {{"type", net.text(op.type)}};
      if (op.name) entry["name"] = net.text(op.name);
      entry["in"] = numbers.listed(ssa.reads(i));
      entry["out"] = numbers.listed(ssa.writes(i));
      // Operands behind these are control inputs, or those of nested nets.
      if (op.input.size() != ssa.reads(i).size()) entry["explicit_in"] = op.input.size();
      if (op.output.size() != ssa.writes(i).size()) entry["explicit_out"] = op.output.size();
      if (gradient[i]) entry["gradient"] = true;
      if (dead[i]) entry["dead"] = true;
      if (auto const device = plait::net_traits<plait::netdef>::device(net, op))
        entry["device"] =
            std::string(plait::device_name(device->kind)) + (device->id ? ':' + std::to_string(*device->id) : "");
      for (plait::arg_def const& argument : op.arg)
        entry["arguments"][std::string(net.text(argument.name))] = cut(visible(argument_text(argument)), 160);
      for (plait::nested_net& inner : plait::nested_nets(net, op)) {
        plait::nested_net const& kept = nested_.emplace_back(std::move(inner));
        entry["nets"].push_back(nets_.size());
        page_net& added = nets_.emplace_back(page_net{kept.net.get(), at, i, &kept});
        for (plait::value v : ssa.reads(i)) added.outer.emplace(std::string(ssa.name(v)), numbers[v]);
      }
      list.push_back(std::move(entry));
    }
    return list;
  }

  std::size_t forward_ops_;  // of the outermost net; gradient ops follow
  std::set<std::string, std::less<>> const* written_;
  std::deque<page_net> nets_;             // a deque, since build_ops() appends to it
  std::deque<plait::nested_net> nested_;  // owns the nets that were parsed from text
};

// ---- the page

void replace(std::string& text, std::string_view what, std::string_view with) {
  std::size_t const at = text.find(what);
  text.replace(at, what.size(), with);
}

std::string html_text(std::string_view text) {
  std::string made;
  for (char c : text)
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else
      made += c;
  return made;
}

std::string page(std::string const& title, ordered_json const& data) {
  std::string text = view_page();
  auto const dumped = [](ordered_json const& value) {  // replaces bytes that are not UTF-8
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  std::string json;
  // "<" occurs in strings only, where its escape keeps "</script>" and "<!--" from ending the element.
  for (char c : dumped(data))
    if (c == '<')
      json += "\\u003c";
    else
      json += c;
  replace(text, "@data@", json);
  replace(text, "@title@", html_text(visible(ordered_json::parse(dumped(title)).get<std::string>())));
  return text;
}

std::set<std::string, std::less<>> written_blobs(plait::netdef const& init) {
  std::set<std::string, std::less<>> names;
  for (plait::op_def const& op : init.op)
    for (plait::symbol blob : op.output) names.emplace(init.text(blob));
  return names;
}

int run(view_options const& given) {
  source const in = load_any(given.file);
  std::set<std::string, std::less<>> written;
  if (!given.init.empty()) written = written_blobs(load(given.init).net);
  std::vector<plait::gradient_seed> ys;
  for (std::string const& y : given.ys) ys.push_back(parse_seed(y));

  std::string const title = in.net.name ? std::string(in.net.text(in.net.name)) : in.label;
  ordered_json data = {{"file", in.label}, {"title", title}};
  try {
    plait::netdef both = in.net;
    std::size_t forward = both.op.size();
    if (!ys.empty()) {
      plait::gradient_options how;
      if (given.overwritten == "copy") how.overwritten = plait::overwritten_values::copy;
      if (given.overwritten == "recompute") how.overwritten = plait::overwritten_values::recompute;
      how.numpy_broadcasting = given.numpy_broadcasting;
      auto const& rules = plait::gradient_rules::standard();
      // Copies of overwritten values are forward ops: only the pass alone tells how many of the ops are gradient ops.
      std::size_t const count = plait::backward_pass(in.net, ys, rules, how).net.op.size();
      plait::gradient_map const gradients = plait::add_gradient_ops(both, ys, rules, how);
      forward = both.op.size() - count;
      std::map<std::string, std::string> names;
      for (auto const& [blob, gradient] : gradients) names.emplace(std::string(blob), std::string(gradient.values));
      data["gradients"] = names;
    }
    data["nets"] = page_builder(both, forward, given.init.empty() ? nullptr : &written).build();
  } catch (plait::gradient_error const& problem) {
    throw about_gradient(in, problem);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
  save_text(given.output, page(title, data));
  return 0;
}

}  // namespace

void add_view(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<view_options>();
  CLI::App* const command =
      app.add_subcommand("view", "write a net as an interactive page for a browser, in one HTML file");
  command->footer(
      R"(The page needs no network. It pans and zooms, searches ops and blobs, and shows the producer and the readers of
each value; nested nets and repeated blocks unfold in place; SSA versions, parameters and gradient ops are layers.
Parameters are the blobs that the init net writes or, without one, inputs that no op reads as its first input.
Examples:
  plait view net.pb -o net.html
  plait view net.pb --y loss -o net.html        with the gradient ops as a layer
The address selects: net.html#select=h:2 version 2 of blob h, #select=op:7 op 7; #search=conv searches.)");
  add_file(*command, given->file);
  add_output(*command, given->output);
  command->add_option("--init", given->init, "init net, whose outputs are the parameters")->type_name(file_type);
  command
      ->add_option("--y", given->ys,
                   "add the gradient ops of BLOB, with a gradient of ones, or of BLOB=GRADIENT; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--overwritten", given->overwritten,
                   "if an op overwrites a value that a gradient needs: refuse, copy it before, or recompute it")
      ->check(one_of({"refuse", "copy", "recompute"}));
  command->add_flag("--numpy-broadcasting", given->numpy_broadcasting,
                    "shapes may differ without the argument broadcast: sum gradients to their shapes");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
