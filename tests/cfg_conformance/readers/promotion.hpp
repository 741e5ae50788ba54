// The variables of a function in LLVM's assembly: allocas of the entry block that mem2reg turns into values, and how
// they are read and written.
//
// mem2reg works in rounds: when a pointer variable has become a value, the variable it pointed to may have become
// promotable. So does this: what a round's loads turned out to be is told to promoter, which then looks again. Follows
// isAllocaPromotable and Mem2Reg.cpp of LLVM 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ll.hpp"

namespace cfg_conformance {

/// What a value is: "%name" an instruction's result or an argument, "=text" a constant, "#…" a phi that mem2reg makes,
/// "" nothing in particular (undef, poison).
using value_name = std::string;

struct variable {
  std::string name;  ///< of the alloca; a number if it has none
  std::string type;
};

struct variable_access {
  std::uint32_t variable = 0;
  bool is_store = false;
  value_name value;               ///< stored, or the name under which the result of the load is known
  std::uint32_t instruction = 0;  ///< in its block
};

/// The variables that can be promoted at some time; accesses by block, in order.
struct promotion_round {
  std::vector<variable> variables;
  std::vector<std::vector<variable_access>> blocks;
};

class promoter {
 public:
  /// The function must outlive it.
  explicit promoter(ll_function const& f);

  /// The variables that can be promoted now, with all their accesses, which thereby are gone. Without variables: done.
  [[nodiscard]] promotion_round next();
  /// What the result of a load has turned out to be: from now on that stands where the load stood.
  void replace(value_name const& load, value_name const& by) { replaced_[load] = by; }
  [[nodiscard]] value_name resolved(value_name value) const;
  /// The instruction is not gone after all: mem2reg leaves stores in unreachable blocks, with another pointer.
  void leave(std::uint32_t block, std::uint32_t instruction) { removed_[block][instruction] = false; }
  /// A new phi has this operand: an address that is one cannot be promoted.
  void use_in_phi(value_name const& value) { phi_operands_.insert(value); }

  /// The block of the instruction with this result; none for arguments and what is no "%name".
  [[nodiscard]] std::optional<std::uint32_t> block_of(value_name const& value) const;
  /// Its normal target, if it is an invoke.
  [[nodiscard]] std::optional<std::string> normal_target_of(value_name const& value) const;

 private:
  struct place {
    std::uint32_t block = 0;
    std::uint32_t index = 0;
  };
  struct use {
    place at;
    std::size_t operand = 0;
  };
  using use_lists = std::unordered_map<value_name, std::vector<use>>;

  [[nodiscard]] ll_instruction const& instruction(place at) const {
    return f_->blocks[at.block].instructions[at.index];
  }
  [[nodiscard]] use_lists uses() const;
  [[nodiscard]] bool is_promotable(variable const& v, use_lists const& all) const;
  [[nodiscard]] bool only_marks_lifetime(use const& user, use_lists const& all) const;
  void remove_markers(variable const& v, use_lists const& all);

  ll_function const* f_;
  std::unordered_map<value_name, value_name> replaced_;
  std::unordered_set<value_name> phi_operands_;
  std::unordered_map<value_name, place> definitions_;
  std::vector<std::vector<bool>> removed_;  // by block and instruction
};

/// The type and the number of elements aside: "alloca TYPE, …".
[[nodiscard]] std::optional<variable> variable_of(ll_instruction const& i);

}  // namespace cfg_conformance
