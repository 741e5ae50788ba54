// Differential test of random nets: every exact pass of a plan, on or off, keeps the bits of unfused ops.
#include <plait/exec/detail/plan_passes.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <support/named_numbers.hpp>
#include <support/run_op.hpp>
#include <support/some_threads.hpp>

namespace {

/// Random net of fusible ops on matrices with the same number of rows, with its feeds.
class random_net {
 public:
  explicit random_net(unsigned seed) : random_(seed), rows_(row_counts[below(std::size(row_counts))]) {
    make("x", widths[below(std::size(widths))]);
    feed("x", {rows_, values_.back().second});
    for (std::size_t ops = 2 + below(12); ops != 0; --ops) add_op();
    outputs_.push_back(values_.back().first);
    for (auto const& [name, width] : values_)
      if (below(5) == 0 && name != outputs_.front()) outputs_.push_back(name);
    for (std::string const& name : outputs_) text_ += "external_output: \"" + name + "\"\n";
  }

  std::string const& text() const { return text_; }
  std::vector<std::string> const& parameters() const { return parameters_; }

  /// Returns the outputs of two runs, and x after each.
  template <class B>
  std::vector<std::vector<float>> run(plait::compile_options options, std::set<plait::group_kind>* kinds) const {
    plait::workspace<B> blobs;
    for (auto const& [name, dims] : fed_) {
      test::numbers const made = test::values(name, dims.size());
      blobs.template feed<float>(name, std::vector<float>(made.begin(), made.end()), dims);
    }
    auto plan = plait::compile(net_, plait::standard_operators<B>(), blobs, options);
    std::vector<std::vector<float>> made;
    for (int i = 0; i != 2; ++i) {
      plan.run();
      for (std::string const& name : outputs_) made.push_back(blobs.template fetch<float>(name));
      made.push_back(blobs.template fetch<float>("x"));
    }
    if (kinds != nullptr)
      for (plait::schedule::group const& g : plan.schedule().groups) kinds->insert(g.kind);
    return made;
  }
  void parse() { net_ = plait::read_netdef_text(text_); }

 private:
  static constexpr std::int64_t row_counts[] = {1, 2, 7, 16, 40};
  static constexpr std::int64_t widths[] = {6, 16, 32, 48};

  std::size_t below(std::size_t n) { return random_() % n; }
  void feed(std::string const& name, plait::shape const& dims) { fed_.emplace_back(name, dims); }
  std::string parameter(plait::shape const& dims) {
    parameters_.push_back("p" + std::to_string(parameters_.size()));
    feed(parameters_.back(), dims);
    return parameters_.back();
  }
  void make(std::string const& name, std::int64_t width) {
    std::erase_if(values_, [&](auto const& v) { return v.first == name; });
    values_.emplace_back(name, width);
  }
  std::pair<std::string, std::int64_t> read() { return values_[below(values_.size())]; }
  // Returns a new name, or the name of the value that the op overwrites.
  std::string output(std::string const& overwritten = {}) {
    if (!overwritten.empty() && below(4) == 0) return overwritten;
    return "v" + std::to_string(names_++);
  }
  void op(std::string const& type, std::vector<std::string> const& inputs, std::vector<std::string> const& outputs,
          std::string const& arguments = {}) {
    text_ += "op { type: \"" + type + "\"";
    for (std::string const& name : inputs) text_ += " input: \"" + name + "\"";
    for (std::string const& name : outputs) text_ += " output: \"" + name + "\"";
    text_ += ' ' + arguments + " }\n";
  }

  void add_op() {
    auto const [name, width] = read();
    switch (below(9)) {
      case 0:
      case 1: {
        static std::string const types[] = {"Relu", "Sigmoid", "Tanh", "Negative", "Sqr", "Copy"};
        std::string const type = types[below(std::size(types))];
        std::string const out = output(type == "Copy" ? "" : name);
        op(type, {name}, {out});
        return make(out, width);
      }
      case 2:
      case 3: {
        std::vector<std::string> same{name};
        for (auto const& [other, its_width] : values_)
          if (its_width == width && same.size() < 4) same.push_back(other);
        std::string const out = output(name);
        if (below(3) == 0 || same.size() < 2)
          op("Sum", same, {out});
        else
          op(below(2) == 0 ? "Add" : "Mul", {name, same[1 + below(same.size() - 1)]}, {out});
        return make(out, width);
      }
      case 4: {
        std::string const out = output(name);
        op(below(2) == 0 ? "Add" : "Mul", {name, parameter({width})}, {out}, "arg { name: \"broadcast\" i: 1 }");
        return make(out, width);
      }
      case 5: {
        std::int64_t const made = widths[below(std::size(widths))];
        std::string const out = output();
        std::string const w = parameter({made, width});
        op("FC", {name, w, parameter({made})}, {out});
        return make(out, made);
      }
      case 6: {
        if (width % 2 != 0) return;
        std::string const first = output(), second = output();
        op("Split", {name}, {first, second}, "arg { name: \"axis\" i: 1 }");
        make(first, width / 2);
        return make(second, width / 2);
      }
      case 7: {
        auto const [other, its_width] = read();
        std::string const out = output();
        op("Concat", {name, other}, {out, output()}, "arg { name: \"axis\" i: 1 }");
        return make(out, width + its_width);
      }
      default: {
        std::string const out = output();
        op("LayerNorm", {name}, {out, output(), output()});
        return make(out, width);
      }
    }
  }

  std::mt19937 random_;
  std::int64_t rows_;
  std::size_t names_ = 0;
  std::string text_;
  plait::netdef net_;
  std::vector<std::pair<std::string, std::int64_t>> values_;  // with their widths
  std::vector<std::pair<std::string, plait::shape>> fed_;
  std::vector<std::string> parameters_;
  std::vector<std::string> outputs_;
};

plait::plan_passes some_passes(std::mt19937& random) {
  plait::plan_passes made;
  for (bool* pass : {&made.share_memory, &made.fuse_epilogues, &made.fuse_rows, &made.fuse_elements, &made.pack})
    *pass = random() % 3 != 0;
  return made;
}

TEST_CASE("plan_passes: random nets have the same bits with each pass on or off") {
  test::some_threads threads;
  std::set<plait::group_kind> kinds;
  for (unsigned seed = 0; seed != 2000; ++seed) {
    std::mt19937 random(seed + 5000);
    random_net net(seed);
    CAPTURE(net.text());
    net.parse();
    auto const alone = net.run<plait::serial>({.passes = plait::plan_passes::none()}, nullptr);
    plait::compile_options options{.passes = some_passes(random)};
    if (random() % 4 != 0) options.costs = plait::cost_model::everything_pays();
    if (random() % 2 != 0) options.constants = net.parameters();
    auto const together = random() % 2 != 0 ? net.run<plait::serial>(options, &kinds)
                                            : threads.execute([&] { return net.run<plait::tbb>(options, &kinds); });
    REQUIRE(together == alone);
  }
  CHECK(kinds == std::set{plait::group_kind::alone, plait::group_kind::epilogue, plait::group_kind::elements});
}

}  // namespace
