#include "progress.hpp"

#include <cstddef>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace example {

namespace {

std::string duration(double seconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  if (seconds < 100)
    text << seconds << " s";
  else if (seconds < 6000)
    text << seconds / 60 << " min";
  else
    text << seconds / 3600 << " h";
  return text.str();
}

}  // namespace

progress::~progress() {
  if (is_terminal_) out_ << std::endl;
}

void progress::show(double part, std::function<std::string()> const& more) {
  if (is_terminal_) {
    auto const now = clock::now();
    if (part != 1 && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    out_ << '\r' << text(part, more()) << "\033[K" << std::flush;
  } else if (int const tenths = static_cast<int>(10 * part); tenths > tenths_) {
    tenths_ = tenths;
    out_ << text(part, more()) << std::endl;
  }
}

std::string progress::text(double part, std::string const& more) const {
  double const passed = std::chrono::duration<double>(clock::now() - begin_).count();
  std::ostringstream line;
  if (is_terminal_) {
    constexpr std::size_t width = 24;
    auto const filled = static_cast<std::size_t>(part * width);
    line << '[' << std::string(filled, '#') << std::string(width - filled, '.') << "] ";
  }
  line << std::setw(3) << static_cast<int>(100 * part) << "%  " << duration(passed * (1 / part - 1)) << " left  "
       << more;
  return line.str();
}

}  // namespace example
