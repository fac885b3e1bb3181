// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "abi/module.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/run/kernel/report.hpp"

namespace swai::fast {
namespace {

using iss::cpe::Finding;
using kernel_run::Program;
using Json = nlohmann::ordered_json;

constexpr unsigned kVersion = 1;  // of the records
// A line of a kernel's code tells modules apart.
constexpr uint32_t kCode = iss::cpe::kLineBytes;

}  // namespace

class Mistakes::Books {
 public:
  Books(const std::string& file, const std::vector<std::string>& modules) {
    for (const std::string& path : modules) modules_.emplace_back(path);
    if (file == "-") return;
    file_.reset(std::fopen(file.c_str(), "a"));
    if (!file_) throw std::runtime_error(fmt::format("{}: cannot write: {}", file, std::strerror(errno)));
  }

  const Program* module_of(iss::cpe::Group& group) const;
  // False: it was told.
  bool is_new(const Program* module, uint32_t kernel, const Finding& finding);
  bool is_new(unsigned card, uint64_t writer) { return writers_.emplace(card, writer).second; }
  void put(const Json& record) {
    if (!file_) return;
    fmt::print(file_.get(), "{}\n", record.dump());
    std::fflush(file_.get());
  }

 private:
  struct Known {
    const Program* module;
    uint32_t kernel;
    Finding finding;
  };

  std::vector<Program> modules_;
  std::vector<Known> known_;
  std::set<std::pair<unsigned, uint64_t>> writers_;  // on cards, of lines that the DMA engine has read
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

// Null: nobody has said where the kernel comes from.
const Program* Mistakes::Books::module_of(iss::cpe::Group& group) const {
  const uint32_t pc = group.last_launch().pc;
  const uint32_t line = pc - pc % kCode;
  std::array<uint8_t, kCode> there{};
  if (group.read_code(line, there.data()) != iss::cpe::Cause::kNone) return nullptr;
  const uint32_t offset = line - module::base(module::Space::kKernel);
  for (const Program& program : modules_) {
    const bool known = std::ranges::any_of(program.kernels(), [&](const auto& it) { return it.pc == pc; });
    if (!known) continue;
    const size_t bytes = std::min<size_t>(kCode, program.code().size() - offset);
    if (std::memcmp(there.data(), &program.code()[offset], bytes) == 0) return &program;
  }
  return nullptr;
}

bool Mistakes::Books::is_new(const Program* module, uint32_t kernel, const Finding& finding) {
  const bool known = std::ranges::any_of(known_, [&](const Known& it) {
    return it.module == module && it.kernel == kernel && it.finding.is_like(finding);
  });
  if (!known) known_.push_back({module, kernel, finding});
  return !known;
}

Mistakes::Mistakes(const std::string& file, const std::vector<std::string>& modules)
    : books_(std::make_unique<Books>(file, modules)) {}

Mistakes::~Mistakes() = default;

std::unique_ptr<Mistakes> Mistakes::make(const card::Options& options) {
  if (options.check.empty()) return nullptr;
  return std::make_unique<Mistakes>(options.check, options.check_modules);
}

void Mistakes::tell(const Where& where, const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  const Program* const module = books_->module_of(where.running);
  const uint32_t pc = where.running.last_launch().pc;
  std::string kernel = fmt::format("a kernel at {:#010x}", pc);
  if (module != nullptr) kernel = std::ranges::find(module->kernels(), pc, &Program::Kernel::pc)->name;
  const module::SourceLines none;
  const module::SourceLines& lines = module == nullptr ? none : module->text().lines;
  for (const Finding& finding : findings) {
    if (!books_->is_new(module, pc, finding)) continue;
    const Json json = kernel_run::finding_json(finding, lines, kernel);
    fmt::print(stderr, "swai-card: mistake on card {}, group {}: {}\n", where.card, where.group,
               json["text"].get<std::string>());
    Json record = {{"version", kVersion},
                   {"card", where.card},
                   {"group", where.group},
                   {"module", module == nullptr ? "" : module->path()},
                   {"kernel", kernel}};
    record.update(json);
    books_->put(record);
  }
}

void Mistakes::tell(unsigned card, const iss::cpe::Memory::Dirty& line) {
  if (!books_->is_new(card, line.writer)) return;
  const std::string text = fmt::format(
      "the DMA engine reads the line at {:#x} of memory, which the management processor has "
      "written at pc {:#x} and not cleaned",
      line.address, line.writer);
  fmt::print(stderr, "swai-card: mistake on card {}: {}\n", card, text);
  books_->put({{"version", kVersion},
               {"card", card},
               {"kind", iss::cpe::text(Finding::kNotCleaned)},
               {"text", text},
               {"memory", line.address},
               {"written_at", line.writer}});
}

}  // namespace swai::fast
