#include "nested_ops.hpp"

#include <memory>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/netdef/traits.hpp>

namespace cli {

void for_each_net(plait::netdef const& net, std::function<void(net_place const&)> const& f,
                  std::function<void()> const& unreadable) {
  using shared_net = std::shared_ptr<plait::netdef const>;
  struct level {
    shared_net net;
    std::vector<shared_net> owners;  // the nets around it, which own it unless it was parsed from text
    std::vector<std::size_t> inside;
    std::string path;
  };
  std::vector<level> pending;
  pending.push_back({shared_net(shared_net(), &net), {}, {}, {}});
  for (std::size_t at = 0; at != pending.size(); ++at) {
    level const here = std::move(pending[at]);
    f({*here.net, here.inside, here.path});
    for (std::size_t i = 0; i != here.net->op.size(); ++i) {
      try {
        for (plait::nested_net& inner : plait::nested_nets(*here.net, here.net->op[i])) {
          level below{std::move(inner.net), here.owners, here.inside, here.path};
          below.owners.push_back(here.net);
          below.inside.push_back(i);
          below.path += "in " + inner.argument + " of " + op_title(*here.net, i) + ": ";
          pending.push_back(std::move(below));
        }
      } catch (plait::net_error const&) {
        unreadable();
      }
    }
  }
}

void for_each_op(plait::netdef const& net, std::function<void(op_place const&)> const& f) {
  for_each_net(net, [&](net_place const& of) {
    for (std::size_t i = 0; i != of.net.op.size(); ++i) f({of, i});
  });
}

std::string op_title(plait::netdef const& net, std::size_t op) {
  plait::op_def const& found = net.op[op];
  std::string text = "op " + std::to_string(op) + " (" + std::string(net.text(found.type));
  if (!net.text(found.name).empty()) text += " '" + std::string(net.text(found.name)) + '\'';
  return text + ')';
}

}  // namespace cli
