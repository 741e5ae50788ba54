#include <plait/exec/backends/omp/omp.hpp>

#include "../train_on.hpp"

template std::vector<lstm::measurement> lstm::train_on<plait::omp>(model&, std::vector<std::int32_t> const&,
                                                                   recipe const&, schedule const&,
                                                                   example::ranks const&, watcher const&);
template std::vector<std::int32_t> lstm::sample_on<plait::omp>(model const&, sampling const&);
