// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/bed.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace swai::usb {
namespace {

constexpr const char* kPreload = "libumockdev-preload.so.0";
constexpr int kBus = 1;
constexpr int kFirstDevice = 2;  // the first is the root hub
constexpr int kCannotExecute = 127;

std::string hexadecimal(const Bytes& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02X}", byte);
  return text;
}

// As umockdev reads the value of an attribute.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return all;
}

// The user may open only what the file's permissions say, root included.
void obey_permissions() {
  for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "swai-usb-board: cannot run %s: %s\n", arguments[0], std::strerror(errno));
  _exit(kCannotExecute);
}

// The command, for a signal that is meant for it.
volatile sig_atomic_t running = 0;
// A signal that came before it was known which process that is.
volatile sig_atomic_t early = 0;

void pass_on(int signal) {
  if (running != 0) {
    kill(running, signal);
  } else {
    early = signal;
  }
}

}  // namespace

void Bed::enter(char** argv) {
  const char* set = std::getenv("LD_PRELOAD");
  const std::string before = set == nullptr ? "" : set;
  if (before.starts_with(kPreload)) return;
  // Without it the loader complains and goes on, and the command would find this machine's own boards.
  if (dlopen(kPreload, RTLD_LAZY) == nullptr) {
    throw std::runtime_error(
        fmt::format("umockdev is missing ({}); on Debian: apt-get install umockdev", dlerror()));
  }
  setenv("LD_PRELOAD", before.empty() ? kPreload : fmt::format("{}:{}", kPreload, before).c_str(), 1);
  execv("/proc/self/exe", argv);
  throw std::runtime_error(fmt::format("cannot start itself with {}: {}", kPreload, std::strerror(errno)));
}

Bed::Bed() : bed_(umockdev_testbed_new()) {}

Bed::~Bed() {
  for (const auto& socket : sockets_) umockdev_testbed_detach_ioctl(bed_, socket->node.c_str(), nullptr);
  g_object_unref(bed_);
}

void Bed::plug_in(Board& board, bool wall_clock) {
  auto socket = std::make_unique<Socket>(board, wall_clock);
  const int device = kFirstDevice + static_cast<int>(sockets_.size());
  socket->syspath = fmt::format("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-{}", device - 1);
  socket->node = fmt::format("/dev/bus/usb/{:03}/{:03}", kBus, device);
  const boards::Usb& usb = board.options().kind.usb;
  const std::string description = fmt::format(
      "P: {0}\nN: {1}={7}\nE: DEVNAME=/dev/{1}\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: BUSNUM={2:03}\n"
      "E: DEVNUM={3:03}\nE: ID_VENDOR_ID={8:04x}\nE: ID_MODEL_ID={9:04x}\n"
      "A: busnum={2}\\n\nA: devnum={3}\\n\nA: speed=480\\n\n"
      "A: idVendor={8:04x}\\n\nA: idProduct={9:04x}\\n\n"
      "A: manufacturer={4}\\n\nA: product={5}\\n\nA: serial={6}\\n\n"
      "A: bConfigurationValue=1\\n\nA: bNumConfigurations=1\\n\nA: bNumInterfaces= 2\\n\nA: "
      "bDeviceClass=00\\n\n"
      "A: version= 2.00\\n\nH: descriptors={7}\n",
      socket->syspath.substr(4), socket->node.substr(5), kBus, device, escaped(usb.manufacturer),
      escaped(usb.text), escaped(board.options().serial), hexadecimal(board.adapter().descriptors()),
      usb.vendor, usb.product);
  GError* error = nullptr;
  if (umockdev_testbed_add_from_string(bed_, description.c_str(), &error) == 0 ||
      umockdev_testbed_attach_ioctl(bed_, socket->node.c_str(), socket->usbfs.handler(), &error) == 0) {
    const std::string cause = error == nullptr ? "umockdev says no more" : error->message;
    g_clear_error(&error);
    throw std::runtime_error(fmt::format("cannot plug in a board: {}", cause));
  }
  if (board.options().faults.no_access) {
    chmod(in_bed(socket->node).c_str(), 0);
  }
  board.port().detached = [this, &plugged = *socket] {
    umockdev_testbed_uevent(bed_, plugged.syspath.c_str(), "remove");
    umockdev_testbed_remove_device(bed_, plugged.syspath.c_str());
    unlink(in_bed(plugged.node).c_str());
  };
  sockets_.push_back(std::move(socket));
}

// Where that is which a program in the bed finds at `path`.
std::string Bed::in_bed(const std::string& path) const {
  gchar* root = umockdev_testbed_get_root_dir(bed_);
  std::string all = root + path;
  g_free(root);
  return all;
}

int Bed::run(const std::vector<std::string>& command) {
  bool obey = false;
  for (const auto& socket : sockets_) obey = obey || socket->board.options().faults.no_access;
  // Whoever hears the command may send a signal at once.
  signal(SIGTERM, pass_on);
  signal(SIGHUP, pass_on);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (early != 0) raise(early);
    if (obey) obey_permissions();
    become(command);
  }
  // Ctrl-C reaches the command by itself, and it answers.
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  running = child;
  if (early != 0) kill(child, early);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Bed::finish() {
  for (const auto& socket : sockets_) {
    const std::lock_guard guard(socket->usbfs.lock());
    if (socket->usbfs.failure()) std::rethrow_exception(socket->usbfs.failure());
    socket->board.port().detached = nullptr;
    socket->board.finish();
  }
}

}  // namespace swai::usb
