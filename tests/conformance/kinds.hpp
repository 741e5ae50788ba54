// Kinds of cases. A new kind is a file in kinds/ with one function, a declaration here and a line in the table.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>

#include "case.hpp"
#include "case_result.hpp"

namespace conformance {

struct kind {
  std::string_view name;
  /// Runs the function under test and returns its result. Throws malformed_case, unsupported_case, and whatever the
  /// function throws.
  case_result (*run)(case_inputs&);
  /// For cases marked as a defect of the recorded system: returns what is wrong with the result of plait, as far as
  /// that can be told without an expectation. May be nullptr.
  std::vector<std::string> (*problems)(case_inputs const&, case_result const&) = nullptr;
  /// True: cases that are not defects run once more without what as_recorded() asks for. Nothing may be wrong with that
  /// result, and it must be the recorded one, unless something is wrong with that.
  bool also_by_default = false;
  /// Returns what is wrong with a result of a case that has many right ones; nullptr: it must be the recorded one.
  std::vector<std::string> (*differences)(case_inputs const&, case_result const&) = nullptr;
  /// Returns what is wrong with the error that refuses a case, if it must be refused; nullptr: any plait::error is
  /// right.
  std::vector<std::string> (*refusal_problems)(case_inputs const&, plait::error const&) = nullptr;
};

case_result run_gradient(case_inputs& in);
case_result run_memory(case_inputs& in);
std::vector<std::string> memory_differences(case_inputs const& in, case_result const& got);
case_result run_module(case_inputs& in);
case_result run_recurrent_net(case_inputs& in);
case_result run_run(case_inputs& in);
std::vector<std::string> run_refusal_problems(case_inputs const& in, plait::error const& refusal);
case_result run_ssa(case_inputs& in);
case_result run_transform(case_inputs& in);
std::vector<std::string> transform_problems(case_inputs const& in, case_result const& got);

inline constexpr std::array kinds = {
    kind{"gradient", run_gradient},
    kind{.name = "memory", .run = run_memory, .differences = memory_differences},
    kind{"module", run_module},
    kind{"recurrent_net", run_recurrent_net},
    kind{.name = "run", .run = run_run, .refusal_problems = run_refusal_problems},
    kind{"ssa", run_ssa},
    kind{"transform", run_transform, transform_problems, true},
};

}  // namespace conformance
