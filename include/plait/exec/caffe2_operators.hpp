// Operator table in Caffe2 mode: the op types of Caffe2 of 2018, for nets that must behave exactly as there.
#pragma once

#include <string>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/operators.hpp>
#include <plait/net/detail/caffe2_in_place.hpp>

namespace plait {

/// Returns standard_operators, restricted to Caffe2 by the columns of the schemas (op_schema::caffe2): ignores
/// arguments that Caffe2 got later, as it ignores all unknown ones, and refuses what its schemas and checks refused.
/// Accepts only float and int32 in Sum and fewer types in comparisons. docs/migrating/differences.md lists the
/// remaining differences.
template <backend B>
[[nodiscard]] operators<B> caffe2_operators() {
  operators<B> table = standard_operators<B>();
  add_caffe2_sum_operator(table);
  add_caffe2_comparison_operators(table);
  for (op_schema const* s : table.schemas()) {
    // Copies: each change of the table replaces the schema.
    std::string const type = s->type();
    caffe2_column const column = s->caffe2();
    for (std::string const& argument : column.ignored_arguments) table.pass_over(type, argument);
    for (op_restriction const restriction : column.restrictions) table.restrict(type, restriction);
    if (column.refuses_doubles) table.restrict(type, detail::caffe2::no_doubles);
    table.expect_exact_numbers(type);
    if (column.has_schema) table.restrict_names(type, caffe2_in_place(type));
  }
  return table;
}

}  // namespace plait
