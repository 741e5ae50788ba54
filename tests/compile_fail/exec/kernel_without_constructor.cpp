// expect: plait: the kernel cannot be made from (op_arguments const&)
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>

template <class B>
struct kernel : plait::op_kernel<B> {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  explicit kernel(plait::op_arguments const&) {}
#endif
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>&) override {}
};

void add_to(plait::operators<plait::serial>& table) { table.add<kernel>(plait::op_schema("Own").inputs(1).outputs(1)); }
