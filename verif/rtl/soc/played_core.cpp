// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/played_core.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "Vtb_soc__Dpi.h"
#include "card_regs.hpp"

namespace swai::soc {

using verif::check;

Line rom_line(uint64_t index) {
  Line line;
  for (unsigned i = 0; i < kLineBytes; ++i)
    line[i] = static_cast<uint8_t>((index * 167 + i * 31) ^ (index >> (i % 8)));
  return line;
}

void write_rom_file() {
  // Runs side by side write the same; renaming keeps them from seeing half a file.
  const std::string path = "build/tb-soc-rom.hex";
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "w");
  check(file != nullptr, "cannot write " + temporary);
  for (uint64_t i = 0; i < regs::kRomRegion.size / kLineBytes; ++i) {
    const Line line = rom_line(i);
    for (unsigned b = kLineBytes; b-- > 0;) fmt::print(file, "{:02x}", line[b]);
    fmt::print(file, "\n");
  }
  std::fclose(file);
  std::filesystem::rename(temporary, path);
}

const Request* Core::step(bool rst_n, bool taken, bool rsp_valid, unsigned rsp_id, const Response& response) {
  in_reset = !rst_n;
  if (in_reset) {
    queue_.clear();
    for (auto& answers : answers_) answers.clear();
    outstanding_ = 0;
    driven_ = false;
    return nullptr;
  }
  if (rsp_valid) {
    check(outstanding_ > 0, "a response that nobody asked for");
    --outstanding_;
    answers_.at(rsp_id).push_back(response);
  }
  if (taken) {
    check(driven_, "a request was taken that was not there");
    queue_.pop_front();
    ++outstanding_;
    driven_ = false;
  }
  if (!driven_ && !queue_.empty()) driven_ = random_.chance(70);
  return driven_ ? &queue_.front() : nullptr;
}

}  // namespace swai::soc

void stub_core_clock(svBit rst_n, const svBitVecVal* wakes, unsigned long long boot_addr,
                     unsigned long long nmi_addr, unsigned long long card_time, svBit taken, svBit rsp_valid,
                     const svBitVecVal* rsp_id, svBit rsp_err, const svBitVecVal* rsp_data, svBit* valid,
                     svBitVecVal* op, svBitVecVal* id, unsigned long long* addr, svBitVecVal* size,
                     unsigned long long* strb, svBitVecVal* data, svBit* write_error, svBit* sleep) {
  using namespace swai::soc;
  Core& core = *Core::instance;
  core.wakes = *wakes;
  core.boot_address = boot_addr;
  core.nmi_address = nmi_addr;
  core.time = card_time;
  Response response{.err = rsp_err != 0};
  std::memcpy(response.data.data(), rsp_data, kLineBytes);
  const Request* request = core.step(rst_n != 0, taken != 0, rsp_valid != 0, *rsp_id, response);
  *valid = request != nullptr;
  const Request shown = request != nullptr ? *request : Request{};
  *op = shown.op;
  *id = shown.id;
  *addr = shown.address;
  *size = shown.size;
  *strb = shown.strobes;
  std::memcpy(data, shown.data.data(), kLineBytes);
  *write_error = core.write_error;
  *sleep = core.sleep;
}
