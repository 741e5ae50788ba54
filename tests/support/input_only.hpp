// Archetype of input_range: single pass, move-only iterators, a sentinel of another type.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace test {

/// A minimal input_range: Make creates its elements from an index below a count.
template <class Make>
class input_only {
  using item = decltype(std::declval<Make const&>()(std::size_t{}));

 public:
  struct sentinel {
    std::size_t count;
  };
  class iterator {
   public:
    using value_type = std::remove_cvref_t<item>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    explicit iterator(Make make) : make_(make) {}
    iterator(iterator&&) = default;
    iterator& operator=(iterator&&) = default;

    item operator*() const { return make_(at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    friend bool operator==(iterator const& i, sentinel end) { return i.at_ == end.count; }

   private:
    Make make_;
    std::size_t at_ = 0;
  };

  input_only(std::size_t count, Make make) : count_(count), make_(make) {}
  input_only(input_only&&) = default;
  input_only& operator=(input_only&&) = default;
  iterator begin() const { return iterator(make_); }
  sentinel end() const { return {count_}; }

 private:
  std::size_t count_;
  Make make_;
};

}  // namespace test
