// SPDX-License-Identifier: Apache-2.0
// A played card behind a daemon's socket, served by a thread of this process.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "host/daemon/cards/card_server.hpp"
#include "verif/host/runtime/fake_card.hpp"
#include "verif/host/runtime/tools.hpp"

namespace swai::serve {

class Rig {
 public:
  // `per_process`: connections that one program may have; 0: any number.
  explicit Rig(unsigned clients = 12, unsigned per_process = 0,
               ::swai::socket::Audience audience = ::swai::socket::Audience::kOwner) {
    std::string name = (std::filesystem::temp_directory_path() / "swai-serve-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder = name;
    server = std::make_unique<CardServer>(
        std::make_unique<link::Card>(sdaa::make_fake_card()),
        CardServer::Options{.socket = folder / "card0",
                            .clients = clients,
                            .audience = audience,
                            .per_process = per_process,
                            .log = [this](const std::string& text) { said = text; }},
        [this] { give_up(); });
  }
  ~Rig() {
    sdaa::Runtime::get().use({});
    server.reset();
    std::filesystem::remove_all(folder);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  std::string socket() const { return server->socket(); }
  // So many clients of the card, each a device of the runtime library.
  void use_devices(unsigned count) {
    std::vector<sdaa::Device::Opener> openers;
    for (unsigned i = 0; i < count; ++i)
      openers.emplace_back([path = socket()] { return link::Card::open(path); });
    sdaa::Fakes::use(std::move(openers));
  }

  std::filesystem::path folder;
  std::string said;  // last, by the server's thread, which alone looks
  std::unique_ptr<CardServer> server;

 private:
  // A played card that ends has found something that must not be: its clients would wait until they tire.
  [[noreturn]] void give_up() {
    fmt::print(stderr, "{}\n", said);
    std::abort();
  }
};

}  // namespace swai::serve
