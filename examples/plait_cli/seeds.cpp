#include "seeds.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "names.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace cli {

plait::gradient_seed parse_seed(std::string const& text) {
  std::size_t const at = text.find('=');
  if (at == std::string::npos) return text;
  if (at == 0 || at + 1 == text.size())
    throw wrong_usage("plait: --y expects BLOB or BLOB=GRADIENT, not '" + text + "'");
  return {std::string_view(text).substr(0, at), std::string_view(text).substr(at + 1)};
}

failure about_gradient(source const& in, plait::gradient_error const& problem) {
  std::vector<std::string> const blobs = blob_names(in.net);
  file_report report(in.label);
  for (plait::gradient_problem const& p : problem.problems) {
    std::string text = visible(p.text);
    if (!p.op && !p.blob.empty() && std::ranges::find(blobs, p.blob) == blobs.end())
      text += suggest_names(p.blob, blobs);
    // The op of a nested net has its own positions.
    if (p.op && text.starts_with("op " + std::to_string(*p.op) + ' '))
      report.add(in, *p.op, std::move(text));
    else
      report.add(std::move(text));
  }
  std::string text = report.text();
  text.pop_back();  // main() ends the line
  return failure(text);
}

}  // namespace cli
