#include "promotion.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cfg_conformance {

namespace {

using tokens = std::vector<ll_token>;

std::string text_of(tokens const& all, std::size_t first, std::size_t last) {
  std::string made;
  for (std::size_t i = first; i < last; ++i) {
    if (!made.empty()) made += ' ';
    made += all[i].text;
  }
  return made;
}

value_name name_of(ll_token const& local) { return '%' + plain_name(local.text); }

// Operands of "load [atomic] [volatile] TYPE, POINTER_TYPE POINTER" and "store [atomic] [volatile] TYPE VALUE,
// POINTER_TYPE POINTER".
struct memory_operands {
  bool is_volatile = false;
  std::string type;
  std::size_t value = 0;  // where it begins (store)
  std::size_t value_end = 0;
  std::size_t pointer = 0;
};

std::optional<memory_operands> memory_operands_of(ll_instruction const& i) {
  tokens const& all = i.operands;
  memory_operands made;
  std::size_t at = 0;
  for (; at != all.size() && (all[at].is("atomic") || all[at].is("volatile")); ++at)
    made.is_volatile = made.is_volatile || all[at].is("volatile");
  made.value = end_of_type(all, at);
  made.type = text_of(all, at, made.value);
  made.value_end = end_of_operand(all, made.value);
  made.pointer = end_of_type(all, made.value_end + 1);
  if (made.pointer >= all.size()) return std::nullopt;
  return made;
}

value_name stored_value(ll_instruction const& i, memory_operands const& m) {
  if (m.value_end == m.value + 1) {
    ll_token const& only = i.operands[m.value];
    if (only.kind == ll_token_kind::local) return name_of(only);
    if (only.is("undef") || only.is("poison")) return {};
  }
  return '=' + m.type + ' ' + text_of(i.operands, m.value, m.value_end);
}

// Returns true if the name at `at` is that of a type: a value of that type, or a star, follows.
bool names_type(tokens const& all, std::size_t at) {
  if (at + 1 == all.size()) return false;
  ll_token const& next = all[at + 1];
  constexpr std::array<std::string_view, 10> after_value = {
      "to", "unwind", "within", "seq_cst", "release", "monotonic", "acquire", "acq_rel", "unordered", "syncscope"};
  if (next.kind == ll_token_kind::word) return std::ranges::find(after_value, next.text) == after_value.end();
  return next.kind == ll_token_kind::local || next.kind == ll_token_kind::global || next.is("*") || next.is("(");
}

bool calls(ll_instruction const& i, std::string_view prefix) {
  if (i.opcode != "call") return false;
  return std::ranges::any_of(i.operands, [&](ll_token const& t) {
    return t.kind == ll_token_kind::global && t.text.substr(1).starts_with(prefix);
  });
}

// Returns true for "getelementptr [inbounds] TYPE, POINTER_TYPE POINTER, INDEX…" with all indices zero.
bool has_zero_indices(ll_instruction const& i) {
  std::size_t at = end_of_operand(i.operands, 0);
  at = at == i.operands.size() ? at : end_of_operand(i.operands, at + 1);
  while (at + 1 < i.operands.size()) {
    std::size_t const end = end_of_operand(i.operands, at + 1);
    if (i.operands[at + 1].kind == ll_token_kind::mark) return true;  // "!dbg …"
    if (!i.operands[end - 1].is("0") && !i.operands[end - 1].is("zeroinitializer")) return false;
    at = end;
  }
  return true;
}

}  // namespace

std::optional<variable> variable_of(ll_instruction const& i) {
  if (i.opcode != "alloca" || i.result.empty()) return std::nullopt;
  std::size_t at = 0;
  while (at != i.operands.size() && (i.operands[at].is("inalloca") || i.operands[at].is("swifterror"))) ++at;
  return variable{i.result, text_of(i.operands, at, end_of_type(i.operands, at))};
}

promoter::promoter(ll_function const& f) : f_(&f) {
  for (std::uint32_t b = 0; b != f.blocks.size(); ++b) {
    removed_.emplace_back(f.blocks[b].instructions.size(), false);
    for (std::uint32_t i = 0; i != f.blocks[b].instructions.size(); ++i)
      if (std::string const& result = f.blocks[b].instructions[i].result; !result.empty())
        definitions_.emplace('%' + result, place{b, i});
  }
}

value_name promoter::resolved(value_name value) const {
  for (auto by = replaced_.find(value); by != replaced_.end(); by = replaced_.find(value)) value = by->second;
  return value;
}

std::optional<std::uint32_t> promoter::block_of(value_name const& value) const {
  auto const found = definitions_.find(value);
  return found == definitions_.end() ? std::nullopt : std::optional(found->second.block);
}

std::optional<std::string> promoter::normal_target_of(value_name const& value) const {
  auto const found = definitions_.find(value);
  if (found == definitions_.end() || instruction(found->second).opcode != "invoke") return std::nullopt;
  auto const targets = instruction(found->second).targets();
  return targets.empty() ? std::nullopt : std::optional(targets.front());
}

promoter::use_lists promoter::uses() const {
  use_lists made;
  for (std::uint32_t b = 0; b != f_->blocks.size(); ++b)
    for (std::uint32_t i = 0; i != f_->blocks[b].instructions.size(); ++i) {
      ll_instruction const& user = instruction({b, i});
      // Debug intrinsics are not uses.
      if (removed_[b][i] || calls(user, "llvm.dbg.")) continue;
      bool const type_first = user.opcode == "load" || user.opcode == "getelementptr" || user.opcode == "alloca";
      for (std::size_t at = type_first ? end_of_operand(user.operands, 0) : 0; at != user.operands.size(); ++at)
        if (user.operands[at].kind == ll_token_kind::local && !names_type(user.operands, at))
          made[resolved(name_of(user.operands[at]))].push_back({{b, i}, at});
    }
  return made;
}

bool promoter::only_marks_lifetime(use const& user, use_lists const& all) const {
  auto const& result = instruction(user.at).result;
  auto const users = all.find('%' + result);
  return users == all.end() || std::ranges::all_of(users->second, [&](use const& u) {
           return calls(instruction(u.at), "llvm.lifetime.") || calls(instruction(u.at), "llvm.assume");
         });
}

bool promoter::is_promotable(variable const& v, use_lists const& all) const {
  if (phi_operands_.contains('%' + v.name)) return false;
  auto const users = all.find('%' + v.name);
  return users == all.end() || std::ranges::all_of(users->second, [&](use const& u) {
           ll_instruction const& user = instruction(u.at);
           if (user.opcode == "load" || user.opcode == "store") {
             auto const m = memory_operands_of(user);
             return m && !m->is_volatile && m->type == v.type && m->pointer == u.operand;
           }
           if (user.opcode == "bitcast" || user.opcode == "addrspacecast") return only_marks_lifetime(u, all);
           if (user.opcode == "getelementptr") return has_zero_indices(user) && only_marks_lifetime(u, all);
           return calls(user, "llvm.lifetime.") || calls(user, "llvm.assume");
         });
}

void promoter::remove_markers(variable const& v, use_lists const& all) {
  auto const users = all.find('%' + v.name);
  if (users == all.end()) return;
  for (use const& u : users->second) {
    removed_[u.at.block][u.at.index] = true;
    ll_instruction const& user = instruction(u.at);
    if (user.opcode == "load" || user.opcode == "store") continue;
    if (auto const marks = all.find('%' + user.result); !user.result.empty() && marks != all.end())
      for (use const& mark : marks->second) removed_[mark.at.block][mark.at.index] = true;
  }
}

promotion_round promoter::next() {
  promotion_round made;
  made.blocks.resize(f_->blocks.size());
  use_lists const all = uses();
  std::unordered_map<value_name, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i != f_->blocks[0].instructions.size(); ++i) {
    auto v = variable_of(instruction({0, i}));
    if (!v || removed_[0][i] || !is_promotable(*v, all)) continue;
    removed_[0][i] = true;
    numbers.emplace('%' + v->name, static_cast<std::uint32_t>(made.variables.size()));
    made.variables.push_back(*std::move(v));
  }
  for (std::uint32_t b = 0; b != f_->blocks.size(); ++b)
    for (std::uint32_t i = 0; i != f_->blocks[b].instructions.size(); ++i) {
      ll_instruction const& user = instruction({b, i});
      bool const store = user.opcode == "store";
      if (removed_[b][i] || (user.opcode != "load" && !store)) continue;
      auto const m = memory_operands_of(user);
      if (!m || user.operands[m->pointer].kind != ll_token_kind::local) continue;
      auto const v = numbers.find(resolved(name_of(user.operands[m->pointer])));
      if (v == numbers.end()) continue;
      made.blocks[b].push_back({v->second, store, store ? resolved(stored_value(user, *m)) : '%' + user.result, i});
    }
  for (variable const& v : made.variables) remove_markers(v, all);
  return made;
}

}  // namespace cfg_conformance
