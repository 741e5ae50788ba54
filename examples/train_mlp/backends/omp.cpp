#include <plait/exec/backends/omp/omp.hpp>

#include "../train_on.hpp"

template std::vector<mlp::measurement> mlp::train_on<plait::omp>(model&, recipe const&, schedule const&,
                                                                 example::ranks const&, watcher const&);
