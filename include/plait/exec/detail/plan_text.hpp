// A plan for people to read.
#pragma once

#include <cstddef>
#include <ostream>

#include <plait/exec/plan.hpp>

namespace plait {

/// Writes a line for each op, with the shapes of its operands, and where outputs stand ("in x": in its memory; "@2":
/// the place that values with this number share) and of how many bytes, then what memory the plan takes. Shapes are
/// those of the last bind() or run(); what only a run can tell is "nothing" before.
template <backend B>
void write_plan(std::ostream& out, plan<B> const& p) {
  auto const& layout = p.layout();
  for (op_index op = 0; op != p.op_count(); ++op) {
    out << op << ' ' << p.schema(op).type();
    if (!p.op_name(op).empty()) out << " '" << p.op_name(op) << '\'';
    out << ':';
    for (auto v : layout.reads(op)) out << ' ' << p.value_name(v) << " [" << to_string(p.value(v).type) << ']';
    out << " ->";
    for (auto v : layout.writes(op)) {
      out << ' ' << p.value_name(v) << " [" << to_string(p.value(v).type) << ']';
      if (p.memory().is_shared(layout, v))
        out << " in " << p.value_name(layout.stands_in(v));
      else if (p.memory().kept(v) != nullptr)
        out << " kept";
      out << " @" << layout.storage_of(v) << " (" << p.value(v).type.bytes() << " bytes)";
    }
    out << '\n';
  }
  std::size_t given = 0;
  for (auto v : layout.given()) given += p.value(v).type.bytes();
  std::size_t const kept = p.memory().kept_bytes();
  std::size_t const blocks = p.memory().block_bytes() + p.streamed_bytes();
  out << "bytes: " << given << " given, " << kept << " kept, " << blocks << " for intermediate values, "
      << given + kept + blocks << " in all\n";
}

}  // namespace plait
