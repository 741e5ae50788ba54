// Init nets: ops that make given parameters, and the parameters that an init net makes, without running it.
#pragma once

#include <plait/transform/detail/parameter_extraction.hpp>
#include <plait/transform/detail/parameter_fill.hpp>
