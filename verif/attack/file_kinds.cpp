// SPDX-License-Identifier: Apache-2.0
// Files that others read: modules, firmware images, folders and links that lie where a daemon writes.
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "abi/elf32.hpp"
#include "host/daemon/cards/control.hpp"
#include "host/lib/elf.hpp"
#include "host/runtime/error.hpp"
#include "host/tools/flash/image.hpp"
#include "host/transport/served.hpp"
#include "verif/abi/module_file.hpp"
#include "verif/attack/attacker.hpp"

namespace swai::attack {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

// A few bytes of it are others, or its end is missing.
Bytes damaged(Attacker& attacker, Bytes bytes) {
  const auto size = static_cast<unsigned>(bytes.size());
  // Headers and tables come first.
  for (unsigned i = 1 + attacker.below(8); i > 0; --i) {
    uint8_t& one = bytes[attacker.below(attacker.below(2) == 0 ? std::min(size, 512U) : size)];
    one = attacker.below(2) == 0 ? static_cast<uint8_t>(attacker.number())
                                 : static_cast<uint8_t>(one ^ 1 << attacker.below(8));
  }
  if (attacker.below(4) == 0) bytes.resize(attacker.below(size));
  return bytes;
}

fs::path write(const Attacker& attacker, const std::string& name, const Bytes& bytes) {
  fs::create_directories(attacker.folder());
  const fs::path path = fs::path(attacker.folder()) / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

// Whatever becomes of it: a module that is loaded may be run. False: it is not loaded.
bool use_module(Attacker& attacker, const Bytes& bytes) {
  attacker.api();
  sdaaModule_t module = nullptr;
  if (sdaaModuleLoadBytes(&module, bytes.data(), bytes.size()) != sdaaSuccess) return false;
  unsigned int count = 0;
  (void)sdaaModuleGetFunctionCount(&count, module);
  sdaaFunction_t function = nullptr;
  if (sdaaModuleGetFunction(&function, module, "nothing") == sdaaSuccess) {
    sdaaLaunchConfig_t config = {};
    config.structBytes = sizeof config;
    config.group = sdaaAnyGroup;
    config.timeoutCycles = ApiClient::kTimeout;
    (void)sdaaLaunch(function, &config, nullptr, 0, attacker.api().stream());
    (void)attacker.api().finish();
  }
  (void)sdaaModuleUnload(module);
  return true;
}

const Kind modules(Boundary::kFile, "loads modules that are damaged", [](Attacker& attacker) {
  for (unsigned i = 0; i < 2; ++i) {
    use_module(attacker, damaged(attacker, attacker.module()));
    // Headers of sections are the last things in it.
    Bytes cut = attacker.module();
    cut.resize(attacker.below(static_cast<unsigned>(cut.size())));
    attacker.expect(!use_module(attacker, cut), "one that ends too early was loaded");
  }
});

// Each word of the headers in turn, the file's offsets and lengths among them, is more than the file has.
const Kind outside(Boundary::kFile, "loads modules whose headers lead out of the file",
                   [](Attacker& attacker) {
                     const Bytes whole = attacker.module();
                     module::elf::Header header;
                     std::memcpy(&header, whole.data(), sizeof header);
                     const size_t headers = header.program_headers +
                                            header.program_header_count * sizeof(module::elf::ProgramHeader);
                     for (size_t at = offsetof(module::elf::Header, entry); at < headers;
                          at += sizeof(uint32_t)) {
                       Bytes bytes = whole;
                       const auto outside = static_cast<uint32_t>(whole.size() + attacker.below(64));
                       std::memcpy(bytes.data() + at, &outside, sizeof outside);
                       use_module(attacker, bytes);
                     }
                   });

const Kind many_headers(Boundary::kFile, "loads a module whose headers name the same bytes again and again",
                        [](Attacker& attacker) {
                          constexpr unsigned kHeaders = 200;
                          module::ModuleFile file;
                          for (unsigned i = 0; i < kHeaders; ++i)
                            file.segments.push_back({module::elf::kNote, 0, Bytes(i == 0 ? 4096 : 12), 0, 4});
                          Bytes bytes = file.make();
                          module::elf::Header header;
                          std::memcpy(&header, bytes.data(), sizeof header);
                          // All but the code lie where the second one does.
                          module::elf::ProgramHeader second;
                          const auto at = [&](unsigned i) {
                            return bytes.data() + header.program_headers + i * sizeof second;
                          };
                          std::memcpy(&second, at(1), sizeof second);
                          for (unsigned i = 2; i < kHeaders; ++i) std::memcpy(at(i), &second, sizeof second);
                          attacker.expect(!use_module(attacker, bytes), "all of them were gone through");
                        });

const Kind no_modules(Boundary::kFile, "loads modules from what is no file", [](Attacker& attacker) {
  attacker.api();
  const fs::path folder = attacker.folder();
  fs::create_directories(folder);
  std::error_code ignored;
  fs::create_symlink(folder / "loop", folder / "loop", ignored);
  for (const std::string& path : {folder.string(), (folder / "loop").string(), (folder / "nothing").string(),
                                  std::string("/dev/null"), std::string(8192, 'x')}) {
    sdaaModule_t module = nullptr;
    attacker.expect(sdaaModuleLoad(&module, path.c_str()) != sdaaSuccess, "it was a module");
  }
});

// What the ROM, and every tool, says of an image in which anything but its state was changed.
const Kind images(Boundary::kFile, "hands over firmware images that are damaged", [](Attacker& attacker) {
  Bytes payload(4096 + attacker.below(4096));
  for (uint8_t& byte : payload) byte = static_cast<uint8_t>(attacker.number());
  flash::Description description;
  description.load_address = description.entry = boot::kImageMemory.memory_base;
  flash::set_text(description.identity.version, "1.2.3", "version");
  const Bytes image = flash::make_image(payload, description);
  for (unsigned i = 0; i < 8; ++i) {
    const Bytes bytes = damaged(attacker, image);
    const bool whole =
        bytes.size() == image.size() &&
        std::equal(bytes.begin(), bytes.begin() + image::kChecksumOffset, image.begin()) &&
        std::equal(bytes.begin() + image::kHeaderBytes, bytes.end(), image.begin() + image::kHeaderBytes);
    attacker.expect(whole || flash::check(bytes) != image::Refusal::kNone, "a changed image was taken");
  }
});

// A program for the management processor, with a segment and symbols.
Bytes whole_program() {
  struct {
    Elf64_Ehdr header = {};
    Elf64_Phdr segment = {};
    std::array<Elf64_Shdr, 3> sections = {};
    std::array<Elf64_Sym, 4> symbols = {};
    std::array<char, 16> names = {};
    std::array<uint8_t, 64> code = {};
  } file;
  const auto offset = [&](const auto& part) {
    return static_cast<uint64_t>(reinterpret_cast<const char*>(&part) - reinterpret_cast<const char*>(&file));
  };
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_type = ET_EXEC;
  file.header.e_machine = EM_RISCV;
  file.header.e_entry = 0x8000'0000;
  file.header.e_phoff = offset(file.segment);
  file.header.e_phentsize = sizeof file.segment;
  file.header.e_phnum = 1;
  file.header.e_shoff = offset(file.sections);
  file.header.e_shentsize = sizeof file.sections[0];
  file.header.e_shnum = file.sections.size();
  file.segment.p_type = PT_LOAD;
  file.segment.p_offset = offset(file.code);
  file.segment.p_paddr = file.header.e_entry;
  file.segment.p_filesz = file.segment.p_memsz = sizeof file.code;
  file.sections[1].sh_type = SHT_SYMTAB;
  file.sections[1].sh_link = 2;
  file.sections[1].sh_offset = offset(file.symbols);
  file.sections[1].sh_size = sizeof file.symbols;
  file.sections[2].sh_type = SHT_STRTAB;
  file.sections[2].sh_offset = offset(file.names);
  file.sections[2].sh_size = sizeof file.names;
  std::ranges::copy(std::string_view("_start"), file.names.begin() + 1);
  for (Elf64_Sym& symbol : file.symbols) {
    symbol.st_name = 1;
    symbol.st_shndx = 1;
    symbol.st_value = file.header.e_entry;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(&file);
  return {bytes, bytes + sizeof file};
}

const Kind programs(Boundary::kFile, "hands over programs that are damaged", [](Attacker& attacker) {
  const Bytes whole = whole_program();
  attacker.expect(common::load_elf(write(attacker, "whole.elf", whole).string()).segments.size() == 1,
                  "a whole program is none");
  for (unsigned i = 0; i < 16; ++i) {
    const fs::path path = write(attacker, "program.elf", damaged(attacker, whole));
    try {
      common::load_elf(path.string());
    } catch (const common::InputError&) {
    }
  }
});

const Kind folders(Boundary::kFile, "makes the daemon's folder before it does", [](Attacker& attacker) {
  const fs::path folder = fs::path(attacker.folder()) / "runtime";
  fs::remove_all(folder);
  fs::create_directories(folder / "open");
  fs::permissions(folder / "open", fs::perms::all);
  fs::create_directories(folder / "target");
  fs::create_directory_symlink(folder / "target", folder / "link");
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"open", "link", "file"})
    attacker.expect(!link::claim_folder(folder / name, false).empty(), "a daemon would have used it");
});

const Kind links(Boundary::kFile, "puts a link where a job's output goes", [](Attacker& attacker) {
  const fs::path runtime = fs::path(attacker.socket()).parent_path();
  const fs::path precious = write(attacker, "precious", {'p'});
  const auto submit = [&](const std::vector<std::string>& program) {
    try {
      return serve::number_in(
          serve::ask((runtime / "control").string(),
                     {{"command", "submit"}, {"program", program}, {"folder", attacker.folder()}}),
          "job");
    } catch (const std::runtime_error&) {
      return 0U;
    }
  };
  // The next ones have their output there.
  const unsigned first = submit({"true"});
  std::error_code ignored;
  for (unsigned i = 1; i < 4; ++i) {
    const fs::path next = runtime / "jobs" / (std::to_string(first + i) + ".output");
    fs::create_symlink(precious, next, ignored);
  }
  for (unsigned i = 1; i < 4; ++i) submit({"echo", "overwritten"});
  // A job that was taken, with its output elsewhere, ends soon; that it has ended is not what counts.
  attacker.expect(fs::file_size(precious) == 1, "a job has written where a link led");
});

}  // namespace
}  // namespace swai::attack
