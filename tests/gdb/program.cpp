// Program that check.cmake stops in GDB, at the call of stop().
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace {

struct text_net {
  struct op {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
  };
  std::vector<op> ops;
};

// Memory of an object before its constructor has run.
template <class T>
struct unconstructed {
  unconstructed() { std::memset(bytes, 0xa5, sizeof bytes); }
  T const& get() const { return *std::launder(reinterpret_cast<T const*>(bytes)); }
  alignas(T) unsigned char bytes[sizeof(T)];
};

[[gnu::noinline]] void stop() { asm volatile(""); }

}  // namespace

int main() {
  plait::netdef net;
  net.name = net.intern("small");
  net.external_input = {net.intern("x"), net.intern("w")};
  net.external_output = {net.intern("y")};
  net.add_op("Mul", {"x", "w"}, {"y"});
  net.add_op("Relu", {"y"}, {"y"});
  net.add_op("Concat", {"x", "w", "y", "x", "w", "y", "x", "w", "y", "x"}, {});
  plait::op_def const op = net.op[1];
  plait::netdef const empty;

  auto const ssa = plait::get_ssa(net);
  text_net const texts{{{"Mul", {"a", "b"}, {"c"}}}};
  auto const ssa_of_texts = plait::get_ssa(texts);
  plait::value const version = ssa.writes(1)[0];
  plait::value const no_value;

  plait::shape const dims = {2, 3};
  using tensor = plait::tensor<plait::serial>;
  tensor const matrix = tensor::from(std::vector<float>{0, 1, 2, 3, 4, 5}, dims);
  tensor const column = matrix.slice(1, 1, 2);
  tensor const many = tensor::from(std::vector<std::int64_t>(100, 7), {100});
  tensor const bytes = tensor::from(std::vector<std::int8_t>{-1, 65}, {2});
  tensor const unset;

  unconstructed<plait::netdef> const raw_net;
  unconstructed<tensor> const raw_tensor;
  unconstructed<plait::op_def> const raw_op;
  unconstructed<plait::ssa_form<plait::netdef>> const raw_ssa;
  stop();
  return raw_net.get().op.empty() && raw_tensor.get().rank() == 0 && &op == &raw_op.get() && empty.op.empty() &&
                 &ssa == &raw_ssa.get() && ssa_of_texts.op_count() + version.version + no_value.version == 0 &&
                 column.rank() + bytes.rank() + many.rank() + unset.rank() == 0
             ? 1
             : 0;
}
