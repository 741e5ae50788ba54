// Description of a communication operation, on which all ranks must agree before they exchange data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/tensor.hpp>

namespace plait::detail::mpi {

/// Op type, arguments and tensors of an operation. Ranks compare digests, and only if these differ the texts.
class call {
 public:
  /// `arguments` is a text such as "root 0"; empty if all ranks may differ in them.
  explicit call(std::string_view op, std::string_view arguments = {}) : op_(op), arguments_(arguments) {
    text_ = op_ + '\n' + arguments_ + '\n';
  }
  /// Adds a tensor. `type` describes what must be equal on all ranks.
  void add(std::string_view blob, std::string_view type) {
    tensors_.emplace_back(blob, type);
    text_ += std::string(blob) + '\n' + std::string(type) + '\n';
  }
  void add(std::string_view blob, tensor_spec const& type) { add(blob, to_string(type)); }

  std::string const& op() const noexcept { return op_; }
  /// Returns the name of the first tensor; empty if there is none.
  std::string blob() const { return tensors_.empty() ? std::string() : tensors_.front().first; }
  std::string const& text() const noexcept { return text_; }

  /// Returns FNV-1a of the text: the same on machines of either byte order.
  std::uint64_t digest() const noexcept {
    std::uint64_t state = 0xcbf29ce484222325u;
    for (char const letter : text_) state = (state ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return state;
  }

  /// Returns the operation that text() describes.
  static call from_text(std::string_view text) {
    auto const line = [&] {
      std::size_t const end = std::min(text.find('\n'), text.size());
      std::string made(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      return made;
    };
    std::string const op = line();
    call made(op, line());
    while (!text.empty()) {
      std::string const blob = line();
      made.add(blob, line());
    }
    return made;
  }

  /// Returns the first tensor that differs from the one of another rank; nothing if something else does.
  std::optional<std::size_t> differing_tensor(call const& other) const {
    if (op_ != other.op_ || arguments_ != other.arguments_) return std::nullopt;
    auto const [mine, theirs] = std::ranges::mismatch(tensors_, other.tensors_);
    if (mine == tensors_.end() || theirs == other.tensors_.end()) return std::nullopt;
    return static_cast<std::size_t>(mine - tensors_.begin());
  }
  std::string const& blob(std::size_t tensor) const { return tensors_[tensor].first; }

  /// Returns "MPIBroadcast (root 0) of 'x', float32 2x3", for messages. `tensor`: the one to describe, of several.
  std::string description(std::size_t tensor = 0) const {
    std::string made = op_;
    if (!arguments_.empty()) made += " (" + arguments_ + ')';
    if (tensors_.empty()) return made;
    made += " of '" + tensors_[tensor].first + "', " + tensors_[tensor].second;
    if (tensors_.size() > 1)
      made += ", tensor " + std::to_string(tensor + 1) + " of " + std::to_string(tensors_.size());
    return made;
  }

 private:
  std::string op_;
  std::string arguments_;
  std::vector<std::pair<std::string, std::string>> tensors_;  // name and type
  std::string text_;
};

}  // namespace plait::detail::mpi
