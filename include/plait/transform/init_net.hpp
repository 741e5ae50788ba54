// Init nets: fill ops for given parameters, and evaluation of the parameters of an init net without running it.
#pragma once

#include <plait/transform/detail/parameter_extraction.hpp>
#include <plait/transform/detail/parameter_fill.hpp>
