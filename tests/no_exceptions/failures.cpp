// Failures without exceptions call the failure handler. With the name of a death test as argument, the program dies.
#define DOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

namespace {

struct sample_op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct sample_net {
  std::vector<sample_op> ops;
};

sample_net& sample() {
  static sample_net n{{{"A", {"x"}, {"y"}}}};
  return n;
}
void fail() { plait::rename_version(sample(), "nowhere", 0, "y2"); }

std::jmp_buf back;
char said[200];
void jump(std::exception const& error) {
  std::snprintf(said, sizeof said, "%s", error.what());
  std::longjmp(back, 1);
}

}  // namespace

TEST_CASE("failure handler: receives the message, leaves by longjmp, and the net is unchanged") {
  plait::failure_handler const before = plait::set_failure_handler(jump);
  CHECK((before == nullptr));
  bool returned = false;
  if (setjmp(back) == 0) {
    fail();
    returned = true;
  }
  CHECK_FALSE(returned);
  CHECK(std::string_view(said) == "plait: no net mentions 'nowhere'");
  CHECK(sample().ops[0].outputs == std::vector<std::string>{"y"});
  CHECK((plait::set_failure_handler(nullptr) == jump));
}

TEST_CASE("failure handler: receives assertions, too") {
  plait::set_failure_handler(jump);
  if (setjmp(back) == 0) PLAIT_ASSERT(1 + 1 == 3, "arithmetic: holds");
  CHECK(std::string_view(said).ends_with(": arithmetic: holds"));
  plait::set_failure_handler(nullptr);
}

int main(int argc, char** argv) {
  std::string_view const death = argc == 2 ? argv[1] : "";
  auto const say = [](std::exception const& error) { std::fprintf(stderr, "handled: %s\n", error.what()); };
  if (death == "default_handler") {
    fail();
  } else if (death == "handler_that_exits") {
    plait::set_failure_handler([](std::exception const& error) {
      std::fprintf(stderr, "handled: %s\n", error.what());
      std::_Exit(42);
    });
    fail();
  } else if (death == "handler_that_returns") {
    plait::set_failure_handler(say);
    fail();
  } else if (death == "assertion") {
    PLAIT_ASSERT(argc == 1, "single: wrong number");
  }
  if (!death.empty()) return 0;  // unreachable if the death test passes
  return doctest::Context(argc, argv).run();
}
