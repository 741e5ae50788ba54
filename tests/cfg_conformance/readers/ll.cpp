#include "ll.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

namespace cfg_conformance {

namespace {

constexpr std::array terminators = {
    std::string_view("ret"),      std::string_view("br"),          std::string_view("switch"),
    std::string_view("invoke"),   std::string_view("unreachable"), std::string_view("indirectbr"),
    std::string_view("resume"),   std::string_view("callbr"),      std::string_view("catchswitch"),
    std::string_view("catchret"), std::string_view("cleanupret")};

// Returns the length of the name at the start of `rest`, quoted or not.
std::size_t name_length(line_reader const& at, std::string_view rest) {
  if (rest.starts_with('"')) {
    std::size_t const end = rest.find('"', 1);
    if (end == std::string_view::npos) at.fail("a string without its end");
    return end + 1;
  }
  std::size_t length = 0;
  while (length != rest.size() && is_name_character(rest[length])) ++length;
  return length;
}

bool opens(ll_token const& t) { return t.is("(") || t.is("[") || t.is("{") || t.is("<"); }
bool closes(ll_token const& t) { return t.is(")") || t.is("]") || t.is("}") || t.is(">"); }

// Returns the index after the bracket that closes the one at `first`.
std::size_t end_of_brackets(std::vector<ll_token> const& tokens, std::size_t first) {
  std::size_t depth = 0;
  for (std::size_t i = first; i != tokens.size(); ++i) {
    if (opens(tokens[i])) ++depth;
    if (closes(tokens[i]) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

// Instructions without a result, except calls, for which the type decides.
constexpr std::array without_result = {std::string_view("ret"),         std::string_view("br"),
                                       std::string_view("switch"),      std::string_view("indirectbr"),
                                       std::string_view("unreachable"), std::string_view("resume"),
                                       std::string_view("catchret"),    std::string_view("cleanupret"),
                                       std::string_view("store"),       std::string_view("fence")};

// Returns true if a call has no result: its type is void, or that of a void function, but not a pointer to one.
bool returns_void(std::vector<ll_token> const& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is("void")) return !operands[end_of_type(operands, i) - 1].is("*");
    if (operands[i].kind == ll_token_kind::local || operands[i].kind == ll_token_kind::global) return false;
    if (opens(operands[i])) i = end_of_brackets(operands, i) - 1;
  }
  return false;
}

bool has_result(ll_instruction const& i) {
  if (i.opcode == "call" || i.opcode == "invoke" || i.opcode == "callbr") return !returns_void(i.operands);
  return std::ranges::find(without_result, i.opcode) == without_result.end();
}

// Numbering of unnamed values as in LLVM: from 0 in the order of the text: parameters, blocks, results of instructions.
// An explicit number may skip some, but not go back.
class numbering {
 public:
  explicit numbering(line_reader const& at) : at_(&at) {}

  /// Returns the next number, for a value without name and number.
  std::string take() { return std::to_string(next_++); }
  /// Records a plain name, which may be a number.
  void see(std::string_view name) {
    if (name.empty() || name.find_first_not_of("0123456789") != std::string_view::npos) return;
    std::size_t number = 0;
    auto const read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec != std::errc() || number < next_)
      at_->fail("'" + std::string(name) + "' should be number " + std::to_string(next_) + " or above");
    next_ = number + 1;
  }

 private:
  line_reader const* at_;
  std::size_t next_ = 0;
};

// Numbers the parameters of a function: a type, attributes, a name, which may be missing.
void number_parameters(std::vector<ll_token> const& head, std::size_t parameters, numbering& numbers) {
  std::size_t const end = end_of_brackets(head, parameters) - 1;
  for (std::size_t first = parameters + 1; first < end;) {
    std::size_t const last = end_of_operand(head, first);  // ends at the bracket, too
    std::size_t const stop = std::min(last, end);
    if (!head[first].is("...")) {
      std::size_t const type = end_of_type(head, first);
      if (type < stop && head[stop - 1].kind == ll_token_kind::local)
        numbers.see(plain_name(head[stop - 1].text));
      else
        numbers.take();
    }
    first = stop + 1;
  }
}

// Parses a function after its "define" line.
class body_reader {
 public:
  body_reader(line_reader& lines, ll_function& into, numbering numbers)
      : lines_(lines), into_(into), numbers_(numbers) {}

  void read() {
    for (;;) {
      if (!lines_.next()) lines_.fail("the file ends inside function '" + into_.name + "'");
      std::string_view const line = lines_.line();
      if (line.starts_with('}')) break;
      std::size_t const indent = line.find_first_not_of(" \t");
      if (indent == std::string_view::npos || line[indent] == ';') continue;
      if (line.substr(indent).starts_with("#dbg_")) continue;  // a debug record, which is no instruction
      if (indent == 0)
        label(line);
      else if (indent == 2 && line[2] != ']')
        instruction(line);
      else
        continuation(line);
    }
    finish_block();
    if (into_.blocks.empty()) lines_.fail("function '" + into_.name + "' has no blocks");
  }

 private:
  void label(std::string_view line) {
    std::size_t const length = name_length(lines_, line);
    if (length == 0 || !line.substr(length).starts_with(':')) lines_.fail("expected a label or an instruction");
    finish_block();
    std::string name = plain_name(line.substr(0, length));
    numbers_.see(name);
    add_block(std::move(name));
  }

  void instruction(std::string_view line) {
    std::vector<ll_token> tokens = tokens_of(lines_, line);
    if (tokens.empty() || tokens[0].is("uselistorder") || tokens[0].kind == ll_token_kind::mark) return;
    // A block may lack a label: the entry, or the block after a terminator.
    if (into_.blocks.empty() || ended()) add_block(numbers_.take());
    ll_instruction made;
    made.line = lines_.number();
    std::size_t at = 0;
    if (tokens.size() > 2 && tokens[0].kind == ll_token_kind::local && tokens[1].is("=")) {
      made.result = plain_name(tokens[0].text);
      at = 2;
    }
    if (tokens[at].is("tail") || tokens[at].is("musttail") || tokens[at].is("notail")) ++at;
    if (at == tokens.size() || tokens[at].kind != ll_token_kind::word) lines_.fail("expected an instruction");
    made.opcode = tokens[at].text;
    made.operands.assign(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1, tokens.end());
    if (!made.result.empty())
      numbers_.see(made.result);
    else if (has_result(made))
      made.result = numbers_.take();
    into_.blocks.back().instructions.push_back(std::move(made));
  }

  void continuation(std::string_view line) {
    if (into_.blocks.empty() || into_.blocks.back().instructions.empty()) lines_.fail("expected an instruction");
    std::vector<ll_token> const tokens = tokens_of(lines_, line);
    std::vector<ll_token>& operands = into_.blocks.back().instructions.back().operands;
    operands.insert(operands.end(), tokens.begin(), tokens.end());
  }

  void add_block(std::string label) {
    if (!labels_.insert(label).second) lines_.fail("a second block '" + label + "'");
    into_.blocks.push_back({std::move(label), {}});
  }

  bool ended() const {
    auto const& all = into_.blocks.back().instructions;
    return !all.empty() && all.back().is_terminator();
  }
  void finish_block() const {
    if (!into_.blocks.empty() && !ended())
      lines_.fail("block '" + into_.blocks.back().label + "' ends without a terminator");
  }

  line_reader& lines_;
  ll_function& into_;
  numbering numbers_;
  std::set<std::string> labels_;
};

}  // namespace

bool ll_instruction::is_terminator() const { return std::ranges::find(terminators, opcode) != terminators.end(); }

std::vector<std::string> ll_instruction::targets() const {
  std::vector<std::string> made;
  if (!is_terminator()) return made;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i)
    if (operands[i].is("label") && operands[i + 1].kind == ll_token_kind::local)
      made.push_back(plain_name(operands[i + 1].text));
  return made;
}

function_graph ll_function::graph(document const& from) const {
  function_graph made(name, line);
  for (ll_block const& b : blocks) made.add_block(b.label);
  for (std::uint32_t i = 0; i != blocks.size(); ++i) {
    std::vector<std::uint32_t> targets;
    ll_instruction const& last = blocks[i].instructions.back();
    for (std::string const& label : last.targets()) {
      auto const target = made.find(label);
      if (!target) throw file_error(from.path, last.line, "no block '" + label + "' in function '" + name + "'");
      if (std::ranges::find(targets, *target) == targets.end()) targets.push_back(*target);
    }
    made.set_successors(i, std::move(targets));
  }
  return made;
}

std::vector<ll_function> read_ll(document const& from) {
  std::vector<ll_function> made;
  std::set<std::string> names;
  line_reader lines(from);
  while (lines.next()) {
    if (!lines.line().starts_with("define ")) continue;
    std::vector<ll_token> const head = tokens_of(lines, lines.line());
    auto const name = std::ranges::find_if(head, [](ll_token const& t) { return t.kind == ll_token_kind::global; });
    std::size_t const parameters = static_cast<std::size_t>(name - head.begin()) + 1;
    if (parameters >= head.size() || !head[parameters].is("(") || !head.back().is("{"))
      lines.fail("expected 'define TYPE @NAME(PARAMETERS) … {' on one line");
    made.push_back({plain_name(name->text), lines.number(), {}});
    if (!names.insert(made.back().name).second) lines.fail("a second function '" + made.back().name + "'");
    numbering numbers(lines);
    number_parameters(head, parameters, numbers);
    body_reader(lines, made.back(), numbers).read();
  }
  return made;
}

std::vector<ll_token> tokens_of(line_reader const& at, std::string_view line) {
  std::vector<ll_token> made;
  auto const take = [&](ll_token_kind kind, std::size_t length) {
    made.push_back({kind, line.substr(0, length)});
    line.remove_prefix(length);
  };
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line[0] == ';') return made;
    char const c = line[0];
    if (c == '%' || c == '@' || c == '!' || c == '#' || c == '$') {
      std::size_t const length = name_length(at, line.substr(1));
      if (length == 0 && (c == '%' || c == '@')) at.fail(std::string("a name is missing after '") + c + "'");
      take(c == '%' ? ll_token_kind::local : c == '@' ? ll_token_kind::global : ll_token_kind::mark, 1 + length);
    } else if (c == '"') {
      take(ll_token_kind::text, name_length(at, line));
    } else if (line.starts_with("c\"")) {
      take(ll_token_kind::text, 1 + name_length(at, line.substr(1)));
    } else if (is_name_character(c)) {
      take(ll_token_kind::word, name_length(at, line));
    } else {
      take(ll_token_kind::punctuation, 1);
    }
  }
}

std::size_t end_of_type(std::vector<ll_token> const& tokens, std::size_t first) {
  if (first >= tokens.size()) return first;
  std::size_t at = first;
  if (opens(tokens[at]) && !tokens[at].is("("))
    at = end_of_brackets(tokens, at);
  else if (tokens[at].kind == ll_token_kind::word || tokens[at].kind == ll_token_kind::local)
    ++at;
  else
    return first;
  while (at < tokens.size()) {
    if (tokens[at].is("*"))
      ++at;
    else if (tokens[at].is("("))
      at = end_of_brackets(tokens, at);
    else if (tokens[at].is("addrspace") && at + 1 < tokens.size())
      at = end_of_brackets(tokens, at + 1);
    else
      break;
  }
  return at;
}

std::size_t end_of_operand(std::vector<ll_token> const& tokens, std::size_t first) {
  std::size_t depth = 0;
  std::size_t at = first;
  for (; at != tokens.size(); ++at) {
    if (depth == 0 && tokens[at].is(",")) break;
    if (opens(tokens[at])) ++depth;
    if (closes(tokens[at]) && depth != 0) --depth;
  }
  return at;
}

}  // namespace cfg_conformance
