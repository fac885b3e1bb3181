#include "host/serve/control.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <stdexcept>

#include "host/link/server/listener.hpp"

namespace swai::serve {

using std::chrono::steady_clock;

namespace {

// Between two tries to let somebody in when no descriptor is left.
constexpr std::chrono::milliseconds kClosedFor{100};

}  // namespace

Control::Control(std::string path, std::function<Json(const Json&)> answer, const Limits& limits)
    : path_(std::move(path)),
      answer_(std::move(answer)),
      limits_(limits),
      listener_(socket::listen_on(path_, socket::Audience::kOwner, inode_)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { serve(); }) {}

Control::~Control() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
  socket::remove_socket(path_, inode_);
}

void Control::serve() {
  for (;;) {
    std::vector<pollfd> fds = {{wake_.get(), POLLIN, 0}};
    if (closed_until_ && steady_clock::now() >= *closed_until_) closed_until_.reset();
    // Negative descriptors are not looked at.
    fds.push_back({closed_until_ ? -1 : listener_.get(), POLLIN, 0});
    for (const Connection& one : connections_)
      fds.push_back({one.fd.get(), static_cast<short>(one.answers ? POLLOUT : POLLIN), 0});
    ::poll(fds.data(), fds.size(), timeout());
    if (fds[0].revents != 0) return;
    size_t i = 2;
    for (auto one = connections_.begin(); one != connections_.end(); ++i) {
      const bool stays = (fds[i].revents == 0 || go_on(*one)) && steady_clock::now() < one->end;
      one = stays ? std::next(one) : connections_.erase(one);
    }
    if (fds[1].revents != 0) accept();
  }
}

int Control::timeout() const {
  std::optional<Time> first = closed_until_;
  for (const Connection& one : connections_) first = first ? std::min(*first, one.end) : one.end;
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

void Control::accept() {
  link::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE) closed_until_ = steady_clock::now() + kClosedFor;
    return;
  }
  if (!socket::admits(socket::Audience::kOwner, fd.get())) return;
  if (connections_.size() >= limits_.connections) connections_.pop_front();
  connections_.push_back({.fd = std::move(fd), .end = steady_clock::now() + limits_.time, .text = {}});
}

bool Control::read(Connection& connection) {
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::recv(connection.fd.get(), piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) return false;
    connection.text.append(piece.data(), static_cast<size_t>(got));
    if (connection.text.back() == '\n') break;
    if (connection.text.size() > kMostRequestBytes) return false;
  }
  connection.text = answer_to(connection.text);
  connection.answers = true;
  return true;
}

bool Control::go_on(Connection& connection) {
  if (!connection.answers) return read(connection);
  const auto rest = std::string_view(connection.text).substr(connection.sent);
  const ssize_t sent = ::send(connection.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
  connection.sent += static_cast<size_t>(sent);
  return connection.sent < connection.text.size();
}

std::string Control::answer_to(const std::string& line) const {
  Json reply;
  try {
    const Json request = Json::parse(line);
    if (!request.is_object() || request.value("version", Json()) != kControlVersion)
      throw std::runtime_error(fmt::format("the daemon speaks version {} of its language", kControlVersion));
    reply = answer_(request);
  } catch (const std::exception& error) {
    reply = {{"error", error.what()}};
  }
  reply["version"] = kControlVersion;
  return link::line_of(reply);
}

unsigned number_in(const Json& request, const char* name) {
  const auto found = request.find(name);
  // Anything else, a fraction say, would be made a number in some way.
  if (found == request.end() || !found->is_number_unsigned() || found->get<uint64_t>() > ~0u)
    throw std::runtime_error(fmt::format("'{}' is to be a number from 0 to {}", name, ~0u));
  return found->get<unsigned>();
}

}  // namespace swai::serve
