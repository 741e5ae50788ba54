// Members of session. Compiled in one file of the library plait::runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/runtime.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait {

namespace detail {

std::unique_ptr<session_backend> open_session(std::string const& path, session_options const& options) {
  auto const all = session_factories();
  auto const found = std::ranges::find(all, options.backend, &named_factory::backend);
  if (found == all.end()) {
    std::string names;
    for (named_factory const& each : all) names += (names.empty() ? "" : ", ") + std::string(each.backend);
    throw invalid_argument("plait: the runtime was built without the backend '" + options.backend + "'; it has " +
                           names);
  }
  return found->make(read_model(path, options), options);
}

}  // namespace detail

session::session(std::string const& path, session_options const& options) : at_(detail::open_session(path, options)) {}
session::session(session&&) noexcept = default;
session& session::operator=(session&&) noexcept = default;
session::~session() = default;

std::vector<std::string> session::backends() {
  std::vector<std::string> made;
  for (detail::named_factory const& each : detail::session_factories()) made.emplace_back(each.backend);
  return made;
}

std::vector<std::string> session::inputs() const { return at_->inputs(); }
std::vector<std::string> session::outputs() const { return at_->outputs(); }
tensor_info session::info(std::string_view name) const { return at_->info(name); }

void session::feed_raw(std::string_view name, element_type type, void const* data, std::size_t count,
                       std::span<std::int64_t const> shape) {
  plait::shape const dims(shape);
  if (static_cast<std::size_t>(dims.size()) != count)
    throw shape_error("plait: blob '" + std::string(name) + "': " + std::to_string(count) + " elements for " +
                      to_string(dims));
  at_->feed(name, type, data, shape);
}
void session::run(session_run_options const& options) { at_->run(options); }
void session::add_training(training_options const& options) { at_->add_training(options); }
void session::train(session_run_options const& options) { at_->train(options); }
void session::save_parameters(std::string const& path) const { detail::write_parameters(path, at_->parameters()); }
std::size_t session::fetch_size(std::string_view name, element_type type) const { return at_->expect(name, type); }
void session::fetch_raw(std::string_view name, void* to) const { at_->fetch(name, to); }
std::string session::schedule() const { return at_->schedule(); }
std::size_t session::forecast_bytes() { return at_->forecast_bytes(); }

void detail::expect_elements(element_type held, element_type wanted) {
  if (held != wanted)
    throw shape_error("plait: the operand holds " + std::string(to_string(held)) + ", not " +
                      std::string(to_string(wanted)));
}

double user_operator::call::argument(std::string_view name) const {
  auto const found = std::ranges::find(arguments, name, &std::pair<std::string, double>::first);
  if (found == arguments.end())
    throw net_error("plait: the op type declares no argument '" + std::string(name) + "'", {}, std::string(name));
  return found->second;
}

}  // namespace plait
