// plait grad: generates the backward pass of a net: alone, appended to the net, or as a Graphviz graph.
#include <cstddef>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/dot.hpp>
#include <plait/ssa/versioning.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "report.hpp"
#include "seeds.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

struct grad_options {
  std::string file;
  std::vector<std::string> ys;
  std::vector<std::string> only;
  std::string overwritten = "refuse";
  bool numpy_broadcasting = false;
  bool densify = false;
  bool as_caffe2 = false;
  bool append = false;
  bool quiet = false;
  destination to;
  std::string dot;
};

plait::gradient_options pass_options(grad_options const& given) {
  plait::gradient_options made;
  if (given.overwritten == "copy") made.overwritten = plait::overwritten_values::copy;
  if (given.overwritten == "recompute") made.overwritten = plait::overwritten_values::recompute;
  if (given.densify) made.mixed = plait::mixed_gradients::densify;
  made.only = given.only;
  made.numpy_broadcasting = given.numpy_broadcasting;
  made.as_caffe2 = given.as_caffe2;
  return made;
}

// Returns the blobs that a net reads and does not define.
std::vector<std::string> given_blobs(plait::netdef const& net) {
  plait::ssa_form const ssa = plait::get_ssa(net, {.subnets = true});
  std::vector<std::string> names;
  for (plait::blob_index b : ssa.undefined()) names.emplace_back(ssa.name(b));
  return names;
}

void declare(plait::netdef& net, std::vector<plait::symbol>& list, std::vector<std::string> const& names) {
  std::vector<bool> there(net.symbols.size() + names.size());
  for (plait::symbol s : list) there[s.id] = true;
  for (std::string const& name : names) {
    plait::symbol const s = net.intern(name);
    if (!there[s.id]) list.push_back(s);
    there[s.id] = true;
  }
}

// Declares the inputs of a net with gradient ops, and the wanted gradients as its outputs.
void declare(plait::netdef& net, plait::gradient_map const& gradients, std::vector<std::string> const& wanted) {
  declare(net, net.external_input, given_blobs(net));
  std::vector<std::string> made;
  for (std::string const& blob : wanted)
    if (auto const found = gradients.find(blob); found != gradients.end()) {
      if (found->second.is_sparse()) made.push_back(found->second.indices);
      made.push_back(found->second.values);
    }
  declare(net, net.external_output, made);
}

std::string remarks(std::string const& label, plait::backward_net<plait::netdef> const& pass,
                    std::vector<std::string> const& wanted, bool append) {
  file_report report(label);
  report.add(counted(pass.net.op.size(), "gradient op"));
  for (std::string const& blob : wanted) {
    auto const found = pass.gradients.find(blob);
    if (found == pass.gradients.end()) continue;
    std::string text = "gradient of '" + visible(blob) + "': " + visible(found->second.values);
    if (found->second.is_sparse()) text += ", sparse, rows " + visible(found->second.indices);
    report.add(std::move(text));
  }
  for (plait::saved_value const& s : pass.saved) {
    std::string text = (append ? "copied '" : "the net must copy '") + visible(s.blob) + "' to '" + visible(s.name) +
                       "' before op " + std::to_string(s.position);
    for (std::size_t i = s.path.size(); i-- != 0;)
      text += " of " + visible(s.path[i].argument) + " of op " + std::to_string(s.path[i].op);
    report.add(std::move(text));
  }
  return report.text();
}

int run(grad_options const& given) {
  source const in = load(given.file);
  std::vector<plait::gradient_seed> ys;
  for (std::string const& y : given.ys) ys.push_back(parse_seed(y));
  plait::gradient_options const how = pass_options(given);
  plait::gradient_rules const rules =
      given.as_caffe2 ? plait::caffe2_gradient_rules() : plait::gradient_rules::standard();

  plait::backward_net<plait::netdef> pass;
  plait::netdef both = in.net;
  std::vector<std::string> wanted;
  try {
    pass = plait::backward_pass(in.net, ys, rules, how);
    wanted = given.only.empty() ? given_blobs(in.net) : given.only;
    if (given.append || !given.dot.empty()) {
      plait::add_gradient_ops(both, ys, rules, how);
      // A net that declares no outputs keeps all its blobs when it runs.
      if (!in.net.external_output.empty()) declare(both, pass.gradients, wanted);
    }
  } catch (plait::gradient_error const& problem) {
    throw about_gradient(in, problem);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }

  declare(pass.net, pass.gradients, wanted);
  if (in.net.name) pass.net.name = pass.net.intern(std::string(in.net.text(in.net.name)) + "_grad");

  bool const picture_only = given.dot == "-" && given.to.to_stdout();
  if (!picture_only) save(given.to, given.append ? both : pass.net);
  if (!given.dot.empty()) {
    std::size_t const forward = both.op.size() - pass.net.op.size();
    std::ostringstream text;
    plait::write_dot(text, both,
                     {.ssa = true, .clusters = {{"forward", forward}, {"backward", pass.net.op.size(), true}}});
    save_text(given.dot, std::move(text).str());
  }
  bool const stdout_taken = given.to.to_stdout() || given.dot == "-";
  if (!given.quiet) (stdout_taken ? std::cerr : std::cout) << remarks(in.label, pass, wanted, given.append);
  return 0;
}

}  // namespace

void add_grad(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<grad_options>();
  CLI::App* const command = app.add_subcommand("grad", "generate the ops that compute the gradients of a net");
  command->footer(
      R"(The gradients of --only, else of all inputs of the net, become external outputs (with --append only if the net
has some), and are listed, on standard error if the net goes to standard output. All problems that prevent a gradient
are reported.
Examples:
  plait grad net.pb --y loss                              the gradient ops, as text
  plait grad net.pb --y loss --append -o train.pb         the net with its gradient ops
  plait grad net.pb --y loss --only w,b --dot - | dot -Tsvg -o both.svg
--as-caffe2 restores the behaviour of Caffe2 where docs/migrating/differences.md lists a difference.)");
  add_file(*command, given->file);
  command
      ->add_option("--y", given->ys,
                   "BLOB to differentiate, with a gradient of ones, or BLOB=GRADIENT; may be repeated")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--only", given->only, "blobs whose gradients are wanted, separated by commas; default: all")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--overwritten", given->overwritten,
                   "if an op overwrites a value that a gradient needs: refuse, copy it before, or recompute it")
      ->check(one_of({"refuse", "copy", "recompute"}));
  command->add_flag("--numpy-broadcasting", given->numpy_broadcasting,
                    "shapes may differ without the argument broadcast: sum gradients to their shapes");
  command->add_flag("--densify", given->densify, "make sparse gradients dense where they are added to dense ones");
  command->add_flag("--as-caffe2", given->as_caffe2, "the rules and ops of Caffe2");
  command->add_flag("--append", given->append, "write the net with its gradient ops appended, not these alone");
  add_destination(*command, given->to);
  add_quiet(*command, given->quiet);
  command
      ->add_option("--dot", given->dot,
                   "write forward and backward pass side by side, for Graphviz, to this file; -: standard output")
      ->type_name(file_type);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
