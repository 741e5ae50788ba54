// Reports on a compiled plan: its schedule as text, and a forecast of the memory of a run.
#pragma once

#include <plait/exec/detail/memory_forecast.hpp>
#include <plait/exec/detail/plan_text.hpp>
