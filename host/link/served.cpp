#include "host/link/served.hpp"

#include <unistd.h>

#include <cstdlib>

#include "host/link/unix_socket.hpp"

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

// A daemon that was killed leaves files behind.
bool somebody_listens(const fs::path& path) { return static_cast<bool>(connect_unix(path.string())); }

}  // namespace

fs::path folder_to_serve_in() {
  const char* given = std::getenv("RUNTIME_DIRECTORY");
  return given != nullptr && *given != '\0' ? fs::path(given) : own_folder();
}

fs::path served_folder() {
  for (const fs::path& folder : {own_folder(), fs::path("/run/swai")}) {
    if (somebody_listens(folder / "control")) return folder;
  }
  return {};
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
