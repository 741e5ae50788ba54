#include <plait/gradient/detail/backward_frame.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace {

// Records its begin and end; requests other frames once per round.
class noting final : public plait::backward_frame {
 public:
  noting(std::vector<int>& notes, int number, std::vector<std::vector<int>> rounds)
      : notes_(&notes), number_(number), rounds_(std::move(rounds)) {}

  frames advance(frames done) override {
    std::size_t const expected = next_ == 0 ? 0 : rounds_[next_ - 1].size();
    CHECK(done.size() == expected);
    if (next_ == 0) notes_->push_back(number_);
    frames wanted;
    if (next_ != rounds_.size())
      for (int inner : rounds_[next_++]) wanted.push_back(std::make_unique<noting>(*notes_, inner, none()));
    else
      notes_->push_back(-number_);
    return wanted;
  }

 private:
  static std::vector<std::vector<int>> none() { return {}; }
  std::vector<int>* notes_;
  int number_;
  std::vector<std::vector<int>> rounds_;
  std::size_t next_ = 0;
};

// Requests a nested frame until depth 0.
class nested final : public plait::backward_frame {
 public:
  nested(std::size_t depth, std::size_t& ended) : depth_(depth), ended_(&ended) {}
  frames advance(frames done) override {
    frames wanted;
    if (done.empty() && depth_ != 0)
      wanted.push_back(std::make_unique<nested>(depth_ - 1, *ended_));
    else
      ++*ended_;
    return wanted;
  }

 private:
  std::size_t depth_;
  std::size_t* ended_;
};

}  // namespace

TEST_CASE("run_frames: requested frames run to completion before the requester resumes") {
  std::vector<int> notes;
  noting root(notes, 1, {{2, 3}, {4}});
  plait::run_frames(root);
  CHECK(notes == std::vector<int>{1, 2, -2, 3, -3, 4, -4, -1});
}

TEST_CASE("run_frames: nesting of depth 100,000 does not overflow the stack") {
  std::size_t const deep = 100'000;
  std::size_t ended = 0;
  {
    nested root(deep, ended);
    plait::run_frames(root);
  }
  CHECK(ended == deep + 1);
}
