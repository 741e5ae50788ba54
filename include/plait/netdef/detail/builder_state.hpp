// State of a net builder: its net, the scope of blobs that ops can name, and the resolution of operand names.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/mutation.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

struct builder_state {
  netdef net;
  name_generator names = name_generator("");
  std::vector<bool> known;               ///< by symbol: this net has the blob
  std::vector<bool> is_external_output;  ///< by symbol: it is an external output
  std::vector<std::string> declared;     ///< in scope though nothing in the net mentions them yet
  builder_state const* parent = nullptr;
  std::shared_ptr<unique_names> net_names;  ///< names of this net, the enclosing and the nested nets
  std::string prefix;                       ///< the name scope, with its '/'
  std::optional<device_spec> device;

  std::string_view name() const { return net.text(net.name); }
  std::string quoted() const { return "net '" + std::string(name()) + '\''; }

  void begin(netdef n) {
    net = std::move(n);
    names = name_generator(name());
    declared.clear();
    rebuild_scope();
  }

  // ---- blobs
  bool has_blob(std::string_view full) const {
    symbol const s = net.find(full);
    return s && s.id < known.size() && known[s.id];
  }
  bool visible(std::string_view full) const {
    for (builder_state const* level = this; level != nullptr; level = level->parent)
      if (level->has_blob(full)) return true;
    return false;
  }
  bool add_blob(symbol s) {
    bool const is_new = mark(known, s);
    if (is_new) names.take(net.text(s));
    return is_new;
  }
  symbol add_blob(std::string const& full) {
    symbol const s = net.intern(full);
    add_blob(s);
    return s;
  }
  /// Adds all blobs that the net mentions.
  void add_all_blobs() {
    for (symbol const s : net.external_input) add_blob(s);
    for (symbol const s : net.external_output) {
      add_blob(s);
      mark(is_external_output, s);
    }
    for (op_def const& op : net.op) {
      for (symbol const s : op.input) add_blob(s);
      for (symbol const s : op.output) add_blob(s);
    }
  }
  void declare(std::string const& full) {
    if (has_blob(full)) return;
    add_blob(full);
    declared.push_back(full);
  }
  /// Rebuilds the scope after the net was changed from outside: its symbols may be others.
  void rebuild_scope() {
    known.clear();
    is_external_output.clear();
    add_all_blobs();
    for (std::string const& full : declared) add_blob(full);
  }
  void add_external_output(std::string_view full) {
    symbol const s = net.intern(full);
    if (mark(is_external_output, s)) net.external_output.push_back(s);
  }

  // ---- ops
  /// Adds the operands of the last op to the scope; inputs not in it come from an enclosing net and become external
  /// inputs.
  void register_op(op_def const& op) {
    for (symbol const s : op.input)
      if (add_blob(s)) net.external_input.push_back(s);
    for (symbol const s : op.output) add_blob(s);
  }
  void append(built_op op) { register_op(append_op(net, std::move(op))); }
  void adopt(op_def const& op, netdef const& from) {
    net.op.push_back(net.adopt(op, from));
    register_op(net.op.back());
  }

  // ---- names of operands
  [[noreturn]] void unknown(std::string_view full) const {
    throw net_error("plait: " + quoted() + " has no blob '" + std::string(full) + '\'', {}, std::string(full));
  }
  std::string scoped(blob_operand const& blob) const {
    return blob.is_text() ? prefix + std::string(blob.name()) : std::string(blob.name());
  }
  std::string output_name(blob_operand const& blob) const {
    check_owner(blob);
    if (blob.name().empty()) throw net_error("plait: " + quoted() + ": an operand has no name");
    return scoped(blob);
  }
  std::string input_name(blob_operand const& blob) const {
    std::string full = output_name(blob);
    if (!visible(full)) unknown(full);
    return full;
  }
  std::vector<std::string> input_names(blob_operands const& blobs) const {
    std::vector<std::string> made;
    made.reserve(blobs.size());
    for (blob_operand const& blob : blobs) made.push_back(input_name(blob));
    return made;
  }
  /// Returns the given names, or `count` generated ones that contain the op type.
  std::vector<std::string> output_names(std::string_view type, blob_operands const& given, std::size_t count,
                                        bool numbered) {
    std::vector<std::string> made;
    made.reserve(count);
    if (!given.empty() && given.size() != count)
      throw net_error("plait: the op " + std::string(type) + " in " + quoted() + " has " + std::to_string(count) +
                      (count == 1 ? " output" : " outputs") + ", but " + std::to_string(given.size()) +
                      (given.size() == 1 ? " name is given" : " names are given"));
    for (blob_operand const& blob : given) made.push_back(output_name(blob));
    while (made.size() != count) {
      std::string name = names.next_name(type, numbered ? std::optional(made.size()) : std::nullopt);
      if (!visible(name)) made.push_back(std::move(name));
    }
    return made;
  }

 private:
  static bool mark(std::vector<bool>& marks, symbol s) {
    if (s.id >= marks.size()) marks.resize(s.id + std::size_t{1});
    bool const is_new = !marks[s.id];
    marks[s.id] = true;
    return is_new;
  }
  void check_owner(blob_operand const& blob) const {
    if (blob.is_text()) return;
    for (builder_state const* level = this; level != nullptr; level = level->parent)
      if (level == blob.owner()) return;
    std::string const name(blob.name());
    throw net_error("plait: " + quoted() + ": an operand is " +
                        (name.empty() ? "an empty handle" : "blob '" + name + "' of another net builder"),
                    {}, name);
  }
};

}  // namespace plait::detail
