// Exchanges of data: collective operations on host buffers, as jobs.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/operators/mpi/job.hpp>

namespace plait::detail::mpi {

/// Host memory of a job, uninitialised, aligned for every element type.
class buffer {
 public:
  void resize(std::size_t bytes) {
    if (bytes == size_) return;
    data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }
  std::byte* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

/// Returns MPI's type of elements that are copied.
inline MPI_Datatype copied_type(std::size_t bytes) {
  return bytes == 1 ? MPI_UINT8_T : bytes == 2 ? MPI_UINT16_T : bytes == 4 ? MPI_UINT32_T : MPI_UINT64_T;
}

/// Broadcast of bytes from `root`.
class broadcast_job final : public job {
 public:
  broadcast_job(std::shared_ptr<call const> what, int root) : job(std::move(what)), root_(root) {}
  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    if (at_ == bytes.size()) return false;
    std::size_t const count = std::min(bytes.size() - at_, most_elements);
    check(MPI_Ibcast(bytes.data() + at_, static_cast<int>(count), MPI_BYTE, root_, on.data, &next), "MPI_Ibcast");
    at_ += count;
    return true;
  }
  void restart() override { at_ = 0; }

  buffer bytes;

 private:
  int root_;
  std::size_t at_ = 0;
};

/// Sum over all ranks: on all of them, or on `root` only. Of floating-point numbers, the library determines the order
/// of summation, unless it is `ordered`: then the sum is ((x₀ + x₁) + x₂) + … of the ranks' elements. Each rank sums a
/// segment, for which it receives (size - 1) / size of the elements, as much as it sends after that.
class sum_job final : public job {
 public:
  static constexpr int no_root = -1;

  sum_job(std::shared_ptr<call const> what, element_type type, std::size_t count, int root, bool ordered)
      : job(std::move(what)), type_(type), count_(count), root_(root), ordered_(ordered) {
    bytes.resize(count * size_of(type));
  }
  element_type type() const noexcept { return type_; }
  std::size_t count() const noexcept { return count_; }

  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    bool more = false;
    visit_type<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t>(type_, [&]<class T>(T) {
      auto* const elements = reinterpret_cast<T*>(bytes.data());
      if (ordered_ && on.size > 1) {
        more = post_ordered(on, elements, next);
      } else {
        more = at_ != count_;
        if (more) post_sum(on, elements, next);
      }
    });
    return more;
  }
  void restart() override {
    at_ = 0;
    phase_ = 0;
  }

  buffer bytes;  ///< the elements, then their sums

 private:
  template <class T>
  void post_sum(communicators const& on, T* elements, MPI_Request& next) {
    T* const from = elements + at_;
    int const count = static_cast<int>(std::min(count_ - at_, most_elements));
    MPI_Datatype const type = datatype_of<T>();
    at_ += static_cast<std::size_t>(count);
    if (root_ == no_root)
      check(MPI_Iallreduce(MPI_IN_PLACE, from, count, type, MPI_SUM, on.data, &next), "MPI_Iallreduce");
    else if (root_ == on.rank)
      check(MPI_Ireduce(MPI_IN_PLACE, from, count, type, MPI_SUM, root_, on.data, &next), "MPI_Ireduce");
    else
      check(MPI_Ireduce(from, nullptr, count, type, MPI_SUM, root_, on.data, &next), "MPI_Ireduce");
  }

  // Segments of a chunk are exchanged, summed, and gathered.
  template <class T>
  bool post_ordered(communicators const& on, T* elements, MPI_Request& next) {
    auto const ranks = static_cast<std::size_t>(on.size);
    auto const own = static_cast<std::size_t>(on.rank);
    MPI_Datatype const type = datatype_of<T>();
    if (phase_ == 0) {
      if (at_ == count_) return false;
      std::size_t const chunk = std::min(count_ - at_, most_elements);
      starts_.assign(ranks + 1, 0);
      for (std::size_t r = 0; r <= ranks; ++r) starts_[r] = static_cast<int>(chunk * r / ranks);
      counts_.resize(ranks);
      for (std::size_t r = 0; r != ranks; ++r) counts_[r] = starts_[r + 1] - starts_[r];
      received_counts_.assign(ranks, counts_[own]);
      received_starts_.resize(ranks);
      for (std::size_t r = 0; r != ranks; ++r) received_starts_[r] = static_cast<int>(r) * counts_[own];
      received_.resize(ranks * static_cast<std::size_t>(counts_[own]) * sizeof(T));
      check(MPI_Ialltoallv(elements + at_, counts_.data(), starts_.data(), type, received_.data(),
                           received_counts_.data(), received_starts_.data(), type, on.data, &next),
            "MPI_Ialltoallv");
      phase_ = 1;
      return true;
    }
    if (phase_ == 1) {
      auto const* const terms = reinterpret_cast<T const*>(received_.data());
      auto const count = static_cast<std::size_t>(counts_[own]);
      T* const sums = elements + at_ + starts_[own];
      std::copy_n(terms, count, sums);
      for (std::size_t r = 1; r != ranks; ++r) {
        T const* const term = terms + r * count;
        for (std::size_t i = 0; i != count; ++i) sums[i] = sum(sums[i], term[i]);
      }
      check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, elements + at_, counts_.data(), starts_.data(), type,
                            on.data, &next),
            "MPI_Iallgatherv");
      phase_ = 2;
      return true;
    }
    at_ += static_cast<std::size_t>(starts_.back());
    phase_ = 0;
    return post_ordered(on, elements, next);
  }
  // Integers wrap.
  template <class T>
  static T sum(T a, T b) {
    if constexpr (std::floating_point<T>)
      return a + b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  element_type type_;
  std::size_t count_;
  int root_;
  bool ordered_;
  std::size_t at_ = 0;
  int phase_ = 0;
  buffer received_;
  std::vector<int> starts_;  // of segments, and the end of the last
  std::vector<int> counts_;
  std::vector<int> received_counts_;
  std::vector<int> received_starts_;
};

/// Concatenation of equally many elements of every rank.
class gather_job final : public job {
 public:
  gather_job(std::shared_ptr<call const> what, std::size_t element_bytes, std::size_t count, int ranks)
      : job(std::move(what)), element_bytes_(element_bytes), count_(count) {
    own.resize(count * element_bytes);
    all.resize(own.size() * static_cast<std::size_t>(ranks));
  }
  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    if (std::exchange(is_posted_, true) || count_ == 0) return false;
    MPI_Datatype const type = copied_type(element_bytes_);
    int const count = static_cast<int>(count_);
    check(MPI_Iallgather(own.data(), count, type, all.data(), count, type, on.data, &next), "MPI_Iallgather");
    return true;
  }
  void restart() override { is_posted_ = false; }

  buffer own;
  buffer all;

 private:
  std::size_t element_bytes_;
  std::size_t count_;
  bool is_posted_ = false;
};

/// Concatenation of rows, of which each rank may have another number.
class gather_rows_job final : public job {
 public:
  gather_rows_job(std::shared_ptr<call const> what, std::size_t element_bytes, std::size_t row, std::int64_t row_count)
      : job(std::move(what)), element_bytes_(element_bytes), row_(row), own_rows_(row_count) {
    own.resize(static_cast<std::size_t>(row_count) * row * element_bytes);
  }
  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    if (phase_ == 0) {
      rows.assign(static_cast<std::size_t>(on.size), 0);
      check(MPI_Iallgather(&own_rows_, 1, MPI_INT64_T, rows.data(), 1, MPI_INT64_T, on.data, &next), "MPI_Iallgather");
      return ++phase_ != 0;
    }
    if (phase_ == 2) return false;
    std::uint64_t total = 0;
    counts_.clear();
    starts_.clear();
    for (std::int64_t const each : rows) {
      starts_.push_back(static_cast<int>(total));
      counts_.push_back(static_cast<int>(static_cast<std::uint64_t>(each) * row_));
      total += static_cast<std::uint64_t>(each) * row_;
      if (total > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        throw failure{mpi_failure::transport, {}, "the ranks have more than 2147483647 elements together", {}, true};
    }
    all.resize(total * element_bytes_);
    MPI_Datatype const type = copied_type(element_bytes_);
    check(MPI_Iallgatherv(own.data(), counts_[static_cast<std::size_t>(on.rank)], type, all.data(), counts_.data(),
                          starts_.data(), type, on.data, &next),
          "MPI_Iallgatherv");
    return ++phase_ != 0;
  }
  void restart() override { phase_ = 0; }

  buffer own;
  buffer all;
  std::vector<std::int64_t> rows;  ///< by rank

 private:
  std::size_t element_bytes_;
  std::size_t row_;  // elements of a row
  std::int64_t own_rows_;
  std::vector<int> counts_;
  std::vector<int> starts_;
  int phase_ = 0;
};

}  // namespace plait::detail::mpi
