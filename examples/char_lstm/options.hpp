// What the command line says.
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
  double seconds = 0;  ///< after which training ends; 0: after the steps alone
  std::string backend = "serial";
  std::filesystem::path net;     ///< empty: nothing is kept
  std::filesystem::path curve;   ///< empty: none is drawn
  std::filesystem::path losses;  ///< empty: they are not written
  std::int64_t sample = 400;
  std::optional<std::string> prime;  ///< nothing: a new line, or, where the text has none, its first character by code
  float temperature = 0.7f;
  std::int64_t sample_seed = 1;
};

/// Nothing where help was asked for and printed. Throws plait::error for a command line that is wrong.
std::optional<options> read_options(int argc, char** argv);

}  // namespace lstm
