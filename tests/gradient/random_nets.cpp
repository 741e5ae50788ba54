// Differential test of random nets: an interpreter runs the gradients and compares them with finite differences; an
// independent analysis confirms refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>
#include <support/interpret_gradients.hpp>
#include <support/random_cases.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>

using plait::op_spec;
using plait::overwritten_values;
using test::edit_net;
using test::number_map;
using test::numbers;

namespace {

using version = std::pair<std::string, std::uint32_t>;

struct problem_net {
  edit_net net;
  number_map given;
  std::vector<plait::gradient_seed> ys;
};

// "Cos" represents non-deterministic ops.
plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = [] {
    plait::gradient_rules r = plait::gradient_rules::standard();
    r.edit("Cos").repeatable = false;
    return r;
  }();
  return made;
}

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  problem_net make() {
    std::size_t const ops = below(8) == 0 ? 50 : 1 + below(14);
    for (std::size_t i = 0; i != 3; ++i) give("x" + std::to_string(i), values(4));
    give("z", values(2));
    give("rows", {static_cast<double>(below(4)), static_cast<double>(below(4))});
    for (std::size_t i = 0; i != ops; ++i) add_op(i);
    // Seeds: any blobs, mostly the last one written; seldom a blob twice.
    std::size_t const count = 1 + below(3);
    for (std::size_t i = 0; i != count; ++i) {
      std::vector<std::string> const all = floats(0);
      std::string const y = i == 0 && last_ ? *last_ : all[below(all.size())];
      auto const same = std::ranges::find(made_.ys, y, &plait::gradient_seed::blob);
      if (same != made_.ys.end()) {
        made_.ys.push_back(*same);  // counts once
        continue;
      }
      if (below(3) != 0) {
        made_.ys.emplace_back(y);
      } else {
        std::string const dy = below(2) == 0 ? y + "_grad" : "dy" + std::to_string(i);
        if (made_.given.contains(dy)) continue;
        made_.given[dy] = values(now_.at(y).size());
        made_.ys.emplace_back(y, std::string_view(dy));
      }
    }
    if (made_.ys.empty()) made_.ys.emplace_back(floats(0).front());
    return std::move(made_);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  numbers values(std::size_t size) {
    std::uniform_real_distribution<double> number(-1.5, 1.5);
    numbers made(size);
    for (double& x : made) x = number(random_);
    return made;
  }
  void give(std::string const& name, numbers const& what) {
    made_.net.external_inputs.push_back(name);
    made_.given[name] = now_[name] = what;
  }
  // Returns the blobs of a size; 0: of any size.
  std::vector<std::string> floats(std::size_t size) {
    std::vector<std::string> found;
    for (auto const& [name, what] : now_)
      if (!name.starts_with("sizes") && name != "rows" && (size == 0 || what.size() == size)) found.push_back(name);
    return found;
  }

  void add_op(std::size_t at) {
    std::string const fresh = "h" + std::to_string(at);
    std::vector<std::string> const all = floats(0);
    std::string const x = all[below(all.size())];
    std::vector<std::string> const alike = floats(now_[x].size());
    auto const another = [&] { return alike[below(alike.size())]; };
    op_spec op;
    char const* const types[] = {"Add",   "Sub",  "Mul",          "Mul",          "Sum",    "Scale", "Negative",
                                 "Tanh",  "Tanh", "Sigmoid",      "Relu",         "Cos",    "Sqr",   "Copy",
                                 "Alias", "Sum",  "StopGradient", "ConstantFill", "Concat", "Split", "Gather"};
    op.type = types[below(std::size(types))];
    op.inputs = {x};
    std::size_t outputs = 1;
    if (op.type == "Add" || op.type == "Sub" || op.type == "Mul") op.inputs.push_back(another());
    if (op.type == "Sum")
      while (below(3) != 0) op.inputs.push_back(another());
    if (op.type == "Scale") op.arguments.push_back({"scale", 0.75f});
    if (op.type == "ConstantFill" && below(2) == 0) {  // changes the indices
      op = {"ConstantFill", {"rows"}, {"rows"}, {{"value", static_cast<float>(below(4))}}};
      run(op);
      made_.net.ops.push_back(std::move(op));
      return;
    }
    if (op.type == "ConstantFill") op.arguments.push_back({"value", 0.5f});
    if (op.type == "Concat") {
      if (now_[x].size() > 4) return;
      op.inputs.push_back(another());
    }
    if (op.type == "Split") {
      if (now_[x].size() % 2 != 0) return;
      outputs = 2;
    }
    if (op.type == "Gather") {
      if (now_[x].size() < 4) return;
      op.inputs.push_back("rows");
    }
    for (std::size_t o = 0; o != outputs; ++o) {
      std::size_t const how = below(6);
      std::string name = o == 0 ? fresh : fresh + "b";
      if (how == 0) name = x;  // in place
      if (how == 1) name = op.inputs[below(op.inputs.size())];
      if (how == 2) name = all[below(all.size())];  // overwritten
      if (name == "rows") name = fresh;
      if (o == 1 && name == op.outputs[0]) name = fresh + "b";
      op.outputs.push_back(name);
    }
    if (op.type == "Concat") op.outputs.push_back("sizes" + std::to_string(below(3)));
    bool const fits = run(op);
    if (!fits) {
      op.type = "Tanh";
      op.inputs.resize(1);
      op.outputs.resize(1);
      op.arguments.clear();
      run(op);
    }
    last_ = op.outputs[0];
    bool const stops = op.type == "StopGradient";
    std::string const stopped = op.outputs[0];
    made_.net.ops.push_back(std::move(op));
    if (stops && below(8) != 0) {  // mostly with a reader
      op_spec const reader{"Scale", {stopped}, {fresh + "s"}, {{"scale", 0.5f}}};
      run(reader);
      made_.net.ops.push_back(reader);
    }
  }
  // Returns false if elements become large.
  bool run(op_spec const& op) {
    number_map after = now_;
    test::interpret_ops({op}, after);
    for (std::string const& name : op.outputs)
      for (double x : after.at(name))
        if (std::abs(x) > 3) return false;
    now_ = std::move(after);
    return true;
  }

  std::mt19937 random_;
  problem_net made_;
  number_map now_;
  std::optional<std::string> last_;
};

// Oracle: which values have gradients, which values gradient ops need, and to which version of a blob the exported
// gradient belongs.
struct analysis {
  std::vector<std::vector<version>> reads;
  std::vector<std::vector<version>> writes;
  std::map<std::string, std::uint32_t> last;
  std::map<version, std::size_t> producer;

  struct contribution {
    std::optional<version> rows;  // the indices, if sparse
  };
  std::map<version, std::vector<contribution>> contributions;
  std::map<version, bool> has;  // values with a gradient; true: sparse
  std::map<version, std::optional<version>> rows_of;
  std::map<std::string, std::optional<std::uint32_t>> exposed;
  std::set<std::pair<std::size_t, version>> needed;  // with the reader; npos: several
  std::set<version> shaped;                          // values whose shape alone is needed
  std::map<version, version> like;                   // representative of the shape class
  std::set<std::size_t> unread;                      // StopGradient ops without a reader

  analysis(problem_net const& p) {
    edit_net const& n = p.net;
    for (std::size_t at = 0; at != n.ops.size(); ++at) {
      auto& r = reads.emplace_back();
      auto& w = writes.emplace_back();
      for (std::string const& name : n.ops[at].inputs) r.emplace_back(name, last[name]);
      for (std::string const& name : n.ops[at].outputs) {
        w.emplace_back(name, ++last[name]);
        producer[w.back()] = at;
      }
      static std::set<std::string> const keeps = {"Scale", "Negative", "Tanh", "Sigmoid", "Relu",        "Cos",
                                                  "Sqr",   "Copy",     "Sum",  "Alias",   "StopGradient"};
      for (version const& v : r) like.try_emplace(v, v);
      for (version const& v : w) like[v] = v;
      if (keeps.contains(n.ops[at].type)) like[w[0]] = like.at(r[0]);
    }
    std::set<std::string> read;
    for (auto const& r : reads)
      for (version const& v : r) read.insert(v.first);
    for (std::size_t at = 0; at != n.ops.size(); ++at)
      if (n.ops[at].type == "StopGradient" && !read.contains(n.ops[at].outputs[0])) unread.insert(at);

    std::set<std::string> seeded;
    for (plait::gradient_seed const& y : p.ys)
      if (seeded.insert(y.blob).second) {
        version const v{y.blob, last[y.blob]};
        contributions[v].push_back({});
        exposed[y.blob] = v.second;
      }
    for (std::size_t at = n.ops.size(); at-- != 0;) go_back(n, at);
    for (auto const& [v, all] : contributions) settle(v);
    for (auto const& [name, at] : exposed)
      if (at)
        if (auto const& rows = rows_of[{name, *at}]) needed.emplace(plait::npos, *rows);
  }

  bool is_gone(version const& v) const { return v.second != last.at(v.first); }
  bool is_shape_there(version const& v) const {
    return std::ranges::any_of(like,
                               [&](auto const& other) { return other.second == like.at(v) && !is_gone(other.first); });
  }
  std::set<version> gone() const {
    std::set<version> found;
    for (auto const& [op, v] : needed)
      if (is_gone(v)) found.insert(v);
    for (version const& v : shaped)
      if (is_gone(v) && !is_shape_there(v)) found.insert(v);
    return found;
  }
  bool can_repeat(edit_net const& n, version const& v) const {
    if (!is_gone(v)) return true;
    auto const made = producer.find(v);
    if (made == producer.end() || n.ops[made->second].type == "Cos") return false;
    return std::ranges::all_of(reads[made->second], [&](version const& in) { return can_repeat(n, in); });
  }

 private:
  // Sums the contributions to a value, after all its readers.
  void settle(version const& v) {
    auto const& all = contributions[v];
    if (all.empty() || has.contains(v)) return;
    bool const any_dense = std::ranges::any_of(all, [](auto const& c) { return !c.rows; });
    for (contribution const& c : all)
      if (c.rows && (any_dense || all.size() > 1)) {
        needed.emplace(plait::npos, *c.rows);
        if (any_dense) shaped.insert(v);
      }
    has[v] = !any_dense;
    if (!any_dense && all.size() == 1) rows_of[v] = all[0].rows;
  }
  void go_back(edit_net const& n, std::size_t at) {
    op_spec const& op = n.ops[at];
    bool any = false;
    for (version const& v : writes[at]) {
      settle(v);
      any = any || has.contains(v);
    }
    if (!any) return;
    for (version const& out : writes[at])
      for (version const& in : reads[at])
        if (in.first == out.first) exposed[in.first] = std::nullopt;
    if (op.type == "StopGradient" || op.type == "ConstantFill") return;
    for (version const& v : writes[at])
      if (has.contains(v) && has[v]) {
        shaped.insert(v);  // is made dense
        if (rows_of[v]) needed.emplace(at, *rows_of[v]);
      }
    if (op.type == "Tanh" || op.type == "Sigmoid" || op.type == "Relu") needed.emplace(at, writes[at][0]);
    if (op.type == "Mul" || op.type == "Cos" || op.type == "Sqr")
      for (version const& v : reads[at]) needed.emplace(at, v);
    if (op.type == "Concat") needed.emplace(at, writes[at][1]);
    if (op.type == "Split")
      for (version const& v : writes[at])
        if (!has.contains(v)) shaped.insert(v);
    for (std::size_t i = 0; i != reads[at].size(); ++i) {
      if (op.type == "Gather" && i == 1) continue;
      contributions[reads[at][i]].push_back({op.type == "Gather" ? std::optional(reads[at][1]) : std::nullopt});
      exposed[reads[at][i].first] = reads[at][i].second;
    }
  }
};

// Finite differences of the sum of the seeds, weighted by their gradients, by one element of a value.
class differences {
 public:
  differences(problem_net const& p, analysis const& a) : p_(&p), a_(&a) {
    evaluate(nullptr, 0, 0);
    base_signs_ = signs_;
  }
  numbers const& at(version const& v) const { return values_.at(v); }

  // Returns nothing if a kink is too near.
  std::optional<double> slope(version const& v, std::size_t element) {
    for (double h : {2e-4, 2e-5, 2e-6}) {
      double f[4];
      double const steps[] = {-2, -1, 1, 2};
      bool smooth = true;
      for (std::size_t i = 0; i != 4; ++i) {
        f[i] = evaluate(&v, element, steps[i] * h);
        smooth = smooth && signs_ == base_signs_;
      }
      if (smooth) return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
    }
    return std::nullopt;
  }

 private:
  double evaluate(version const* v, std::size_t element, double by) {
    bool const first = v == nullptr;
    number_map blobs = p_->given;
    if (first)
      for (auto const& [name, what] : blobs) values_[{name, 0}] = what;
    if (v != nullptr && v->second == 0) blobs.at(v->first).at(element) += by;
    signs_.clear();
    auto const see = [&](std::size_t op, std::vector<numbers> const& in, std::vector<numbers>& out) {
      std::string const& type = p_->net.ops[op].type;
      if (type == "Relu")
        for (double x : in[0]) signs_.push_back(x > 0);
      auto const& made = a_->writes[op];
      for (std::size_t o = 0; o != made.size(); ++o) {
        if (first) values_[made[o]] = out[o];
        if (type == "StopGradient") out[o] = values_.at(made[o]);  // constant for differences
        if (v != nullptr && made[o] == *v) out[o].at(element) += by;
      }
    };
    test::interpret_ops(p_->net.ops, blobs, see);
    double total = 0;
    std::set<std::string> seen;
    for (plait::gradient_seed const& y : p_->ys) {
      if (!seen.insert(y.blob).second) continue;
      numbers const& made = blobs.at(y.blob);
      for (std::size_t i = 0; i != made.size(); ++i)
        total += made[i] * (y.gradient ? p_->given.at(y.gradient->values)[i] : 1.0);
    }
    return total;
  }

  problem_net const* p_;
  analysis const* a_;
  std::map<version, numbers> values_;
  std::vector<bool> signs_;
  std::vector<bool> base_signs_;
};

struct tally {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  std::size_t compared = 0;
  std::size_t skipped = 0;
};

// Returns the overwritten values that a policy cannot provide: the expected reasons for refusal.
std::set<version> unprovidable(problem_net const& p, analysis const& a, overwritten_values how) {
  std::set<version> found;
  for (version const& v : a.gone())
    if (how == overwritten_values::refuse || (how == overwritten_values::recompute && !a.can_repeat(p.net, v)))
      found.insert(v);
  return found;
}

void check(problem_net const& p, overwritten_values how, tally& count) {
  analysis const a(p);
  plait::gradient_options const options{.overwritten = how, .mixed = plait::mixed_gradients::densify};
  edit_net whole = p.net;
  plait::gradient_map map;
  try {
    map = plait::add_gradient_ops(whole, p.ys, rules(), options);
  } catch (plait::gradient_error const& e) {
    REQUIRE(whole == p.net);
    ++count.refused;
    std::set<version> gone;
    std::set<std::size_t> unread;
    for (plait::gradient_problem const& problem : e.problems) {
      CAPTURE(problem.text);
      if (!problem.needed) {
        REQUIRE(problem.text.find("has no reader") != std::string::npos);
        unread.insert(problem.op.value());
        continue;
      }
      gone.emplace(problem.blob, *problem.needed);
      REQUIRE(problem.present == a.last.at(problem.blob));
      std::vector<plait::op_index> writers;
      for (auto const& [v, op] : a.producer)
        if (v.first == problem.blob) writers.push_back(static_cast<plait::op_index>(op));
      REQUIRE(problem.writers == writers);
    }
    REQUIRE(unread == a.unread);
    if (unread.empty()) REQUIRE(gone == unprovidable(p, a, how));
    return;
  }
  ++count.accepted;
  REQUIRE(a.unread.empty());
  REQUIRE(unprovidable(p, a, how).empty());

  // backward_pass returns the same ops as a separate net.
  auto const apart = plait::backward_pass(p.net, p.ys, rules(), options);
  REQUIRE(apart.gradients == map);
  std::size_t const split = whole.ops.size() - apart.net.ops.size();
  REQUIRE(split == p.net.ops.size() + apart.saved.size());
  REQUIRE(
      std::equal(apart.net.ops.begin(), apart.net.ops.end(), whole.ops.begin() + static_cast<std::ptrdiff_t>(split)));

  number_map blobs = p.given;
  test::interpret_ops({whole.ops.begin(), whole.ops.begin() + static_cast<std::ptrdiff_t>(split)}, blobs);
  number_map const forward = blobs;
  test::interpret_ops(apart.net.ops, blobs);
  for (auto const& [name, what] : forward) {
    CAPTURE(name);
    REQUIRE(blobs.at(name) == what);
  }

  std::set<std::string> expected;
  for (auto const& [name, at] : a.exposed)
    if (at) expected.insert(name);
  std::set<std::string> got;
  for (auto const& [name, g] : map) got.insert(name);
  REQUIRE(got == expected);

  differences d(p, a);
  for (auto const& [name, g] : map) {
    version const v{name, a.exposed.at(name).value()};
    numbers gradient = blobs.at(g.values);
    numbers const& value = d.at(v);
    if (g.is_sparse()) {
      numbers const& rows = blobs.at(g.indices);
      numbers dense(value.size(), 0.0);
      REQUIRE(rows.size() == gradient.size());
      for (std::size_t i = 0; i != rows.size(); ++i) dense.at(static_cast<std::size_t>(rows[i])) += gradient[i];
      gradient = dense;
    }
    REQUIRE(gradient.size() == value.size());
    for (std::size_t i = 0; i != value.size(); ++i) {
      auto const slope = d.slope(v, i);
      if (!slope) {
        ++count.skipped;
        continue;
      }
      ++count.compared;
      CAPTURE(name);
      CAPTURE(v.second);
      REQUIRE(std::abs(*slope - gradient[i]) <= 1e-6 * std::max({1.0, std::abs(*slope), std::abs(gradient[i])}));
    }
  }
}

std::string print(problem_net const& p) {
  std::string text;
  for (op_spec const& op : p.net.ops) {
    text += op.type + '(';
    for (std::string const& in : op.inputs) text += in + ' ';
    text += ") ->";
    for (std::string const& out : op.outputs) text += ' ' + out;
    text += '\n';
  }
  for (auto const& y : p.ys) text += "y: " + y.blob + (y.gradient ? " from " + y.gradient->values : "") + '\n';
  return text;
}

void check_all(overwritten_values how, unsigned least_accepted, unsigned least_refused) {
  tally count;
  for (unsigned seed = 0; seed != test::random_cases(2000); ++seed) {
    problem_net const p = generator(seed).make();
    CAPTURE(seed);
    std::string const shown = print(p);
    CAPTURE(shown);
    check(p, how, count);
  }
  CHECK(count.accepted >= test::random_cases(least_accepted));
  CHECK(count.refused >= test::random_cases(least_refused));
  CHECK(count.skipped * 100 < count.compared);
  MESSAGE(count.accepted << " accepted, " << count.refused << " refused, " << count.compared << " elements compared, "
                         << count.skipped << " near a kink");
}

}  // namespace

TEST_CASE("backward_pass on random nets: equals finite differences or refuses for the right reason") {
  check_all(overwritten_values::refuse, 300, 300);
}

TEST_CASE("backward_pass on random nets with copies: equals finite differences") {
  check_all(overwritten_values::copy, 1800, 0);
}

TEST_CASE("backward_pass on random nets with recompute: equals finite differences or refuses for the right reason") {
  check_all(overwritten_values::recompute, 500, 100);
}
