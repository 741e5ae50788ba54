// An IR of structs with nested nets: net_traits<N>::subnets beyond NetDef.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <plait/net/detail/implicit_operands.hpp>

namespace test {

struct nested_net;

struct nested_part {
  std::shared_ptr<nested_net const> net;
  plait::subnet_scope scope = plait::subnet_scope::shared;
  std::vector<std::string> locals = {};
};

struct nested_op {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<nested_part> parts = {};
};

struct nested_net {
  std::vector<nested_op> ops;
  std::vector<std::string> external_inputs = {};
  std::vector<std::string> external_outputs = {};
  std::vector<nested_part> subnets(nested_op const& op) const { return op.parts; }
};

}  // namespace test
