// Roll call: finds the ranks that do not answer, and tells the others which they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/operators/mpi/job.hpp>

namespace plait::detail::mpi {

/// Control message. Small enough to be sent eagerly, so that sending and receiving never waits for another rank.
struct notice {
  enum class kind : std::int32_t { question, answer, verdict };

  kind is = kind::question;
  std::int32_t cause = 0;                ///< of a verdict: mpi_failure
  std::uint64_t operation = 0;           ///< number of operations that the sender has begun
  std::int32_t count = 0;                ///< of a verdict: number of ranks
  std::array<std::int32_t, 32> ranks{};  ///< of a verdict: those at fault, as many as fit
  std::array<char, 640> text{};          ///< what the sender does, or the verdict

  void set_text(std::string_view from) {
    std::size_t const length = std::min(from.size(), text.size() - 1);
    std::memcpy(text.data(), from.data(), length);
    text[length] = '\0';
  }
};

/// Returns "rank 2", or "ranks 0, 2 and 3"; of more than eight, the first eight and how many there are.
inline std::string ranks_text(std::vector<int> const& ranks) {
  constexpr std::size_t shown = 8;
  std::string made = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i != std::min(ranks.size(), shown); ++i)
    made += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > shown) made += " and others, " + std::to_string(ranks.size()) + " in all";
  return made;
}

/// Control messages of one communicator. All members are called by the thread that owns MPI.
class roll_call {
 public:
  /// State that a rank reports.
  struct presence {
    std::uint64_t operation;
    std::string text;
  };

  bool is_open() const noexcept { return open_; }
  clock::time_point deadline() const noexcept { return deadline_; }
  bool all_heard() const { return std::ranges::all_of(heard_, &std::optional<presence>::has_value); }
  std::optional<presence> const& heard(int rank) const { return heard_[static_cast<std::size_t>(rank)]; }

  /// Asks all other ranks for an answer before the deadline.
  void open(communicators const& on, presence const& own, clock::time_point until) {
    open_ = true;
    deadline_ = until;
    heard_.assign(static_cast<std::size_t>(on.size), std::nullopt);
    heard_[static_cast<std::size_t>(on.rank)] = own;
    for (int rank = 0; rank != on.size; ++rank)
      if (rank != on.rank) send(on, rank, message(notice::kind::question, own));
  }
  void close() noexcept { open_ = false; }

  /// Sends a verdict to all other ranks; after a roll call, only to those that have answered.
  void announce(communicators const& on, failure const& why) {
    notice made;
    made.is = notice::kind::verdict;
    made.cause = static_cast<std::int32_t>(why.cause);
    made.count = static_cast<std::int32_t>(std::min(why.ranks.size(), made.ranks.size()));
    std::copy_n(why.ranks.begin(), made.count, made.ranks.begin());
    made.set_text(why.text);
    for (int rank = 0; rank != on.size; ++rank)
      if (rank != on.rank && (heard_.empty() || heard(rank))) send(on, rank, made);
  }

  /// Answers questions and collects answers. Returns a verdict of another rank, if there is one.
  std::optional<failure> serve(communicators const& on, presence const& own) {
    std::optional<failure> verdict;
    for (;;) {
      int found = 0;
      MPI_Status status;
      check(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, on.control, &found, &status), "MPI_Iprobe");
      if (found == 0) break;
      notice got;
      check(MPI_Recv(&got, sizeof got, MPI_BYTE, status.MPI_SOURCE, notice_tag, on.control, &status), "MPI_Recv");
      if (got.is == notice::kind::verdict) {
        auto const first = got.ranks.begin();
        verdict = failure{static_cast<mpi_failure>(got.cause), {first, first + got.count}, got.text.data()};
        continue;
      }
      if (open_) heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = presence{got.operation, got.text.data()};
      if (got.is == notice::kind::question) send(on, status.MPI_SOURCE, message(notice::kind::answer, own));
    }
    flush();
    return verdict;
  }

  /// Returns true if the library has taken over all messages to ranks that live.
  bool flush() {
    std::erase_if(sent_, [](auto& each) {
      int done = 0;
      check(MPI_Test(&each.second, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
    return sent_.empty();
  }

 private:
  static notice message(notice::kind is, presence const& own) {
    notice made;
    made.is = is;
    made.operation = own.operation;
    made.set_text(own.text);
    return made;
  }
  void send(communicators const& on, int to, notice const& what) {
    auto& [held, request] = sent_.emplace_back(std::make_unique<notice>(what), MPI_REQUEST_NULL);
    check(MPI_Isend(held.get(), sizeof *held, MPI_BYTE, to, notice_tag, on.control, &request), "MPI_Isend");
  }

  bool open_ = false;
  clock::time_point deadline_;
  std::vector<std::optional<presence>> heard_;                       // by rank, of the last roll call
  std::list<std::pair<std::unique_ptr<notice>, MPI_Request>> sent_;  // those in progress
};

}  // namespace plait::detail::mpi
