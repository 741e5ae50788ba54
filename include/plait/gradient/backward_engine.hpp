// The walk of a backward pass; backward_pass.hpp is the way in.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/core/npos.hpp>
#include <plait/gradient/backward_frame.hpp>
#include <plait/gradient/blob_gradient.hpp>
#include <plait/gradient/gradient_context.hpp>
#include <plait/gradient/gradient_options.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/gradient_sums.hpp>
#include <plait/gradient/gradient_tape.hpp>
#include <plait/gradient/needed_values.hpp>
#include <plait/gradient/value_names.hpp>
#include <plait/net/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/name_map.hpp>
#include <plait/net/nested_names.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A net that gradient ops can be made for: ops have types and names have text, ops can be appended, and, where ops
/// have arguments, a made op can take them over.
template <class N>
concept gradient_net = typed_net<N> && has_text<N> && nameable_net<N> && extensible_net<N> &&
                       (!argument_readable_net<N> || inheriting_net<N>);

/// A backward pass under way, over any net. See backward_pass.
template <gradient_net N>
class backward_engine : public backward_frame {
  using traits = detail::net_traits_of<N>;
  using ops_range = detail::ops_range_t<N>;
  static_assert(std::is_lvalue_reference_v<ops_range> || std::ranges::borrowed_range<ops_range>,
                "plait: gradients need ops(n) to be a reference to the net's ops or a view of them");

 public:
  backward_engine(N const& n, std::vector<gradient_seed> ys, gradient_rules const& rules,
                  gradient_options const& options)
      : net_(&n),
        ys_(std::move(ys)),
        rules_(&rules),
        options_(options),
        form_(n),
        reader_(*this),
        context_(tape_, reader_) {}

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

  // ---- results
  gradient_map gradients() const {
    gradient_map made;
    for (blob_index b : form_.blobs())
      if (exposed_[b] && is_asked_for(b)) made.emplace(text(b), names_of(exposed_[b]));
    return made;
  }
  /// The gradient of what the net was given under a name; empty if there is none.
  std::optional<blob_gradient> gradient_of_given(std::string_view blob) const {
    blob_index const b = find(blob);
    if (b == npos) return std::nullopt;
    gradient_operands const g = gradients_[form_.index({b, form_.first_version(b)})];
    return g ? std::optional(names_of(g)) : std::nullopt;
  }
  /// Whether the net mentions a blob.
  bool knows(std::string_view blob) const { return find(blob) != npos; }
  /// Copies that must be inserted: in the net, by position, then in nets inside it.
  std::vector<saved_value> saved() const {
    std::vector<saved_value> made;
    if (needed_)
      for (saved_value const& s : needed_->saved()) made.push_back(s);
    made.insert(made.end(), saved_inside_.begin(), saved_inside_.end());
    return made;
  }

  /// Appends the gradient ops to a net, which may be the one that is differentiated.
  void append_to(N& target) {
    std::size_t const before = static_cast<std::size_t>(std::ranges::distance(plait::ops(std::as_const(target))));
    op_spec spec;
    for (std::uint32_t number : order_) {
      gradient_tape::op const& op = tape_[number];
      spec.type = op.type ? tape_.texts[op.type] : op_type(*net_, *ops_[op.source]);
      name_all(tape_.inputs(number), spec.inputs);
      name_all(tape_.outputs(number), spec.outputs);
      gradient_tape::details const* const more = tape_.find_details(number);
      spec.arguments = more != nullptr ? more->arguments : std::vector<argument_spec>();
      spec.name = more != nullptr ? more->name : std::string();
      traits::append_op(target, spec);
    }
    complete(target, before);
  }

 private:
  struct reader final : op_reader {
    explicit reader(backward_engine& of) : self(&of) {}
    std::optional<argument_value> argument(std::string_view key) const override {
      if constexpr (argument_readable_net<N>)
        return traits::argument(*self->net_, *self->ops_[self->context_.source()], key);
      else
        return std::nullopt;
    }
    std::shared_ptr<netdef const> net(std::string_view key) const override {
      if constexpr (has_subnets<N>)
        for (auto const& s : subnets(*self->net_, *self->ops_[self->context_.source()]))
          if constexpr (requires {
                          { s.net } -> std::convertible_to<std::shared_ptr<netdef const>>;
                          { s.argument } -> std::convertible_to<std::string_view>;
                        })
            if (std::string_view(s.argument) == key) return s.net;
      return nullptr;
    }
    std::string_view name() const override { return op_name(*self->net_, *self->ops_[self->context_.source()]); }
    std::string text(gradient_operand v) const override {
      while (self->tape_.is_made(v)) {
        gradient_tape::made_value const& made = self->tape_.made(v);
        if (made.like == npos) return std::string(self->tape_.texts[made.wish]);
        v = {made.like};
      }
      return std::string(self->text(self->blob_of_value_[v.id]));
    }
    backward_engine* self;
  };

  // ---- blobs
  std::string_view text(blob_index b) const { return tape_.texts[blob_text_[b]]; }
  blob_index find(std::string_view name) const {
    symbol const s = tape_.texts.find(name);
    return s && s.id < blob_of_text_.size() ? blob_of_text_[s.id] : npos;
  }
  gradient_operand operand(value v) const { return {form_.index(v)}; }
  bool is_asked_for(blob_index b) const { return options_.only.empty() || asked_[b]; }
  blob_gradient names_of(gradient_operands g) const {
    blob_gradient named = blob_gradient::dense(tape_.texts[(*names_)[g.values]]);
    if (g.is_sparse()) named.indices = tape_.texts[(*names_)[g.indices]];
    return named;
  }

  void begin() {
    begun_ = true;
    form_.compute(*net_, std::vector<std::pair<name_key_t<N>, std::uint32_t>>(),
                  ssa_options{.subnets = !options_.as_caffe2});
    tape_ = gradient_tape(form_.value_count());
    tape_.texts.reserve(2 * form_.blob_bound());
    blob_text_.resize(form_.blob_bound());
    blob_of_text_.assign(1, npos);
    for (blob_index b : form_.blobs()) {
      blob_text_[b] = tape_.texts.intern(std::string_view(form_.name(b)));
      blob_of_text_.push_back(b);
    }
    auto&& all = plait::ops(*net_);
    context_.set_options(options_.numpy_broadcasting, options_.as_caffe2);
    ops_.reserve(form_.op_count());
    for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it) ops_.push_back(it);
    gradients_.resize(form_.value_count());
    exposed_.resize(form_.blob_bound());
    sums_.reset(form_.value_count());
    seeded_.assign(form_.value_count(), false);
    seen_.assign(form_.value_count(), npos);
    blob_of_value_.resize(form_.value_count());
    for (blob_index b : form_.blobs())
      for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k)
        blob_of_value_[form_.index({b, k})] = b;
    cursor_ = static_cast<op_index>(form_.op_count());
    check_unread();
    mark_reach();
    seed();
  }

  void report(gradient_problem problem) { problems_.push_back(std::move(problem)); }
  std::string label(op_index op) const {
    std::string made = "op " + std::to_string(op) + " (" + std::string(op_type(*net_, *ops_[op]));
    if (std::string_view const name = op_name(*net_, *ops_[op]); !name.empty()) made += " '" + std::string(name) + '\'';
    return made + ')';
  }

  // Follows IR.SanityCheck.
  void check_unread() {
    op_index at = 0;
    for (auto const& it : ops_) {
      op_index const op = at++;
      gradient_rule const* const rule = rules_->find(op_type(*net_, *it));
      if (rule == nullptr || !rule->must_be_read) continue;
      for (value v : form_.writes(op)) {
        bool read = false;
        for (std::uint32_t k = form_.first_version(v.blob); k <= form_.version(v.blob) && !read; ++k)
          read = !form_.consumers({v.blob, k}).empty();
        if (!read)
          report({op,
                  std::string(text(v.blob)),
                  {},
                  {},
                  {},
                  label(op) + ": nobody reads '" + std::string(text(v.blob)) + "', so there is nothing to stop"});
      }
    }
  }

  // Which values depend on the blobs whose gradients are asked for.
  void mark_reach() {
    if (options_.only.empty()) return;
    asked_.assign(form_.blob_bound(), false);
    reached_.assign(form_.value_count(), false);
    for (std::string const& name : options_.only) {
      blob_index const b = find(name);
      if (b == npos) {
        report({{}, name, {}, {}, {}, "the net has no blob '" + name + "', whose gradient is asked for"});
        continue;
      }
      asked_[b] = true;
      for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k) reached_[form_.index({b, k})] = true;
    }
    for (op_index op = 0; op != form_.op_count(); ++op)
      if (std::ranges::any_of(form_.reads(op), [&](value v) { return reached_[form_.index(v)]; }))
        for (value v : form_.writes(op)) reached_[form_.index(v)] = true;
  }
  bool is_reached(value v) const { return reached_.empty() || reached_[form_.index(v)]; }

  void seed() {
    for (gradient_seed const& y : ys_) {
      blob_index const b = find(y.blob);
      if (b == npos) {
        report({{}, y.blob, {}, {}, {}, "the net has no blob '" + y.blob + "' to start from"});
        continue;
      }
      value const v{b, form_.version(b)};
      std::uint32_t const at = form_.index(v);
      if (seeded_[at]) continue;
      seeded_[at] = true;
      gradient_operands g;
      op_index const producer = form_.producing_op(v);
      if (!y.gradient) {
        gradient_operand const ones = tape_.make_value(y.blob + "_autogen_grad");
        bool const placed = !options_.as_caffe2 && producer != npos;
        std::uint32_t const op = tape_.add("ConstantFill", placed ? producer : npos, std::array{operand(v)},
                                           std::array{ones}, {placed, false, false});
        tape_.edit_details(op).arguments.push_back({"value", 1.0f});
        g.values = ones;
        sums_.add(at, {g, placed ? producer : npos, true});
      } else {
        g.values = given(y.gradient->values);
        if (y.gradient->is_sparse()) g.indices = given(y.gradient->indices);
        if (!options_.as_caffe2) sums_.add(at, {g, npos, false});
      }
      gradients_[at] = g;
      exposed_[b] = g;
      exposed_at_.resize(form_.blob_bound());
      exposed_at_[b] = v.version;
    }
    exposed_at_.resize(form_.blob_bound());
  }
  // A blob that holds a gradient from outside: one of the net, or one that the net does not know.
  gradient_operand given(std::string const& name) {
    if (blob_index const b = find(name); b != npos) return operand({b, form_.version(b)});
    symbol const wish = tape_.texts.intern(name);
    for (auto const& [known, made] : outside_)
      if (known == wish) return made;
    return outside_.emplace_back(wish, tape_.make_value(wish)).second;
  }

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
    std::string_view const type = op_type(*net_, *ops_[op]);
    gradient_rule const* rule = nullptr;
    if (!any && !stale) {
      if (!writes.empty()) return false;
      rule = rules_->find(type);
      if (rule == nullptr || !rule->always) return false;
    } else {
      rule = rules_->find(type);
    }
    if (!reached_.empty() && std::ranges::none_of(reads, [&](value v) { return is_reached(v); })) return false;
    if (rule == nullptr) {
      report({op, {}, {}, {}, {}, label(op) + ": no rule for the gradient of this op type"});
      return false;
    }
    if (rule->how == gradient_rule::kind::refused) {
      report({op, {}, {}, {}, {}, label(op) + ": " + rule->reason});
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

    std::size_t const listed = static_cast<std::size_t>(std::ranges::distance(plait::inputs(*net_, *ops_[op])));
    context_.start(op, type);
    for (value v : reads) context_.add_input({operand(v), blob_text_[v.blob]}, is_reached(v));
    for (value v : writes) context_.add_output({operand(v), blob_text_[v.blob]}, gradients_[form_.index(v)]);
    context_.set_listed(listed);
    if (!rule->in_place)
      for (value in : reads)
        for (value out : writes)
          if (in.blob == out.blob) {
            report({op,
                    std::string(text(in.blob)),
                    {},
                    {},
                    {},
                    label(op) + ": reads and writes '" + std::string(text(in.blob)) +
                        "', and ops of this type have no gradient in place"});
            return false;
          }
    if (options_.mixed == mixed_gradients::densify) densify_outputs(op);
    rule_ = rule;
    return true;
  }

  void densify_outputs(op_index op) {
    if (op_type(*net_, *ops_[op]) == "EnsureDense") return;  // wants them as they are
    std::span<value const> const writes = form_.writes(op);
    for (std::size_t o = 0; o != writes.size(); ++o)
      if (context_.is_sparse(o))
        context_.set_output_gradient(o, densified(op, gradients_[form_.index(writes[o])], writes[o]));
  }
  gradient_operands densified(op_index op, gradient_operands rows, value like) {
    gradient_operand const dense = tape_.make_value(std::string(text(like.blob)) + "_grad_dense");
    tape_.add("SparseToDense", op, std::array{rows.indices, rows.values, operand(like)}, std::array{dense},
              {true, false, true});
    return {dense, {}};
  }

  frames plan(op_index op, frames& done) {
    try {
      return rule_->plan(context_, *rules_, options_, done);
    } catch (error const& e) {
      report({op, {}, {}, {}, {}, label(op) + ": " + e.what()});
      rule_ = nullptr;
      return {};
    }
  }

  void differentiate(op_index op, frames& done) {
    auto const mark = static_cast<std::uint32_t>(tape_.ops().size());
    try {
      rule_->make(context_, done);
    } catch (gradient_error const& e) {
      for (gradient_problem p : e.problems) {
        p.text = label(op) + ": " + p.text;
        p.op = op;
        report(std::move(p));
      }
      return;
    } catch (gradient_refusal const& e) {
      report({op, {}, {}, {}, {}, label(op) + ": " + e.what()});
      return;
    }
    for (saved_value& inside : context_.saved()) saved_inside_.push_back(std::move(inside));
    std::span<value const> const reads = form_.reads(op);
    collect(op, mark, reads);
    expose(op, reads);
  }

  // Records where the gradients of the op's inputs come from: what ops make, by order of making, then what is passed
  // on.
  void collect(op_index op, std::uint32_t mark, std::span<value const> reads) {
    std::span<gradient_operands const> const results = context_.results();
    made_.clear();
    auto const is_local = [&](gradient_operand v) {
      return tape_.is_made(v) && tape_.made(v).maker != npos && tape_.made(v).maker >= mark;
    };
    for (std::uint32_t i = 0; i != results.size(); ++i) {
      gradient_operands const g = results[i];
      if (!g) continue;
      bool const by_op = is_local(g.values) || (g.is_sparse() && is_local(g.indices));
      std::uint64_t rank = ~std::uint64_t{0};
      if (by_op) {
        gradient_operand const from = is_local(g.values) ? g.values : g.indices;
        rank = (std::uint64_t{g.is_sparse()} << 63) | (std::uint64_t{tape_.made(from).maker} << 31) |
               tape_.made(from).position;
      }
      made_.push_back({rank, i});
    }
    std::ranges::stable_sort(made_, {}, &ranked::rank);
    std::uint64_t before = ~std::uint64_t{0};
    for (ranked const& r : made_) {
      std::uint32_t const at = form_.index(reads[r.input]);
      // The same blob for two inputs: made for the first, passed on to the others.
      bool const by_op = r.rank != ~std::uint64_t{0} && r.rank != before;
      sums_.add(at, {results[r.input], op, by_op});
      before = r.rank;
    }
    for (std::uint32_t i = 0; i != results.size(); ++i)
      if (results[i]) gradients_[form_.index(reads[i])] = results[i];
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
    for (value v : form_.reads(op)) {
      std::uint32_t const at = form_.index(v);
      if (seen_[at] == op) continue;
      seen_[at] = op;
      std::span<operand_at const> const users = form_.consumers(v);
      if (users.front().op != op || users.size() + seeded_[at] < 2 || sums_.count(at) < 2) continue;
      add_up(op, v, at);
    }
  }
  using operand_at = plait::operand;

  void add_up(op_index op, value v, std::uint32_t at) {
    std::vector<gradient_source> sources = sums_.of(at);
    std::string const blob(text(v.blob));
    bool const sparse = sources.front().gradient.is_sparse();
    bool const mixed = std::ranges::any_of(sources, [&](auto const& s) { return s.gradient.is_sparse() != sparse; });
    if (mixed) {
      if (options_.mixed == mixed_gradients::refuse) {
        report({op,
                blob,
                {},
                {},
                {},
                "gradients of '" + blob + "' are dense and sparse; gradient_options::mixed can make them dense"});
        return;
      }
      for (gradient_source& s : sources)
        if (s.gradient.is_sparse()) s.gradient = densified(s.op == npos ? op : s.op, s.gradient, v);
    }
    if (!same_devices(sources)) {
      report({op, blob, {}, {}, {}, "gradients of '" + blob + "' are on different devices"});
      return;
    }
    op_index placed = npos;
    for (gradient_source const& s : sources)
      if (s.op != npos && (s.by_op || !options_.as_caffe2)) {
        placed = s.op;
        if (s.by_op) break;
      } else if (s.by_op) {
        break;
      }
    std::string problem;
    gradient_operands const total = add_gradients(tape_, sources, blob, placed, problem);
    if (!problem.empty() && options_.as_caffe2) report({op, blob, {}, {}, {}, problem});
    gradients_[at] = total;
    exposed_[v.blob] = total;
    exposed_at_[v.blob] = v.version;
  }

  // Follows device_option_equal: CPUs are equal, other devices by number. In Caffe2 what is passed on has no device.
  bool same_devices(std::vector<gradient_source> const& sources) const {
    if constexpr (device_net<N>) {
      std::optional<std::int64_t> first;
      for (gradient_source const& s : sources) {
        if (s.op == npos || !s.by_op) continue;
        device_spec const d = traits::device(*net_, *ops_[s.op]).value_or(device_spec());
        std::int64_t const key = d.kind == device_kind::cpu ? -1 : d.id.value_or(0);
        if (first.value_or(key) != key) return false;
        first = key;
      }
    }
    return true;
  }

  void report_stale(op_index op) {
    for (value v : form_.writes(op))
      if (!gradients_[form_.index(v)] && exposed_[v.blob])
        report({op, std::string(text(v.blob)), v.version, exposed_at_[v.blob], form_writers(v.blob),
                label(op) + ": the gradient of '" + std::string(text(v.blob)) + "' is one of version " +
                    std::to_string(exposed_at_[v.blob]) + ", this op writes version " + std::to_string(v.version)});
  }
  std::vector<op_index> form_writers(blob_index b) const {
    std::vector<op_index> writers;
    for (std::uint32_t k = form_.first_version(b); k <= form_.version(b); ++k)
      if (op_index const op = form_.producing_op({b, k}); op != npos) writers.push_back(op);
    return writers;
  }

  // ---- what comes of it
  void finish() {
    if (!problems_.empty()) throw gradient_error(std::move(problems_));
    keep_needed();
    needed_.emplace(tape_, form_, [this](op_index op) {
      gradient_rule const* const rule = rules_->find(op_type(*net_, *ops_[op]));
      bool const known = rule != nullptr && rule->how != gradient_rule::kind::refused;
      return known && rule->repeatable && !has_nested(op);
    });
    needed_->provide(order_, options_.overwritten, blob_text_);
    for (overwritten_value const& v : needed_->missing()) report_overwritten(v);
    if (!problems_.empty()) throw gradient_error(std::move(problems_));

    names_.emplace(tape_, order_);
    for (std::uint32_t v = 0; v != blob_of_value_.size(); ++v) names_->call(blob_text_[blob_of_value_[v]], {v});
    for (blob_index b : form_.blobs()) {
      gradient_operand const last = operand({b, form_.version(b)});
      names_->hold(blob_text_[b], last);
      if (!options_.as_caffe2) names_->keep(last);
    }
    for (auto const& [name, v] : outside_) {
      names_->hold(name, v);
      if (!options_.as_caffe2) names_->keep(v);
    }
    needed_->name_saved(*names_);
    if (!options_.as_caffe2)
      for (blob_index b : form_.blobs())
        if (exposed_[b] && is_asked_for(b)) {
          names_->keep(exposed_[b].values);
          if (exposed_[b].is_sparse()) names_->keep(exposed_[b].indices);
        }
    names_->assign();
  }
  bool has_nested(op_index op) const {
    if constexpr (has_subnets<N>)
      return !std::ranges::empty(subnets(*net_, *ops_[op]));
    else
      return false;
  }

  // The ops that the gradients asked for need; all of them where nothing in particular is asked for.
  void keep_needed() {
    std::size_t const count = tape_.ops().size();
    std::vector<char> needed(count, options_.only.empty());
    if (!options_.only.empty()) {
      auto const mark = [&](gradient_operand v) {
        if (tape_.is_made(v) && tape_.made(v).maker != npos) needed[tape_.made(v).maker] = true;
      };
      for (blob_index b : form_.blobs())
        if (is_asked_for(b) && exposed_[b]) {
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

  void report_overwritten(overwritten_value const& v) {
    std::string const blob(text(v.what.blob));
    std::uint32_t const last = form_.version(v.what.blob);
    gradient_problem p{v.reader == npos ? std::optional<op_index>() : v.reader,
                       blob,
                       v.what.version,
                       last,
                       form_writers(v.what.blob),
                       {}};
    p.text = (v.reader == npos ? std::string("a sum") : label(v.reader)) + ": its gradient needs '" + blob +
             "' at version " + std::to_string(v.what.version) + ", which is overwritten (version " +
             std::to_string(last) + " is the last); written by";
    if (form_.first_version(v.what.blob) == 0 && form_.producing_op({v.what.blob, 0}) == npos)
      p.text += " the net's input (version 0),";
    for (op_index op : p.writers) p.text += ' ' + label(op) + ',';
    p.text.pop_back();
    report(std::move(p));
  }

  void name_all(std::span<gradient_operand const> operands, std::vector<std::string>& texts) const {
    texts.resize(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) texts[i] = tape_.texts[(*names_)[operands[i]]];
  }

  // What an op takes over from its source, and its nets: when all ops are there, as references to them last from then.
  void complete(N& target, std::size_t before) {
    op_list<N> const made(target);
    bool const same = &target == net_;
    auto&& all = plait::ops(std::as_const(target));
    std::vector<std::ranges::iterator_t<std::remove_reference_t<ops_range>>> sources;
    if (same)
      for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it) sources.push_back(it);
    auto const& from = same ? sources : ops_;
    for (std::size_t i = 0; i != order_.size(); ++i) {
      std::uint32_t const number = order_[i];
      gradient_tape::op const& op = tape_[number];
      if constexpr (inheriting_net<N>) {
        if (op.source != npos) {
          traits::inherit(target, made[before + i], *net_, *from[op.source], op.takes);
        }
      } else if constexpr (device_mutable_net<N>) {
        if (op.source != npos && op.takes.placement)
          if (auto const device = traits::device(*net_, *from[op.source]))
            traits::set_device(target, made[before + i], device);
      }
      if (gradient_tape::details const* const more = tape_.find_details(number))
        add_nets(target, made[before + i], *more);
    }
  }
  void add_nets(N& target, mutable_op_ref_t<N> op, gradient_tape::details const& more) {
    if constexpr (subnet_extensible_net<N>) {
      for (auto const& [key, inner] : more.nets) traits::add_subnet(target, op, key, *inner);
      if constexpr (nested_editable_net<N>) {
        // Nets inside know operands by the names these had when the nets were made.
        name_map changed;
        for (auto const& [v, called] : more.called)
          if (std::string_view const name = tape_.texts[(*names_)[v]]; name != called) changed.set(called, name);
        if (!changed.empty()) rename_nested(target, op, changed, [](N&, subnet_scope) {});
      }
    }
  }

  struct ranked {
    std::uint64_t rank;
    std::uint32_t input;
  };

  N const* net_;
  std::vector<gradient_seed> ys_;
  gradient_rules const* rules_;
  gradient_options options_;
  ssa_form<N> form_;
  gradient_tape tape_;
  reader reader_;
  gradient_context context_;
  std::vector<std::ranges::iterator_t<std::remove_reference_t<ops_range>>> ops_;
  std::vector<blob_index> blob_of_value_;
  std::vector<symbol> blob_text_;             // by blob
  std::vector<blob_index> blob_of_text_;      // by symbol of a blob's name
  std::vector<gradient_operands> gradients_;  // by value
  std::vector<gradient_operands> exposed_;    // by blob: what its name stands for in the result
  std::vector<std::uint32_t> exposed_at_;     // by blob: the version that is the gradient of
  std::vector<char> asked_;                   // by blob
  std::vector<char> reached_;                 // by value; empty: all
  std::vector<char> seeded_;                  // by value
  std::vector<op_index> seen_;                // by value: the op it was last looked at for
  std::vector<std::pair<symbol, gradient_operand>> outside_;
  gradient_sources sums_;
  std::vector<saved_value> saved_inside_;
  std::vector<ranked> made_;
  std::vector<gradient_problem> problems_;
  std::vector<std::uint32_t> order_;
  std::optional<needed_values<N>> needed_;
  std::optional<value_names> names_;
  gradient_rule const* rule_ = nullptr;
  op_index cursor_ = 0;
  bool begun_ = false;
};

}  // namespace plait
