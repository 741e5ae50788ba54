// Some operators, compiled by clang with flags that keep loops from becoming vectors: it must not say so.
#include <plait/exec/operators/dropout.hpp>
#include <plait/exec/operators/units.hpp>
#include <plait/exec/serial.hpp>

template void plait::add_dropout_operators<plait::serial>(plait::operators<plait::serial>&);
template void plait::add_unit_operators<plait::serial>(plait::operators<plait::serial>&);
