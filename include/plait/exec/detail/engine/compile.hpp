// Compilation of a net. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/engine/engine.hpp>

namespace plait {

namespace detail {
// Each level of nesting uses stack in compilation and runs.
inline constexpr std::size_t depth_limit = 100;

// Returns the operands of an op that have one name.
template <net N>
std::vector<operand_pair> pairs_of_one_name(ssa_form<N> const& form, op_index op, std::size_t inputs) {
  std::vector<operand_pair> made;
  for (std::size_t i = 0; i != inputs; ++i)
    for (std::size_t o = 0; o != form.writes(op).size(); ++o)
      if (form.reads(op)[i].blob == form.writes(op)[o].blob) made.push_back({i, o});
  return made;
}

// Returns a hint for a missing op type that only a component has; empty for other types.
inline std::string component_hint(std::string_view type) {
  if (!type.starts_with("MPI")) return {};
  return "; add_mpi_operators() of plait/exec/mpi.hpp, in the component plait::mpi, adds those of MPI";
}

inline void expect_names(std::vector<operand_pair> const& found, std::vector<operand_pair> const& allowed) {
  for (operand_pair const at : found)
    if (std::ranges::find(allowed, at) == allowed.end())
      shape_context::fail("output " + std::to_string(at.output) + " has the name of input " + std::to_string(at.input) +
                          ", which ops of this type may not overwrite");
}
}  // namespace detail

template <backend B>
template <net N>
engine<B>::engine(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options,
                  nesting const* around)
    : costs_(options.costs), passes_(options.passes), parallel_(options.parallel), nested_(around != nullptr) {
  static_assert(typed_net<N>, "plait: to be run, a net must tell the types of its ops: net_traits<N>::type(n, op)");
  static_assert(has_text<N>, "plait: to be run, a net must have names that are texts: net_traits<N>::text(n, name)");
  std::size_t const depth = around == nullptr ? 0 : around->depth;
  if (depth > detail::depth_limit)
    throw net_error("plait: nets are nested more than " + std::to_string(detail::depth_limit) + " levels deep");
  ssa_form<N> const form = get_ssa(n, {.subnets = true, .control_inputs = true});
  for (blob_index b = 0; b != form.blob_bound(); ++b) blob_names_.emplace_back(std::string_view(form.name(b)));
  std::vector<bool> keep = kept_blobs(form, options, around);
  std::vector<bool> const asked_for = keep;
  std::vector<bool> undeclared;
  if (options.as_declared) {
    if (!form.unwritten_outputs().empty()) {
      std::string const& name = blob_names_[form.unwritten_outputs().front()];
      throw net_error("plait: the net declares '" + name + "' as an output, which nothing makes", {}, name);
    }
    undeclared.resize(form.blob_bound(), false);
    for (blob_index const b : form.undeclared_inputs()) undeclared[b] = true;
  }

  net_operands operands;
  steps_.reserve(form.op_count());
  details_.reserve(form.op_count());
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    std::string_view const type = op_type(n, op);
    op_names_.emplace_back(plait::op_name(n, op));
    auto entry = table.find(type);
    auto const refusal_as_it_is = [&](std::string const& why, std::string blob) {
      return exec_error(op_text(at, type) + why, at, std::string(type), std::move(blob), op_names_[at]);
    };
    auto const refusal = [&](std::string_view why, std::string blob = {}) {
      auto const list = [&](auto const& values) {
        std::string all;
        for (plait::value v : values) all += (all.empty() ? " " : ", ") + blob_names_[v.blob];
        return all;
      };
      return refusal_as_it_is(
          std::string(why) + "; inputs" + list(form.reads(at)) + "; outputs" + list(form.writes(at)), std::move(blob));
    };
    if (entry == nullptr)
      throw refusal("there is no such op type in the table of operators" + detail::component_hint(type));
    if (!undeclared.empty())
      for (plait::value v : form.reads(at).first(static_cast<std::size_t>(std::ranges::distance(plait::inputs(n, op)))))
        if (undeclared[v.blob] && v.version == form.first_version(v.blob))
          throw refusal("it reads '" + blob_names_[v.blob] +
                            "', which is neither made before nor among the inputs that the net declares",
                        blob_names_[v.blob]);
    try {
      op_arguments arguments = read_op_arguments(n, op, entry->schema);
      arguments.set_bf16x3(options.bf16x3);
      if (auto const written = form.writes(at); !written.empty())
        arguments.set_stream(
            random_stream_of(std::string_view(form.name(written.front().blob)), written.front().version));
      operands.add(n, op, form, at, arguments, keep);
      findings found{arguments.differs_by_run(), entry->schema.has_shared_results()};
      nets_of_op<B> const nets = nets_inside(form, n, op, at, operands, asked_for, table, depth, options, found);
      std::vector<shape_check> asks;
      if (!entry->restrictions.empty() || entry->in_place_names) {
        arguments.set_in_place(detail::pairs_of_one_name(form, at, operands.listed[at]));
        if (entry->in_place_names) detail::expect_names(arguments.in_place(), *entry->in_place_names);
        for (auto const restriction : entry->restrictions)
          if (auto check = restriction(arguments)) asks.push_back(std::move(check));
      }
      kernels_.push_back(entry->make(arguments, nets));
      differs_by_run_ = differs_by_run_ || found.differs_by_run;
      operands.sharing.push_back(found.shares_results);
      steps_.push_back({kernels_.back().get(), {}});
      details_.push_back({.type = std::move(entry), .asks = std::move(asks)});
    } catch (nested_net_error const& e) {
      std::throw_with_nested(refusal_as_it_is(std::string(detail::without_prefix(e.what())), e.blob));
    } catch (std::exception const& e) {
      std::throw_with_nested(refusal(detail::reason_of(e)));
    } catch (...) {
      std::throw_with_nested(refusal("its kernel threw something that is no std::exception"));
    }
    ++at;
  }
  layout_.compute(form, operands, keep, shares_memory(), !nested_);
  controls_ = std::move(operands.controls);
  connect(operands, blobs);
  find_constants(options.constants);
  if (around == nullptr) return;
  around->found->differs_by_run = around->found->differs_by_run || differs_by_run_;
  around->found->shares_results = around->found->shares_results || std::ranges::count(operands.sharing, true) != 0;
}

// By blob: whether its last value is wanted.
template <backend B>
template <net N>
std::vector<bool> engine<B>::kept_blobs(ssa_form<N> const& form, compile_options const& options,
                                        nesting const* around) const {
  bool const all =
      around != nullptr ? around->keep == nullptr : form.external_outputs().empty() && options.fetch.empty();
  std::vector<bool> keep(form.blob_bound(), all);
  auto const find = [&](std::string const& name) -> blob_index {
    using key = typename ssa_form<N>::key_type;
    if constexpr (std::is_constructible_v<key, std::string const&>) {
      return form.find(key(name));
    } else {
      auto const at = std::ranges::find(blob_names_, name);
      return at == blob_names_.end() ? npos : static_cast<blob_index>(at - blob_names_.begin());
    }
  };
  if (around == nullptr) {
    for (plait::value v : form.external_outputs()) keep[v.blob] = true;
    for (std::string const& name : options.fetch) {
      blob_index const found = find(name);
      if (found == npos) throw net_error("plait: the net has no blob '" + name + "' to fetch", {}, name);
      keep[found] = true;
    }
  } else if (around->keep != nullptr) {
    for (std::string const& name : *around->keep)
      if (blob_index const found = find(name); found != npos) keep[found] = true;
  }
  // What a net is given and changes is changed for good.
  for (blob_index b : form.blobs())
    if (!form.consumers({b, form.first_version(b)}).empty() && form.version(b) != form.first_version(b)) keep[b] = true;
  return keep;
}

// Contexts, and the blobs of the workspace that are read and written.
template <backend B>
void engine<B>::connect(net_operands const& operands, workspace<B>& blobs) {
  auto const ops = static_cast<op_index>(op_count());
  slots_.resize(layout_.value_count(), {nullptr, {element_type::none, detail::no_elements}});
  for (value_number v = 0; v != slots_.size(); ++v) slots_[v].storage = v;
  replaced_.resize(layout_.value_count());
  std::vector<bool> required(layout_.value_count(), false);
  std::vector<bool> inferred(layout_.value_count(), false);
  std::size_t all = 0;
  for (op_index op = 0; op != ops; ++op) all += layout_.reads(op).size() + layout_.writes(op).size();
  operand_slots_.reserve(all);
  for (op_index op = 0; op != ops; ++op) {
    auto const reads = layout_.reads(op);
    auto const writes = layout_.writes(op);
    slot* const* const first = operand_slots_.data() + operand_slots_.size();
    for (auto v : reads) operand_slots_.push_back(&slots_[v]);
    for (auto v : writes) operand_slots_.push_back(&slots_[v]);
    step& s = steps_[op];
    s.context = op_context<B>({first, reads.size()}, {first + reads.size(), writes.size()});
    s.context.set_resources(&details_[op].resources);
    details_[op].resources.runs = runs_.get();
    s.runs = usual_dispatch(op);
    for (std::size_t i = 0; i != reads.size(); ++i) {
      bool const must = schema(op).requires_input(i, operands.listed[op]);
      if (must || !layout_.gives_results(op)) required[reads[i]] = true;
      if (!layout_.gives_results(op)) inferred[reads[i]] = true;
    }
    if (!layout_.gives_results(op)) continue;
    auto& results = details_[op].resources.results;
    results = std::make_unique<op_results<B>>();
    results->values.resize(writes.size());
    results->listed_inputs = operands.listed[op];
    boost::unordered_flat_map<value_number, std::uint32_t> input_of;
    for (std::uint32_t i = 0; auto v : reads) input_of.try_emplace(v, i++);
    for (auto v : writes) {
      auto const at = input_of.find(layout_.stands_in(v));
      results->places.push_back(at == input_of.end() ? npos : at->second);
    }
  }
  blobs_.assign(blob_names_.size(), nullptr);
  std::vector<bool> overwritten(layout_.storage_count(), false);
  for (op_index op = 0; op != ops; ++op)
    for (auto v : layout_.needs_rollback(op)) overwritten[layout_.storage_of(v)] = true;
  for (auto v : layout_.given())
    inputs_.add({v, required[v], inferred[v], overwritten[layout_.storage_of(v)], &blobs.get(value_name(v))});
  inputs_.index();
  for (auto v : layout_.published()) blobs_[layout_.blob_of(v)] = &blobs.get(value_name(v));
  ready_.assign(layout_.stages().size(), false);
  reset_memory(memory_);
}

template <backend B>
void engine<B>::find_constants(std::vector<std::string> const& names) {
  if (names.empty()) return;
  boost::unordered_flat_map<std::string_view, value_number> given;
  for (value_number v : layout_.given()) given.try_emplace(value_name(v), v);
  std::vector<op_index> writer(blob_names_.size(), npos);
  for (auto op = static_cast<op_index>(op_count()); op-- != 0;)
    for (value_number v : layout_.writes(op)) writer[layout_.blob_of(v)] = op;
  // All runs are one loop.
  loop_ = loop_values{.runs = npos, .same = std::vector<bool>(layout_.value_count(), false)};
  loop_.summed = loop_.same;
  for (std::string const& name : names) {
    auto const at = given.find(name);
    if (at == given.end() && nested_) continue;  // the net around is given it
    if (at == given.end())
      throw net_error("plait: '" + name + "' cannot be constant: the net is not given it", {}, name);
    if (op_index const op = writer[layout_.blob_of(at->second)]; op != npos)
      throw net_error("plait: '" + name + "' cannot be constant: op " + std::to_string(op) + " writes it", op, name);
    constants_.add(at->second);
    loop_.same[at->second] = true;
  }
  loop_.lasting = loop_.same;
}

}  // namespace plait
