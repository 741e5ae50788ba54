// Archetype of the net concept, with nothing beyond its requirements: single-pass ranges with a sentinel of another
// type, ops behind a handle that can be moved but not copied, and names that are only regular and hashable.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <support/input_only.hpp>

namespace test {

class archetype_net;

class archetype_name {
 public:
  archetype_name() = default;
  friend bool operator==(archetype_name, archetype_name) = default;

 private:
  friend class archetype_net;
  friend struct std::hash<archetype_name>;
  explicit archetype_name(int id) : id_(id) {}
  int id_ = -1;
};

class archetype_net {
  struct record {
    std::vector<archetype_name> in;
    std::vector<archetype_name> out;
  };
  struct make_name {
    std::vector<archetype_name> const* from;
    archetype_name operator()(std::size_t i) const { return (*from)[i]; }
  };
  static input_only<make_name> walk(std::vector<archetype_name> const& from) { return {from.size(), make_name{&from}}; }

 public:
  /// Element type of ops().
  class op_handle {
   public:
    op_handle() = delete;
    explicit op_handle(record const& op) : op_(&op) {}
    op_handle(op_handle&&) = default;
    op_handle& operator=(op_handle&&) = default;
    auto inputs() const { return walk(op_->in); }
    auto outputs() const { return walk(op_->out); }

   private:
    record const* op_;
  };

 private:
  struct make_op {
    std::vector<record> const* from;
    op_handle operator()(std::size_t i) const { return op_handle((*from)[i]); }
  };

 public:
  input_only<make_op> ops() const { return {ops_.size(), make_op{&ops_}}; }
  auto external_inputs() const { return walk(given_); }
  auto external_outputs() const { return walk(promised_); }

  // ---- for the tests only; the traits do not use it
  archetype_name name(std::string_view text) {
    if (archetype_name const known = find(text); known != archetype_name()) return known;
    texts_.emplace_back(text);
    return archetype_name(static_cast<int>(texts_.size() - 1));
  }
  archetype_name find(std::string_view text) const {
    for (std::size_t i = 0; i != texts_.size(); ++i)
      if (texts_[i] == text) return archetype_name(static_cast<int>(i));
    return {};
  }
  std::string text_of(archetype_name name) const { return texts_[static_cast<std::size_t>(name.id_)]; }

  std::vector<record> ops_;
  std::vector<archetype_name> given_;
  std::vector<archetype_name> promised_;
  std::vector<std::string> texts_;
};

}  // namespace test

template <>
struct std::hash<test::archetype_name> {
  std::size_t operator()(test::archetype_name name) const { return static_cast<std::size_t>(name.id_); }
};
