#include <plait/exec/backends/serial/serial.hpp>

#include "../train_on.hpp"

template std::vector<mlp::measurement> mlp::train_on<plait::serial>(model&, recipe const&, schedule const&,
                                                                    example::ranks const&, watcher const&);
