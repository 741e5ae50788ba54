// Export for deployment: a net and its parameters as the predict and init nets that a predictor loads, and the pipeline
// of transforms before it.
#pragma once

#include <plait/transform/detail/alias_placeholder.hpp>
#include <plait/transform/detail/const_fill.hpp>
#include <plait/transform/detail/export_nets.hpp>
#include <plait/transform/detail/export_pipeline.hpp>
#include <plait/transform/detail/external_blobs.hpp>
#include <plait/transform/detail/remap_inputs.hpp>
