#include <plait/exec/backends/tbb/tbb.hpp>

#include "../train_on.hpp"

template std::vector<mlp::measurement> mlp::train_on<plait::tbb>(model&, recipe const&, schedule const&,
                                                                 example::ranks const&, watcher const&);
