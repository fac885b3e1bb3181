// SPDX-License-Identifier: Apache-2.0
// swai-image: makes and inspects firmware images and puts them into flash files.
// docs/firmware/image-format.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/lib/printable.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "host/tools/flash/image.hpp"

namespace swai::flash {
namespace {

using image::Refusal;
using image::Slot;
using Json = nlohmann::ordered_json;

constexpr int kJsonVersion = 1;

struct Options {
  std::string input;
  std::string output;
  std::string flash;
  std::string slot = "a";
  std::string name;
  std::string version;
  std::string git_hash;
  std::string board;
  unsigned attempts = 0;
  bool confirmed = false;
  bool revoked = false;
  bool create = false;
  bool json = false;
};

Slot slot_of(const Options& options) { return options.slot == "a" ? Slot::kA : Slot::kB; }

void pack(const Options& options) {
  const common::Elf elf = common::load_elf(options.input);
  image::Identity identity = identity_of(elf);
  const auto override_text = [](std::span<char> field, const std::string& text, const char* what) {
    if (!text.empty()) set_text(field, text, what);
  };
  override_text(identity.name, options.name, "name");
  override_text(identity.version, options.version, "version");
  override_text(identity.git_hash, options.git_hash, "git hash");
  override_text(identity.board, options.board, "board");
  write_file(options.output, make_image(elf, identity));
}

Json describe(std::span<const uint8_t> bytes) {
  const Refusal refusal = check(bytes);
  Json result = {{"valid", refusal == Refusal::kNone}, {"verdict", text(refusal)}};
  if (bytes.size() < sizeof(image::Header)) return result;
  const image::Header header = read_header(bytes);
  if (image::check_header(header, boot::kImageMemory) != Refusal::kNone) return result;
  std::string digest;
  for (const uint8_t byte : header.sha256) digest += fmt::format("{:02x}", byte);
  result["name"] = get_text(header.identity.name);
  result["image_version"] = version_text(header.image_version);
  result["git_hash"] = get_text(header.identity.git_hash);
  result["board"] = get_text(header.identity.board);
  result["format"] = header.format;
  result["image_bytes"] = sizeof(header) + header.length;
  result["length"] = header.length;
  result["load_address"] = header.load_address;
  result["entry"] = header.entry;
  result["sha256"] = digest;
  result["confirmed"] = image::is_confirmed(header.state);
  result["attempts"] = image::attempts_made(header.state);
  result["revoked"] = image::is_revoked(header.state);
  return result;
}

void print_description(const std::string& title, const Json& description) {
  fmt::print("{}: {}\n", common::printable(title), description["verdict"].get<std::string>());
  if (!description.contains("name")) return;
  const auto text_of = [&](const char* key) { return description[key].get<std::string>(); };
  fmt::print("  firmware  {} {} ({}) for {}\n", text_of("name"), text_of("image_version"),
             text_of("git_hash"), text_of("board"));
  fmt::print("  size      {} bytes, payload {}\n", description["image_bytes"].get<uint64_t>(),
             description["length"].get<uint64_t>());
  fmt::print("  load      {:#x}, entry {:#x}\n", description["load_address"].get<uint64_t>(),
             description["entry"].get<uint64_t>());
  fmt::print("  sha256    {}\n", text_of("sha256"));
  fmt::print("  state     {}{}, {} of {} boot attempts\n", description["confirmed"].get<bool>() ? "" : "not ",
             "confirmed", description["attempts"].get<unsigned>(), image::kMaxAttempts);
}

// Flash contents are larger than any image can be.
bool is_flash(const Bytes& bytes) { return bytes.size() >= image::kMinFlashBytes; }

void inspect_flash(const Options& options, const Bytes& bytes) {
  const auto boots = bootable_slot(bytes);
  Json report = {{"version", kJsonVersion}, {"kind", "flash"}, {"file", options.input}};
  report["boots"] = boots ? Json(std::string(1, letter(*boots))) : Json(nullptr);
  report["slots"] = Json::array();
  for (const Slot slot : image::kSlots) {
    Json entry = {{"slot", std::string(1, letter(slot))}, {"offset", slot_offset(slot)}};
    entry.update(describe(std::span(bytes).subspan(slot_offset(slot), image::kSlotBytes)));
    report["slots"].push_back(entry);
  }
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
    return;
  }
  for (const Json& slot : report["slots"]) {
    print_description(fmt::format("slot {}", slot["slot"].get<std::string>()), slot);
  }
  fmt::print("boots: {}\n", boots ? fmt::format("slot {}", letter(*boots)) : "nothing, recovery");
}

void inspect(const Options& options) {
  const Bytes bytes = read_file(options.input);
  if (is_flash(bytes)) {
    inspect_flash(options, bytes);
    return;
  }
  Json report = {{"version", kJsonVersion}, {"kind", "image"}, {"file", options.input}};
  report.update(describe(bytes));
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
  } else if (report.contains("name")) {
    print_description(options.input, report);
  }
  if (const Refusal refusal = check(bytes); refusal != Refusal::kNone) {
    throw InputError(fmt::format("{}: image refused: {}", options.input, text(refusal)));
  }
}

void write(const Options& options) {
  const Bytes bytes = read_file(options.input);
  // Before the flash file is touched, so that a bad image costs nothing.
  if (const Refusal refusal = check(bytes); refusal != Refusal::kNone) {
    throw InputError(fmt::format("{}: image refused: {}; nothing was written", options.input, text(refusal)));
  }
  FlashFile flash = options.create ? FlashFile::create(options.flash) : FlashFile(options.flash);
  flash.write(slot_of(options), bytes);
  if (options.confirmed) flash.mark(slot_of(options), {~uint64_t{0}, 0, ~uint64_t{0}, 0});
}

void mark(const Options& options) {
  FlashFile flash(options.flash);
  image::State state = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
  if (options.confirmed) state.confirmed = 0;
  if (options.revoked) state.revoked = 0;
  state.attempts <<= options.attempts;
  flash.mark(slot_of(options), state);
}

// Rows of 64 bytes as $readmemh reads them: a hexadecimal number per row, so the byte at the lowest address
// is last.
void rom(const Options& options) {
  constexpr size_t kRowBytes = 64;
  Bytes contents(regs::kRomRegion.size);
  const common::LoadArea area = {regs::kRomRegion.base, contents};
  common::place(common::load_elf(options.input), {&area, 1});
  std::string rows;
  for (size_t row = 0; row < contents.size(); row += kRowBytes) {
    for (size_t byte = kRowBytes; byte-- != 0;) rows += fmt::format("{:02x}", contents[row + byte]);
    rows += '\n';
  }
  write_file(options.output, std::span(reinterpret_cast<const uint8_t*>(rows.data()), rows.size()));
}

int run(int argc, char** argv) {
  CLI::App app("Makes and inspects firmware images, and puts them into files that hold flash contents.");
  app.require_subcommand(1);
  Options options;
  const auto command = [&](const char* name, const char* help, void (*function)(const Options&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([&options, function] { function(options); });
    return sub;
  };
  const auto with_flash = [&](CLI::App* sub) {
    sub->add_option("--flash", options.flash, "file with the contents of a flash chip")->required();
    sub->add_option("--slot", options.slot, "slot (a or b)")
        ->transform(CLI::IsMember({"a", "b"}, CLI::ignore_case))
        ->capture_default_str();
  };

  CLI::App* sub = command("pack", "make an image from a firmware program", pack);
  sub->add_option("elf", options.input, "program (ELF) with an identity record")->required();
  sub->add_option("-o,--output", options.output, "image file")->required();
  sub->add_option("--name", options.name, "name, instead of the program's");
  sub->add_option("--version", options.version, "version like 1.2.3, instead of the program's");
  sub->add_option("--git-hash", options.git_hash, "git hash, instead of the program's");
  sub->add_option("--board", options.board, "board, instead of the program's");

  sub = command("inspect", "say what an image or flash file holds and whether the boot ROM would take it",
                inspect);
  sub->add_option("file", options.input, "image or flash file")->required();
  sub->add_flag("--json", options.json, "machine-readable report");

  sub = command("write", "put an image into a slot of a flash file", write);
  sub->add_option("image", options.input, "image file")->required();
  with_flash(sub);
  sub->add_flag("--create", options.create, "make the flash file (16 MiB, erased) if there is none");
  sub->add_flag("--confirmed", options.confirmed, "as if the image had passed its self-test on this card");

  sub = command("erase", "erase a slot of a flash file",
                [](const Options& o) { FlashFile(o.flash).erase(slot_of(o)); });
  with_flash(sub);

  sub = command("mark", "change the state of the image in a slot of a flash file", mark);
  with_flash(sub);
  sub->add_flag("--confirmed", options.confirmed, "it passed its self-test");
  sub->add_flag("--revoked", options.revoked, "it must not be booted any more");
  sub->add_option("--attempts", options.attempts, "boot attempts made")->check(CLI::Range(0, 63));

  sub = command("rom", "convert the boot ROM's program for $readmemh", rom);
  sub->add_option("elf", options.input, "program (ELF)")->required();
  sub->add_option("-o,--output", options.output, "file to write")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : common::kExitBadInput;
  } catch (const InputError& error) {
    fmt::print(stderr, "swai-image: {}\n", common::printable_lines(error.what()));
    return common::kExitBadInput;
  }
  return 0;
}

}  // namespace
}  // namespace swai::flash

int main(int argc, char** argv) { return swai::flash::run(argc, argv); }
