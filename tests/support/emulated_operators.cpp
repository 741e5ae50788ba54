// The table of operators of the device that the host emulates, compiled once.
#include <support/emulated_device.hpp>

#include <plait/exec/standard_operators.hpp>

template plait::operators<test::emulated_device> const& plait::standard_operators<test::emulated_device>();
