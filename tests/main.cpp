// The main function of the test programs: runs doctest, then lists skipped test cases. A test case that neither asserts
// nor skips anything has failed, as it could not fail otherwise.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <support/skip.hpp>

namespace {

using lines = std::vector<std::string>;

lines skipped;
lines without_assertion;

std::string place_of(doctest::TestCaseData const& at) {
  return std::string(at.m_file.c_str()) + ':' + std::to_string(at.m_line) + ": " + at.m_name;
}

class assertion_check : public doctest::IReporter {
 public:
  explicit assertion_check(doctest::ContextOptions const&) {}
  void test_case_start(doctest::TestCaseData const& in) override {
    running_ = &in;
    skipped_before_ = skipped.size();
  }
  void test_case_end(doctest::CurrentTestCaseStats const& in) override {
    if (in.numAssertsCurrentTest == 0 && skipped.size() == skipped_before_)
      without_assertion.push_back(place_of(*running_));
  }

  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

 private:
  doctest::TestCaseData const* running_ = nullptr;
  std::size_t skipped_before_ = 0;
};
DOCTEST_REGISTER_LISTENER("assertion_check", 1, assertion_check);

}  // namespace

void test::skip(std::string const& reason) {
  std::string const line = place_of(*doctest::getContextOptions()->currentTest) + ": " + reason;
  if (std::ranges::find(skipped, line) == skipped.end()) skipped.push_back(line);
}

int main(int argc, char** argv) {
  int const code = doctest::Context(argc, argv).run();
  for (std::string const& line : skipped) std::cout << "skipped: " << line << '\n';
  for (std::string const& line : without_assertion) std::cout << "asserts nothing: " << line << '\n';
  if (code != 0 || !without_assertion.empty()) return code != 0 ? code : 1;
  return skipped.empty() ? 0 : test::skip_code;
}
