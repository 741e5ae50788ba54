// Listings and pictures of programs, with and without their SSA form: text as LLVM prints a function, and Graphviz DOT.
//
//   std::cerr << plait::to_text(f);          // ops as they are: "i = Inc i"
//   plait::program_ssa const ssa(f);
//   std::cerr << plait::to_text(f, ssa);     // "i.2 = phi [i.1, start], [i.3, step]", "i.3 = Inc i.2"
//   plait::write_dot(file, f, ssa);          // a box for each block, with its ops
//
// Blocks are named by text(g, n) of the graph's adaptation, else by index; a blob by its text, else by its integral
// name or by a number in order of appearance. Blocks follow in reverse postorder, unreachable ones last, without
// versions. The listing of a program does not depend on addresses. O(program) time; the text is a constant expression
// where graph/print.hpp's is one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/text.hpp>
#include <plait/graph/print.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

namespace detail {

// Appends the lines of blocks. Without a form, values have no versions.
template <program P>
class program_printer {
 public:
  constexpr program_printer(P const& p, program_ssa<P> const* form) : program_(p), form_(form) {}

  /// Appends the phis and ops of a block, then its results or successors, a line each.
  constexpr void append_block(std::string& text, node_t<P> const& n) {
    bool const versioned = form_ != nullptr && form_->graph().number(n) != npos;
    auto const line = [&](auto append) {
      text += "  ";
      append();
      text += '\n';
    };
    auto&& net = plait::block(program_, n);
    if (n == plait::entry(program_)) {
      bool any = false;
      for ([[maybe_unused]] auto const& name : plait::external_inputs(net)) any = true;
      if (any)
        line([&] {
          text += "inputs";
          append_names(text, net, plait::external_inputs(net), versioned ? ".0" : "");
        });
    }
    if (versioned)
      for (auto const& phi : form_->phis(n)) line([&] { append_phi(text, phi); });
    std::size_t place = 0;
    for (auto&& op : plait::ops(net)) {
      line([&] { append_op(text, net, op, versioned ? form_->op(n, place) : npos); });
      ++place;
    }
    bool is_exit = true;
    for ([[maybe_unused]] auto const& to : plait::successors(program_, n)) is_exit = false;
    if (is_exit) {
      bool any = false;
      for ([[maybe_unused]] auto const& name : plait::external_outputs(net)) any = true;
      if (any)
        line([&] {
          text += "results";
          if (versioned)
            append_values(text, form_->results(n));
          else
            append_names(text, net, plait::external_outputs(net), "");
        });
    } else {
      line([&] { append_nodes(text, program_, plait::successors(program_, n), "-> "); });
    }
  }

 private:
  constexpr void append_key(std::string& text, program_key_t<P> const& key) {
    if constexpr (std::convertible_to<program_key_t<P> const&, std::string_view>) {
      text += std::string_view(key);
    } else {
      text += '%';
      if constexpr (std::integral<program_key_t<P>>)
        append_number(text, key);
      else
        append_number(text, numbers_.intern(key));
    }
  }
  constexpr void append_value(std::string& text, value v) {
    append_key(text, form_->name(v));
    text += '.';
    append_number(text, v.version);
  }
  template <class Values>
  constexpr void append_values(std::string& text, Values&& values) {
    std::string_view separator = " ";
    for (value const v : values) {
      text += separator;
      separator = ", ";
      append_value(text, v);
    }
  }
  template <class Names>
  constexpr void append_names(std::string& text, block_t<P> const& net, Names&& names, std::string_view suffix) {
    std::string_view separator = " ";
    for (auto const& name : names) {
      text += separator;
      separator = ", ";
      append_key(text, name_key(net, name));
      text += suffix;
    }
  }
  constexpr void append_phi(std::string& text, typename program_ssa<P>::phi const& phi) {
    append_value(text, phi.result());
    text += " = phi ";
    auto const predecessors = phi.predecessors();
    auto from = predecessors.begin();
    std::string_view separator;
    for (value const v : phi.arguments()) {
      text += separator;
      separator = ", ";
      text += '[';
      append_value(text, v);
      text += ", ";
      if (from == predecessors.end()) {  // the last argument of a phi of the entry
        text += "on entry";
      } else {
        append_node(text, program_, *from);
        ++from;
      }
      text += ']';
    }
  }
  // `index`: number of the op in the form, npos for an op without versions.
  template <class Op>
  constexpr void append_op(std::string& text, block_t<P> const& net, Op const& op, op_index index) {
    std::string operands;
    if (index != npos)
      append_values(operands, form_->writes(index));
    else
      append_names(operands, net, plait::outputs(net, op), "");
    if (!operands.empty()) {
      text += std::string_view(operands).substr(1);
      text += " = ";
    }
    if constexpr (typed_net<block_t<P>>)
      text += op_type(net, op);
    else
      text += "op";
    if (index != npos)
      append_values(text, form_->reads(index));
    else
      append_names(text, net, plait::inputs(net, op), "");
    if (std::string_view const name = op_name(net, op); !name.empty()) {
      text += "  ; ";
      text += name;
    }
  }

  P const& program_;
  program_ssa<P> const* form_;
  key_index<program_key_t<P>> numbers_;  // of names that are neither text nor integers
};

template <program P>
constexpr std::string program_text(P const& p, program_ssa<P> const* form) {
  flow_snapshot<P> reached;
  reached.compute(p);
  program_printer<P> printer(p, form);
  std::string text;
  auto const append = [&](node_t<P> const& n, auto append_remark) {
    append_node(text, p, n);
    text += ':';
    append_remark();
    text += '\n';
    printer.append_block(text, n);
  };
  for (std::uint32_t number = 0; number != reached.size(); ++number)
    append(reached.node(number), [&] {
      auto const node = [&](std::uint32_t from) -> decltype(auto) { return reached.node(from); };
      append_nodes(text, p, reached.predecessors(number) | std::views::transform(node), "  ; from ");
    });
  for (auto const& n : unreachable_nodes(p, reached)) append(n, [&] { text += "  ; unreachable"; });
  return text;
}

template <program P>
void write_program_dot(std::ostream& out, P const& p, program_ssa<P> const* form) {
  graph_dot<P> dot(out, p);
  program_printer<P> printer(p, form);
  dot.for_each_node([&](node_t<P> const& n) {
    std::string lines;
    append_node(lines, p, n);
    lines += ":\n";
    printer.append_block(lines, n);
    std::string label = "\"";
    for (std::size_t begin = 0; begin != lines.size();) {
      std::size_t const end = lines.find('\n', begin);
      std::string const quoted = dot_quoted(std::string_view(lines).substr(begin, end - begin));
      label.append(quoted, 1, quoted.size() - 2);
      label += "\\l";  // ends a line that is flush left
      begin = end + 1;
    }
    label += '"';
    dot.node(n, label);
  });
  dot.edges();
  dot.finish();
}

}  // namespace detail

/// Returns the blocks of a program with their predecessors, ops and successors.
template <program P>
[[nodiscard]] constexpr std::string to_text(P const& p) {
  return detail::program_text<P>(p, nullptr);
}

/// Returns the blocks of a program in SSA form, phis first; "blob.version" is a value.
template <program P>
[[nodiscard]] constexpr std::string to_text(P const& p, program_ssa<P> const& form) {
  return detail::program_text(p, &form);
}

/// Writes the control flow graph of a program as DOT, with the ops of each block in its box.
template <program P>
void write_dot(std::ostream& out, P const& p) {
  detail::write_program_dot<P>(out, p, nullptr);
}

/// Writes the control flow graph of a program in SSA form as DOT.
template <program P>
void write_dot(std::ostream& out, P const& p, program_ssa<P> const& form) {
  detail::write_program_dot(out, p, &form);
}

}  // namespace plait
