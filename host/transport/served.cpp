// SPDX-License-Identifier: Apache-2.0
#include "host/transport/served.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "host/transport/unix_socket.hpp"

namespace swai::link {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0') return fs::path(runtime) / "swai";
  std::error_code problem;
  const fs::path folder = fs::temp_directory_path(problem);
  return (problem ? fs::path("/tmp") : folder) / ("swai-" + std::to_string(::getuid()));
}

// A folder of ours to which nobody else writes; otherwise an errno.
int check_own(const fs::path& folder) {
  struct stat found;
  if (::lstat(folder.c_str(), &found) != 0) return errno;
  if (!S_ISDIR(found.st_mode)) return ENOTDIR;
  const bool own = found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return own ? 0 : EPERM;
}

constexpr const char* kHold = "daemon";

struct flock whole_file(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

fs::path folder_to_serve_in() {
  const char* given = std::getenv("RUNTIME_DIRECTORY");
  return given != nullptr && *given != '\0' ? fs::path(given) : own_folder();
}

std::string claim_folder(const fs::path& folder, bool group) {
  std::error_code problem;
  fs::create_directories(folder.parent_path(), problem);
  if (::mkdir(folder.c_str(), 0700) == 0) {
    if (group) ::chmod(folder.c_str(), 0750);
  } else if (errno != EEXIST) {
    return std::strerror(errno);
  }
  const int error = check_own(folder);
  if (error == EPERM)
    return "it is another user's, or others may write to it, who could put themselves in the cards' place";
  if (error == 0 && ::access(folder.c_str(), W_OK) != 0) return std::strerror(errno);
  return error == 0 ? "" : std::strerror(error);
}

Fd hold_folder(const fs::path& folder) {
  Fd fd(::open((folder / kHold).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct flock lock = whole_file(F_WRLCK);
  if (!fd || ::fcntl(fd.get(), F_SETLK, &lock) != 0) return Fd();
  return fd;
}
void forget_hold(const fs::path& folder) { ::unlink((folder / kHold).c_str()); }

pid_t daemon_of(const fs::path& folder) {
  const Fd fd(::open((folder / kHold).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct flock lock = whole_file(F_WRLCK);
  return fd && ::fcntl(fd.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

// A daemon that was killed leaves files behind. Its control socket comes last; it is closed to those who may
// only use the cards.
bool has_daemon(const fs::path& folder) {
  if (connect_unix((folder / "control").string())) return true;
  return errno == EACCES && connect_unix((folder / "card0").string());
}

pid_t booting_daemon() {
  const fs::path own = own_folder();
  if (check_own(own) != 0 || has_daemon(own)) return 0;
  return daemon_of(own);
}

fs::path served_folder() {
  // Whoever makes the one of ours before us gets nothing of ours. The system's is made by root.
  const fs::path own = own_folder();
  while (booting_daemon() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (check_own(own) == 0 && has_daemon(own)) return own;
  const fs::path system = "/run/swai";
  return has_daemon(system) ? system : fs::path();
}

std::vector<std::string> served_cards() {
  std::vector<std::string> cards;
  const fs::path folder = served_folder();
  if (folder.empty()) return cards;
  std::error_code ignored;
  for (unsigned i = 0;; ++i) {
    const fs::path card = folder / ("card" + std::to_string(i));
    if (!fs::exists(card, ignored)) return cards;
    cards.push_back(card.string());
  }
}

}  // namespace swai::link
