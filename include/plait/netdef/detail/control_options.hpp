// How If, While and Do ops are made, and what they leave behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plait/net/mutation.hpp>

namespace plait {

/// Which blob outside a Do op one of its net's blobs is.
struct blob_binding {
  std::string inner;
  std::string outer;
  friend bool operator==(blob_binding const&, blob_binding const&) = default;
};

struct control_options {
  /// Workspaces are called <name>/workspace_if_then and so on; empty: the net's name.
  std::string name = {};
  std::optional<device_spec> device = {};  ///< of all ops that are made
};

struct do_options {
  /// Empty: every blob is the one of its name outside, if there is one in the lexical scope. Else these and no others:
  /// every blob that the net reads before it writes it must be among them; an outer blob that is only written need not
  /// exist.
  std::vector<blob_binding> bindings = {};
  /// The blob with the workspace; empty: one is made, called <name>/workspace_do.
  std::string workspace = {};
  bool copy_external_blobs = false;  ///< each run keeps the values it began with, for the gradient: in loops
  bool reuse_workspace = false;      ///< run again where the last run was
  std::string name = {};             ///< empty: the net's name
  std::optional<device_spec> device = {};
};

/// What a control flow op leaves behind.
struct control_blobs {
  std::vector<std::string> outputs;     ///< blobs of the net around that it writes
  std::vector<std::string> workspaces;  ///< of If: then, else; of While: body, condition
  friend bool operator==(control_blobs const&, control_blobs const&) = default;
};

}  // namespace plait
