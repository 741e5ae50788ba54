// Session on a backend: workspace and plan of a model. Compiled in the library plait::runtime only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/runtime/detail/session_backend.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

template <backend B>
class session_on final : public session_backend {
 public:
  session_on(session_model&& model, session_options const& options) {
    if constexpr (has_tasks<B>)
      if (options.threads != 0) arena_.emplace(static_cast<int>(options.threads));
    operators<B> const& table = standard_operators<B>();
    plait::feed(blobs_, model.parameters);
    if (!model.init.op.empty()) plait::compile(model.init, table, blobs_).run();
    std::vector<std::string> const parameters = blobs_.names();
    parameters_.insert(parameters.begin(), parameters.end());
    compile_options compiled{.fetch = options.fetch};
    if (options.constant_parameters) compiled.constants = constants(model.net);
    plan_ = std::make_unique<plan<B>>(model.net, table, blobs_, compiled);
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
  void run() override {
    if constexpr (has_tasks<B>) {
      if (arena_) return arena_->execute([this] { plan_->run(); });
    }
    plan_->run();
  }
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
  // Parameters that the net reads and never writes.
  std::vector<std::string> constants(netdef const& net) const {
    auto const ssa = get_ssa(net, {.subnets = true});
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
  workspace<B> blobs_;
  boost::unordered_flat_set<std::string> parameters_;
  std::unique_ptr<plan<B>> plan_;
};

}  // namespace plait::detail
