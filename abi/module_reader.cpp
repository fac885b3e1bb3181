#include "abi/module_reader.hpp"

#include <algorithm>
#include <cstring>

#include "abi/elf32.hpp"

namespace swai::module {
namespace {

// Lengths in notes are padded to this.
constexpr uint64_t padded(uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; }

Verdict refuse(Error error, uint32_t value = 0, std::string_view name = {}) { return {error, name, value}; }

}  // namespace

const char* text(Error error) {
  switch (error) {
    case Error::kNone:
      return "good";
    case Error::kTruncated:
      return "ends too early";
    case Error::kNotElf:
      return "not a 32-bit little-endian ELF file";
    case Error::kWrongMachine:
      return "not for RISC-V";
    case Error::kNotLinked:
      return "not a linked, static program";
    case Error::kBadElf:
      return "ELF structure malformed";
    case Error::kNoNote:
      return "no module: it carries no SWAI-CPE note";
    case Error::kBadNote:
      return "module header malformed";
    case Error::kWrongModuleAbi:
      return "made for another version of the module format";
    case Error::kWrongCardAbi:
      return "made for another version of the card";
    case Error::kWrongSpace:
      return "linked for another part of the address space";
    case Error::kUndefinedSymbol:
      return "undefined symbol";
    case Error::kSegmentOutside:
      return "a segment lies outside of code space and local memory";
    case Error::kSegmentWritable:
      return "a code segment is writable";
    case Error::kSegmentsOverlap:
      return "segments overlap";
    case Error::kTooManySegments:
      return "too many segments";
    case Error::kNoCode:
      return "no code";
    case Error::kTooMuchLdm:
      return "does not fit into local memory, or has initial values for it";
    case Error::kTooManyKernels:
      return "too many kernels";
    case Error::kBadKernel:
      return "an entry of the kernel table is malformed";
    case Error::kDuplicateKernel:
      return "two kernels have the same name";
  }
  return "unknown reason";
}

// Callers have checked that it is inside the file. Nothing in it need be aligned.
template <typename T>
T Module::at(uint64_t offset) const {
  T value;
  std::memcpy(&value, file_.data() + offset, sizeof(T));
  // The compiler must not read it again.
  asm volatile("" ::: "memory");
  return value;
}

// A text field of at most `capacity` bytes that ends at a zero or when it is full.
std::string_view Module::field(uint64_t offset, size_t capacity) const {
  const auto* first = reinterpret_cast<const char*>(file_.data() + offset);
  size_t length = 0;
  while (length < capacity && first[length] != 0) ++length;
  return {first, length};
}

Verdict Module::open(std::span<const uint8_t> file, Space space) {
  *this = {};
  file_ = file;
  space_ = space;
  // Offsets in the file have 32 bits.
  if (file.size() > UINT32_MAX) return refuse(Error::kBadElf);
  Verdict verdict = check_elf();
  if (verdict.ok()) verdict = check_note();
  if (verdict.ok()) verdict = check_symbols();
  if (verdict.ok()) verdict = check_segments();
  if (verdict.ok()) verdict = check_kernels();
  return verdict;
}

Verdict Module::check_elf() {
  if (!inside(0, elf::kIdentity.size())) return refuse(Error::kTruncated);
  if (std::memcmp(file_.data(), elf::kIdentity.data(), elf::kIdentity.size()) != 0)
    return refuse(Error::kNotElf);
  if (!inside(0, sizeof(elf::Header))) return refuse(Error::kTruncated);
  elf_ = at<elf::Header>(0);
  const elf::Header& header = elf_;
  if (header.machine != elf::kRiscv) return refuse(Error::kWrongMachine, header.machine);
  if (header.type != elf::kExecutable) return refuse(Error::kNotLinked, header.type);
  if (header.program_header_bytes != sizeof(elf::ProgramHeader)) return refuse(Error::kBadElf);
  if (!inside(header.program_headers, uint64_t{header.program_header_count} * sizeof(elf::ProgramHeader))) {
    return refuse(Error::kTruncated);
  }
  if (header.section_headers != 0) {
    // A count of 0 would mean that the number stands elsewhere: more sections than any module has.
    if (header.section_header_bytes != sizeof(elf::SectionHeader) || header.section_header_count == 0) {
      return refuse(Error::kBadElf);
    }
    if (!inside(header.section_headers, uint64_t{header.section_header_count} * sizeof(elf::SectionHeader))) {
      return refuse(Error::kTruncated);
    }
  }
  return {};
}

Verdict Module::check_note() {
  Range descriptor;
  for (uint32_t i = 0; i < elf_.program_header_count; ++i) {
    const auto program =
        at<elf::ProgramHeader>(elf_.program_headers + uint64_t{i} * sizeof(elf::ProgramHeader));
    if (program.type == elf::kDynamic || program.type == elf::kInterpreter ||
        program.type == elf::kThreadLocal) {
      return refuse(Error::kNotLinked, program.type);
    }
    if (program.type != elf::kNote || descriptor.bytes != 0) continue;
    const Verdict verdict = find_note({program.offset, program.file_bytes}, descriptor);
    if (!verdict.ok()) return verdict;
  }
  if (descriptor.bytes == 0) return refuse(Error::kNoNote);

  // What another version may have elsewhere comes after the versions.
  constexpr uint32_t kVersionsEnd = offsetof(Header, header_bytes);
  if (descriptor.bytes < kVersionsEnd) return refuse(Error::kBadNote);
  if (at<uint64_t>(descriptor.offset) != kMagic) return refuse(Error::kBadNote);
  const auto module_abi = at<uint16_t>(uint64_t{descriptor.offset} + offsetof(Header, module_abi));
  const auto card_abi = at<uint16_t>(uint64_t{descriptor.offset} + offsetof(Header, card_abi));
  if (module_abi != kModuleAbi) return refuse(Error::kWrongModuleAbi, module_abi);
  if (card_abi != kCardAbi) return refuse(Error::kWrongCardAbi, card_abi);

  if (descriptor.bytes < sizeof(Header)) return refuse(Error::kBadNote);
  const auto header = at<Header>(descriptor.offset);
  if (header.header_bytes != sizeof(Header) || header.kernel_bytes != sizeof(Kernel))
    return refuse(Error::kBadNote);
  if (header.space != space_) return refuse(Error::kWrongSpace, static_cast<uint32_t>(header.space));
  const uint32_t table_bytes = descriptor.bytes - sizeof(Header);
  if (table_bytes % sizeof(Kernel) != 0) return refuse(Error::kBadNote);
  note_ = descriptor.offset;
  kernel_count_ = table_bytes / sizeof(Kernel);
  if (kernel_count_ > kMaxKernels) return refuse(Error::kTooManyKernels, kernel_count_);
  return {};
}

Verdict Module::find_note(Range segment, Range& descriptor) {
  if (!inside(segment.offset, segment.bytes)) return refuse(Error::kTruncated);
  if (!go_through(segment.bytes)) return refuse(Error::kBadElf);
  uint64_t offset = segment.offset;
  const uint64_t end = offset + segment.bytes;
  while (end - offset >= sizeof(elf::Note)) {
    const auto note = at<elf::Note>(offset);
    offset += sizeof(elf::Note);
    const uint64_t left = end - offset;
    const uint64_t name_bytes = padded(note.name_bytes);
    // The last note need not be padded.
    if (name_bytes > left || note.descriptor_bytes > left - name_bytes) return refuse(Error::kBadNote);
    if (note.type == kNoteType && note.name_bytes == sizeof(kNoteName) &&
        std::memcmp(file_.data() + offset, kNoteName, sizeof(kNoteName)) == 0) {
      if (note.descriptor_bytes == 0) return refuse(Error::kBadNote);
      descriptor = {static_cast<uint32_t>(offset + name_bytes), note.descriptor_bytes};
      return {};
    }
    offset = std::min(end, offset + name_bytes + padded(note.descriptor_bytes));
  }
  return {};
}

// A module without a symbol table is good: it was stripped after it had been linked.
Verdict Module::check_symbols() {
  if (elf_.section_headers == 0) return {};
  const auto section = [&](uint32_t index) {
    return at<elf::SectionHeader>(elf_.section_headers + uint64_t{index} * sizeof(elf::SectionHeader));
  };
  for (uint32_t i = 0; i < elf_.section_header_count; ++i) {
    const elf::SectionHeader symbols = section(i);
    if (symbols.type != elf::kSymbolTable) continue;
    if (symbols.entry_bytes != sizeof(elf::Symbol) || symbols.bytes % sizeof(elf::Symbol) != 0 ||
        symbols.link >= elf_.section_header_count) {
      return refuse(Error::kBadElf);
    }
    const elf::SectionHeader strings = section(symbols.link);
    if (strings.type != elf::kStringTable) return refuse(Error::kBadElf);
    if (!inside(symbols.offset, symbols.bytes) || !inside(strings.offset, strings.bytes))
      return refuse(Error::kTruncated);
    if (!go_through(symbols.bytes)) return refuse(Error::kBadElf);
    const Verdict verdict =
        check_symbol_table({symbols.offset, symbols.bytes}, {strings.offset, strings.bytes});
    if (!verdict.ok()) return verdict;
  }
  return {};
}

Verdict Module::check_symbol_table(Range symbols, Range strings) const {
  // The first symbol is the null symbol.
  for (uint64_t offset = sizeof(elf::Symbol); offset < symbols.bytes; offset += sizeof(elf::Symbol)) {
    const auto symbol = at<elf::Symbol>(symbols.offset + offset);
    if (symbol.section != elf::kUndefined) continue;
    if (symbol.name >= strings.bytes) return refuse(Error::kBadElf);
    const std::string_view name = field(uint64_t{strings.offset} + symbol.name, strings.bytes - symbol.name);
    return refuse(Error::kUndefinedSymbol, 0, name);
  }
  return {};
}

Verdict Module::check_segments() {
  for (uint32_t i = 0; i < elf_.program_header_count; ++i) {
    const auto program =
        at<elf::ProgramHeader>(elf_.program_headers + uint64_t{i} * sizeof(elf::ProgramHeader));
    if (program.type != elf::kLoad || program.memory_bytes == 0) continue;
    if (program.address - kLdmBase < kLdmBytes) {
      const uint64_t end = uint64_t{program.address - kLdmBase} + program.memory_bytes;
      if (program.file_bytes != 0 || end > kLdmBytes) return refuse(Error::kTooMuchLdm, program.address);
      ldm_bytes_ = std::max(ldm_bytes_, static_cast<uint32_t>(end));
      continue;
    }
    const Verdict verdict = add_code(program);
    if (!verdict.ok()) return verdict;
  }
  if (piece_count_ == 0) return refuse(Error::kNoCode);
  return {};
}

Verdict Module::add_code(const elf::ProgramHeader& program) {
  const uint32_t first = program.address - base(space_);
  if (first >= kMaxCodeBytes || program.memory_bytes > kMaxCodeBytes - first) {
    return refuse(Error::kSegmentOutside, program.address);
  }
  if ((program.flags & elf::kWritable) != 0) return refuse(Error::kSegmentWritable, program.address);
  if (program.file_bytes > program.memory_bytes) return refuse(Error::kBadElf);
  if (!inside(program.offset, program.file_bytes)) return refuse(Error::kTruncated);
  const uint32_t end = first + program.memory_bytes;
  for (const Piece& other : pieces()) {
    if (first < other.offset + other.data.size() && other.offset < end) {
      return refuse(Error::kSegmentsOverlap, program.address);
    }
  }
  code_bytes_ = std::max(code_bytes_, end);
  if (program.file_bytes == 0) return {};
  if (piece_count_ == kMaxPieces) return refuse(Error::kTooManySegments);
  pieces_[piece_count_++] = {first, file_.subspan(program.offset, program.file_bytes)};
  return {};
}

Verdict Module::check_kernels() const {
  for (uint32_t i = 0; i < kernel_count_; ++i) {
    const KernelView view = kernel(i);
    const uint32_t offset = view.pc - base(space_);
    const Parameters parameters(view.parameters);
    const bool fits =
        view.parameters == 0 || (parameters.valid() && parameters.bytes() == view.argument_bytes);
    if (view.name.empty() || !fits || offset % 2 != 0 || offset >= code_bytes_) {
      return refuse(Error::kBadKernel, view.pc, view.name);
    }
    if (index_of(view.name) != i) return refuse(Error::kDuplicateKernel, view.pc, view.name);
  }
  return {};
}

std::string_view Module::name() const { return field(note_ + offsetof(Header, name), sizeof(Header::name)); }

KernelView Module::kernel(uint32_t index) const {
  const uint64_t offset = entry_offset(index);
  return {field(offset + offsetof(Kernel, name), sizeof(Kernel::name)),
          at<uint32_t>(offset + offsetof(Kernel, pc)),
          at<uint32_t>(offset + offsetof(Kernel, argument_bytes)),
          at<uint64_t>(offset + offsetof(Kernel, parameters))};
}

uint32_t Module::index_of(std::string_view name) const {
  uint32_t index = 0;
  while (index < kernel_count_ && kernel(index).name != name) ++index;
  return index;
}

std::optional<KernelView> Module::find(std::string_view name) const {
  const uint32_t index = index_of(name);
  if (index == kernel_count_) return std::nullopt;
  return kernel(index);
}

}  // namespace swai::module
