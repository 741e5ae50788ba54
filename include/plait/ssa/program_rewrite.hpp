// Rewrites a program into SSA form, and out of it: its own names, its own phis, its own copies.
//
//   plait::rewrite_into_ssa(f);      // every version of a blob has a name of its own, phis choose between them
//   …                                // what the reader's passes do
//   plait::rewrite_out_of_ssa(f);    // no phis; names live in as few places as copies allow
//
// For programs with the hooks of ssa/program_mutation.hpp; their results alone are had without (construction.hpp,
// destruction.hpp). Both plan first and then apply: they throw before they change anything. Blocks that the entry does
// not reach stay as they are. Cost: that of construction, or of dense_destruction, and of the names made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/core/npos.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/dense_destruction.hpp>
#include <plait/ssa/destruction.hpp>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_mutation.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/ssa/verify.hpp>

namespace plait {

struct program_rewrite_options {
  phi_pruning pruning = phi_pruning::pruned;
  /// As for nets, see ssa/rewrite.hpp.
  ssa_naming naming = ssa_naming::every_version;
  name_collision collision = name_collision::refuse;
};

namespace detail {

// Gives names to the operands of a block; names are made once a block, since each net makes its own.
template <renamable_program P>
class block_renamer {
  using traits = program_traits_of<P>;
  using net_type = block_t<P>;
  using hooks = net_traits_of<net_type>;

 public:
  // texts: by number, what names are called.
  block_renamer(P& p, std::vector<std::string> const& texts)
      : program_(p), texts_(texts), made_(texts.size()), made_for_(texts.size(), npos) {}

  void enter(std::uint32_t block, node_t<P> const& n) {
    block_ = block;
    net_ = std::addressof(static_cast<net_type&>(traits::block(program_, n)));
  }
  program_name_t<P> const& name(std::uint32_t number) {
    if (std::exchange(made_for_[number], block_) != block_) made_[number] = make_name(*net_, texts_[number]);
    return made_[number];
  }

  // reads(op), writes(op): the numbers of the operands, in order.
  template <class Reads, class Writes>
  void rename_ops(op_index first, Reads reads, Writes writes) {
    op_index at = first;
    for (auto&& op : hooks::ops(*net_)) {
      std::size_t slot = 0;
      for (std::uint32_t const number : reads(at)) hooks::set_input(*net_, op, slot++, name(number));
      slot = 0;
      for (std::uint32_t const number : writes(at)) hooks::set_output(*net_, op, slot++, name(number));
      ++at;
    }
  }
  template <class Numbers>
  void rename_external_inputs(Numbers const& numbers) {
    std::size_t slot = 0;
    if constexpr (has_external_inputs<net_type>)
      for (std::uint32_t const number : numbers) hooks::set_external_input(*net_, slot++, name(number));
  }
  template <class Numbers>
  void rename_external_outputs(Numbers const& numbers) {
    std::size_t slot = 0;
    if constexpr (has_external_outputs<net_type>)
      for (std::uint32_t const number : numbers) hooks::set_external_output(*net_, slot++, name(number));
  }

 private:
  P& program_;
  std::vector<std::string> const& texts_;
  std::vector<program_name_t<P>> made_;
  std::vector<std::uint32_t> made_for_;  // by number: the last block it was made for
  std::uint32_t block_ = npos;
  net_type* net_ = nullptr;
};

// The texts of all values of a constructed form.
template <program P>
std::vector<std::string> version_names(program_ssa<P> const& ssa, program_rewrite_options const& options) {
  dense_construction const& form = ssa.form();
  std::vector<char> occurs(form.value_count(), 0);
  for (csr<value_index> const* values : {&form.phi_arguments, &form.op_reads, &form.op_writes, &form.block_results})
    for (value_index const v : values->items()) occurs[v] = 1;
  for (value_index const v : form.phi_results) occurs[v] = 1;
  for (blob_index const b : ssa.snapshot().code().given()) occurs[form.index({b, 0})] = 1;
  std::vector<std::uint32_t> versions(form.blob_count(), 0);
  for (value_index v = 0; v != form.value_count(); ++v) versions[form.blob(v)] += occurs[v] != 0 ? 1 : 0;

  auto const text = [&](value_index v) { return std::string(std::string_view(ssa.name(form.blob(v)))); };
  auto const keeps = [&](value_index v) {
    return options.naming == ssa_naming::several_versions &&
           (form.version(v).version == 0 || versions[form.blob(v)] == 1);
  };
  std::vector<std::string> names(form.value_count());
  boost::unordered_flat_set<std::string> kept;
  for (value_index v = 0; v != form.value_count(); ++v)
    if (occurs[v] != 0 && keeps(v)) kept.insert(names[v] = text(v));
  std::vector<value_index> colliding;
  for (value_index v = 0; v != form.value_count(); ++v) {
    if (occurs[v] == 0 || keeps(v)) continue;
    names[v] = text(v) + '_' + std::to_string(form.version(v).version);
    if (!kept.contains(names[v])) continue;
    if (options.collision == name_collision::refuse)
      throw net_error("plait: version " + std::to_string(form.version(v).version) + " of blob '" + text(v) +
                          "' would be called '" + names[v] + "', which is another blob",
                      form.definition(v).is_op()
                          ? std::optional<std::size_t>(ssa.snapshot().place(form.definition(v).op()))
                          : std::nullopt,
                      names[v]);
    colliding.push_back(v);
  }
  if (colliding.empty()) return names;
  boost::unordered_flat_set<std::string> taken(names.begin(), names.end());
  for (value_index const v : colliding) {
    std::string const base = names[v] + '_';
    std::uint64_t k = 0;
    do names[v] = base + std::to_string(++k);
    while (!taken.insert(names[v]).second);
  }
  return names;
}

// Construction does not look at phis: what they choose between would keep its old names.
template <program P>
void refuse_phis([[maybe_unused]] P const& p, [[maybe_unused]] program_ssa<P> const& ssa) {
  if constexpr (program_with_phis<P>)
    for (node_t<P> const& n : ssa.graph().order())
      for (auto&& phi : program_traits_of<P>::phis(p, n)) {
        program_name_t<P> const& result = program_traits_of<P>::phi_result(p, phi);
        std::string blob(name_text(plait::block(p, n), result));
        throw net_error("plait: a phi makes '" + blob + "' already: take the program out of SSA form first", {}, blob);
      }
}

}  // namespace detail

/// Puts a program without phis into SSA form: renames all operands, what it is given and what it results in, and
/// inserts phis. Returns the number of phis. A blob that is read where nothing has written it has its version 0 there,
/// which verify_ssa reports afterwards unless the program is given it.
///
/// Throws net_error, changing nothing: for a collision of names (options.collision), `op` being the op's place in its
/// block, and for a program that holds phis already.
template <phi_insertable_program P>
  requires nameable_net<block_t<P>>
std::size_t rewrite_into_ssa(P& p, program_rewrite_options const& options = {}) {
  program_ssa<P> const ssa(std::as_const(p), {.pruning = options.pruning});
  detail::refuse_phis(std::as_const(p), ssa);
  dense_construction const& form = ssa.form();
  std::vector<std::string> const names = detail::version_names(ssa, options);
  std::vector<value_index> given;
  for (blob_index const b : ssa.snapshot().code().given()) given.push_back(form.index({b, 0}));
  std::vector<node_t<P>> const order(ssa.graph().order().begin(), ssa.graph().order().end());

  detail::block_renamer<P> renamer(p, names);
  std::vector<phi_argument_t<P>> arguments;
  for (std::uint32_t b = 0; b != order.size(); ++b) {
    renamer.enter(b, order[b]);
    renamer.rename_ops(
        form.first_op[b], [&](op_index op) { return form.reads(op); }, [&](op_index op) { return form.writes(op); });
    if (b == 0) renamer.rename_external_inputs(given);
    if (ssa.graph().successors(b).empty()) renamer.rename_external_outputs(form.results(b));
    std::span<std::uint32_t const> const before = ssa.graph().predecessors(b);
    for (phi_index const phi : form.phis(b)) {
      arguments.clear();
      std::size_t slot = 0;
      for (value_index const v : form.arguments(phi)) {
        bool const again = slot != 0 && slot < before.size() && before[slot] == before[slot - 1];
        if (slot == before.size())
          arguments.push_back({std::nullopt, renamer.name(v)});
        else if (!again)
          arguments.push_back({order[before[slot]], renamer.name(v)});
        ++slot;
      }
      detail::program_traits_of<P>::insert_phi(p, order[b], renamer.name(form.result(phi)),
                                               std::span<phi_argument_t<P> const>(arguments));
    }
  }
  return form.phi_count();
}

/// Takes a program out of SSA form: gives each location the name of a value that lives there, that of what comes from
/// outside if there is one; erases phis; inserts copies. Returns the number of copies.
///
/// Throws net_error, changing nothing: if the program is not in SSA form (but for reads of what it is not given), where
/// dense_destruction does, and if copies are needed before the entry, to which edges lead: put a block before it.
template <phi_erasable_program P>
  requires copy_insertable_program<P> && nameable_net<block_t<P>>
std::size_t rewrite_out_of_ssa(P& p) {
  existing_ssa<P> const ssa(std::as_const(p));
  dense_ssa const& form = ssa.form();
  for (ssa_violation const& v : verify_ssa(ssa))
    if (v.fault != ssa_fault::undefined_value)
      throw net_error("plait: the program is not in SSA form: " + describe(v),
                      v.site.is_op() ? std::optional<std::size_t>(ssa.place(v.site.op())) : std::nullopt,
                      v.value < form.value_count() ? std::string(std::string_view(ssa.name(v.value))) : std::string());
  std::vector<std::uint32_t> const places = detail::copy_places(std::as_const(p), ssa.graph(), form);
  dense_destruction out;
  out.compute(ssa.graph(), ssa.dominators(), form, {.copy_places = places});
  if (!out.copies_outside().empty())
    throw net_error("plait: copies are needed before the program enters its first block, to which edges lead");

  auto const text = [&](value_index v) { return std::string(std::string_view(ssa.name(v))); };
  std::vector<std::string> names(out.location_count() + 1);
  std::vector<char> named(names.size(), 0);
  for (bool const outside : {true, false})
    for (value_index v = 0; v != form.value_count(); ++v) {
      std::uint32_t const at = out.location(v);
      if (at == npos || named[at] != 0 || outside != (form.definition(v) == ssa_site())) continue;
      names[at] = text(v);
      named[at] = 1;
    }
  boost::unordered_flat_set<std::string> taken;
  for (value_index v = 0; v != form.value_count(); ++v) taken.insert(text(v));
  std::uint64_t made = 0;
  for (std::size_t at = 0; at != names.size(); ++at)
    while (named[at] == 0) {
      names[at] = "copy_" + std::to_string(made++);
      named[at] = taken.insert(names[at]).second ? 1 : 0;
    }

  std::vector<node_t<P>> const order(ssa.graph().order().begin(), ssa.graph().order().end());
  detail::block_renamer<P> renamer(p, names);
  auto const located = [&](std::span<value_index const> values) {
    return std::views::transform(values, [&](value_index v) { return out.location(v); });
  };
  for (std::uint32_t b = 0; b != order.size(); ++b) {
    node_t<P> const& n = order[b];
    renamer.enter(b, n);
    renamer.rename_ops(
        form.first_op[b], [&](op_index op) { return located(form.reads(op)); },
        [&](op_index op) { return located(form.writes(op)); });
    if (ssa.graph().successors(b).empty()) renamer.rename_external_outputs(located(form.results(b)));
    detail::program_traits_of<P>::erase_phis(p, n);
    auto const insert = [&](std::span<location_copy const> copies, std::size_t place) {
      for (location_copy const& c : copies) {
        program_name_t<P> const to = renamer.name(c.to);
        detail::program_traits_of<P>::insert_copy(p, n, place++, to, renamer.name(c.from));
      }
    };
    insert(out.copies_at_end(b), places[b]);
    insert(out.copies_at_start(b), 0);
  }
  return out.copy_count();
}

}  // namespace plait
