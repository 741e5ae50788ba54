// Copies of nets: clone_net() under other names, clone_partial() of the part that computes some outputs, bind, and
// append.
#pragma once

#include <plait/transform/detail/append.hpp>
#include <plait/transform/detail/clone_and_bind.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/detail/clone_partial.hpp>
