// Transforms of FORMAT.md, one function each, by topic in transforms/*.cpp.
#pragma once

#include "../case.hpp"
#include "../case_result.hpp"

namespace conformance {

// values.cpp
case_result get_sub_graph_external_input_output(case_inputs& in);
case_result get_producer_map(case_inputs& in);
case_result get_consumer_map(case_inputs& in);
case_result get_output_producers(case_inputs& in);
case_result get_op_ids_in_path(case_inputs& in);
case_result get_external_blob_names(case_inputs& in);

// names.cpp
case_result rename_op_input(case_inputs& in);
case_result rename_op_output(case_inputs& in);
case_result fuse_alias_placeholder(case_inputs& in);
case_result ssa_rewrite(case_inputs& in);

// clones.cpp
case_result clone(case_inputs& in);
case_result clone_partial(case_inputs& in);
case_result clone_and_bind_net(case_inputs& in);

// rewrites.cpp
case_result remove_dead_end_ops(case_inputs& in);
case_result fuse_copy_between_cpu_and_gpu(case_inputs& in);
case_result group_norm_replace_aten_with_caffe2(case_inputs& in);
case_result identify_reshape_sub_graph(case_inputs& in);
case_result remove_reshape_for_fc(case_inputs& in);
case_result infer_device_type(case_inputs& in);

// steps.cpp
case_result retrieve_step_blobs(case_inputs& in);

// parameters.cpp
case_result construct_init_net_from_params(case_inputs& in);
case_result get_params_from_init_net(case_inputs& in);
case_result mobile_export(case_inputs& in);

}  // namespace conformance
