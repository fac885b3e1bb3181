// SPDX-License-Identifier: Apache-2.0
#include "sim/run/mpe/trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "host/lib/elf.hpp"
#include "sim/iss/mpe/trace.hpp"

namespace swai::mpe {

std::string format_record(const Record& record) {
  return fmt::format("{:>10} {}", record.cycle, iss::trace_line(record.retirement));
}

Trace::Trace(const std::string& path) : file_(std::fopen(path.c_str(), "w"), std::fclose) {
  if (!file_)
    throw common::InputError(fmt::format("{}: cannot write the trace: {}", path, std::strerror(errno)));
}

void Trace::retired(const Record& record) { fmt::print(file_.get(), "{}\n", format_record(record)); }

}  // namespace swai::mpe
