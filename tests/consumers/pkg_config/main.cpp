#include <plait/ssa/versioning.hpp>

#include <string>
#include <vector>

namespace {

struct instruction {
  std::vector<std::string> reads;
  std::vector<std::string> writes;

  std::vector<std::string> const& inputs() const { return reads; }
  std::vector<std::string> const& outputs() const { return writes; }
};

struct function {
  std::vector<instruction> body;

  std::vector<instruction> const& ops() const { return body; }
};

}  // namespace

int main() {
  function const f = {{{{"x", "w"}, {"y"}}, {{"y", "b"}, {"y"}}}};
  auto const ssa = plait::get_ssa(f);
  return ssa.version("y") == 2 ? 0 : 1;
}
