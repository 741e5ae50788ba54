// What a plan says of its ops: members of plan<B>, included by plan.hpp.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/plan.hpp>

namespace plait {

template <backend B>
std::string plan<B>::op_text(op_index op, std::string_view type) const {
  std::string text = "plait: op " + std::to_string(op) + " (" + std::string(type);
  if (!op_names_[op].empty()) text += " '" + op_names_[op] + '\'';
  return text + "): ";
}

template <backend B>
auto plan<B>::problem(op_index op, std::string const& why, std::string_view blob) const -> own_error {
  std::string text = op_text(op) + std::string(detail::without_prefix(why)) + ';';
  auto const list = [&](std::span<value_number const> values) {
    std::string all;
    for (value_number v : values) {
      all += (all.empty() ? " " : ", ") + std::string(value_name(v));
      if (slots_[v].type.type != element_type::none) all += ": " + to_string(slots_[v].type);
    }
    return all;
  };
  text += " inputs" + list(layout_.reads(op)) + "; outputs" + list(layout_.writes(op));
  return {*this, text, op, blob};
}

// Throws what is being handled once more, as what became of an op.
template <backend B>
void plan<B>::rethrow(op_index op) const {
  try {
    throw;
  } catch (own_error const& e) {
    if (e.of == this) throw;
    std::throw_with_nested(problem(op, e.what()));  // of a plan that a kernel or an observer has run
  } catch (run_cancelled const&) {
    throw run_cancelled(op);  // not the op of a nested net
  } catch (nested_net_error const& e) {
    std::throw_with_nested(own_error(*this, op_text(op) + std::string(detail::without_prefix(e.what())), op, e.blob));
  } catch (std::exception const& e) {
    std::throw_with_nested(problem(op, e.what()));
  } catch (...) {
    std::throw_with_nested(problem(op, "the kernel threw something that is no std::exception"));
  }
}

template <backend B>
op_event plan<B>::event(op_index op, run_options const& options) const {
  auto const names = [&](std::span<value_number const> values) {
    std::vector<std::string_view> made;
    for (value_number v : values) made.push_back(value_name(v));
    return made;
  };
  return {op,
          schema(op).type(),
          op_names_[op],
          steps_[op].context.inputs(),
          steps_[op].context.outputs(),
          names(layout_.reads(op)),
          names(layout_.writes(op)),
          options.within};
}

}  // namespace plait
