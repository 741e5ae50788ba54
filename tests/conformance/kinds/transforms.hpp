// One function for each transform of FORMAT.md, by topic in transforms/*.cpp.
#pragma once

#include "../answer.hpp"
#include "../case.hpp"

namespace conformance {

// values.cpp
answer get_sub_graph_external_input_output(case_inputs& in);
answer get_producer_map(case_inputs& in);
answer get_consumer_map(case_inputs& in);
answer get_output_producers(case_inputs& in);
answer get_op_ids_in_path(case_inputs& in);
answer get_external_blob_names(case_inputs& in);

// names.cpp
answer rename_op_input(case_inputs& in);
answer rename_op_output(case_inputs& in);
answer fuse_alias_placeholder(case_inputs& in);
answer ssa_rewrite(case_inputs& in);

// clones.cpp
answer clone(case_inputs& in);
answer clone_partial(case_inputs& in);
answer clone_and_bind_net(case_inputs& in);

// rewrites.cpp
answer remove_dead_end_ops(case_inputs& in);
answer fuse_copy_between_cpu_and_gpu(case_inputs& in);
answer group_norm_replace_aten_with_caffe2(case_inputs& in);
answer identify_reshape_sub_graph(case_inputs& in);
answer remove_reshape_for_fc(case_inputs& in);
answer infer_device_type(case_inputs& in);

// steps.cpp
answer retrieve_step_blobs(case_inputs& in);

// parameters.cpp
answer construct_init_net_from_params(case_inputs& in);
answer get_params_from_init_net(case_inputs& in);
answer mobile_export(case_inputs& in);

}  // namespace conformance
