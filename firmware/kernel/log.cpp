#include "firmware/kernel/log.hpp"

#include <algorithm>

#include "firmware/kernel/console.hpp"
#include "firmware/kernel/interrupt.hpp"
#include "firmware/kernel/timer.hpp"

namespace swai::kernel::log {
namespace {

// Only what was written counts.
[[gnu::section(".noinit")]] std::array<Line, kLines> lines;
constinit uint64_t written = 0;

// Card clocks are nanoseconds.
void print_line(const Line& line) {
  const uint64_t micros = line.time / 1000;
  console::print('[', fw::padded(micros / 1'000'000, 4), '.', fw::padded(micros % 1'000'000, 6, '0'), "] ",
                 line.view(), '\n');
}

}  // namespace

Writer::Writer() {
  line_.time = timer::now();
  line_.length = 0;
}

void Writer::put(std::string_view text) {
  const auto part = text.substr(0, line_.text.size() - line_.length);
  std::ranges::copy(part, line_.text.begin() + static_cast<ptrdiff_t>(line_.length));
  line_.length += part.size();
}

void Writer::commit() {
  const InterruptLock lock;
  Line& kept = lines[written++ % kLines];
  kept.time = line_.time;
  kept.length = line_.length;
  std::ranges::copy(line_.view(), kept.text.begin());
  print_line(kept);
}

void replay() {
  for (uint64_t i = written > kLines ? written - kLines : 0; i < written; ++i) print_line(lines[i % kLines]);
}

}  // namespace swai::kernel::log
