// Nets inside an op, for its kernel. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

// What the kernel of an op is given that has nets inside; nothing for other ops.
template <backend B>
template <net N, class Op>
nets_of_op<B> engine<B>::nets_inside(ssa_form<N> const& form, N const& n, Op const& op, op_index at,
                                     net_operands const& operands, std::vector<bool> const& asked_for,
                                     operators<B> const& table, std::size_t depth, compile_options const& options,
                                     findings& found) {
  nets_of_op<B> nets(options.costs, options.passes);
  if constexpr (has_subnets<N>) {
    for (auto inside : plait::subnets(n, op)) {
      compile_options nested{.as_declared = options.as_declared,
                             .bf16x3 = options.bf16x3,
                             .costs = options.costs,
                             .passes = options.passes};
      if (inside.scope == subnet_scope::shared) nested.constants = options.constants;
      std::string argument;
      if constexpr (requires { std::string_view(inside.argument); }) argument = std::string_view(inside.argument);
      auto const owner = std::make_shared<decltype(inside)>(std::move(inside));
      nets.add(
          argument,
          [owner, &table, depth, nested, &found](workspace<B>& blobs, std::vector<std::string> const* keep) {
            nesting const around{depth + 1, &found, keep};
            return std::unique_ptr<engine>(new engine(*owner->net, table, blobs, nested, &around));
          },
          [owner, &table] { return names_read(*owner->net, table); },
          [owner](std::string_view type) {
            std::vector<std::string> names;
            for (auto&& inner : plait::ops(*owner->net)) {
              if (!type.empty() && op_type(*owner->net, inner) != type) continue;
              for (auto&& name : outputs(*owner->net, inner)) {
                names.emplace_back(name_text(*owner->net, name));
                if (!type.empty()) break;
              }
            }
            return names;
          });
    }
  }
  if (nets.empty() && !operands.schemas[at]->has_results_after_run()) return nets;
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  for (plait::value v : form.reads(at).first(operands.listed[at])) reads.push_back(blob_names_[v.blob]);
  for (plait::value v : operands.more[at]) reads.push_back(blob_names_[v.blob]);
  std::vector<bool> wanted;
  for (plait::value v : operands.written[at]) {
    writes.push_back(blob_names_[v.blob]);
    wanted.push_back(net_operands::is_wanted(form, v, asked_for));
  }
  nets.set_names(std::move(reads), std::move(writes), std::move(wanted));
  return nets;
}

// Names of values that a net may read and does not make.
template <backend B>
template <net N>
std::vector<std::string> engine<B>::names_read(N const& n, operators<B> const& table) {
  ssa_form<N> const form = get_ssa(n, {.subnets = true});
  std::vector<bool> seen(form.blob_bound(), false);
  std::vector<std::string> names;
  auto const add = [&](blob_index b, std::uint32_t version) {
    if (version == form.first_version(b) && !seen[b]) names.emplace_back(std::string_view(form.name(b)));
    seen[b] = seen[b] || version == form.first_version(b);
  };
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    for (plait::value v : form.reads(at)) add(v.blob, v.version);
    auto const entry = table.find(op_type(n, op));
    // Such an op may leave its outputs as they were.
    if (entry != nullptr && entry->schema.has_results_after_run())
      for (plait::value v : form.writes(at)) add(v.blob, v.version - 1);
    ++at;
  }
  return names;
}

}  // namespace plait
