// Fresh names for the values of a program that is rewritten: versions of existing names, from the program's new_name or
// from texts. They are created before anything else is changed, and net_error is thrown if one is not fresh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/detail/dense_destruction.hpp>
#include <plait/ssa/detail/rewrite_names.hpp>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_mutation.hpp>

namespace plait::detail {

// A fresh name during rewriting: the program's, or the text from which each block creates its name.
template <program P>
using new_name_t = std::conditional_t<has_new_name<P>, program_name_t<P>, std::string>;

// Returns the label of a blob for messages, from its key.
template <program P>
std::string key_label(program_key_t<P> const& key) {
  if constexpr (std::is_convertible_v<program_key_t<P> const&, std::string_view>)
    return std::string(std::string_view(key));
  else if constexpr (std::is_integral_v<program_key_t<P>>)
    return std::to_string(key);
  else
    return "(a name without text)";
}

// Maps the keys of blobs back to their names.
template <program P>
class names_of_keys {
 public:
  // order: the blocks to search.
  names_of_keys(P const& p, std::span<node_t<P> const> order) {
    if constexpr (has_own_text<block_t<P>>)
      for (node_t<P> const& n : order) add(p, n);
  }
  program_name_t<P> operator()(program_key_t<P> const& key) const {
    if constexpr (has_own_text<block_t<P>>)
      return names_.at(key);
    else
      return program_name_t<P>(key);
  }

 private:
  struct none {};

  void add(P const& p, node_t<P> const& n) {
    auto&& net = plait::block(p, n);
    auto const take = [&](auto const& names) {
      for (program_name_t<P> const& name : names) names_.try_emplace(name_key(net, name), name);
    };
    take(external_inputs(net));
    take(external_outputs(net));
    for (auto&& op : plait::ops(net)) {
      take(inputs(net, op));
      take(outputs(net, op));
    }
    if constexpr (program_with_phis<P>)
      for (auto&& phi : program_traits_of<P>::phis(p, n)) {
        program_name_t<P> const& result = program_traits_of<P>::phi_result(p, phi);
        names_.try_emplace(name_key(net, result), result);
        for (auto const& argument : program_traits_of<P>::phi_arguments(p, phi))
          names_.try_emplace(name_key(net, argument.name), argument.name);
      }
  }

  // Empty where a name can be constructed from its key.
  std::conditional_t<has_own_text<block_t<P>>, boost::unordered_flat_map<program_key_t<P>, program_name_t<P>>, none>
      names_;
};

// Creates names with new_name, and checks that they are fresh.
template <has_new_name P>
class name_maker {
 public:
  // old: all names of the program.
  name_maker(P& p, std::vector<program_name_t<P>> const& old) : program_(p), taken_(old.begin(), old.end()) {}

  // what: the purpose of the name, for messages.
  program_name_t<P> make(program_name_t<P> const& from, char const* what, std::optional<std::size_t> op = {}) {
    program_name_t<P> made = detail::new_name(program_, from);
    if (!taken_.insert(made).second) {
      auto&& net = plait::block(std::as_const(program_), plait::entry(program_));
      std::string const blob = key_label<P>(name_key(net, from));
      raise(net_error("plait: new_name(p, name) returned '" + key_label<P>(name_key(net, made)) + "' for " + what +
                          " '" + blob + "', but the program has that name already",
                      op, blob));
    }
    return made;
  }

 private:
  P& program_;
  boost::unordered_flat_set<program_name_t<P>, std::hash<program_name_t<P>>> taken_;
};

// Marks the values of a constructed form that occur, and those of them that keep the names of their blobs.
struct occurring_values {
  occurring_values(dense_construction const& form, std::span<blob_index const> external_inputs, ssa_naming naming)
      : occur(form.value_count(), 0), keep(form.value_count(), 0) {
    for (csr<value_index> const* values : {&form.phi_arguments, &form.op_reads, &form.op_writes, &form.block_results})
      for (value_index const v : values->items()) occur[v] = 1;
    for (value_index const v : form.phi_results) occur[v] = 1;
    for (blob_index const b : external_inputs) occur[form.index({b, 0})] = 1;
    if (naming == ssa_naming::every_version) return;
    std::vector<std::uint32_t> versions(form.blob_count(), 0);
    for (value_index v = 0; v != form.value_count(); ++v) versions[form.blob(v)] += occur[v] != 0 ? 1 : 0;
    for (value_index v = 0; v != form.value_count(); ++v)
      if (occur[v] != 0 && (form.version(v).version == 0 || versions[form.blob(v)] == 1)) keep[v] = 1;
  }

  std::vector<char> occur;
  std::vector<char> keep;
};

template <program P>
std::optional<std::size_t> place_of_definition(program_ssa<P> const& ssa, value_index v) {
  ssa_site const by = ssa.form().definition(v);
  return by.is_op() ? std::optional<std::size_t>(ssa.snapshot().place(by.op())) : std::nullopt;
}

// Returns the names of all values of a constructed form, as texts.
template <program P>
std::vector<std::string> version_names(P&, program_ssa<P> const& ssa, ssa_naming naming, name_collision collision) {
  dense_construction const& form = ssa.form();
  occurring_values const values(form, ssa.snapshot().code().external_inputs(), naming);
  auto const text = [&](value_index v) { return std::string(std::string_view(ssa.name(form.blob(v)))); };
  std::vector<std::string> names(form.value_count());
  boost::unordered_flat_set<std::string> kept;
  for (value_index v = 0; v != form.value_count(); ++v)
    if (values.keep[v] != 0) kept.insert(names[v] = text(v));
  std::vector<value_index> colliding;
  for (value_index v = 0; v != form.value_count(); ++v) {
    if (values.occur[v] == 0 || values.keep[v] != 0) continue;
    names[v] = text(v) + '_' + std::to_string(form.version(v).version);
    if (!kept.contains(names[v])) continue;
    if (collision == name_collision::refuse)
      raise(net_error("plait: version " + std::to_string(form.version(v).version) + " of blob '" + text(v) +
                          "' would be named '" + names[v] + "', which is the name of another blob",
                      place_of_definition(ssa, v), names[v]));
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

// Returns the names of all values of a constructed form, from the program. TRAP: new_name can move the texts of other
// names, which invalidates keys.
template <has_new_name P>
std::vector<program_name_t<P>> version_names(P& p, program_ssa<P> const& ssa, ssa_naming naming, name_collision) {
  dense_construction const& form = ssa.form();
  occurring_values const values(form, ssa.snapshot().code().external_inputs(), naming);
  names_of_keys<P> const by_key(std::as_const(p), ssa.graph().order());
  std::vector<program_name_t<P>> old(form.blob_count());
  std::vector<program_name_t<P>> occurring;
  std::vector<char> is_old(form.blob_count(), 0);
  for (value_index v = 0; v != form.value_count(); ++v)
    if (blob_index const b = form.blob(v); values.occur[v] != 0 && std::exchange(is_old[b], 1) == 0)
      occurring.push_back(old[b] = by_key(ssa.name(b)));
  name_maker<P> maker(p, occurring);
  std::vector<program_name_t<P>> names(form.value_count());
  for (value_index v = 0; v != form.value_count(); ++v) {
    if (values.occur[v] == 0) continue;
    program_name_t<P> const& from = old[form.blob(v)];
    names[v] = values.keep[v] != 0 ? from : maker.make(from, "a version of", place_of_definition(ssa, v));
  }
  return names;
}

// Returns, by location, the value that names it: one from outside if there is one; npos for a location without values.
template <program P>
std::vector<value_index> named_values(existing_ssa<P> const& ssa, dense_destruction const& out) {
  std::vector<value_index> values(out.location_count() + 1, npos);
  for (bool const outside : {true, false})
    for (value_index v = 0; v != ssa.form().value_count(); ++v) {
      std::uint32_t const at = out.location(v);
      if (at != npos && values[at] == npos && outside == (ssa.form().definition(v) == ssa_site())) values[at] = v;
    }
  return values;
}

template <program P>
std::vector<std::string> location_names(P&, existing_ssa<P> const& ssa, dense_destruction const& out) {
  auto const text = [&](value_index v) { return std::string(std::string_view(ssa.name(v))); };
  boost::unordered_flat_set<std::string> taken;
  for (value_index v = 0; v != ssa.form().value_count(); ++v) taken.insert(text(v));
  std::vector<std::string> names;
  std::uint64_t made = 0;
  for (value_index const v : named_values(ssa, out)) {
    if (v != npos) {
      names.push_back(text(v));
      continue;
    }
    std::string name;
    do name = "copy_" + std::to_string(made++);
    while (!taken.insert(name).second);
    names.push_back(std::move(name));
  }
  return names;
}

// Returns the names of locations, from the program: fresh ones for locations without values, which only copies use.
template <has_new_name P>
std::vector<program_name_t<P>> location_names(P& p, existing_ssa<P> const& ssa, dense_destruction const& out) {
  std::vector<value_index> const values = named_values(ssa, out);
  names_of_keys<P> const by_key(std::as_const(p), ssa.graph().order());
  std::vector<program_name_t<P>> old;
  for (value_index v = 0; v != ssa.form().value_count(); ++v) old.push_back(by_key(ssa.name(v)));
  name_maker<P> maker(p, old);
  std::vector<program_name_t<P>> names(values.size());
  for (std::size_t at = 0; at != values.size(); ++at)
    if (values[at] != npos) names[at] = old[values[at]];
  std::vector<char> made(values.size(), 0);
  auto const name_targets = [&](std::span<location_copy const> copies) {
    for (location_copy const& c : copies)
      if (values[c.to] == npos && std::exchange(made[c.to], 1) == 0)
        names[c.to] = maker.make(names[c.from], "a copy of");
  };
  for (std::uint32_t b = 0; b != ssa.graph().size(); ++b) {
    name_targets(out.copies_at_end(b));
    name_targets(out.copies_at_start(b));
  }
  return names;
}

}  // namespace plait::detail
