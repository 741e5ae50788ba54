// Reverse-mode automatic differentiation of nets: the backward pass, the rules of op types, and optimizers.
#pragma once

#define PLAIT_GRADIENT  // for runtime/extern_templates.hpp

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
