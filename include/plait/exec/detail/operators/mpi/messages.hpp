// Point-to-point messages: sending and receiving one tensor, as jobs.
//
// The sender first sends the type and shape, and sends the elements when the receiver has replied that it expects them.
// So neither exchanges elements if they disagree, and both throw. Like MPI_Ssend, sending waits for the receiver.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <plait/exec/detail/operators/mpi/exchanges.hpp>
#include <plait/exec/detail/operators/mpi/job.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail::mpi {

/// Type, shape and name of a tensor, as both ranks tell each other.
struct envelope {
  std::array<char, 128> type{};
  std::array<char, 128> blob{};

  static envelope of(tensor_spec const& type, std::string_view blob) {
    envelope made;
    copy(made.type, to_string(type));
    copy(made.blob, blob);
    return made;
  }
  bool fits(envelope const& other) const { return std::strcmp(type.data(), other.type.data()) == 0; }
  std::string text() const { return "'" + std::string(blob.data()) + "', " + type.data(); }

 private:
  static void copy(std::array<char, 128>& to, std::string_view from) {
    std::memcpy(to.data(), from.data(), std::min(from.size(), to.size() - 1));
  }
};

/// Returns the failure of a pair of ranks whose tensors do not fit.
inline failure misfit(int from, envelope const& sent, int to, envelope const& expected, std::string blob) {
  return {mpi_failure::mismatch,
          {std::min(from, to), std::max(from, to)},
          "rank " + std::to_string(from) + " sends " + sent.text() + ", and rank " + std::to_string(to) + " receives " +
              expected.text(),
          std::move(blob)};
}

/// Common part of both sides.
class message_job : public job {
 public:
  message_job(std::shared_ptr<call const> what, tensor_spec const& type, std::string_view blob)
      : job(std::move(what)), own_(envelope::of(type, blob)) {
    bytes.resize(type.bytes());
  }
  bool is_collective() const final { return false; }
  void restart() final {
    phase_ = 0;
    at_ = 0;
  }
  /// Sets the other rank and the tag, for the next run.
  void address(int other, int tag) noexcept {
    other_ = other;
    tag_ = tag;
  }
  int other() const noexcept { return other_; }
  int tag() const noexcept { return tag_; }

  buffer bytes;

 protected:
  // Returns the next chunk of the elements: the first byte and the number of bytes; 0 at the end.
  std::pair<std::byte*, int> next_chunk() {
    std::size_t const count = std::min(bytes.size() - at_, most_elements);
    std::byte* const first = bytes.data() + at_;
    at_ += count;
    return {first, static_cast<int>(count)};
  }

  envelope own_;
  envelope theirs_;
  int other_ = MPI_ANY_SOURCE;
  int tag_ = MPI_ANY_TAG;
  int phase_ = 0;

 private:
  std::size_t at_ = 0;
};

class send_job final : public message_job {
 public:
  using message_job::message_job;
  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    switch (phase_++) {
      case 0:
        check(MPI_Isend(&own_, sizeof own_, MPI_BYTE, other_, tag_, on.data, &next), "MPI_Isend");
        return true;
      case 1:
        check(MPI_Irecv(&theirs_, sizeof theirs_, MPI_BYTE, other_, reply_tag, on.control, &next), "MPI_Irecv");
        return true;
      case 2:
        if (!own_.fits(theirs_)) throw misfit(on.rank, own_, other_, theirs_, own_.blob.data());
        [[fallthrough]];
      default: {
        auto const [first, count] = next_chunk();
        if (count == 0) return false;
        check(MPI_Isend(first, count, MPI_BYTE, other_, payload_tag, on.control, &next), "MPI_Isend");
        return true;
      }
    }
  }
};

class receive_job final : public message_job {
 public:
  using message_job::message_job;
  bool post(communicators const& on, MPI_Status const& status, MPI_Request& next) override {
    switch (phase_++) {
      case 0:
        check(MPI_Irecv(&theirs_, sizeof theirs_, MPI_BYTE, other_, tag_, on.data, &next), "MPI_Irecv");
        return true;
      case 1:
        other_ = status.MPI_SOURCE;
        tag_ = status.MPI_TAG;
        check(MPI_Isend(&own_, sizeof own_, MPI_BYTE, other_, reply_tag, on.control, &next), "MPI_Isend");
        return true;
      case 2:
        if (!own_.fits(theirs_)) throw misfit(other_, theirs_, on.rank, own_, own_.blob.data());
        [[fallthrough]];
      default: {
        auto const [first, count] = next_chunk();
        if (count == 0) return false;
        check(MPI_Irecv(first, count, MPI_BYTE, other_, payload_tag, on.control, &next), "MPI_Irecv");
        return true;
      }
    }
  }
};

}  // namespace plait::detail::mpi
