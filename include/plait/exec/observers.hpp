// Observers of runs: time by op or fusion group, a trace for chrome://tracing, text of ops, a check for NaN.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <locale>
#include <map>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <plait/core/detail/utf8.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/observer.hpp>

namespace plait {

/// Base class of timing observers: reports when each op or group began and ended, from one thread at a time. On devices
/// it synchronises before and after each op, which slows the run down.
template <backend B>
class op_timer : public op_observer {
 public:
  using clock = std::chrono::steady_clock;

  bool reads_values() const override { return false; }
  void before(op_event const& e) override {
    B::synchronize();
    clock::time_point const now = clock::now();
    std::lock_guard const lock(mutex_);
    begun_[&e] = now;
  }
  void after(op_event const& e) override {
    B::synchronize();
    clock::time_point const now = clock::now();
    std::lock_guard const lock(mutex_);
    auto const begun = begun_.find(&e);
    if (begun == begun_.end()) return ended(e, now, now);
    clock::time_point const begin = begun->second;
    begun_.erase(begun);
    ended(e, begin, now);
  }

 protected:
  virtual void ended(op_event const& e, clock::time_point begin, clock::time_point end) = 0;

 private:
  std::mutex mutex_;
  std::unordered_map<op_event const*, clock::time_point> begun_;  // an event keeps its address from before to after
};

/// Records the time and thread of each op or group. Takes memory for each op of each run.
template <backend B>
class time_observer : public op_timer<B> {
 public:
  using clock = typename op_timer<B>::clock;
  struct record {
    std::size_t op;
    std::string type;  ///< types of all ops of a group: see op_event
    std::string name;
    std::string output;  ///< the first output
    std::size_t depth;   ///< 0 for ops of the plan itself, 1 for those of nets inside them, and so on
    std::thread::id thread;
    typename clock::time_point begin;
    typename clock::time_point end;
  };

  /// Returns the records in the order in which ops ended, so that those of nested nets precede the enclosing op. Not to
  /// be called during a run.
  std::vector<record> const& records() const noexcept { return records_; }
  void clear() { records_.clear(); }

 private:
  void ended(op_event const& e, typename clock::time_point begin, typename clock::time_point end) override {
    records_.push_back({e.op, std::string(e.type), std::string(e.name),
                        e.output_names.empty() ? std::string() : std::string(e.output_names.front()), e.depth(),
                        std::this_thread::get_id(), begin, end});
  }

  std::vector<record> records_;
};

/// Sums the times of the ops of each type, both those in nested nets and the enclosing op. Fusion groups with the same
/// types are a type of their own. Takes memory for each type, independent of the number of runs.
template <backend B>
class type_times : public op_timer<B> {
 public:
  using clock = typename op_timer<B>::clock;
  struct sum {
    std::size_t ops = 0;
    typename clock::duration time = {};
  };

  /// Returns the sums by type. Not to be called during a run.
  std::map<std::string, sum, std::less<>> const& sums() const noexcept { return sums_; }

 private:
  void ended(op_event const& e, typename clock::time_point begin, typename clock::time_point end) override {
    auto at = sums_.find(e.type);
    if (at == sums_.end()) at = sums_.emplace(e.type, sum()).first;
    ++at->second.ops;
    at->second.time += end - begin;
  }

  std::map<std::string, sum, std::less<>> sums_;
};

namespace detail {
// JSON is UTF-8: other text is read byte by byte, as Latin-1.
inline void write_json_text(std::ostream& out, std::string_view text) {
  constexpr char const* digits = "0123456789abcdef";
  bool const is_unicode = is_utf8(text);
  out << '"';
  for (char const c : text) {
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (static_cast<unsigned char>(c) < 0x20 || (static_cast<unsigned char>(c) >= 0x80 && !is_unicode))
      out << "\\u00" << digits[c >> 4 & 15] << digits[c & 15];
    else
      out << c;
  }
  out << '"';
}
}  // namespace detail

/// Writes records in the Trace Event Format that chrome://tracing and Perfetto show: one row a thread.
template <backend B>
void write_chrome_trace(std::ostream& out, time_observer<B> const& times) {
  std::unordered_map<std::thread::id, std::size_t> threads;
  out << "{\"traceEvents\":[";
  char const* separator = "\n";
  auto const first = std::ranges::min_element(times.records(), {}, &time_observer<B>::record::begin);
  for (auto const& r : times.records()) {
    auto const microseconds = [&](auto from, auto to) {
      return std::chrono::duration<double, std::micro>(to - from).count();
    };
    std::size_t const thread = threads.try_emplace(r.thread, threads.size()).first->second;
    out << separator << R"({"ph":"X","pid":0,"tid":)" << thread << ",\"name\":";
    detail::write_json_text(out, r.type);
    std::ostringstream numbers;
    numbers.imbue(std::locale::classic());
    numbers.precision(3);
    numbers << std::fixed << ",\"ts\":" << microseconds(first->begin, r.begin)
            << ",\"dur\":" << microseconds(r.begin, r.end);
    out << numbers.str() << ",\"args\":{\"op\":" << std::to_string(r.op) << ",\"name\":";
    detail::write_json_text(out, r.name);
    out << ",\"output\":";
    detail::write_json_text(out, r.output);
    out << "}}";
    separator = ",\n";
  }
  out << "\n]}\n";
}

/// Writes the lines of ops such as Print to a stream, which must outlive the observer.
class text_observer : public op_observer {
 public:
  explicit text_observer(std::ostream& out) : out_(out) {}

  bool reads_values() const override { return false; }
  bool text(std::string_view, std::string_view line) override {
    std::lock_guard const lock(mutex_);
    out_ << line << '\n';
    return true;
  }

 private:
  std::ostream& out_;
  std::mutex mutex_;
};

/// Stops a run when an op's output contains a NaN, or infinity on request: throws shape_error, to which the run adds
/// the op. Copies outputs to the host.
template <backend B>
class nan_observer : public op_observer {
 public:
  explicit nan_observer(bool infinities = false) : infinities_(infinities) {}

  void after(op_event const& e) override {
    for (std::size_t o = 0; o != e.outputs.size(); ++o) {
      slot const& at = *e.outputs[o];
      visit_type<float, double, float16, bfloat16>(at.type.type, [&]<class T>(T) {
        std::vector<T> elements(static_cast<std::size_t>(at.type.dims.size()));
        B::copy_to_host(elements.data(), at.data, elements.size() * sizeof(T));
        for (std::size_t i = 0; i != elements.size(); ++i) {
          auto const value = convert<std::conditional_t<sizeof(T) == 2, float, T>>(elements[i]);
          if (std::isnan(value) || (infinities_ && std::isinf(value)))
            throw shape_error("plait: element " + std::to_string(i) + " of output '" + std::string(e.output_names[o]) +
                              "' is " + (std::isnan(value) ? "NaN" : "infinite"));
        }
      });
    }
  }

 private:
  bool infinities_;
};

}  // namespace plait
