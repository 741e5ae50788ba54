// expect: plait: the kernel lacks infer(shape_context&) or run(op_context<B>&)
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>

template <class B>
struct kernel : plait::op_kernel<B> {
  explicit kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  void run(plait::op_context<B>&) override {}
#endif
};

void add_to(plait::operators<plait::serial>& table) { table.add<kernel>(plait::op_schema("Own").inputs(1).outputs(1)); }
