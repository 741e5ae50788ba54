// Members of session. Compiled in one file of the library plait::runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/read.hpp>
#include <plait/runtime.hpp>
#include <plait/runtime/detail/session_backend.hpp>

namespace plait {

namespace detail {

// Returns true for a model of ONNX, by its file name: its bytes may also be those of a NetDef.
inline bool is_onnx(std::string_view path) { return path.ends_with(".onnx"); }

inline session_model read_model(std::string const& path, std::string const& init) {
  session_model made;
  if (is_onnx(path)) {
    onnx_net model = read_onnx(std::filesystem::path(path));
    made.net = std::move(model.net);
    made.parameters = std::move(model.parameters);
  } else {
    made.net = read_netdef(std::filesystem::path(path));
  }
  if (!init.empty()) made.init = read_netdef(std::filesystem::path(init));
  return made;
}

std::unique_ptr<session_backend> open_session(std::string const& path, session_options const& options) {
  auto const all = session_factories();
  auto const found = std::ranges::find(all, options.backend, &named_factory::backend);
  if (found == all.end()) {
    std::string names;
    for (named_factory const& each : all) names += (names.empty() ? "" : ", ") + std::string(each.backend);
    throw invalid_argument("plait: the runtime was built without the backend '" + options.backend + "'; it has " +
                           names);
  }
  return found->make(read_model(path, options.init), options);
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
  if (type == element_type::none)
    throw shape_error("plait: '" + std::string(name) + "' cannot have elements of this type");
  plait::shape const dims(shape);
  if (static_cast<std::size_t>(dims.size()) != count)
    throw shape_error("plait: blob '" + std::string(name) + "': " + std::to_string(count) + " elements for " +
                      to_string(dims));
  at_->feed(name, type, data, shape);
}
void session::run() { at_->run(); }
std::size_t session::fetch_size(std::string_view name, element_type type) const { return at_->expect(name, type); }
void session::fetch_raw(std::string_view name, void* to) const { at_->fetch(name, to); }
std::string session::schedule() const { return at_->schedule(); }
std::size_t session::forecast_bytes() { return at_->forecast_bytes(); }

}  // namespace plait
