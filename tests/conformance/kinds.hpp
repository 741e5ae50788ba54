// The kinds of cases this runner knows. A new kind is a file in kinds/ with one function, a declaration here and a line
// in the table.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>

#include "answer.hpp"
#include "case.hpp"

namespace conformance {

struct kind {
  std::string_view name;
  /// Runs the function that the case is about and says what it answered. Throws malformed_case, unsupported_case, and
  /// whatever the function throws.
  answer (*run)(case_inputs&);
  /// For cases marked as a defect of the recorded system: what is wrong with plait's own answer, as far as that can be
  /// told without an expectation. May be nullptr.
  std::vector<std::string> (*problems)(case_inputs const&, answer const&) = nullptr;
  /// Whether cases that are no defect are run once more without what as_recorded() asks for. Then nothing may be wrong
  /// with the answer, and it must be the recorded one, unless something is wrong with that.
  bool own_way_too = false;
  /// What is wrong with an answer to a case that has many right ones; nullptr where it has to be the recorded one.
  std::vector<std::string> (*differences)(case_inputs const&, answer const&) = nullptr;
  /// What is wrong with the error by which a case is refused that is to be; nullptr where any plait::error will do.
  std::vector<std::string> (*refusal_problems)(case_inputs const&, plait::error const&) = nullptr;
};

answer run_gradient(case_inputs& in);
answer run_memory(case_inputs& in);
std::vector<std::string> memory_differences(case_inputs const& in, answer const& got);
answer run_module(case_inputs& in);
answer run_recurrent_net(case_inputs& in);
answer run_run(case_inputs& in);
std::vector<std::string> run_refusal_problems(case_inputs const& in, plait::error const& refusal);
answer run_ssa(case_inputs& in);
answer run_transform(case_inputs& in);
std::vector<std::string> transform_problems(case_inputs const& in, answer const& got);

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
