// The main function of the test programs: runs doctest, then lists what was skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <support/skip.hpp>

namespace {

std::vector<std::string>& skipped() {
  static std::vector<std::string> lines;
  return lines;
}

}  // namespace

void test::skip(std::string const& reason) {
  doctest::detail::TestCase const& at = *doctest::getContextOptions()->currentTest;
  std::string const line = std::string(at.m_file.c_str()) + ": " + at.m_name + ": " + reason;
  if (std::ranges::find(skipped(), line) == skipped().end()) skipped().push_back(line);
}

int main(int argc, char** argv) {
  int const code = doctest::Context(argc, argv).run();
  for (std::string const& line : skipped()) std::cout << "skipped: " << line << '\n';
  return code == 0 && !skipped().empty() ? test::skip_code : code;
}
