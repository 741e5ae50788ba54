// Backward sweep: visits the ops of a net in reverse and records gradient ops on a tape. See backward_pass.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/gradient/detail/append_tape.hpp>
#include <plait/gradient/detail/backward_frame.hpp>
#include <plait/gradient/detail/backward_problems.hpp>
#include <plait/gradient/detail/backward_seeds.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>
#include <plait/gradient/detail/exported_gradients.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/gradient_map.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/gradient_sums.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/inactive_blobs.hpp>
#include <plait/gradient/detail/needed_values.hpp>
#include <plait/gradient/detail/op_rules.hpp>
#include <plait/gradient/detail/scope_names.hpp>
#include <plait/gradient/detail/value_names.hpp>
#include <plait/gradient/detail/wanted_gradients.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/net/detail/operand_pair.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// The state of a backward pass over any net. See backward_pass.
template <gradient_net N>
class backward_engine : public backward_frame {
 public:
  backward_engine(N const& n, std::vector<gradient_seed> ys, gradient_rules const& rules,
                  gradient_options const& options, std::vector<std::string> given = {},
                  pass_surroundings const& around = {}, std::vector<shared_value> shared = {})
      : rules_(&rules),
        options_(options),
        inside_(around.inactive != nullptr),
        shared_(std::move(shared)),
        net_(n, std::move(given)),
        form_(net_.form()),
        scope_(tape_.texts, around.scope),
        reader_(net_, tape_),
        context_(tape_, reader_),
        rule_of_(net_, rules),
        wanted_(net_, rule_of_, options_),
        seeds_(std::move(ys), net_, tape_, options_),
        exported_(net_, wanted_),
        problems_(net_),
        inactive_(rules, [this] { wanted_.mark_inactive(); }) {
    wanted_.look_into(inside_ ? *around.inactive : inactive_, inside_);
    context_.set_surroundings({inside_ ? around.inactive : &inactive_, inside_ ? around.loops : &loops_, &scope_});
    for (std::string const& name : options_.only) shared_.push_back({name, value_availability::kept, true});
  }

  frames advance(frames done) override {
    if (!begun_) begin();
    while (cursor_ != 0) {
      op_index const op = cursor_ - 1;
      if (rule_ != nullptr || start(op)) {
        frames inner = rule_->plan ? plan(op, done) : frames();
        if (!inner.empty()) return inner;
        if (rule_ != nullptr) differentiate(op, done);
        done.clear();
        rule_ = nullptr;
      }
      accumulate(op);
      --cursor_;
    }
    finish();
    return {};
  }

  gradient_map gradients() const {
    auto const text = [this](gradient_operand v) { return v ? tape_.texts[(*names_)[v]] : std::string_view(); };
    std::size_t count = 0;
    exported_.for_each([&](blob_index, gradient_operands) { ++count; });
    seeds_.for_each_unknown([&](std::string const&, gradient_operands) { ++count; });
    gradient_map made;
    made.reserve(count);
    exported_.for_each([&](blob_index b, gradient_operands g) {
      made.append(tape_.texts[net_.name(b)], text(g.values), text(g.indices));
    });
    seeds_.for_each_unknown(
        [&](std::string const& blob, gradient_operands g) { made.append(blob, text(g.values), text(g.indices)); });
    return made;
  }
  /// Returns the gradient of the first version of a blob, nothing if there is none.
  std::optional<blob_gradient> gradient_of_given(std::string_view blob) const {
    blob_index const b = net_.find(blob);
    if (b == npos || !exported_.contains(b)) return std::nullopt;
    // Caffe2 returns the gradient of a later version.
    if (exported_.version(b) != form_.first_version(b) && !options_.as_caffe2) return std::nullopt;
    return names_of(exported_.gradient(b));
  }
  bool knows(std::string_view blob) const { return net_.find(blob) != npos; }
  bool writes(std::string_view blob) const {
    blob_index const b = net_.find(blob);
    return b != npos && !net_.writers(b).empty();
  }
  /// Returns the copies to insert: in the net by position, then in nested nets.
  std::vector<saved_value> saved() const {
    std::vector<saved_value> made = saved_by_rules_;
    if (needed_) made.insert(made.begin(), needed_->saved().begin(), needed_->saved().end());
    std::ranges::stable_sort(made, [](saved_value const& a, saved_value const& b) {
      return a.path.empty() && (!b.path.empty() || a.position < b.position);
    });
    return made;
  }

  /// Appends the gradient ops to a net, which may be the forward net.
  void append_to(N& target) { append_tape(target, net_, tape_, order_, *names_, tape_names::keep); }
  /// Like append_to(), and moves the tape's names to the net. Must be the last call.
  void move_to(N& target) { append_tape(target, net_, tape_, order_, *names_, tape_names::move); }
  /// Throws gradient_error if the pass found problems.
  void check() const {
    if (!problems_.empty()) throw gradient_error(problems_.list());
  }

 protected:
  /// Reserves a name that belongs to an enclosing net: no gradient gets it.
  void reserve_name(std::string name) { seeds_.reserve_name(std::move(name)); }

 private:
  blob_gradient names_of(gradient_operands g) const {
    blob_gradient named = blob_gradient::dense(tape_.texts[(*names_)[g.values]]);
    if (g.is_sparse()) named.indices = tape_.texts[(*names_)[g.indices]];
    return named;
  }

  void begin() {
    begun_ = true;
    net_.compute(tape_, !options_.as_caffe2);
    tape_.reserve(form_.op_count() + form_.op_count() / 8 + seeds_.size(), form_.value_count(), 2 * form_.read_count());
    rule_of_.find_all();
    context_.set_options(options_.numpy_broadcasting, options_.as_caffe2);
    needed_.emplace(tape_, net_, [this](op_index op) { return rule_of_.is_repeatable(op); });
    needed_->set_policy({options_.overwritten, inside_ && !options_.as_caffe2, options_.as_caffe2});
    for (shared_value const& s : shared_)
      if (blob_index const b = net_.find(s.blob); b != npos) needed_->share(b, s);
    context_.set_forward(*needed_);
    gradients_.resize(form_.value_count());
    exported_.reset();
    sums_.reset(form_.value_count());
    cursor_ = static_cast<op_index>(form_.op_count());
    check_unread();
    wanted_.mark(problems_);
    seed();
  }

  // Follows IR.SanityCheck.
  void check_unread() {
    for (op_index op = 0; op != form_.op_count(); ++op) {
      gradient_rule const* const rule = rule_of_[op];
      if (rule == nullptr || !rule->must_be_read) continue;
      for (value v : form_.writes(op))
        if (!net_.is_read(v.blob))
          problems_.add(op, net_.text(v.blob),
                        net_.label(op) + ": '" + net_.text(v.blob) + "' has no reader, so there is nothing to stop");
    }
  }

  void seed() {
    seeds_.start(problems_, [&](value v, gradient_source const& from) {
      std::uint32_t const at = form_.index(v);
      // Caffe2 drops a given gradient if readers of the blob contribute another one.
      if (from.by_op || !options_.as_caffe2) note_source(v, at, from);
      gradients_[at] = from.gradient;
      exported_.set(v, from.gradient);
    });
  }

  // Loads an op into the context. Returns false if there is nothing to differentiate.
  bool start(op_index op) {
    std::span<value const> const writes = form_.writes(op);
    std::span<value const> const reads = form_.reads(op);
    bool const any = std::ranges::any_of(writes, [&](value v) { return bool(output_gradient(v)); });
    if (!any && !writes.empty()) return false;
    gradient_rule const* const rule = rule_of_[op];
    if (!any && (rule == nullptr || !rule->always)) return false;
    if (!wanted_.is_reached(op)) return false;
    if (rule == nullptr) {
      refuse(op, "no rule for the gradient of this op type");
      return false;
    }
    if (rule->how == gradient_rule::kind::refused) {
      refuse(op, rule->reason);
      return false;
    }
    if (!check_in_place(op, *rule)) return false;
    if (rule->how == gradient_rule::kind::none) {
      exported_.hide_overwritten(op);
      return false;
    }

    reader_.look_at(op);
    context_.start(op, net_.type(op));
    for (value v : reads) context_.add_input({net_.operand(v), net_.name(v.blob)}, wanted_.is_reached(v));
    for (value v : writes) context_.add_output({net_.operand(v), net_.name(v.blob)}, output_gradient(v));
    context_.set_listed(net_.input_count(op), net_.output_count(op));
    if (options_.mixed == mixed_gradients::densify) densify_outputs(op);
    rule_ = rule;
    return true;
  }

  bool check_in_place(op_index op, gradient_rule const& rule) {
    if (!rule.in_place) return true;
    std::span<value const> const reads = form_.reads(op).first(net_.input_count(op));
    std::span<value const> const writes = form_.writes(op);
    for (std::size_t i = 0; i != reads.size(); ++i)
      for (std::size_t o = 0; o != writes.size(); ++o) {
        if (reads[i].blob != writes[o].blob) continue;
        if (std::ranges::find(*rule.in_place, operand_pair{i, o}) != rule.in_place->end()) continue;
        std::string const blob = net_.text(reads[i].blob);
        problems_.add(
            op, blob,
            net_.label(op) + ": reads and writes '" + blob + "', and ops of this type have no gradient in place");
        return false;
      }
    return true;
  }

  // Caffe2 looks gradients up by blob: an output overwritten unread has that of a later version, which rules may pass
  // through, but no gradient op may read.
  gradient_operands output_gradient(value v) const {
    gradient_operands const own = gradients_[form_.index(v)];
    return !own && options_.as_caffe2 && exported_.is_stale(v) ? exported_.gradient(v.blob) : own;
  }
  bool is_stale(value written) const { return !gradients_[form_.index(written)] && output_gradient(written); }
  // Returns true if an op of the tape from `first` on reads a stale gradient. If outputs share one, the first counts.
  bool reads_stale(op_index op, std::uint32_t first) {
    std::span<value const> const writes = form_.writes(op);
    if (std::ranges::none_of(writes, [&](value v) { return is_stale(v); })) return false;
    for (auto at = first; at != tape_.ops().size(); ++at)
      for (gradient_operand const in : tape_.inputs(at)) {
        auto const from = std::ranges::find_if(writes, [&](value v) {
          gradient_operands const g = output_gradient(v);
          return g && (g.values == in || (g.is_sparse() && g.indices == in));
        });
        if (from != writes.end() && is_stale(*from)) return true;
      }
    return false;
  }

  void densify_outputs(op_index op) {
    if (net_.type(op) == "EnsureDense") return;  // its rule takes sparse gradients
    std::span<value const> const writes = form_.writes(op);
    for (std::size_t o = 0; o != writes.size(); ++o)
      if (context_.is_sparse(o) && !is_stale(writes[o]))
        context_.set_output_gradient(o, densified(op, gradients_[form_.index(writes[o])], writes[o]));
  }
  gradient_operands densified(op_index op, gradient_operands rows, value like) {
    gradient_operand const dense = tape_.make_value(net_.text(like.blob) + "_grad_dense");
    tape_.add("SparseToDense", op, std::array{rows.indices, rows.values, net_.operand(like)}, std::array{dense},
              {true, false, true});
    return {dense, {}};
  }

  // Calls a rule. If it throws, records a problem of the op, unless the op is inactive, and returns false.
  template <class Call>
  bool ask_rule(op_index op, Call call) {
    try {
      call();
      return true;
    } catch (gradient_error const& e) {
      if (!wanted_.is_inactive(op)) problems_.add_inside(op, e);
    } catch (error const& e) {
      refuse(op, e.what());
    } catch (std::bad_alloc const&) {
      throw;
    } catch (std::exception const& e) {
      problems_.add(op, e.what());  // a bug in the rule, reported for inactive ops, too
    }
    return false;
  }
  void refuse(op_index op, std::string const& why) {
    if (!wanted_.is_inactive(op)) problems_.add(op, why);
  }

  frames plan(op_index op, frames& done) {
    frames inner;
    if (!ask_rule(op, [&] { inner = rule_->plan(context_, *rules_, options_, done); })) rule_ = nullptr;
    return inner;
  }

  void differentiate(op_index op, frames& done) {
    auto const mark = static_cast<std::uint32_t>(tape_.ops().size());
    auto const make = [&] {
      rule_->make(context_, done);
      context_.expect_made(mark);
    };
    if (!ask_rule(op, make)) {
      abandoned_.emplace_back(mark, static_cast<std::uint32_t>(tape_.ops().size()));
      return;
    }
    if (reads_stale(op, mark)) return report_stale(op);
    for (saved_value& copy : context_.saved()) {
      if (shares_blobs(copy)) tape_.texts.intern(copy.name);
      saved_by_rules_.push_back(std::move(copy));
    }
    std::span<value const> const reads = form_.reads(op);
    collect(op, mark, reads);
    export_gradients(op, reads);
  }

  // Returns true if a copy in a nested net is a blob of this net: no step of its path enters a Do.
  static bool shares_blobs(saved_value const& copy) {
    return std::ranges::find(copy.path, "net", &saved_value::step::argument) == copy.path.end();
  }

  // Returns true if a value has fan-out. Most have none: a single source needs no record.
  bool may_add_up(value v, std::uint32_t at) const {
    return form_.consumers(v).size() + (seeds_.contains(at) ? 1 : 0) >= 2;
  }
  void note_source(value v, std::uint32_t at, gradient_source const& source) {
    if (may_add_up(v, at)) sums_.add(at, source);
  }
  void collect(op_index op, std::uint32_t mark, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    bool any_adds_up = false;
    for (std::uint32_t i = 0; i != results.size(); ++i) {
      if (!results[i]) continue;
      std::uint32_t const at = form_.index(reads[i]);
      gradients_[at] = results[i];
      any_adds_up = any_adds_up || may_add_up(reads[i], at);
    }
    if (any_adds_up) note_sources(op, mark, reads);
  }
  // Records the sources of the op's input gradients: those that ops compute, in that order, then those passed through.
  void note_sources(op_index op, std::uint32_t mark, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    made_.clear();
    for (std::uint32_t i = 0; i != results.size(); ++i)
      if (results[i]) made_.push_back({order_of_making(tape_, mark, results[i]), i});
    std::ranges::sort(made_);
    std::uint64_t before = passed_on;
    for (ranked const& r : made_) {
      std::uint32_t const at = form_.index(reads[r.input]);
      // One gradient for several inputs is computed for the first and passed through to the others.
      bool const by_op = r.rank != passed_on && r.rank != before;
      note_source(reads[r.input], at, {results[r.input], op, by_op});
      before = r.rank;
    }
  }

  void export_gradients(op_index op, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    exported_.hide_overwritten(op);
    for (std::size_t i = 0; i != results.size(); ++i)
      if (results[i]) exported_.set(reads[i], results[i]);
  }

  void accumulate(op_index op) {
    std::span<value const> const reads = form_.reads(op);
    for (std::uint32_t slot = 0; slot != reads.size(); ++slot) {
      value const v = reads[slot];
      std::uint32_t const at = form_.index(v);
      if (may_add_up(v, at) && form_.consumers(v).front() == plait::operand{op, slot} && sums_.count(at) >= 2)
        add_up(op, v, at);
    }
  }

  void add_up(op_index op, value v, std::uint32_t at) {
    std::vector<gradient_source> sources = sums_.of(at);
    std::string const blob = net_.text(v.blob);
    bool const sparse = sources.front().gradient.is_sparse();
    bool const mixed = std::ranges::any_of(sources, [&](auto const& s) { return s.gradient.is_sparse() != sparse; });
    if (mixed) {
      if (options_.mixed == mixed_gradients::refuse) {
        problems_.add(op, blob,
                      "gradients of '" + blob + "' are dense and sparse; gradient_options::mixed can make them dense");
        return;
      }
      for (gradient_source& s : sources)
        if (s.gradient.is_sparse()) s.gradient = densified(s.op == npos ? op : s.op, s.gradient, v);
    }
    if (!same_devices(net_, sources, options_.as_caffe2)) {
      problems_.add(op, blob, "gradients of '" + blob + "' are on different devices");
      return;
    }
    op_index const placed = op_to_follow(sources, options_.as_caffe2);
    std::string problem;
    gradient_operands const total = add_gradients(tape_, sources, blob, placed, problem);
    if (!problem.empty() && options_.as_caffe2) problems_.add(op, blob, problem);
    gradients_[at] = total;
    exported_.set(v, total);
  }

  void report_stale(op_index op) {
    for (value v : form_.writes(op))
      if (is_stale(v)) problems_.add_stale(op, v, exported_.version(v.blob));
  }

  void finish() {
    if (!problems_.empty()) return;
    keep_needed();
    needed_->provide(order_);
    if (!options_.as_caffe2)  // sparse indices may be forward values, which must still be available
      exported_.for_each([&](blob_index, gradient_operands& g) {
        g.values = needed_->provide_result(g.values, order_);
        if (g.is_sparse()) g.indices = needed_->provide_result(g.indices, order_);
      });
    for (overwritten_value const& v : needed_->missing()) problems_.add_overwritten(v);
    if (problems_.empty()) name_values();
  }

  void name_values() {
    names_.emplace(tape_, order_);
    if (options_.as_caffe2) names_->force_wishes();
    auto const keep = [&](gradient_operand v) { options_.as_caffe2 ? void() : names_->keep(v); };
    for (std::uint32_t v = 0; v != form_.value_count(); ++v) names_->call(net_.name_of_value(v), {v});
    for (blob_index b : form_.blobs()) {
      names_->hold(net_.name(b), net_.operand(net_.last(b)));
      keep(net_.operand(net_.last(b)));
    }
    seeds_.hold_names(*names_);
    needed_->name_saved(*names_, scope_);
    exported_.for_each([&](blob_index, gradient_operands g) {
      keep(g.values);
      if (g.is_sparse()) keep(g.indices);
    });
    names_->assign();
  }

  // Dead code elimination: keeps the ops that the requested gradients need, all ops if none are requested by name.
  void keep_needed() {
    std::size_t const count = tape_.ops().size();
    std::vector<char> needed(count, options_.only.empty());
    for (auto const& [first, last] : abandoned_) std::fill(needed.begin() + first, needed.begin() + last, char{false});
    if (!options_.only.empty()) {
      auto const mark = [&](gradient_operand v) {
        if (tape_.is_made(v) && tape_.made(v).maker != npos) needed[tape_.made(v).maker] = true;
      };
      exported_.for_each([&](blob_index, gradient_operands g) {
        mark(g.values);
        mark(g.indices);
      });
      for (std::size_t op = count; op-- != 0;)
        if (needed[op])
          for (gradient_operand in : tape_.inputs(op)) mark(in);
    }
    for (std::uint32_t op = 0; op != count; ++op)
      if (needed[op]) order_.push_back(op);
  }

  struct ranked {
    std::uint64_t rank;
    std::uint32_t input;
    friend auto operator<=>(ranked const&, ranked const&) = default;
  };

  gradient_rules const* rules_;
  gradient_options options_;
  bool inside_;  // the net is nested in an op
  std::vector<shared_value> shared_;
  gradient_tape tape_;
  forward_net<N> net_;
  ssa_form<N> const& form_;
  scope_names scope_;
  forward_op_reader<N> reader_;
  gradient_context context_;
  op_rules<N> rule_of_;
  std::vector<gradient_operands> gradients_;  // by value
  gradient_sources sums_;
  std::vector<saved_value> saved_by_rules_;
  std::vector<ranked> made_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> abandoned_;  // op ranges of rules that refused half-way
  wanted_gradients<N> wanted_;
  backward_seeds<N> seeds_;
  exported_gradients<N> exported_;
  backward_problems<N> problems_;
  inactive_blobs inactive_;
  std::size_t loops_ = 0;
  std::vector<std::uint32_t> order_;
  std::optional<needed_values<N>> needed_;
  std::optional<value_names> names_;
  gradient_rule const* rule_ = nullptr;
  op_index cursor_ = 0;
  bool begun_ = false;
};

}  // namespace plait
