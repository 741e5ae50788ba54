// Operator table of the thread pool backend: all operators, compiled once.
#include <plait/exec/standard_operators.hpp>
#include <support/thread_pool_backend.hpp>

template plait::operators<test::thread_pool> const& plait::standard_operators<test::thread_pool>();
