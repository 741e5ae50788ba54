// Listing of a plan: its ops with shapes and memory.
#pragma once

#include <ostream>

#include <plait/exec/plan.hpp>

namespace plait {

/// Writes a line for each op, with the shapes of its operands and the memory of its outputs ("in x": that of x; "@2":
/// values with one number share memory), then the memory of the plan. Shapes are those of the last bind() or run();
/// data-dependent ones are "nothing" before.
template <backend B>
void write_plan(std::ostream& out, plan<B> const& p) {
  engine<B> const& e = detail::engine_of(p);
  plan_layout const& layout = e.layout();
  for (op_index op = 0; op != e.op_count(); ++op) {
    out << op << ' ' << e.schema(op).type();
    if (!e.op_name(op).empty()) out << " '" << e.op_name(op) << '\'';
    out << ':';
    for (auto v : layout.reads(op)) out << ' ' << e.value_name(v) << " [" << to_string(e.value(v).type) << ']';
    out << " ->";
    for (auto v : layout.writes(op)) {
      out << ' ' << e.value_name(v) << " [" << to_string(e.value(v).type) << ']';
      if (e.memory().is_shared(layout, v))
        out << " in " << e.value_name(layout.stands_in(v));
      else if (e.memory().kept(v) != nullptr)
        out << " kept";
      out << " @" << layout.storage_of(v) << " (" << e.value(v).type.bytes() << " bytes)";
    }
    out << '\n';
  }
  memory_use const m = p.memory();
  out << "bytes: " << m.given << " given, " << m.kept << " kept, " << m.intermediate << " for intermediate values, "
      << m.packed << " packed, " << m.peak() << " in all\n";
}

}  // namespace plait
