// Net cloning: clone(), clone_partial() of a backward slice, clone_and_bind(), and append_net().
#pragma once

#include <plait/transform/detail/append.hpp>
#include <plait/transform/detail/clone_and_bind.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/detail/clone_partial.hpp>
