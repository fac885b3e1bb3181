// SPDX-License-Identifier: Apache-2.0
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
  begin(file, space);
  while (!step()) {
  }
  return verdict_;
}

void Module::begin(std::span<const uint8_t> file, Space space) {
  *this = {};
  file_ = file;
  space_ = space;
  go_to(Phase::kElf);
  // Offsets in the file have 32 bits.
  if (file.size() > UINT32_MAX) {
    verdict_ = refuse(Error::kBadElf);
    phase_ = Phase::kEnd;
  }
}

bool Module::step() {
  for (uint32_t judged = 0; judged < kInAStep && phase_ != Phase::kEnd;) {
    judged += phase_ == Phase::kKernels ? kKernelCounts : 1;
    verdict_ = judge_next();
    if (!verdict_.ok()) phase_ = Phase::kEnd;
  }
  return phase_ == Phase::kEnd;
}

Verdict Module::judge_next() {
  switch (phase_) {
    case Phase::kElf:
      return judge_elf();
    case Phase::kNotes:
      return next_note_segment();
    case Phase::kNote:
      return next_note();
    case Phase::kHeader:
      return judge_header();
    case Phase::kSections:
      return next_section();
    case Phase::kSymbols:
      return next_symbol();
    case Phase::kSegments:
      return next_segment();
    default:
      return next_kernel();
  }
}

elf::ProgramHeader Module::program(uint32_t index) const {
  return at<elf::ProgramHeader>(elf_.program_headers + uint64_t{index} * sizeof(elf::ProgramHeader));
}

elf::SectionHeader Module::section(uint32_t index) const {
  return at<elf::SectionHeader>(elf_.section_headers + uint64_t{index} * sizeof(elf::SectionHeader));
}

Verdict Module::judge_elf() {
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
  go_to(Phase::kNotes);
  return {};
}

// All program headers are looked at, also behind the one that has the note.
Verdict Module::next_note_segment() {
  if (next_ == elf_.program_header_count) {
    if (note_bytes_ == 0) return refuse(Error::kNoNote);
    go_to(Phase::kHeader);
    return {};
  }
  const elf::ProgramHeader segment = program(next_++);
  if (segment.type == elf::kDynamic || segment.type == elf::kInterpreter ||
      segment.type == elf::kThreadLocal) {
    return refuse(Error::kNotLinked, segment.type);
  }
  if (segment.type != elf::kNote || note_bytes_ != 0) return {};
  if (!inside(segment.offset, segment.file_bytes)) return refuse(Error::kTruncated);
  if (!go_through(segment.file_bytes)) return refuse(Error::kBadElf);
  at_ = segment.offset;
  end_ = at_ + segment.file_bytes;
  phase_ = Phase::kNote;
  return {};
}

Verdict Module::next_note() {
  if (end_ - at_ < sizeof(elf::Note)) {
    phase_ = Phase::kNotes;
    return {};
  }
  const auto note = at<elf::Note>(at_);
  at_ += sizeof(elf::Note);
  const uint64_t left = end_ - at_;
  const uint64_t name_bytes = padded(note.name_bytes);
  // The last note need not be padded.
  if (name_bytes > left || note.descriptor_bytes > left - name_bytes) return refuse(Error::kBadNote);
  if (note.type == kNoteType && note.name_bytes == sizeof(kNoteName) &&
      std::memcmp(file_.data() + at_, kNoteName, sizeof(kNoteName)) == 0) {
    if (note.descriptor_bytes == 0) return refuse(Error::kBadNote);
    note_ = static_cast<uint32_t>(at_ + name_bytes);
    note_bytes_ = note.descriptor_bytes;
    phase_ = Phase::kNotes;
    return {};
  }
  at_ = std::min(end_, at_ + name_bytes + padded(note.descriptor_bytes));
  return {};
}

Verdict Module::judge_header() {
  // What another version may have elsewhere comes after the versions.
  constexpr uint32_t kVersionsEnd = offsetof(Header, header_bytes);
  if (note_bytes_ < kVersionsEnd) return refuse(Error::kBadNote);
  if (at<uint64_t>(note_) != kMagic) return refuse(Error::kBadNote);
  const auto module_abi = at<uint16_t>(uint64_t{note_} + offsetof(Header, module_abi));
  const auto card_abi = at<uint16_t>(uint64_t{note_} + offsetof(Header, card_abi));
  if (module_abi != kModuleAbi) return refuse(Error::kWrongModuleAbi, module_abi);
  if (card_abi != kCardAbi) return refuse(Error::kWrongCardAbi, card_abi);

  if (note_bytes_ < sizeof(Header)) return refuse(Error::kBadNote);
  const auto header = at<Header>(note_);
  if (header.header_bytes != sizeof(Header) || header.kernel_bytes != sizeof(Kernel))
    return refuse(Error::kBadNote);
  if (header.space != space_) return refuse(Error::kWrongSpace, static_cast<uint32_t>(header.space));
  const uint32_t table_bytes = note_bytes_ - sizeof(Header);
  if (table_bytes % sizeof(Kernel) != 0) return refuse(Error::kBadNote);
  kernel_count_ = table_bytes / sizeof(Kernel);
  if (kernel_count_ > kMaxKernels) return refuse(Error::kTooManyKernels, kernel_count_);
  go_to(Phase::kSections);
  return {};
}

// A module without a symbol table is good: it was stripped after it had been linked.
Verdict Module::next_section() {
  if (elf_.section_headers == 0 || next_ == elf_.section_header_count) {
    go_to(Phase::kSegments);
    return {};
  }
  const elf::SectionHeader symbols = section(next_++);
  if (symbols.type != elf::kSymbolTable) return {};
  if (symbols.entry_bytes != sizeof(elf::Symbol) || symbols.bytes % sizeof(elf::Symbol) != 0 ||
      symbols.link >= elf_.section_header_count) {
    return refuse(Error::kBadElf);
  }
  const elf::SectionHeader strings = section(symbols.link);
  if (strings.type != elf::kStringTable) return refuse(Error::kBadElf);
  if (!inside(symbols.offset, symbols.bytes) || !inside(strings.offset, strings.bytes))
    return refuse(Error::kTruncated);
  if (!go_through(symbols.bytes)) return refuse(Error::kBadElf);
  // The first symbol is the null symbol.
  at_ = symbols.offset + uint64_t{sizeof(elf::Symbol)};
  end_ = uint64_t{symbols.offset} + symbols.bytes;
  strings_ = {strings.offset, strings.bytes};
  phase_ = Phase::kSymbols;
  return {};
}

Verdict Module::next_symbol() {
  if (at_ >= end_) {
    phase_ = Phase::kSections;
    return {};
  }
  const auto symbol = at<elf::Symbol>(at_);
  at_ += sizeof(elf::Symbol);
  if (symbol.section != elf::kUndefined) return {};
  if (symbol.name >= strings_.bytes) return refuse(Error::kBadElf);
  // Of a name without an end only so much is of interest.
  constexpr uint32_t kMostName = 512;
  const std::string_view name =
      field(uint64_t{strings_.offset} + symbol.name, std::min(strings_.bytes - symbol.name, kMostName));
  return refuse(Error::kUndefinedSymbol, 0, name);
}

Verdict Module::next_segment() {
  if (next_ == elf_.program_header_count) {
    if (piece_count_ == 0) return refuse(Error::kNoCode);
    go_to(Phase::kKernels);
    return {};
  }
  const elf::ProgramHeader segment = program(next_++);
  if (segment.type != elf::kLoad || segment.memory_bytes == 0) return {};
  if (segment.address - kLdmBase >= kLdmBytes) return add_code(segment);
  const uint64_t end = uint64_t{segment.address - kLdmBase} + segment.memory_bytes;
  if (segment.file_bytes != 0 || end > kLdmBytes) return refuse(Error::kTooMuchLdm, segment.address);
  ldm_bytes_ = std::max(ldm_bytes_, static_cast<uint32_t>(end));
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

Verdict Module::next_kernel() {
  if (next_ == kernel_count_) {
    phase_ = Phase::kEnd;
    return {};
  }
  const uint32_t index = next_++;
  const KernelView view = kernel(index);
  const uint32_t offset = view.pc - base(space_);
  const Parameters parameters(view.parameters);
  const bool fits = view.parameters == 0 || (parameters.valid() && parameters.bytes() == view.argument_bytes);
  if (view.name.empty() || !fits || offset % 2 != 0 || offset >= code_bytes_) {
    return refuse(Error::kBadKernel, view.pc, view.name);
  }
  if (!insert_name(index)) return refuse(Error::kDuplicateKernel, view.pc, view.name);
  return {};
}

// False: one of those before has the same name. It is found by halving, so that many kernels take no longer
// each than few.
bool Module::insert_name(uint32_t index) {
  const auto name_of = [this](uint32_t kernel) {
    return file_.data() + entry_offset(kernel) + offsetof(Kernel, name);
  };
  const uint8_t* const name = name_of(index);
  // Up to the zero that ends both, or the end of the field.
  const auto order_of = [&](uint32_t other) {
    const uint8_t* const known = name_of(other);
    for (size_t i = 0; i < sizeof(Kernel::name); ++i) {
      const int here = name[i];
      if (const int order = known[i] - here; order != 0) return order;
      if (here == 0) break;
    }
    return 0;
  };
  uint32_t first = 0;
  for (uint32_t end = index; first != end;) {
    const uint32_t middle = (first + end) / 2;
    const int order = order_of(by_name_[middle]);
    if (order == 0) return false;
    if (order < 0) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  std::copy_backward(by_name_.begin() + first, by_name_.begin() + index, by_name_.begin() + index + 1);
  by_name_[first] = static_cast<uint8_t>(index);
  return true;
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
