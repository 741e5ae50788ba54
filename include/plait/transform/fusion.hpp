// Op fusion: elimination of device copies and of Reshape before FC, and the ops of an exported GroupNorm.
#pragma once

#include <plait/transform/detail/copy_fusion.hpp>
#include <plait/transform/detail/group_norm.hpp>
#include <plait/transform/detail/remove_reshape.hpp>
#include <plait/transform/detail/reshape_subgraphs.hpp>
