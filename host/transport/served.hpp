// SPDX-License-Identifier: Apache-2.0
// Where a daemon that shares cards (`swai serve`) has its sockets: card0, card1 ..., and control.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/transport/channel.hpp"

namespace swai::link {

// Where a daemon of this user puts them. RUNTIME_DIRECTORY, as systemd says it, else a folder of the user's.
std::filesystem::path folder_to_serve_in();
// Makes it if it is not there: this user's alone, with `group` for the group to look into. What is there
// already must be this user's, and nobody else may write to it: who can, replaces sockets. Empty, or in words
// why it cannot be used.
std::string claim_folder(const std::filesystem::path& folder, bool group);
// Holds a folder for this process's daemon, from before its cards boot until the descriptor is closed. Not
// open: another process holds it, or there is an errno. This process must not ask daemon_of() meanwhile: it
// would give the folder up.
Fd hold_folder(const std::filesystem::path& folder);
// What a daemon that has ended leaves of that.
void forget_hold(const std::filesystem::path& folder);
// The process that holds it; 0: none does.
pid_t daemon_of(const std::filesystem::path& folder);
// A daemon listens there.
bool has_daemon(const std::filesystem::path& folder);
// The daemon of this user whose cards still boot; 0: there is none.
pid_t booting_daemon();
// The folder with a daemon that listens: this user's own, else the system's. Empty: there is none. Waits for
// one of the user's own that does not listen yet.
std::filesystem::path served_folder();
// The sockets of its cards.
std::vector<std::string> served_cards();

}  // namespace swai::link
