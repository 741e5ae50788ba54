// Command line options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "model.hpp"

namespace mlp {

struct options {
  recipe how;
  std::int64_t steps = 1000;
  std::int64_t save_interval = 0;  ///< steps between two checkpoints; 0: none
  bool distributed = false;        ///< together with the other ranks of mpirun
  std::string backend = "serial";
  std::filesystem::path net;     ///< empty: nothing is saved
  std::filesystem::path curve;   ///< empty: none is drawn
  std::filesystem::path losses;  ///< empty: not written
};

/// Nothing where help was asked for and printed. Throws plait::error for a command line that is wrong.
std::optional<options> read_options(int argc, char** argv);

}  // namespace mlp
