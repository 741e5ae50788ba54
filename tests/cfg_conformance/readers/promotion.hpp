// Promotable variables of a function in LLVM's assembly: allocas of the entry block that mem2reg turns into values, and
// their loads and stores.
//
// mem2reg works in rounds: when a pointer variable has been promoted, the variable it pointed to may have become
// promotable. So does this: the values of a round's loads are passed to promoter, which then searches again. Follows
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

/// A value: "%name" an instruction's result or an argument, "=text" a constant, "#…" a phi that mem2reg inserts, ""
/// undefined (undef, poison).
using value_name = std::string;

struct variable {
  std::string name;  ///< name of the alloca; a number if it has none
  std::string type;
};

struct variable_access {
  std::uint32_t variable = 0;
  bool is_store = false;
  value_name value;               ///< stored, or the name under which the result of the load is known
  std::uint32_t instruction = 0;  ///< in its block
};

/// The variables that can be promoted in one round; accesses by block, in order.
struct promotion_round {
  std::vector<variable> variables;
  std::vector<std::vector<variable_access>> blocks;
};

class promoter {
 public:
  /// The function must outlive it.
  explicit promoter(ll_function const& f);

  /// Returns the variables that can be promoted now, with all their accesses, and marks these as removed. Without
  /// variables: done.
  [[nodiscard]] promotion_round next();
  /// Replaces the result of a load by its value in all uses.
  void replace(value_name const& load, value_name const& by) { replaced_[load] = by; }
  [[nodiscard]] value_name resolved(value_name value) const;
  /// Restores an instruction: mem2reg leaves stores in unreachable blocks, with another pointer.
  void leave(std::uint32_t block, std::uint32_t instruction) { removed_[block][instruction] = false; }
  /// Records an operand of a new phi: an alloca used as one cannot be promoted.
  void use_in_phi(value_name const& value) { phi_operands_.insert(value); }

  /// Returns the block of the instruction with this result; none for arguments and anything but "%name".
  [[nodiscard]] std::optional<std::uint32_t> block_of(value_name const& value) const;
  /// Returns the normal target of the defining instruction, if it is an invoke.
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

/// Returns the variable of an instruction "alloca TYPE, …"; ignores the number of elements.
[[nodiscard]] std::optional<variable> variable_of(ll_instruction const& i);

}  // namespace cfg_conformance
