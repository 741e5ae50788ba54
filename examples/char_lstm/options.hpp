// Command line options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "model.hpp"

namespace lstm {

struct options {
  std::filesystem::path text;
  recipe how;
  std::int64_t steps = 1000;
  std::int64_t save_interval = 0;  ///< steps between two checkpoints; 0: none
  bool distributed = false;        ///< together with the other ranks of mpirun
  double seconds = 0;              ///< time limit of training; 0: none
  std::string backend = "serial";
  std::filesystem::path net;     ///< empty: not saved
  std::filesystem::path curve;   ///< empty: not drawn
  std::filesystem::path losses;  ///< empty: not written
  std::int64_t sample = 400;
  std::optional<std::string> prime;  ///< absent: a new line, or, if the text has none, its first character by code
  float temperature = 0.7f;
  std::int64_t sample_seed = 1;
};

/// Parses the command line. Returns nothing if it printed help. Throws plait::error for a wrong command line.
std::optional<options> read_options(int argc, char** argv);

}  // namespace lstm
