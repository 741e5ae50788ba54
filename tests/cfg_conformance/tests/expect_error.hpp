// Checks that reading fails at a line for a reason.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "../readers/text.hpp"

template <class Read>
void expect_error(Read read, std::string const& text, std::size_t line, std::string const& part) {
  CAPTURE(text);
  cfg_conformance::document const from{"M.txt", text};
  try {
    (void)read(from);
    FAIL("read without complaint");
  } catch (cfg_conformance::file_error const& error) {
    CHECK(error.line == line);
    CHECK(error.path == "M.txt");
    CHECK(std::string(error.what()) == "M.txt:" + std::to_string(line) + ": " + error.message);
    CHECK_MESSAGE(error.message.find(part) != std::string::npos, error.message);
  }
}
