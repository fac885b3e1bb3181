// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "abi/launch.hpp"
#include "host/lib/sha256.hpp"
#include "host/runtime/allocations.hpp"
#include "host/runtime/capture.hpp"
#include "host/runtime/host_memory.hpp"
#include "host/runtime/queue_failure.hpp"

namespace swai::sdaa {

using command::Type;
using protocol::Status;
using record::Result;

std::atomic<Recorder*> Recorder::instance_ = nullptr;

namespace {

std::string name_of(const Recorder::Card& card, const Stream& stream) {
  const char* const kind = stream.is_default ? "default stream" : "stream";
  // A device has had more than one default stream when it was reset.
  const bool first = stream.is_default && stream.number == 0;
  return fmt::format("card {}, {}{}", card.number, kind, first ? "" : " " + std::to_string(stream.number));
}

// Bus and device addresses mean nothing elsewhere.
std::string place_of(const Recorder::Card& card, uint64_t pointer) {
  const auto found = card.allocations.find(pointer);
  if (found == card.allocations.all().end()) return "";
  return fmt::format("byte {} of allocation {}", pointer - found->first, found->second.number);
}

// Without what is chance: where a kernel was when its time was up.
std::string end_of(const protocol::QueueStatus& line) {
  const std::string node = line.node == 0 ? "" : fmt::format("node {} of the graph: ", line.node - 1);
  switch (line.status) {
    case Status::kKernelFault:
      return fmt::format("{}{}: {}, core {} of group {}, pc {:#x}, address {:#x}", node, text(line.status),
                         launch::text(static_cast<launch::Cause>(line.detail)),
                         line.detail_cpe % launch::kMaxCpes, line.detail_cpe / launch::kMaxCpes,
                         line.detail_pc, line.detail_address);
    case Status::kTransfer:
      return fmt::format("{}{}: error {} of the DMA engine", node, text(line.status), line.detail);
    default:
      return node + text(line.status);
  }
}

template <typename Command>
Command as(std::span<const uint8_t> bytes) {
  Command command = {};
  std::memcpy(&command, bytes.data(), std::min(sizeof command, bytes.size()));
  return command;
}

std::string digest_of(std::span<const uint8_t> bytes) {
  constexpr size_t kEnough = 16;
  const auto whole = sha256(bytes);
  return fmt::format("{:02x}", fmt::join(whole.begin(), whole.begin() + kEnough, ""));
}

std::FILE* make_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return fd < 0 ? nullptr : ::fdopen(fd, "w");
}

// Whether all that was written to it so far is in the file.
bool flush(std::FILE* file) { return std::fflush(file) == 0 && std::ferror(file) == 0; }

}  // namespace

void Recorder::open(const std::string& name) {
  // Never destroyed: threads may still be in it when the process ends.
  instance_ = new Recorder(name);
  std::atexit(close);
}

void Recorder::close() {
  if (Recorder* recorder = get()) recorder->close_file();
}

Recorder::Recorder(const std::string& name)
    : file_(nullptr, std::fclose), contents_(nullptr, std::fclose), process_(::getpid()) {
  constexpr unsigned kMostProcesses = 1000;
  for (unsigned process = 0; process < kMostProcesses && file_ == nullptr; ++process) {
    name_ = record::file_of(name, process);
    file_.reset(make_file(name_));
    if (file_ == nullptr && errno != EEXIST) break;
  }
  if (file_ == nullptr)
    throw std::runtime_error(
        fmt::format("{}: no record can be written there: {}", name, std::strerror(errno)));
}

void Recorder::given(const Card& card, const Stream& stream, Type type, std::span<const uint8_t> command,
                     const Profile::Command& of) {
  // Whether there is anything to wait for depends on time.
  if (type == Type::kEventWait) return;
  Pending pending = {stream.last, {name_of(card, stream), of.name, "", of.bytes, ""}};
  Result& result = pending.result;
  const std::lock_guard guard(mutex_);
  switch (type) {
    case Type::kLaunch:
      result.name = std::exchange(result.what, "launch");
      break;
    case Type::kCopy: {
      const auto copy = as<command::Copy>(command);
      const Area area = area_of(copy);
      result.place = place_of(card, copy.device);
      if (copy.to_host != 0) {
        overwrite(card, area);
        pending.to_host.push_back(area);
      } else {
        take(card, result, std::span(&area, 1), false);
      }
      break;
    }
    case Type::kCopyDevice:
      result.place = place_of(card, as<command::CopyDevice>(command).to);
      break;
    case Type::kFill:
      result.place = place_of(card, as<command::Fill>(command).to);
      break;
    default:
      break;
  }
  Waiting& waiting = waiting_[stream.last.queue];
  waiting.device = card.number;
  waiting.commands.push_back(std::move(pending));
}

void Recorder::holds(const Card& card, const Queue& queue, const std::vector<GraphNode>& nodes) {
  const std::lock_guard guard(mutex_);
  Pending& pending = waiting_[&queue].commands.back();
  size_t commands = 0;
  for (const GraphNode& node : nodes) {
    for (const auto& bytes : node.commands) {
      ++commands;
      if (as<command::Header>(bytes).type != Type::kCopy) continue;
      const auto copy = as<command::Copy>(bytes);
      if (copy.to_host == 0) continue;
      const Area area = area_of(copy);
      overwrite(card, area);
      pending.to_host.push_back(area);
      pending.result.bytes += area.bytes * area.rows;
    }
  }
  pending.result.name = fmt::format("{} commands", commands);
}

Recorder::Area Recorder::area_of(const command::Copy& copy) {
  return {copy.host, copy.bytes, std::max(copy.rows, 1u), copy.host_pitch};
}

void Recorder::overwrite(const Card& card, const Area& area) {
  for (auto& [queue, waiting] : waiting_) {
    if (waiting.device != card.number) continue;
    for (Pending& pending : waiting.commands) {
      if (std::ranges::any_of(pending.to_host, [&](const Area& other) {
            return area.iova < other.iova + other.extent() && other.iova < area.iova + area.extent();
          }))
        pending.to_host.clear();
    }
  }
}

void Recorder::look(const Card& card, const Queue& queue) {
  const std::lock_guard guard(mutex_);
  const auto found = waiting_.find(&queue);
  if (found == waiting_.end()) return;
  auto& commands = found->second.commands;
  while (!commands.empty() && queue.reached(commands.front().point.sequence)) {
    finish(card, queue, commands.front());
    commands.pop_front();
  }
}

void Recorder::finish(const Card& card, const Queue& queue, Pending& pending) {
  Result& result = pending.result;
  if (!queue.failed() || !is_at_least(pending.point.begin, queue.line.failed)) {
    result.end = record::kDone;
    if (!pending.to_host.empty()) take(card, result, pending.to_host, true);
  } else if (pending.point.begin == queue.line.failed) {
    result.end = end_of(queue.line);
    result.text = failure_of(queue).what();
  } else {
    result.end = record::kRefused;
  }
  write(result);
}

void Recorder::forget(int device) {
  const std::lock_guard guard(mutex_);
  for (const auto& [queue, waiting] : waiting_) {
    if (waiting.device != device) continue;
    for (const Pending& pending : waiting.commands) write(pending.result);
  }
  std::erase_if(waiting_, [device](const auto& one) { return one.second.device == device; });
}

void Recorder::printed(int device, const std::string& core, const std::string& line) {
  const std::lock_guard guard(mutex_);
  // What is no UTF-8 is not in the name.
  write({fmt::format("card {}, prints of {}", device, core), "print", line, line.size(), "",
         std::string(record::kDone)},
        std::span(reinterpret_cast<const uint8_t*>(line.data()), line.size()));
}

void Recorder::message(int device, uint64_t run, std::span<const uint8_t> bytes) {
  const std::lock_guard guard(mutex_);
  write({fmt::format("card {}, program {}", device, run), "message", "", bytes.size(), "",
         std::string(record::kDone)},
        bytes);
}

// --- Contents

void Recorder::take(const Card& card, Result& result, std::span<const Area> areas, bool kept) {
  const HostMemory& memory = card.host_memory;
  const auto begin_of = [&](const Area& area) { return memory.at(area.iova, area.extent()); };
  if (std::ranges::any_of(areas, [&](const Area& area) { return begin_of(area) == nullptr; })) return;
  if (kept) keep(result);
  std::vector<uint8_t> piece;
  const uint64_t most = record::piece_bytes(result.bytes);
  for (const Area& area : areas) {
    const uint8_t* row = begin_of(area);
    for (uint64_t left = area.rows; left != 0; --left, row += area.pitch) {
      for (uint64_t at = 0; at < area.bytes;) {
        const uint64_t count = std::min(area.bytes - at, most - piece.size());
        piece.insert(piece.end(), row + at, row + at + count);
        at += count;
        if (piece.size() != most) continue;
        take(result, piece);
        piece.clear();
      }
    }
  }
  if (!piece.empty()) take(result, piece);
}

void Recorder::take(Result& result, std::span<const uint8_t> piece) {
  result.digests.push_back(digest_of(piece));
  if (result.at) std::fwrite(piece.data(), 1, piece.size(), contents_.get());
}

void Recorder::keep(Result& result) {
  if (!open_ || result.bytes > record::kMostContents - kept_) return;
  if (contents_ == nullptr) contents_.reset(make_file(record::contents_of(name_)));
  if (contents_ == nullptr) return;
  result.at = kept_;
  kept_ += result.bytes;
}

// --- The file

void Recorder::write(Result result, std::span<const uint8_t> bytes) {
  keep(result);
  for (size_t at = 0; at < bytes.size();) {
    const auto piece = bytes.subspan(at, std::min(bytes.size() - at, record::piece_bytes(bytes.size())));
    take(result, piece);
    at += piece.size();
  }
  write(result);
}

void Recorder::write(const Result& result) {
  if (!open_) return;
  // What a program that is killed got to know is there. Where something has no room, nothing comes behind it,
  // and no end.
  open_ = contents_ == nullptr || flush(contents_.get());
  if (!open_) return;
  std::string line = record::line_of(result) + "\n";
  written_ += line.size();
  const bool is_cut = written_ > record::kMostBytes;
  if (is_cut) line = record::line_of({.what = std::string(record::kCut)}) + "\n";
  std::fwrite(line.data(), 1, line.size(), file_.get());
  open_ = flush(file_.get()) && !is_cut;
}

void Recorder::close_file() {
  const std::lock_guard guard(mutex_);
  for (const auto& [queue, waiting] : waiting_) {
    for (const Pending& pending : waiting.commands) write(pending.result);
  }
  waiting_.clear();
  write({.what = std::string(record::kEnded)});
  open_ = false;
}

}  // namespace swai::sdaa
