// A plan for people to read.
#pragma once

#include <cstddef>
#include <ostream>

#include <plait/exec/plan.hpp>

namespace plait {

/// Writes a line for each op, with the shapes of its operands and where outputs stand ("in x": in its memory), then
/// what memory the plan takes. Shapes are those of the last bind() or run().
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
      out << " @" << layout.storage_of(v);
    }
    out << '\n';
  }
  std::size_t given = 0;
  for (auto v : layout.given()) given += p.value(v).type.bytes();
  out << "bytes: " << given << " given, " << p.memory().kept_bytes() << " kept, "
      << p.memory().block_bytes() + p.bytes_on_demand() << " for intermediate values\n";
}

}  // namespace plait
