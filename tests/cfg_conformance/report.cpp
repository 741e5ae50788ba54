#include "report.hpp"

#include <algorithm>
#include <iomanip>
#include <string_view>

namespace cfg_conformance {

void print_report(std::ostream& out, std::vector<comparison> const& all, bool verbose) {
  for (comparison const& c : all) {
    for (different_function const& f : c.different) {
      out << "different " << c.module << ' ' << c.analysis << ' ' << f.name << '\n';
      std::size_t const end = verbose ? f.differences.size() : 1;
      for (std::size_t i = 0; i != end; ++i) out << "    " << f.differences[i] << '\n';
      if (end != f.differences.size()) out << "    and " << f.differences.size() - end << " more (--verbose)\n";
    }
  }

  std::size_t modules = std::string_view("module").size();
  std::size_t analyses = std::string_view("analysis").size();
  for (comparison const& c : all) {
    modules = std::max(modules, c.module.size());
    analyses = std::max(analyses, c.analysis.size());
  }
  auto const row = [&](std::string_view module, std::string_view analysis, auto functions, auto equal, auto different) {
    out << std::left << std::setw(static_cast<int>(modules)) << module << "  " << std::setw(static_cast<int>(analyses))
        << analysis << std::right << std::setw(11) << functions << std::setw(8) << equal << std::setw(11) << different
        << '\n';
  };
  row("module", "analysis", "functions", "equal", "different");
  std::size_t functions = 0;
  std::size_t different = 0;
  for (comparison const& c : all) {
    row(c.module, c.analysis, c.functions, c.functions - c.different.size(), c.different.size());
    functions += c.functions;
    different += c.different.size();
  }
  if (all.size() > 1) row("all", "", functions, functions - different, different);
}

}  // namespace cfg_conformance
