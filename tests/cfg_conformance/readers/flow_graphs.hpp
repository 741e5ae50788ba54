// Flow graph of a function, and the reader of M.cfg.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text.hpp"

namespace cfg_conformance {

/// A function's flow graph, a model of plait::flow_graph: blocks are 0 … size() - 1, block 0 is the entry.
class function_graph {
 public:
  explicit function_graph(std::string name, std::size_t line = 0) : name_(std::move(name)), line_(line) {}

  [[nodiscard]] std::string const& name() const { return name_; }
  /// Returns its first line in the file.
  [[nodiscard]] std::size_t line() const { return line_; }

  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] std::uint32_t entry() const { return 0; }
  [[nodiscard]] std::span<std::uint32_t const> successors(std::uint32_t block) const { return blocks_[block].targets; }
  [[nodiscard]] std::string const& label(std::uint32_t block) const { return blocks_[block].label; }

  /// Returns the block that an analysis printed as `label`. LLVM prints the number of an unnamed entry block, which not
  /// every source of graphs contains: a number that is not a label is the entry, if the entry's own label is one that
  /// LLVM could not have printed instead (a number, empty or "entry").
  [[nodiscard]] std::optional<std::uint32_t> find(std::string const& label) const;

  /// Adds a block. Returns false if the label exists.
  bool add_block(std::string label);
  void set_successors(std::uint32_t block, std::vector<std::uint32_t> targets) {
    blocks_[block].targets = std::move(targets);
  }

 private:
  struct block {
    std::string label;
    std::vector<std::uint32_t> targets;
  };
  std::string name_;
  std::size_t line_;
  std::vector<block> blocks_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Reads M.cfg.txt: "func NAME NBLOCKS", then a line "ID LABEL : SUCC_ID …" per block. Throws file_error.
[[nodiscard]] std::vector<function_graph> read_flow_graphs(document const& from);

}  // namespace cfg_conformance
