// Options for adding If, While and Do ops, and the blobs that these write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plait/net/mutation.hpp>

namespace plait {

/// Binding of a blob in the net of a Do op to an outer blob.
struct blob_binding {
  std::string inner;
  std::string outer;
  friend bool operator==(blob_binding const&, blob_binding const&) = default;
};

struct control_options {
  /// Prefix of workspace names: <name>/workspace_if_then and so on; empty: the name of the net.
  std::string name = {};
  std::optional<device_spec> device = {};  ///< device of all added ops
};

struct do_options {
  /// Empty: every blob is bound to the outer blob of its name, if there is one in the lexical scope. Otherwise these
  /// blobs are bound and no others: all upward-exposed reads of the net must be among them; an outer blob that is only
  /// written need not exist.
  std::vector<blob_binding> bindings = {};
  /// The blob that holds the workspace; empty: a new one, <name>/workspace_do.
  std::string workspace = {};
  bool copy_external_blobs = false;  ///< each run saves the values it began with, for the gradient; needed in loops
  bool reuse_workspace = false;      ///< each run uses the workspace of the last one
  std::string name = {};             ///< empty: the net's name
  std::optional<device_spec> device = {};
};

/// Blobs that a control flow op writes.
struct control_blobs {
  std::vector<std::string> outputs;     ///< blobs of the enclosing net
  std::vector<std::string> workspaces;  ///< If: of then, of else; While: of body, of condition
  friend bool operator==(control_blobs const&, control_blobs const&) = default;
};

}  // namespace plait
