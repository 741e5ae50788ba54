// Operands of the ops of a net in a plan: listed inputs, implicit inputs of nested nets, and previous values of outputs
// that an op may leave unchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/csr.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Operands of a net, gathered op by op.
struct net_operands {
  std::vector<op_schema const*> schemas;  ///< by op
  std::vector<std::uint32_t> listed;      ///< by op: number of listed inputs
  csr<value> more;                        ///< by op: implicit inputs
  csr<value> written;                     ///< by op: listed outputs, and implicit ones whose values are used
  std::vector<bool> elements;             ///< by op: true if shapes depend on elements of its inputs
  csr<op_index> controls;                 ///< by op: the ops that write its control inputs
  /// By op: true if it, or an op of a nested net, shares_results. Set by the compilation of nested nets, not by add.
  std::vector<bool> sharing = {};

  /// Appends op `at` of a form made with subnets and control_inputs. Marks in `keep` the blobs whose given value the op
  /// may leave unchanged. What a nested net writes is an output if its blob is kept, an op uses it, or a nested net in
  /// its next run. Throws shape_error if a net inside it writes blobs of the enclosing net and the schema lacks
  /// results_after_run, so that their types are unknown.
  template <net N, class Op>
  void add(N const& n, Op const& op, ssa_form<N> const& form, op_index at, op_arguments const& arguments,
           std::vector<bool>& keep) {
    op_schema const& schema = arguments.schema();
    schemas.push_back(&schema);
    listed.push_back(static_cast<std::uint32_t>(arguments.input_count()));
    elements.push_back(arguments.has_shapes_from_elements());
    std::size_t control_inputs = 0;
    for ([[maybe_unused]] auto&& name : plait::control_inputs(n, op)) ++control_inputs;
    std::span<value const> const reads = form.reads(at);
    for (value v : reads.subspan(arguments.input_count(), control_inputs))
      if (op_index const writer = form.producing_op(v); writer != npos) controls.push(writer);
    controls.end_row();

    std::span<value const> const implicit = reads.subspan(arguments.input_count() + control_inputs);
    for (value v : implicit) more.push(v);
    if (!schema.has_results_after_run()) {
      if (form.writes(at).size() != arguments.output_count())
        throw shape_error("plait: a net inside the op writes blobs of the net around it, for which " + schema.type() +
                          " is not made");
      for (value v : form.writes(at)) written.push(v);
    } else {
      add_results(n, op, form, at, arguments, keep);
      boost::unordered_flat_set<std::size_t> seen;
      for (value v : reads.first(arguments.input_count())) seen.insert(form.index(v));
      for (value v : implicit) seen.insert(form.index(v));
      for (value v : written.open_row()) {
        value const before{v.blob, v.version - 1};
        bool const given = before.version == form.first_version(v.blob);
        if (given) keep[v.blob] = true;
        if ((given || form.producing_op(before) != npos) && seen.insert(form.index(before)).second) more.push(before);
      }
    }
    more.end_row();
    written.end_row();
  }

  /// Returns true if an op uses a value, or its blob is among those that are kept.
  template <net N>
  static bool is_wanted(ssa_form<N> const& form, value v, std::vector<bool> const& keep) {
    // An op that writes the blob again may leave it as it is.
    return keep[v.blob] || v.version != form.version(v.blob) || !form.consumers(v).empty();
  }

 private:
  template <net N, class Op>
  void add_results(N const& n, Op const& op, ssa_form<N> const& form, op_index at, op_arguments const& arguments,
                   std::vector<bool> const& keep) {
    std::size_t const outputs = arguments.output_count();
    implicit_operands<N> nested;
    if constexpr (has_subnets<N>)
      if (form.writes(at).size() != outputs) nested.compute(n, op, true);
    auto const inputs = form.reads(at).first(arguments.input_count());
    for (std::size_t o = 0; value v : form.writes(at)) {
      // The op itself reads its inputs again, such as the condition of a loop.
      bool used =
          o++ < outputs || is_wanted(form, v, keep) || std::ranges::find(inputs, v.blob, &value::blob) != inputs.end();
      if constexpr (has_subnets<N>) used = used || nested.may_read(std::string(std::string_view(form.name(v.blob))));
      if (used) written.push(v);
    }
  }
};

}  // namespace plait
