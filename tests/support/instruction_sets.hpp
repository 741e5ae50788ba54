// Instruction sets for tests of vectorised loops; skips those that the processor lacks.
#pragma once

#include <string>
#include <vector>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

#include <support/skip.hpp>

namespace test {

/// Returns true if the processor has the set, and PLAIT_INSTRUCTIONS allows it; else records a skip.
inline bool has_instructions(plait::instruction_set set) {
  if (set <= plait::available_instructions()) return true;
  skip(std::string("without ") + (set == plait::instruction_set::avx2 ? "AVX2" : "AVX-512"));
  return false;
}

/// Returns the sets for which has_instructions() is true.
inline std::vector<plait::instruction_set> instruction_sets() {
  std::vector<plait::instruction_set> all;
  for (auto const set :
       {plait::instruction_set::portable, plait::instruction_set::avx2, plait::instruction_set::avx512})
    if (has_instructions(set)) all.push_back(set);
  return all;
}

}  // namespace test
