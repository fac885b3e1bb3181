// Where a daemon that shares cards (`swai serve`) has its sockets: card0, card1 ..., and control.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace swai::link {

// Where a daemon of this user puts them. RUNTIME_DIRECTORY, as systemd says it, else a folder of the user's.
std::filesystem::path folder_to_serve_in();
// Makes it if it is not there: this user's alone, with `group` for the group to look into. What is there
// already must be this user's, and nobody else may write to it: who can, replaces sockets. Empty, or in words
// why it cannot be used.
std::string claim_folder(const std::filesystem::path& folder, bool group);
// The folder with a daemon that listens: this user's own, else the system's. Empty: there is none.
std::filesystem::path served_folder();
// The sockets of its cards.
std::vector<std::string> served_cards();

}  // namespace swai::link
