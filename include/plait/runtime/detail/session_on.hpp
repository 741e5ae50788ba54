// Session on a backend: workspace and plan of a model. Compiled in the library plait::runtime only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/runtime/detail/session_backend.hpp>
#include <plait/runtime/detail/user_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

// Calls a function after each op or group.
template <backend B>
class timing_observer final : public op_timer<B> {
 public:
  using clock = typename op_timer<B>::clock;
  explicit timing_observer(std::function<void(op_timing const&)> const& f) : f_(f) {}

 private:
  void ended(op_event const& e, typename clock::time_point begin, typename clock::time_point end) override {
    f_({e.type, e.output_names.empty() ? std::string_view() : e.output_names.front(),
        std::chrono::duration<double>(end - begin).count(), e.depth()});
  }

  std::function<void(op_timing const&)> const& f_;
};

template <backend B>
class session_on final : public session_backend {
 public:
  session_on(session_model&& model, session_options const& options)
      : net_(std::move(model.net)), fetch_(options.fetch), operators_(options.operators) {
    if constexpr (has_tasks<B>)
      if (options.threads != 0) arena_.emplace(static_cast<int>(options.threads));
    table_ = operators_with<B>(operators_);
    plait::feed(blobs_, model.parameters);
    if (!model.init.op.empty()) plan<B>(model.init, table_, blobs_).run();
    std::vector<std::string> const parameters = blobs_.names();
    parameters_.insert(parameters.begin(), parameters.end());
    plan_ = compiled(net_, options.constant_parameters ? constants() : std::vector<std::string>());
  }

  std::vector<std::string> inputs() const override {
    std::vector<std::string> made;
    for (std::string_view const name : plan_->inputs())
      if (!parameters_.contains(std::string(name))) made.emplace_back(name);
    return made;
  }
  std::vector<std::string> outputs() const override {
    auto const names = plan_->outputs();
    return {names.begin(), names.end()};
  }
  tensor_info info(std::string_view name) const override {
    blob<B> const* const found = blobs_.find(name);
    tensor_info made{std::string(name)};
    if (found == nullptr || !found->is_set || found->object != nullptr) return made;
    made.type = found->value.type();
    made.shape.assign(found->value.dims().begin(), found->value.dims().end());
    return made;
  }
  void feed(std::string_view name, element_type type, void const* data, std::span<std::int64_t const> dims) override {
    auto made = tensor<B>::uninitialized(type, shape(dims));
    B::copy_from_host(made.raw(), data, made.bytes());
    blobs_.feed(name, std::move(made));
  }
  void run(session_run_options const& options) override { run(*plan_, options); }

  void add_training(training_options const& options) override {
    std::vector<std::string> trained = options.parameters;
    if (trained.empty())
      for (std::string const& name : names_of_parameters())
        if (info(name).type == element_type::float32) trained.push_back(name);
    training_step const step = make_training_step(net_, options, operators_, trained);
    auto forward = compiled(net_, {});
    plan<B>(step.init, table_, blobs_).run();
    auto training = std::make_unique<plan<B>>(step.net, table_, blobs_, compile_options{.fetch = {options.loss}});
    plan_ = std::move(forward);
    training_ = std::move(training);
  }
  void train(session_run_options const& options) override {
    if (training_ == nullptr) throw net_error("plait: session::train needs add_training");
    run(*training_, options);
  }
  std::vector<parameter> parameters() const override { return plait::fetch(blobs_, names_of_parameters()); }

  std::size_t expect(std::string_view name, element_type type) const override {
    tensor<B> const& held = blobs_.view(name);
    if (held.type() != type)
      throw net_error("plait: blob '" + std::string(name) + "' holds " + to_string(held.spec()) + ", not " +
                          std::string(to_string(type)),
                      {}, std::string(name));
    return static_cast<std::size_t>(held.size());
  }
  void fetch(std::string_view name, void* to) const override {
    tensor<B> const& held = blobs_.view(name);
    B::copy_to_host(to, (held.is_contiguous() ? held : held.clone()).raw(), held.bytes());
  }
  std::string schedule() const override {
    std::ostringstream text;
    write_schedule(text, plan_->schedule());
    return text.str();
  }
  std::size_t forecast_bytes() override { return plan_->forecast().peak(); }

 private:
  std::unique_ptr<plan<B>> compiled(netdef const& net, std::vector<std::string> constants) {
    return std::make_unique<plan<B>>(net, table_, blobs_,
                                     compile_options{.fetch = fetch_, .constants = std::move(constants)});
  }

  void run(plan<B>& p, session_run_options const& options) {
    std::optional<timing_observer<B>> observer;
    if (options.observer) observer.emplace(options.observer);
    run_options const how{.stop = options.stop, .observer = observer ? &*observer : nullptr};
    if constexpr (has_tasks<B>) {
      if (arena_) return arena_->execute([&] { p.run(how); });
    }
    p.run(how);
  }

  std::vector<std::string> names_of_parameters() const {
    std::vector<std::string> made(parameters_.begin(), parameters_.end());
    std::ranges::sort(made);
    return made;
  }

  // Parameters that the net reads and never writes.
  std::vector<std::string> constants() const {
    auto const ssa = get_ssa(net_, {.subnets = true});
    std::vector<std::string> made;
    for (blob_index const b : ssa.blobs()) {
      std::string name(std::string_view(ssa.name(b)));
      bool const is_read = !ssa.consumers({b, ssa.first_version(b)}).empty();
      if (is_read && ssa.version(b) == ssa.first_version(b) && parameters_.contains(name))
        made.push_back(std::move(name));
    }
    return made;
  }

  template <class Backend, bool Has>
  struct kinds {
    struct arena {
      explicit arena(int) {}
    };
  };
  template <class Backend>
  struct kinds<Backend, true> {
    using arena = typename Backend::task_arena;
  };

  std::optional<typename kinds<B, has_tasks<B>>::arena> arena_;  // of options.threads
  netdef net_;
  std::vector<std::string> fetch_;
  std::vector<user_operator> operators_;
  operators<B> table_;
  workspace<B> blobs_;
  boost::unordered_flat_set<std::string> parameters_;
  std::unique_ptr<plan<B>> plan_;
  std::unique_ptr<plan<B>> training_;  // nullptr before add_training
};

}  // namespace plait::detail
