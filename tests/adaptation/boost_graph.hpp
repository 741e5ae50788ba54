// Boost.Graph types: plait ships the adaptation.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/directed_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/grid_graph.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/subgraph.hpp>

#include <plait/interop/boost_graph.hpp>

// [adaptation: Boost.Graph, at most 0 lines]
// [end]
