// The walk of a backward pass; backward_pass.hpp is the way in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/core/npos.hpp>
#include <plait/gradient/append_tape.hpp>
#include <plait/gradient/backward_frame.hpp>
#include <plait/gradient/backward_problems.hpp>
#include <plait/gradient/blob_gradient.hpp>
#include <plait/gradient/forward_net.hpp>
#include <plait/gradient/gradient_context.hpp>
#include <plait/gradient/gradient_options.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/gradient_sums.hpp>
#include <plait/gradient/gradient_tape.hpp>
#include <plait/gradient/needed_values.hpp>
#include <plait/gradient/op_rules.hpp>
#include <plait/gradient/value_names.hpp>
#include <plait/gradient/wanted_gradients.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A backward pass under way, over any net. See backward_pass.
template <gradient_net N>
class backward_engine : public backward_frame {
 public:
  backward_engine(N const& n, std::vector<gradient_seed> ys, gradient_rules const& rules,
                  gradient_options const& options, std::vector<std::string> given = {})
      : ys_(std::move(ys)),
        rules_(&rules),
        options_(options),
        net_(n, std::move(given)),
        form_(net_.form()),
        reader_(net_, tape_),
        context_(tape_, reader_),
        rule_of_(net_, rules),
        wanted_(net_, rule_of_, options_),
        problems_(net_) {}

  frames advance(frames done) override {
    if (!begun_) begin();
    while (cursor_ != 0) {
      op_index const op = cursor_ - 1;
      if (op >= names_ahead) prefetch_names(op - names_ahead);
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
    auto const shown = [this](blob_index b) { return exposed_[b] && wanted_.is_asked_for(b); };
    std::vector<gradient_map::value_type> made;
    made.reserve(static_cast<std::size_t>(std::ranges::count_if(form_.blobs(), shown)));
    for (blob_index b : form_.blobs())
      if (shown(b)) made.emplace_back(net_.text(b), names_of(exposed_[b]));
    return gradient_map(std::move(made));
  }
  /// The gradient of what the net was given under a name; empty if there is none.
  std::optional<blob_gradient> gradient_of_given(std::string_view blob) const {
    blob_index const b = net_.find(blob);
    if (b == npos) return std::nullopt;
    gradient_operands const g = gradients_[form_.index({b, form_.first_version(b)})];
    return g ? std::optional(names_of(g)) : std::nullopt;
  }
  bool knows(std::string_view blob) const { return net_.find(blob) != npos; }
  /// Copies that must be inserted: in the net, by position, then in nets inside it.
  std::vector<saved_value> saved() const {
    std::vector<saved_value> made;
    if (needed_)
      for (saved_value const& s : needed_->saved()) made.push_back(s);
    made.insert(made.end(), saved_inside_.begin(), saved_inside_.end());
    return made;
  }

  /// Appends the gradient ops to a net, which may be the one that is differentiated.
  void append_to(N& target) { append_tape(target, net_, tape_, order_, *names_, tape_names::keep); }
  /// The same, last of all: the results lose their names to the net.
  void hand_over_to(N& target) { append_tape(target, net_, tape_, order_, *names_, tape_names::hand_over); }
  /// Throws gradient_error if anything is wrong with the net.
  void check() const {
    if (!problems_.empty()) throw gradient_error(problems_.list());
  }

 protected:
  std::vector<std::string> taken_;  // names from outside that no gradient may get

 private:
  blob_gradient names_of(gradient_operands g) const {
    blob_gradient named = blob_gradient::dense(tape_.texts[(*names_)[g.values]]);
    if (g.is_sparse()) named.indices = tape_.texts[(*names_)[g.indices]];
    return named;
  }

  void begin() {
    begun_ = true;
    net_.compute(tape_, !options_.as_caffe2);
    tape_.reserve(form_.op_count() + form_.op_count() / 8 + ys_.size(), form_.value_count(), 2 * form_.read_count());
    rule_of_.find_all();
    context_.set_options(options_.numpy_broadcasting, options_.as_caffe2);
    gradients_.resize(form_.value_count());
    exposed_.resize(form_.blob_bound());
    exposed_at_.resize(form_.blob_bound());
    sums_.reset(form_.value_count());
    seeded_.assign(form_.value_count(), false);
    cursor_ = static_cast<op_index>(form_.op_count());
    check_unread();
    wanted_.mark(problems_);
    for (std::string const& name : taken_) (void)given(name);
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
                        net_.label(op) + ": nobody reads '" + net_.text(v.blob) + "', so there is nothing to stop");
    }
  }

  void seed() {
    for (gradient_seed const& y : ys_) {
      blob_index const b = net_.find(y.blob);
      if (b == npos) {
        problems_.add(std::nullopt, y.blob, "the net has no blob '" + y.blob + "' to start from");
        continue;
      }
      value const v{b, form_.version(b)};
      std::uint32_t const at = form_.index(v);
      if (seeded_[at]) {
        if (std::ranges::find(ys_, y.blob, &gradient_seed::blob)->gradient != y.gradient)
          problems_.add(std::nullopt, y.blob, "two gradients are given for '" + y.blob + "'");
        continue;
      }
      seeded_[at] = true;
      gradient_operands g;
      op_index const producer = form_.producing_op(v);
      if (!y.gradient) {
        gradient_operand const ones = tape_.make_value(y.blob + "_autogen_grad");
        bool const placed = !options_.as_caffe2 && producer != npos;
        std::uint32_t const op = tape_.add("ConstantFill", placed ? producer : npos, std::array{net_.operand(v)},
                                           std::array{ones}, {placed, false, false});
        tape_.edit_details(op).arguments.push_back({"value", 1.0f});
        g.values = ones;
        note_source(v, at, {g, placed ? producer : npos, true});
      } else {
        g.values = given(y.gradient->values);
        if (y.gradient->is_sparse()) g.indices = given(y.gradient->indices);
        if (!options_.as_caffe2) note_source(v, at, {g, npos, false});
      }
      gradients_[at] = g;
      exposed_[b] = g;
      exposed_at_[b] = v.version;
    }
  }
  // A blob that holds a gradient from outside: one of the net, or one that the net does not know.
  gradient_operand given(std::string const& name) {
    if (blob_index const b = net_.find(name); b != npos) return net_.operand(net_.last(b));
    symbol const wish = tape_.texts.intern(name);
    for (auto const& [known, made] : outside_)
      if (known == wish) return made;
    return outside_.emplace_back(wish, tape_.make_value(wish)).second;
  }

  // In a large net the place of a gradient's name takes memory longer than all else: it is asked some ops ahead.
  void prefetch_names(op_index op) {
    for (value v : form_.reads(op)) {
      ahead_.assign(tape_.texts[net_.name(v.blob)]).append(gradient_context::gradient_suffix);
      tape_.texts.prefetch(ahead_);
    }
  }
  static constexpr op_index names_ahead = 8;

  // Shows the context an op. Whether there is anything to do.
  bool start(op_index op) {
    std::span<value const> const writes = form_.writes(op);
    std::span<value const> const reads = form_.reads(op);
    bool any = false;
    bool stale = false;
    for (value v : writes) {
      if (gradients_[form_.index(v)])
        any = true;
      else if (options_.as_caffe2 && exposed_[v.blob] && exposed_at_[v.blob] != v.version)
        stale = true;
    }
    if (!any && !stale && !writes.empty()) return false;
    gradient_rule const* const rule = rule_of_[op];
    if (!any && !stale && (rule == nullptr || !rule->always)) return false;
    if (!wanted_.is_reached(op)) return false;
    if (rule == nullptr) {
      refuse(op, "no rule for the gradient of this op type");
      return false;
    }
    if (rule->how == gradient_rule::kind::refused) {
      refuse(op, rule->reason);
      return false;
    }
    if (rule->how == gradient_rule::kind::none) {
      hide_overwritten(op);
      return false;
    }
    if (stale && !any) {
      report_stale(op);
      return false;
    }

    reader_.look_at(op);
    context_.start(op, net_.type(op));
    for (value v : reads) context_.add_input({net_.operand(v), net_.name(v.blob)}, wanted_.is_reached(v));
    for (value v : writes) context_.add_output({net_.operand(v), net_.name(v.blob)}, gradients_[form_.index(v)]);
    context_.set_listed(net_.input_count(op));
    if (!rule->in_place)
      for (value in : reads)
        for (value out : writes)
          if (in.blob == out.blob) {
            problems_.add(op, net_.text(in.blob),
                          net_.label(op) + ": reads and writes '" + net_.text(in.blob) +
                              "', and ops of this type have no gradient in place");
            return false;
          }
    if (options_.mixed == mixed_gradients::densify) densify_outputs(op);
    rule_ = rule;
    return true;
  }

  void densify_outputs(op_index op) {
    if (net_.type(op) == "EnsureDense") return;  // wants them as they are
    std::span<value const> const writes = form_.writes(op);
    for (std::size_t o = 0; o != writes.size(); ++o)
      if (context_.is_sparse(o))
        context_.set_output_gradient(o, densified(op, gradients_[form_.index(writes[o])], writes[o]));
  }
  gradient_operands densified(op_index op, gradient_operands rows, value like) {
    gradient_operand const dense = tape_.make_value(net_.text(like.blob) + "_grad_dense");
    tape_.add("SparseToDense", op, std::array{rows.indices, rows.values, net_.operand(like)}, std::array{dense},
              {true, false, true});
    return {dense, {}};
  }

  // Calls a rule. What is wrong becomes a problem of the op, if that needs a gradient; false then.
  template <class Call>
  bool ask_rule(op_index op, Call call) {
    try {
      call();
      return true;
    } catch (gradient_error const& e) {
      if (!wanted_.is_behind_an_end(op)) problems_.add_inside(op, e);
    } catch (error const& e) {
      refuse(op, e.what());
    }
    return false;
  }
  void refuse(op_index op, std::string const& why) {
    if (!wanted_.is_behind_an_end(op)) problems_.add(op, why);
  }

  frames plan(op_index op, frames& done) {
    frames inner;
    if (!ask_rule(op, [&] { inner = rule_->plan(context_, *rules_, options_, done); })) rule_ = nullptr;
    return inner;
  }

  void differentiate(op_index op, frames& done) {
    auto const mark = static_cast<std::uint32_t>(tape_.ops().size());
    if (!ask_rule(op, [&] { rule_->make(context_, done); })) {
      abandoned_.emplace_back(mark, static_cast<std::uint32_t>(tape_.ops().size()));
      return;
    }
    for (saved_value& inside : context_.saved()) saved_inside_.push_back(std::move(inside));
    std::span<value const> const reads = form_.reads(op);
    collect(op, mark, reads);
    expose(op, reads);
  }

  // Most values are read once: their gradients have one source, which nobody asks for.
  bool may_add_up(value v, std::uint32_t at) const { return form_.consumers(v).size() + (seeded_[at] ? 1 : 0) >= 2; }
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
  // Records where the gradients of the op's inputs come from: what ops make, by order of making, then what is passed
  // on.
  void note_sources(op_index op, std::uint32_t mark, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    made_.clear();
    for (std::uint32_t i = 0; i != results.size(); ++i)
      if (results[i]) made_.push_back({order_of_making(tape_, mark, results[i]), i});
    std::ranges::sort(made_);
    std::uint64_t before = passed_on;
    for (ranked const& r : made_) {
      std::uint32_t const at = form_.index(reads[r.input]);
      // The same blob for two inputs: made for the first, passed on to the others.
      bool const by_op = r.rank != passed_on && r.rank != before;
      note_source(reads[r.input], at, {results[r.input], op, by_op});
      before = r.rank;
    }
  }

  // The map from blobs to gradients as it stands after an op (Caffe2's input_to_grad): an op that reads a blob and
  // writes it takes the gradient of the written version out of it.
  void expose(op_index op, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    hide_overwritten(op);
    for (std::size_t i = 0; i != results.size(); ++i)
      if (results[i]) {
        exposed_[reads[i].blob] = results[i];
        exposed_at_[reads[i].blob] = reads[i].version;
      }
  }
  void hide_overwritten(op_index op) {
    std::span<value const> const reads = form_.reads(op);
    for (value out : form_.writes(op))
      for (value in : reads)
        if (in.blob == out.blob) exposed_[in.blob] = {};
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
    if (!same_devices(net_, sources)) {
      problems_.add(op, blob, "gradients of '" + blob + "' are on different devices");
      return;
    }
    op_index const placed = op_to_follow(sources, options_.as_caffe2);
    std::string problem;
    gradient_operands const total = add_gradients(tape_, sources, blob, placed, problem);
    if (!problem.empty() && options_.as_caffe2) problems_.add(op, blob, problem);
    gradients_[at] = total;
    exposed_[v.blob] = total;
    exposed_at_[v.blob] = v.version;
  }

  void report_stale(op_index op) {
    for (value v : form_.writes(op))
      if (!gradients_[form_.index(v)] && exposed_[v.blob]) problems_.add_stale(op, v, exposed_at_[v.blob]);
  }

  void finish() {
    if (!problems_.empty()) return;
    keep_needed();
    needed_.emplace(tape_, net_, [this](op_index op) {
      gradient_rule const* const rule = rule_of_[op];
      bool const known = rule != nullptr && rule->how != gradient_rule::kind::refused;
      return known && rule->repeatable && !net_.has_nets(op);
    });
    needed_->provide(order_, options_.overwritten, exposed_operands());
    for (overwritten_value const& v : needed_->missing()) problems_.add_overwritten(v);
    if (problems_.empty()) name_values();
  }

  // What the result says where gradients stand: indices may be blobs of the net, which must still hold what they held.
  std::vector<gradient_operand*> exposed_operands() {
    std::vector<gradient_operand*> found;
    if (options_.as_caffe2) return found;
    for (blob_index b : form_.blobs())
      if (exposed_[b] && wanted_.is_asked_for(b)) {
        found.push_back(&exposed_[b].values);
        if (exposed_[b].is_sparse()) found.push_back(&exposed_[b].indices);
      }
    return found;
  }

  void name_values() {
    names_.emplace(tape_, order_);
    auto const keep = [&](gradient_operand v) {
      if (!options_.as_caffe2) names_->keep(v);
    };
    for (std::uint32_t v = 0; v != form_.value_count(); ++v) names_->call(net_.name_of_value(v), {v});
    for (blob_index b : form_.blobs()) {
      names_->hold(net_.name(b), net_.operand(net_.last(b)));
      keep(net_.operand(net_.last(b)));
    }
    for (auto const& [name, v] : outside_) {
      names_->hold(name, v);
      keep(v);
    }
    needed_->name_saved(*names_);
    for (blob_index b : form_.blobs())
      if (exposed_[b] && wanted_.is_asked_for(b)) {
        keep(exposed_[b].values);
        if (exposed_[b].is_sparse()) keep(exposed_[b].indices);
      }
    names_->assign();
  }

  // The ops that the gradients asked for need; all of them where nothing in particular is asked for.
  void keep_needed() {
    std::size_t const count = tape_.ops().size();
    std::vector<char> needed(count, options_.only.empty());
    for (auto const& [first, last] : abandoned_) std::fill(needed.begin() + first, needed.begin() + last, char{false});
    if (!options_.only.empty()) {
      auto const mark = [&](gradient_operand v) {
        if (tape_.is_made(v) && tape_.made(v).maker != npos) needed[tape_.made(v).maker] = true;
      };
      for (blob_index b : form_.blobs())
        if (wanted_.is_asked_for(b) && exposed_[b]) {
          mark(exposed_[b].values);
          mark(exposed_[b].indices);
        }
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

  std::vector<gradient_seed> ys_;
  gradient_rules const* rules_;
  gradient_options options_;
  gradient_tape tape_;
  forward_net<N> net_;
  ssa_form<N> const& form_;
  forward_op_reader<N> reader_;
  gradient_context context_;
  op_rules<N> rule_of_;
  std::vector<gradient_operands> gradients_;  // by value
  std::vector<gradient_operands> exposed_;    // by blob: what its name stands for in the result
  std::vector<std::uint32_t> exposed_at_;     // by blob: the version that is the gradient of
  std::vector<char> seeded_;                  // by value
  std::vector<std::pair<symbol, gradient_operand>> outside_;
  gradient_sources sums_;
  std::vector<saved_value> saved_inside_;
  std::vector<ranked> made_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> abandoned_;  // ops of rules that refused while making them
  wanted_gradients<N> wanted_;
  backward_problems<N> problems_;
  std::string ahead_;
  std::vector<std::uint32_t> order_;
  std::optional<needed_values<N>> needed_;
  std::optional<value_names> names_;
  gradient_rule const* rule_ = nullptr;
  op_index cursor_ = 0;
  bool begun_ = false;
};

}  // namespace plait
