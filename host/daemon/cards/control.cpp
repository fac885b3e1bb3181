// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/control.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <stdexcept>

#include "host/lib/json_depth.hpp"
#include "host/transport/server/listener.hpp"

namespace swai::serve {

using std::chrono::steady_clock;

namespace {

// Between two tries to let somebody in when no descriptor is left.
constexpr std::chrono::milliseconds kClosedFor{100};

// Each new name is compared with those before it, and each object's end with what lies beside it: a request
// has few of them.
Json parse(const std::string& text) {
  if (common::is_nested_too_deep(text)) {
    throw std::runtime_error(
        fmt::format("a request is nested more than {} levels deep", common::kMaxJsonDepth));
  }
  unsigned names = 0;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json&) {
    const bool counts = event == Json::parse_event_t::key || event == Json::parse_event_t::object_start;
    if (counts && ++names > kMostNames)
      throw std::runtime_error(fmt::format("a request has {} names and objects at most", kMostNames));
    return true;
  });
}

}  // namespace

short Control::Connection::waits_for() const {
  if (!answers) return POLLIN;
  if (!lines) return POLLOUT;
  return static_cast<short>(POLLRDHUP | (sent < text.size() || lines->has_some() ? POLLOUT : 0));
}

Control::Control(std::string path, Calls calls, const Limits& limits)
    : path_(std::move(path)),
      calls_(std::move(calls)),
      limits_(limits),
      listener_(socket::listen_on(path_, socket::Audience::kOwner, inode_)),
      bell_(std::make_shared<Lines::Bell>()),
      thread_([this] { serve(); }) {}

Control::~Control() {
  ends_ = true;
  bell_->ring();
  thread_.join();
  socket::remove_socket(path_, inode_);
}

void Control::serve() {
  for (;;) {
    std::vector<pollfd> fds = {{bell_->fd(), POLLIN, 0}};
    if (closed_until_ && steady_clock::now() >= *closed_until_) closed_until_.reset();
    // Negative descriptors are not looked at.
    fds.push_back({closed_until_ ? -1 : listener_.get(), POLLIN, 0});
    for (const Connection& one : connections_) fds.push_back({one.fd.get(), one.waits_for(), 0});
    ::poll(fds.data(), fds.size(), timeout());
    if (ends_) return;
    if (fds[0].revents != 0) bell_->silence();
    size_t i = 2;
    for (auto one = connections_.begin(); one != connections_.end(); ++i) {
      const bool stays =
          (fds[i].revents == 0 || go_on(*one, fds[i].revents)) && steady_clock::now() < one->end;
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
  const auto peer = socket::peer_of(fd.get());
  if (!peer) return;
  if (connections_.size() >= limits_.connections) {
    // Who is answered in lines keeps his place until all are made.
    const auto oldest = std::ranges::find_if_not(connections_, is_being_answered);
    if (oldest != connections_.end()) connections_.erase(oldest);
  }
  connections_.push_back(
      {.fd = std::move(fd), .process = peer->process, .end = steady_clock::now() + limits_.time});
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
  answer(connection);
  return true;
}

bool Control::go_on(Connection& connection, short events) {
  if (!connection.answers) return read(connection);
  if (connection.lines && (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return false;
  return send(connection);
}

bool Control::send(Connection& connection) const {
  if (connection.lines && connection.sent == connection.text.size()) {
    connection.text = connection.lines->take();
    connection.sent = 0;
  }
  const auto rest = std::string_view(connection.text).substr(connection.sent);
  const ssize_t sent = ::send(connection.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
  connection.sent += static_cast<size_t>(sent);
  if (connection.sent < connection.text.size()) return true;
  return connection.lines && !(connection.lines->is_over() && !connection.lines->has_some());
}

void Control::answer(Connection& connection) {
  Json reply;
  try {
    const Json request = parse(connection.text);
    if (!request.is_object() || request.value("version", Json()) != kControlVersion)
      throw std::runtime_error(fmt::format("the daemon speaks version {} of its language", kControlVersion));
    const auto command = request.value("command", std::string());
    if (calls_.long_answers.contains(command)) {
      begin_lines(connection, request, command);
      return;
    }
    reply = calls_.answer(request);
  } catch (const Busy& busy) {
    reply = {{"error", busy.what()}, {"busy", true}};
  } catch (const std::exception& error) {
    reply = {{"error", error.what()}};
  }
  reply["version"] = kControlVersion;
  connection.text = link::line_of(reply);
  connection.answers = true;
}

void Control::begin_lines(Connection& connection, const Json& request, const std::string& command) {
  const auto refuse = [](size_t most, const char* of) {
    throw Busy(fmt::format(
        "the daemon writes {} such answers {}at once at most; try again when one has ended", most, of));
  };
  const auto of_process = [&](const Connection& one) {
    return is_being_answered(one) && one.process == connection.process;
  };
  const auto all = static_cast<size_t>(std::ranges::count_if(connections_, is_being_answered));
  const auto same = static_cast<size_t>(std::ranges::count_if(connections_, of_process));
  if (same >= limits_.answers_of_process) refuse(limits_.answers_of_process, "for one program ");
  if (all >= limits_.answers) refuse(limits_.answers, "");
  const auto lines = std::make_shared<Lines>(bell_);
  calls_.long_answers.at(command)(request, lines);
  connection.lines = std::make_unique<Lines::Reader>(lines);
  connection.text.clear();
  connection.answers = true;
  connection.end = Time::max();
}

bool Control::is_being_answered(const Connection& one) { return one.lines && !one.lines->is_over(); }

unsigned number_in(const Json& request, const char* name) {
  const auto found = request.find(name);
  // Anything else, a fraction say, would be made a number in some way.
  if (found == request.end() || !found->is_number_unsigned() || found->get<uint64_t>() > ~0u)
    throw std::runtime_error(fmt::format("'{}' is to be a number from 0 to {}", name, ~0u));
  return found->get<unsigned>();
}

}  // namespace swai::serve
