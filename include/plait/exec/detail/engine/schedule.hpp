// How a plan reports its groups: members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

template <backend B>
schedule engine<B>::schedule() const {
  plait::schedule made;
  for (op_index op = 0; op != op_count(); ++op) made.ops.emplace_back(schema(op).type());
  if (!pattern_ends_.empty()) made.groups = groups();
  for (op_index op = 0; op != op_count(); ++op)
    if (auto const* const around = dynamic_cast<runs_nets<B> const*>(&kernel(op)))
      around->for_each_net([&](std::string_view argument, engine const& inside, std::string_view how) {
        made.nets.push_back(inside.schedule());
        made.nets.back().within = op;
        made.nets.back().argument = argument;
        made.nets.back().how = how;
      });
  return made;
}

template <backend B>
std::vector<schedule::group> engine<B>::groups() const {
  std::vector<plait::schedule::group> made;
  for (op_index op = 0; op != op_count(); op += made.back().count) {
    plait::schedule::group& g = made.emplace_back(plait::schedule::group{group_kind::alone, op, 1});
    if (steps_[op].runs == dispatch::group) {
      g.kind = steps_[op].group->kind();
      g.count = static_cast<op_index>(steps_[op].group->size());
    } else if (steps_[op].runs == dispatch::streamed) {
      g.kind = group_kind::streamed;
    } else {
      g.why = reason_alone(op);
    }
  }
  return made;
}

template <backend B>
std::string engine<B>::reason_alone(op_index op) const {
  if (layout_.gives_results(op)) return "results known after the run";
  if (parallel_) return "parallel plan";
  if (op >= pattern_ends_.size()) return "not reached";
  if (!layout_.copies(op).empty()) return "copies an input";
  if (!nested_ && may_spoil(op)) return "may fail after changing fed memory";
  std::string forms;
  auto const add = [&](pattern_kind kind, std::string_view form) {
    if (std::ranges::count(patterns(op), kind, &op_pattern<B>::kind) != 0)
      forms += (forms.empty() ? "no group of " : " or ") + std::string(form);
  };
  add(pattern_kind::rows, "rows");
  add(pattern_kind::elements, "elements");
  return forms.empty() ? "opaque" : forms;
}

}  // namespace plait
