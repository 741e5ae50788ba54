#include "variable_ssa.hpp"

#include <plait/ssa/construction.hpp>

namespace cfg_conformance {

PLAIT_CHECK_PROGRAM(access_program);

variable_ssa construct_variable_ssa(function_graph const& f, promotion_round const& round) {
  access_program const program(f, round);
  plait::program_ssa const ssa(program);
  plait::dense_construction const& form = ssa.form();

  variable_ssa made;
  made.loads.resize(f.size());
  std::vector<std::uint32_t> places(form.op_count());  // of ops in their blocks
  for (std::uint32_t const b : ssa.graph().order())
    for (std::uint32_t i = 0; i != round.blocks[b].size(); ++i) places[ssa.op(b, i)] = i;
  auto const value_of = [&](plait::value_index v) -> variable_value {
    plait::ssa_site const site = form.definition(v);
    if (site.is_phi()) return {variable_value::kind::phi, site.phi(), 0};
    if (!site.is_op()) return {};
    return {variable_value::kind::store, places[site.op()], ssa.graph().node(form.block_of_op(site.op()))};
  };

  for (std::uint32_t const b : ssa.graph().order()) {
    made.loads[b].resize(round.blocks[b].size());
    for (std::uint32_t i = 0; i != round.blocks[b].size(); ++i)
      if (!round.blocks[b][i].is_store) made.loads[b][i] = value_of(form.reads(ssa.op(b, i))[0]);
  }
  for (plait::phi_index p = 0; p != form.phi_count(); ++p) {
    plait::value const result = form.version(form.result(p));
    variable_phi& phi = made.phis.emplace_back();
    phi.block = ssa.graph().node(form.block_of_phi(p));
    phi.variable = ssa.name(result);
    for (plait::value_index const v : form.arguments(p)) phi.operands.push_back(value_of(v));
  }
  return made;
}

}  // namespace cfg_conformance
