// Operators with loops that clang does not vectorise: users of the header must not see a warning.
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>

template void plait::add_arithmetic_operators<plait::serial>(plait::operators<plait::serial>&);
