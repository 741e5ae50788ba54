// Ctrl-C ends what goes on, not the program.
#pragma once

namespace example {

/// From now on the first Ctrl-C is only remembered, so that what was learnt can be kept; the second ends the program.
void catch_interrupt();
bool interrupted();

}  // namespace example
