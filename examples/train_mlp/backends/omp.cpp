#include <plait/exec/backends/omp/omp.hpp>

#include "../train_on.hpp"

template std::vector<mlp::measurement> mlp::train_on<plait::omp>(model&, recipe const&, std::int64_t, watcher const&);
