// Operands of the ops of a net in a plan: listed inputs, implicit inputs of nested nets, and previous values of outputs
// that an op may leave unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/csr.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Operands of a net, gathered op by op.
struct net_operands {
  std::vector<op_schema const*> schemas;  ///< by op
  std::vector<std::uint32_t> listed;      ///< by op: number of listed inputs
  csr<value> more;                        ///< by op: implicit inputs
  std::vector<bool> elements;             ///< by op: true if shapes depend on elements of its inputs
  csr<op_index> controls;                 ///< by op: the ops that write its control inputs
  /// By op: true if it, or an op of a nested net, shares_results. Set by the compilation of nested nets, not by add.
  std::vector<bool> sharing = {};

  /// Appends op `at` of a form made with subnets and control_inputs. Marks in `keep` the blobs whose given value the op
  /// may leave unchanged. Throws shape_error if a net inside it writes blobs of the enclosing net and the schema lacks
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
    } else {
      boost::unordered_flat_set<std::size_t> seen;
      for (value v : reads.first(arguments.input_count())) seen.insert(form.index(v));
      for (value v : implicit) seen.insert(form.index(v));
      for (value v : form.writes(at)) {
        value const before{v.blob, v.version - 1};
        bool const given = before.version == form.first_version(v.blob);
        if (given) keep[v.blob] = true;
        if ((given || form.producing_op(before) != npos) && seen.insert(form.index(before)).second) more.push(before);
      }
    }
    more.end_row();
  }
};

}  // namespace plait
