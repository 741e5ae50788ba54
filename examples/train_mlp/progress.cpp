#include "progress.hpp"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace mlp {

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

void progress::show(std::int64_t done, measurement const& last) {
  if (is_terminal_) {
    auto const now = clock::now();
    if (done != steps_ && done != 1 && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    out_ << '\r' << text(done, last) << "\033[K" << std::flush;
  } else if (done == steps_ || done % std::max<std::int64_t>(1, steps_ / 10) == 0) {
    out_ << text(done, last) << std::endl;
  }
}

std::string progress::text(std::int64_t done, measurement const& last) const {
  double const part = static_cast<double>(done) / static_cast<double>(steps_);
  double const passed = std::chrono::duration<double>(clock::now() - begin_).count();
  std::ostringstream line;
  line << std::fixed;
  if (is_terminal_) {
    constexpr std::size_t width = 24;
    auto const filled = static_cast<std::size_t>(part * width);
    line << '[' << std::string(filled, '#') << std::string(width - filled, '.') << "] ";
  }
  line << std::setw(3) << static_cast<int>(100 * part) << "%  " << duration(passed * (1 / part - 1)) << " left  loss "
       << std::setprecision(4) << last.loss << "  accuracy " << std::setprecision(1) << 100 * last.accuracy << '%';
  return line.str();
}

}  // namespace mlp
