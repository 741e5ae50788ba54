// In-place SSA construction and destruction of a program: renames its operands, inserts and erases phis and copies.
//
//   plait::rewrite_into_ssa(f);      // a distinct name for each version of a blob; phis
//   …                                // passes on SSA form
//   plait::rewrite_out_of_ssa(f);    // no phis; coalesced names, and copies
//
// For programs with the hooks of ssa/program_mutation.hpp; construction.hpp and destruction.hpp compute the same as
// side tables without hooks. Strong guarantee: both plan first and throw before they change anything. Blocks that the
// entry does not reach stay unchanged. Cost: that of construction, or of dense_destruction, plus that of the new names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/destruction.hpp>
#include <plait/ssa/detail/dense_destruction.hpp>
#include <plait/ssa/detail/program_names.hpp>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_mutation.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/ssa/verify.hpp>

namespace plait {

struct program_rewrite_options {
  phi_pruning pruning = phi_pruning::pruned;
  /// As for nets, see ssa/rewrite.hpp. A name from new_name that collides is refused, whatever `collision` is.
  ssa_naming naming = ssa_naming::every_version;
  name_collision collision = name_collision::refuse;
};

namespace detail {

// Renames the operands of a block. Names from texts are created once per block, by the block's net.
template <renamable_program P>
class block_renamer {
  using traits = program_traits_of<P>;
  using net_type = block_t<P>;
  using hooks = net_traits_of<net_type>;

 public:
  // names: by number.
  block_renamer(P& p, std::vector<new_name_t<P>> const& names)
      : program_(p), names_(names), made_(has_new_name<P> ? 0 : names.size()), made_for_(made_.size(), npos) {}

  void enter(std::uint32_t block, node_t<P> const& n) {
    block_ = block;
    net_ = std::addressof(static_cast<net_type&>(traits::block(program_, n)));
  }
  program_name_t<P> const& name(std::uint32_t number) {
    if constexpr (has_new_name<P>) {
      return names_[number];
    } else {
      if (std::exchange(made_for_[number], block_) != block_) made_[number] = make_name(*net_, names_[number]);
      return made_[number];
    }
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
  std::vector<new_name_t<P>> const& names_;
  std::vector<program_name_t<P>> made_;
  std::vector<std::uint32_t> made_for_;  // by number: the last block it was created for
  std::uint32_t block_ = npos;
  net_type* net_ = nullptr;
};

// Throws net_error if the program has phis: construction ignores them, and their arguments would keep the old names.
template <program P>
void refuse_phis([[maybe_unused]] P const& p, [[maybe_unused]] program_ssa<P> const& ssa) {
  if constexpr (program_with_phis<P>)
    for (node_t<P> const& n : ssa.graph().order())
      for (auto&& phi : program_traits_of<P>::phis(p, n)) {
        program_name_t<P> const& result = program_traits_of<P>::phi_result(p, phi);
        std::string const blob = detail::key_label<P>(name_key(plait::block(p, n), result));
        raise(net_error("plait: the program has a phi that defines '" + blob + "': take it out of SSA form first", {},
                        blob));
      }
}

}  // namespace detail

/// Puts a program without phis into SSA form: renames all operands, external inputs and results, and inserts phis.
/// Returns the number of phis. A read before any write reads version 0, which verify_ssa reports afterwards unless it
/// is an external input.
///
/// Throws net_error and changes nothing for a collision of names (options.collision, or a name from new_name that the
/// program has), where `op` is the op's position in its block, and for a program that has phis already. Names created
/// by new_name until then stay unused.
template <phi_insertable_program P>
  requires name_making_program<P>
std::size_t rewrite_into_ssa(P& p, program_rewrite_options const& options = {}) {
  program_ssa<P> const ssa(std::as_const(p), {.pruning = options.pruning});
  detail::refuse_phis(std::as_const(p), ssa);
  dense_construction const& form = ssa.form();
  std::vector<detail::new_name_t<P>> const names = detail::version_names(p, ssa, options.naming, options.collision);
  std::vector<value_index> given;
  for (blob_index const b : ssa.snapshot().code().external_inputs()) given.push_back(form.index({b, 0}));
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

/// Takes a program out of SSA form: names each location after one of its values, preferably one from outside; erases
/// phis; inserts copies. Returns the number of copies.
///
/// Throws net_error and changes nothing if the program is not in SSA form (reads of undefined names are allowed), where
/// dense_destruction does, and if copies are needed before the entry because edges lead to it: put a block before it.
template <phi_erasable_program P>
  requires copy_insertable_program<P> && name_making_program<P>
std::size_t rewrite_out_of_ssa(P& p) {
  existing_ssa<P> const ssa(std::as_const(p));
  dense_ssa const& form = ssa.form();
  for (ssa_violation const& v : verify_ssa(ssa))
    if (v.fault != ssa_fault::undefined_value)
      raise(net_error("plait: the program is not in SSA form: " + describe(v),
                      v.site.is_op() ? std::optional<std::size_t>(ssa.place(v.site.op())) : std::nullopt,
                      v.value < form.value_count() ? detail::key_label<P>(ssa.name(v.value)) : std::string()));
  std::vector<std::uint32_t> const places = detail::copy_places(std::as_const(p), ssa.graph(), form);
  dense_destruction out;
  out.compute(ssa.graph(), ssa.dominators(), form, {.copy_places = places});
  if (!out.copies_outside().empty())
    raise(net_error("plait: copies are needed before the entry block, to which edges lead"));

  std::vector<detail::new_name_t<P>> const names = detail::location_names(p, ssa, out);
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
