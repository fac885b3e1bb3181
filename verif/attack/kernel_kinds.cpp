// SPDX-License-Identifier: Apache-2.0
// In the kernel language: what kernels name, and what commands say of kernels, modules and lists of commands.
#include <cstring>

#include "abi/command.hpp"
#include "abi/kernel_segments.hpp"
#include "abi/segment.hpp"
#include "verif/attack/attacker.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::attack {
namespace {

using protocol::Status;

constexpr uint8_t kMark = 0xee;
constexpr uint16_t kFirstSegment = 32;  // those below are the firmware's
constexpr int32_t kBlock = 2 << 20;     // of memory that clients get

template <typename Command>
Status send(HostileClient& client, command::Type type, Command command) {
  command.header = {client.next, type, 1, 0};
  std::array<uint8_t, protocol::kSlotBytes> slot = {};
  std::memcpy(slot.data(), &command, sizeof command);
  return client.command(slot);
}

// y += a * x, anywhere.
sdaaError_t add(ApiClient& api, uint64_t y, uint64_t x) {
  const sdaa::AxpyIntArgs arguments = {cpe::GlobalPtr<int32_t>(y), cpe::GlobalPtr<const int32_t>(x), 64, 1};
  return api.run("axpy_int", arguments);
}

const Kind reads(Boundary::kKernel, "a kernel reads another one's memory", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  api.fill(kMark);
  const uint64_t theirs = attacker.known().pointer + attacker.below(32) * 64;
  attacker.expect(add(api, api.memory(), theirs) != sdaaSuccess, "a kernel that did so ended well");
  attacker.expect(api.holds(kMark), "what it read came to its own memory");
});

const Kind writes(Boundary::kKernel, "a kernel writes another one's memory", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  api.fill(kMark);
  const uint64_t theirs = attacker.known().pointer + attacker.below(32) * 64;
  attacker.expect(add(api, theirs, api.memory()) != sdaaSuccess, "a kernel that did so ended well");
  const sdaa::WhoArgs who = {cpe::GlobalPtr<uint32_t>(theirs)};
  attacker.expect(api.run("who", who) != sdaaSuccess, "a kernel that did so on all cores ended well");
});

const Kind any_segment(
    Boundary::kKernel, "a kernel writes wherever a pointer can lead", [](Attacker& attacker) {
      ApiClient& api = attacker.api();
      const uint16_t theirs = segment::number(attacker.known().pointer);
      for (unsigned i = 0; i < 4; ++i) {
        const uint64_t offset = attacker.below(2) == 0 ? attacker.below(4 << 20) / 64 * 64
                                                       : attacker.number() % (uint64_t{1} << 48) / 64 * 64;
        const auto anywhere =
            static_cast<uint16_t>(attacker.below(2) == 0 ? 0xfff0 + attacker.below(16) : attacker.below(256));
        const uint64_t pointer = i == 0 ? segment::pointer(theirs, attacker.below(1 << 20) / 64 * 64)
                                        : segment::pointer(anywhere, offset);
        const bool ended_well =
            api.run("who", sdaa::WhoArgs{cpe::GlobalPtr<uint32_t>(pointer)}) == sdaaSuccess;
        const uint16_t number = segment::number(pointer);
        attacker.expect(!ended_well || (number >= kFirstSegment && number < 0xfff0),
                        "a kernel wrote the firmware's memory");
        attacker.expect(!ended_well || number != theirs, "a kernel wrote another one's memory");
      }
      // It may have hit what it has itself, its kernels' arguments for one.
      attacker.leave_api();
    });

const Kind beyond(Boundary::kKernel, "a kernel goes on behind the end of its memory", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  // Pieces of a client lie in blocks of its own, with a segment for each.
  const uint64_t end = segment::pointer(segment::number(api.memory()), kBlock);
  attacker.expect(add(api, end, api.memory()) != sdaaSuccess, "a kernel wrote behind its segment");
  attacker.expect(add(api, end - 128, api.memory()) != sdaaSuccess, "a kernel wrote across its end");
  attacker.expect(add(api, api.memory(), end) != sdaaSuccess, "a kernel read behind its segment");
});

const Kind endless(Boundary::kKernel, "a kernel never ends", [](Attacker& attacker) {
  attacker.expect(attacker.api().run("hang", nullptr, 0) != sdaaSuccess, "it ended");
});

// Whoever comes next does not wait until their watchdog ends them.
const Kind leaves_endless(Boundary::kKernel, "leaves kernels behind that never end", [](Attacker& attacker) {
  link::Card& card = attacker.client().connection.card();
  attacker.api().leave_running("hang", 1 + attacker.below(4));
  const uint64_t before = card.cycle();
  attacker.leave_api();
  attacker.expect(attacker.api().run("nothing", nullptr, 0) == sdaaSuccess, "the next kernel was not run");
  attacker.expect(card.cycle() - before < ApiClient::kLongest / 4, "the next kernel had to wait for them");
});

// Lines of the group's memory that lie where the victim's do in their block, with the rights of the launch
// that clears cores between two clients: it comes when somebody else's launch waits.
void goes_on(Attacker& attacker, const char* kernel) {
  HostileClient& client = attacker.client();
  ApiClient& api = attacker.api();
  const uint64_t to =
      segment::pointer(protocol::kMemorySegment, segment::offset(attacker.known().pointer) % kBlock);
  api.begin(kernel, sdaa::OutlivesArgs{cpe::GlobalPtr<void>(to), kBlock, 64, 3000});
  command::Fill fill = {};
  fill.to = client.pointer;
  fill.bytes = HostileClient::kBytes;
  fill.rows = 1;
  attacker.expect(send(client, command::Type::kFill, fill) == Status::kOk, "another one's launch failed");
  attacker.expect(api.fails_with(launch::Cause::kCommand), "the cores did not refuse it");
}

const Kind outlives(Boundary::kKernel, "a kernel ends its launch and goes on in the next one",
                    [](Attacker& attacker) { goes_on(attacker, "outlives"); });

const Kind takes_launch(Boundary::kKernel, "a kernel takes the launch behind its own",
                        [](Attacker& attacker) { goes_on(attacker, "takes_launch"); });

// Launches that clear memory come between those of clients, with the rights to all of it and without one that
// clears the cores.
const Kind leaves_shape(Boundary::kKernel, "a kernel says what the next one's first transfer writes",
                        [](Attacker& attacker) {
                          attacker.leave();
                          HostileClient& before = attacker.client();
                          for (uint64_t bytes = uint64_t{1} << 34; bytes >= kBlock; bytes /= 2)
                            before.request(protocol::Operation::kAllocate, {before.context(), bytes, 0xff00});
                          attacker.leave();
                          // What it had is being cleared: the first transfer again and again, all the way
                          // down.
                          constexpr int32_t kPiece = 4096;
                          for (unsigned i = 0; i < 32; ++i) {
                            const sdaaError_t left = attacker.api().run(
                                "leaves_shape", sdaa::OutlivesArgs{{}, -kPiece, 0xffff, 0});
                            attacker.expect(left == sdaaSuccess, "it cannot run its kernels any more");
                          }
                        });

const Kind bad_launches(
    Boundary::kKernel, "launches kernels of modules that it has not loaded", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      // The first ones are others'.
      for (const unsigned module : {0U, 1U, 2U, attacker.below(256)}) {
        command::Launch launch = {};
        launch.module = static_cast<uint16_t>(module);
        launch.kernel = static_cast<uint16_t>(attacker.below(8));
        launch.argument_bytes = static_cast<uint16_t>(attacker.below(40));
        launch.group = static_cast<uint8_t>(attacker.below(3) == 0 ? attacker.number() : 0xff);
        launch.mask = attacker.below(2) == 0 ? ~uint32_t{0} : static_cast<uint32_t>(attacker.number());
        attacker.expect(send(client, command::Type::kLaunch, launch) == Status::kBadHandle,
                        "another one's kernel was looked at");
      }
    });

const Kind steals_modules(Boundary::kKernel,
                          "loads a module from another one's memory, unloads another one's",
                          [](Attacker& attacker) {
                            HostileClient& client = attacker.client();
                            command::ModuleLoad load = {};
                            load.file = attacker.known().pointer;
                            load.bytes = 1 + attacker.below(HostileClient::kBytes);
                            const Status status = send(client, command::Type::kModuleLoad, load);
                            attacker.expect(status == Status::kBadPointer,
                                            "the firmware read another one's memory for it");
                            command::ModuleUnload unload = {};
                            unload.module = attacker.below(256);
                            attacker.expect(send(client, command::Type::kModuleUnload, unload) != Status::kOk,
                                            "another one's module was unloaded");
                          });

const Kind bad_lists(Boundary::kKernel, "runs commands that lie in another one's memory",
                     [](Attacker& attacker) {
                       command::Graph graph = {};
                       graph.commands = attacker.known().pointer + attacker.below(8) * protocol::kSlotBytes;
                       graph.bytes = (1 + attacker.below(8)) * protocol::kSlotBytes;
                       attacker.expect(
                           send(attacker.client(), command::Type::kGraph, graph) == Status::kBadPointer,
                           "another one's memory was run as commands");
                     });

// Commands of a list that name the client's own memory, another one's, or anything. One that is refused ends
// the list, so most are good.
void write_command(Attacker& attacker, const HostileClient& client, uint8_t* slot) {
  const auto pointer = [&] {
    const uint64_t of = attacker.below(6) == 0 ? attacker.known().pointer : client.pointer;
    return attacker.below(32) == 0 ? attacker.number() : of + attacker.below(HostileClient::kBytes / 64) * 64;
  };
  const uint32_t rows = attacker.below(32) == 0 ? static_cast<uint32_t>(attacker.number()) : 1;
  const uint64_t bytes = attacker.below(32) == 0 ? attacker.number() : 1 + attacker.below(64);
  const auto put = [&](command::Type type, auto command) {
    command.header = {static_cast<uint32_t>(attacker.number()), type, 1, 0};
    std::memcpy(slot, &command, sizeof command);
  };
  switch (attacker.below(4)) {
    case 0: {
      const uint64_t host = attacker.below(8) == 0 ? attacker.number() : client.iova;
      return put(command::Type::kCopy,
                 command::Copy{{}, host, pointer(), bytes, rows, attacker.below(2), 0, 0});
    }
    case 1:
      return put(command::Type::kFill, command::Fill{{}, pointer(), bytes, rows, 0xee, 64});
    case 2: {
      const auto engine = static_cast<command::Engine>(attacker.below(command::kEngines + 1));
      return put(command::Type::kCopyDevice,
                 command::CopyDevice{{}, pointer(), pointer(), bytes, rows, engine, 64, 64});
    }
    default: {
      command::Launch launch = {};
      launch.module = static_cast<uint16_t>(attacker.below(8));
      // It is refused: all modules are others'.
      return attacker.below(8) == 0 ? put(command::Type::kLaunch, launch)
                                    : put(command::Type::kFill, command::Fill{{}, pointer(), 64, 1, 0, 64});
    }
  }
}

// The firmware reads them again each time, and copies and fills overwrite their own words.
const Kind random_lists(Boundary::kKernel, "runs random commands as a list", [](Attacker& attacker) {
  for (unsigned i = 0; i < 8; ++i) {
    HostileClient& client = attacker.client();
    for (uint8_t& byte : client.pinned->bytes()) byte = static_cast<uint8_t>(attacker.number());
    for (uint64_t at = 0; at < HostileClient::kBytes; at += protocol::kSlotBytes)
      write_command(attacker, client, client.pinned->bytes().data() + at);
    if (client.copy(client.pointer, client.iova, false) != Status::kOk) return attacker.leave();
    command::Graph graph = {};
    graph.commands = client.pointer;
    graph.bytes = HostileClient::kBytes;
    if (send(client, command::Type::kGraph, graph) == Status::kInternal) attacker.leave();
  }
});

}  // namespace
}  // namespace swai::attack
