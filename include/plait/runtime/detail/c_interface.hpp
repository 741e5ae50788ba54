// Functions of plait.h. Compiled in one file of the library plait::runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait.h>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/runtime.hpp>
#include <plait/runtime/detail/session_backend.hpp>

/// Session of plait.h.
struct plait_session {
  std::unique_ptr<plait::detail::session_backend> at;
  std::vector<std::string> names = {};     // what plait_session_inputs or plait_session_outputs returned last
  std::vector<char const*> pointers = {};  // to these
};

namespace plait::detail {

inline std::string& last_error() {
  thread_local std::string text;
  return text;
}

/// Calls f, and returns the status of what it throws; `refused` is that of an exec_error, and of any
/// error of plait without a status of its own.
template <class F>
plait_status guarded(F&& f, plait_status refused = PLAIT_RUN_FAILED) noexcept {
  try {
    last_error().clear();
    f();
    return PLAIT_OK;
  } catch (std::exception const& e) {
    try {
      last_error() = e.what();
    } catch (...) {
      return PLAIT_OUT_OF_MEMORY;
    }
    if (dynamic_cast<invalid_argument const*>(&e) != nullptr) return PLAIT_INVALID_ARGUMENT;
    if (dynamic_cast<io_error const*>(&e) != nullptr || dynamic_cast<parse_error const*>(&e) != nullptr)
      return PLAIT_INVALID_FILE;
    if (dynamic_cast<net_error const*>(&e) != nullptr) return PLAIT_INVALID_MODEL;
    if (dynamic_cast<shape_error const*>(&e) != nullptr) return PLAIT_INVALID_SHAPE;
    if (dynamic_cast<std::bad_alloc const*>(&e) != nullptr || dynamic_cast<memory_error const*>(&e) != nullptr)
      return PLAIT_OUT_OF_MEMORY;
    if (dynamic_cast<error const*>(&e) != nullptr) return refused;
    return PLAIT_FAILED;
  } catch (...) {
    return PLAIT_FAILED;
  }
}

inline void expect_pointers(std::initializer_list<void const*> all) {
  for (void const* const each : all)
    if (each == nullptr) throw invalid_argument("plait: a pointer is null");
}
inline element_type element_type_of_c(plait_element_type type) {
  bool const known = (type >= PLAIT_FLOAT32 && type <= PLAIT_BOOL) || type == PLAIT_FLOAT16 || type == PLAIT_BFLOAT16 ||
                     type == PLAIT_UINT32 || type == PLAIT_UINT64;
  if (!known) throw invalid_argument("plait: there is no element type " + std::to_string(static_cast<int>(type)));
  return static_cast<element_type>(type);
}

inline void give_names(plait_session& session, std::vector<std::string> names, char const* const** to,
                       std::size_t* count) {
  session.names = std::move(names);
  session.pointers.clear();
  for (std::string const& name : session.names) session.pointers.push_back(name.c_str());
  *to = session.pointers.data();
  *count = session.pointers.size();
}

}  // namespace plait::detail

extern "C" {

char const* plait_last_error() { return plait::detail::last_error().c_str(); }

plait_status plait_session_open(char const* path, char const* init, char const* backend, unsigned threads,
                                plait_session** session) {
  return plait::detail::guarded(
      [&] {
        plait::detail::expect_pointers({path, session});
        plait::session_options options{.init = init == nullptr ? "" : init,
                                       .backend = backend == nullptr ? "serial" : backend,
                                       .threads = threads};
        auto made = std::make_unique<plait_session>(plait_session{plait::detail::open_session(path, options)});
        *session = made.release();
      },
      PLAIT_INVALID_MODEL);
}
void plait_session_close(plait_session* session) { delete session; }

plait_status plait_session_feed(plait_session* session, char const* name, plait_element_type type, void const* elements,
                                int64_t const* shape, size_t rank) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, name});
    if (rank != 0) plait::detail::expect_pointers({shape});
    std::span<std::int64_t const> const dims(shape, rank);
    if (plait::shape(dims).size() != 0) plait::detail::expect_pointers({elements});
    session->at->feed(name, plait::detail::element_type_of_c(type), elements, dims);
  });
}
plait_status plait_session_run(plait_session* session) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session});
    session->at->run({});
  });
}
plait_status plait_session_inputs(plait_session* session, char const* const** names, size_t* count) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, names, count});
    plait::detail::give_names(*session, session->at->inputs(), names, count);
  });
}
plait_status plait_session_outputs(plait_session* session, char const* const** names, size_t* count) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, names, count});
    plait::detail::give_names(*session, session->at->outputs(), names, count);
  });
}
plait_status plait_session_add_training(plait_session* session, char const* loss, char const* optimizer, float rate) {
  return plait::detail::guarded(
      [&] {
        plait::detail::expect_pointers({session, loss, optimizer});
        session->at->add_training({.loss = loss, .optimizer = optimizer, .rate = rate});
      },
      PLAIT_INVALID_MODEL);
}
plait_status plait_session_train(plait_session* session) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session});
    session->at->train({});
  });
}
plait_status plait_session_save_parameters(plait_session const* session, char const* path) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, path});
    plait::detail::write_parameters(path, session->at->parameters());
  });
}
plait_status plait_session_info(plait_session const* session, char const* name, plait_element_type* type,
                                int64_t* shape, size_t most, size_t* rank) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, name, type, rank});
    if (most != 0) plait::detail::expect_pointers({shape});
    plait::tensor_info const found = session->at->info(name);
    *type = static_cast<plait_element_type>(found.type);
    *rank = found.shape.size();
    for (std::size_t i = 0; i != std::min(most, found.shape.size()); ++i) shape[i] = found.shape[i];
  });
}
plait_status plait_session_fetch(plait_session const* session, char const* name, plait_element_type type,
                                 void* elements, size_t bytes) {
  return plait::detail::guarded([&] {
    plait::detail::expect_pointers({session, name});
    plait::element_type const wanted = plait::detail::element_type_of_c(type);
    std::size_t const held = session->at->expect(name, wanted) * plait::size_of(wanted);
    if (held != bytes)
      throw plait::shape_error("plait: blob '" + std::string(name) + "' has " + std::to_string(held) + " bytes, not " +
                               std::to_string(bytes));
    if (held != 0) plait::detail::expect_pointers({elements});
    session->at->fetch(name, elements);
  });
}

}  // extern "C"
