// Reports on a compiled plan: its ops and memory as text, its schedule, and a forecast of the memory of a run.
#pragma once

#include <plait/exec/detail/memory_use.hpp>
#include <plait/exec/detail/plan_text.hpp>
#include <plait/exec/detail/schedule.hpp>
