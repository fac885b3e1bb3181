// SPDX-License-Identifier: Apache-2.0
// A folder for a test's files, with a short name: sockets lie in it. It goes with the test.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace swai::common {

struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "swai-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path path;
};

}  // namespace swai::common
