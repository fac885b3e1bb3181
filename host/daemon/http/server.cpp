// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/server.hpp"

#include <fmt/format.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <list>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "host/daemon/http/form.hpp"

namespace swai::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kEventBytes = 16 << 10;  // at a time
// How often deadlines are checked.
constexpr int kLookMilliseconds = 1000;
// A client that sends a body without asking first does not listen before the body's end, so a refused body is
// read and dropped, up to this size.
constexpr size_t kMaxDropped = 32 << 20;
// Connections that libmicrohttpd may accept beyond the limit. It accepts up to eleven at once, before this
// server can make places for them.
constexpr unsigned kSpare = 16;
constexpr unsigned kRetryAfter = 5;

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char one) { return std::tolower(one); });
  return text;
}

std::string header_of(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

// The length of the body, if the client sent one. libmicrohttpd has checked the number.
uint64_t length_of(MHD_Connection* connection) {
  const std::string text = header_of(connection, "Content-Length");
  uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

// Throws Problem if another HTTP server, such as a proxy, could see the end of the request elsewhere than
// libmicrohttpd does (RFC 9112, section 6.3), or would deliver it to another host.
void check_framing(MHD_Connection* connection) {
  struct Seen {
    unsigned hosts = 0, lengths = 0;
    std::vector<std::string> codings = {};
    bool spaced = false;  // a name with a space, which some servers ignore
  } seen;
  MHD_get_connection_values(
      connection, MHD_HEADER_KIND,
      [](void* to, MHD_ValueKind, const char* key, const char* value) {
        Seen& found = *static_cast<Seen*>(to);
        const std::string name = lower_case(key);
        found.hosts += name == "host";
        found.lengths += name == "content-length";
        if (name == "transfer-encoding") found.codings.push_back(lower_case(value == nullptr ? "" : value));
        found.spaced |= name.find_first_of(" \t") != std::string::npos;
        return MHD_YES;
      },
      &seen);
  if (seen.spaced) throw bad_request("a header's name contains a space");
  if (seen.hosts != 1)
    throw bad_request(fmt::format("a request has one Host header, this one has {}", seen.hosts));
  if (seen.lengths > 1) throw bad_request("a request has at most one Content-Length header");
  if (seen.codings.empty()) return;
  if (seen.lengths != 0) throw bad_request("a request has either Content-Length or Transfer-Encoding");
  if (seen.codings != std::vector<std::string>{"chunked"})
    throw Problem(501, "the only Transfer-Encoding supported here is chunked");
}

Problem too_large(size_t max_bytes) {
  return Problem(413, fmt::format("the body has more than {} bytes", max_bytes), "", "body_too_large");
}

Problem out_of_memory(size_t budget) {
  Problem problem(
      503, fmt::format("requests that arrive or wait take {} MiB already; try again later", budget >> 20), "",
      "overloaded");
  problem.retry_after = kRetryAfter;
  return problem;
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string text) {
  text = text.substr(0, text.find(';'));
  std::erase(text, ' ');
  return lower_case(text);
}

void add_header(MHD_Response* response, const char* name, const std::string& value) {
  if (!value.empty()) MHD_add_response_header(response, name, value.c_str());
}

// Called when more events can be sent.
ssize_t take_events(void* exchange, uint64_t, char* to, size_t room) {
  bool over = false;
  const size_t bytes = (*static_cast<std::shared_ptr<Exchange>*>(exchange))->take(to, room, over);
  return over ? MHD_CONTENT_READER_END_OF_STREAM : static_cast<ssize_t>(bytes);
}

void forget_exchange(void* exchange) { delete static_cast<std::shared_ptr<Exchange>*>(exchange); }

// The client has closed its end, and all data sent before was received.
bool has_sent_all(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

// `last`: the connection ends after the reply.
MHD_Result send(MHD_Connection* connection, const Reply& reply, const std::shared_ptr<Exchange>& exchange,
                bool last = false) {
  const bool events = reply.content_type == "text/event-stream";
  MHD_Response* const response =
      events ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kEventBytes, take_events,
                                                 new std::shared_ptr<Exchange>(exchange), forget_exchange)
             : MHD_create_response_from_buffer(reply.body.size(), const_cast<char*>(reply.body.data()),
                                               MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  add_header(response, "Content-Type", reply.content_type);
  add_header(response, "Retry-After", reply.retry_after);
  add_header(response, "Allow", reply.allow);
  add_header(response, "Cache-Control", events ? "no-cache" : "");
  add_header(response, "Connection", last ? "close" : "");
  const MHD_Result queued = MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

class Server::Work {
 public:
  Work(const ListeningSocket& socket, Calls calls, const Limits& limits);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  // A connection of libmicrohttpd's, with the request that is under way.
  struct Open : Exchange::Connection {
    Open(MHD_Connection* connection, int wake_fd) : handle(connection), wakes(wake_fd) {
      socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    }
    void sleep() override { MHD_suspend_connection(handle); }
    void wake() override {
      MHD_resume_connection(handle);
      ::eventfd_write(wakes, 1);
    }
    // libmicrohttpd finds it closed and ends it.
    void shut() {
      is_shut = true;
      ::shutdown(socket, SHUT_RDWR);
    }

    MHD_Connection* handle;
    int wakes;  // the server's thread
    int socket;
    bool is_shut = false;
    bool peer_closed = false;  // the client sends nothing more
    bool rests = false;        // between an answer and the first byte of the next request
    // Deadline for the client's transfer under way; none while the client waits for the server.
    std::optional<Clock::time_point> end;
    // Until the request is whole:
    Request request;
    std::optional<FormReader> form;  // writes into the request
    bool has_head = false;
    size_t max_bytes = 0;
    std::optional<Reply> refusal;
    size_t dropped = 0;  // bytes of the body since its refusal
    // From then on:
    std::shared_ptr<Exchange> exchange;
  };

  static Open& open_of(MHD_Connection* connection) {
    return *static_cast<Open*>(
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
  }

  static void on_connection(void* self, MHD_Connection* connection, void** context,
                            MHD_ConnectionNotificationCode code);
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char* version, const char* data, size_t* bytes, void** known);
  static void on_completed(void* self, MHD_Connection* connection, void** known,
                           MHD_RequestTerminationCode code);

  void serve();
  void wait();
  void end_connections();
  void make_place(const Open& newcomer);
  bool take_memory(Open& open, size_t bytes);
  MHD_Result begin(Open& open, const char* url, const char* method);
  bool add(Open& open, std::string_view piece);
  void answer(Open& open);
  static void refuse(Open& open, const Problem& problem);

  const Calls calls_;
  const Limits limits_;
  // For the server's thread alone:
  std::list<Open> open_;  // the oldest first
  std::vector<pollfd> polled_;
  bool closed_ = false;  // a connection has ended: libmicrohttpd accepts the next one when it runs again
  Budget memory_;
  link::Fd wake_;
  std::atomic<bool> ends_ = false;
  MHD_Daemon* daemon_ = nullptr;
  std::thread thread_;
};

Server::Work::Work(const ListeningSocket& socket, Calls calls, const Limits& limits)
    : calls_(std::move(calls)),
      limits_(limits),
      memory_(limits.body_bytes),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // libmicrohttpd closes the socket that it is given.
  const int listener = ::dup(socket.get());
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request, this,
                             MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
                             limits.connections + kSpare, MHD_OPTION_NOTIFY_CONNECTION, on_connection, this,
                             MHD_OPTION_NOTIFY_COMPLETED, on_completed, this, MHD_OPTION_END);
  if (daemon_ == nullptr || !wake_) throw std::runtime_error("the HTTP server cannot be started");
  thread_ = std::thread([this] { serve(); });
}

Server::Work::~Work() {
  ends_ = true;
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
  // No connection may sleep when libmicrohttpd ends.
  for (const Open& open : open_)
    if (open.exchange) open.exchange->abandon();
  MHD_stop_daemon(daemon_);
}

void Server::Work::serve() {
  while (!ends_) {
    wait();
    MHD_run(daemon_);
    end_connections();
  }
}

// Waits until libmicrohttpd has work, or deadlines are due.
void Server::Work::wait() {
  MHD_UNSIGNED_LONG_LONG wanted = 0;
  int milliseconds = open_.empty() ? -1 : kLookMilliseconds;
  if (MHD_get_timeout(daemon_, &wanted) == MHD_YES && wanted < kLookMilliseconds)
    milliseconds = static_cast<int>(wanted);
  if (std::exchange(closed_, false)) milliseconds = 0;
  const int library = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  polled_.assign({{library, POLLIN, 0}, {wake_.get(), POLLIN, 0}});
  // libmicrohttpd overlooks an end that arrives together with the last bytes, and every event on a sleeping
  // connection. poll skips negative descriptors.
  for (const Open& open : open_)
    polled_.push_back({open.peer_closed || open.is_shut ? -1 : open.socket,
                       static_cast<short>(POLLRDHUP | (open.rests ? POLLIN : 0)), 0});
  ::poll(polled_.data(), polled_.size(), milliseconds);
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.get(), &ignored);
  auto one = polled_.begin() + 2;
  for (Open& open : open_) {
    const short events = (one++)->revents;
    if ((events & (POLLRDHUP | POLLHUP | POLLERR)) != 0) open.peer_closed = true;
    if (open.rests && (events & POLLIN) != 0) {
      open.rests = false;
      open.end = Clock::now() + limits_.head;
    }
  }
}

void Server::Work::end_connections() {
  const auto now = Clock::now();
  for (Open& open : open_) {
    if (open.exchange && open.peer_closed) open.exchange->abandon();
    if (open.exchange && !open.end && open.exchange->is_over()) open.end = now + limits_.time;
    const bool is_late = open.end && *open.end < now;
    const bool is_cut_off = !open.exchange && open.peer_closed && has_sent_all(open.socket);
    if (!open.is_shut && (is_late || is_cut_off)) open.shut();
  }
}

// If there are too many connections, closes one whose client keeps the server waiting.
void Server::Work::make_place(const Open& newcomer) {
  if (std::ranges::count(open_, false, &Open::is_shut) <= limits_.connections) return;
  Open* victim = nullptr;
  const auto rank = [](const Open& open) {
    return std::tuple(open.exchange != nullptr, open.has_head, *open.end);
  };
  for (Open& open : open_) {
    if (&open == &newcomer || open.is_shut || !open.end) continue;
    if (victim == nullptr || rank(open) < rank(*victim)) victim = &open;
  }
  if (victim != nullptr) victim->shut();
}

void Server::Work::on_connection(void* self, MHD_Connection* connection, void** context,
                                 MHD_ConnectionNotificationCode code) {
  Work& work = *static_cast<Work*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    Open& open = work.open_.emplace_back(connection, work.wake_.get());
    open.end = Clock::now() + work.limits_.head;
    *context = &open;
    work.make_place(open);
  } else {
    work.open_.remove_if([&](const Open& open) { return &open == *context; });
    work.closed_ = true;
  }
}

MHD_Result Server::Work::on_request(void* self, MHD_Connection* connection, const char* url,
                                    const char* method, const char*, const char* data, size_t* bytes,
                                    void** known) {
  Work& work = *static_cast<Work*>(self);
  Open& open = open_of(connection);
  if (*known == nullptr) {
    *known = &open;
    return work.begin(open, url, method);
  }
  if (*bytes != 0) {
    const bool goes_on = work.add(open, {data, *bytes});
    *bytes = 0;
    return goes_on ? MHD_YES : MHD_NO;
  }
  if (!open.exchange) work.answer(open);
  const Reply* const reply = open.exchange->first_answer();
  return reply == nullptr ? MHD_YES : send(connection, *reply, open.exchange);
}

MHD_Result Server::Work::begin(Open& open, const char* url, const char* method) {
  open.rests = false;
  open.has_head = true;
  open.end = Clock::now() + limits_.time;
  open.request = {.method = method,
                  .path = url,
                  .content_type = media_type(header_of(open.handle, "Content-Type")),
                  .authorization = header_of(open.handle, "Authorization"),
                  .host = header_of(open.handle, "Host"),
                  .origin = header_of(open.handle, "Origin"),
                  .body = {},
                  .form = {},
                  .memory = {}};
  try {
    check_framing(open.handle);
  } catch (const Problem& problem) {
    // The bytes that follow may be a body or another request, so they are not read.
    return send(open.handle, reply_of(problem), nullptr, true);
  }
  const uint64_t length = length_of(open.handle);
  try {
    open.max_bytes = calls_.admit(open.request);
    if (length > open.max_bytes) throw too_large(open.max_bytes);
  } catch (const Problem& problem) {
    refuse(open, problem);
    const bool asks_first = !header_of(open.handle, "Expect").empty();
    return asks_first || length > kMaxDropped ? send(open.handle, *open.refusal, nullptr, true) : MHD_YES;
  }
  if (open.request.content_type == kFormType) {
    open.form.emplace(open.handle, open.request.form);
    open.request.form.file.reserve(length);
  }
  return MHD_YES;
}

// The answer is fixed; the rest of the body is read and dropped.
void Server::Work::refuse(Open& open, const Problem& problem) {
  open.refusal = reply_of(problem);
  open.form.reset();
  open.request = {};
}

// Takes memory for more of this body, if necessary that of the oldest other incomplete one.
bool Server::Work::take_memory(Open& open, size_t bytes) {
  while (!memory_.take(open.request.memory, bytes)) {
    Open* oldest = nullptr;
    for (Open& other : open_) {
      if (&other == &open || other.request.memory.bytes() == 0) continue;
      if (oldest == nullptr || *other.end < *oldest->end) oldest = &other;
    }
    if (oldest == nullptr) return false;
    refuse(*oldest, out_of_memory(limits_.body_bytes));
  }
  return true;
}

// False: the client sends more than the server is willing to drop.
bool Server::Work::add(Open& open, std::string_view piece) {
  if (!open.refusal) {
    if (piece.size() > open.max_bytes - open.request.memory.bytes()) {
      refuse(open, too_large(open.max_bytes));
    } else if (!take_memory(open, piece.size())) {
      refuse(open, out_of_memory(limits_.body_bytes));
    }
  }
  if (open.refusal) {
    open.dropped += piece.size();
    return open.dropped <= kMaxDropped;
  }
  if (open.form) {
    open.form->add(piece);
  } else {
    open.request.body += piece;
  }
  return true;
}

void Server::Work::answer(Open& open) {
  open.form.reset();
  open.exchange = std::make_shared<Exchange>(std::move(open.request));
  open.exchange->connect(open.socket, open);
  open.end.reset();
  if (open.refusal) {
    open.exchange->answer(*open.refusal);
    return;
  }
  const std::shared_ptr<Exchange> exchange = to_answer(open.exchange);
  try {
    calls_.answer(exchange);
  } catch (const Problem& problem) {
    exchange->answer(reply_of(problem));
  }
}

void Server::Work::on_completed(void* self, MHD_Connection* connection, void** known,
                                MHD_RequestTerminationCode) {
  Work& work = *static_cast<Work*>(self);
  Open& open = open_of(connection);
  if (open.exchange) open.exchange->disconnect();
  open.exchange.reset();
  open.form.reset();
  open.request = {};
  open.has_head = false;
  open.refusal.reset();
  open.dropped = 0;
  open.end = Clock::now() + work.limits_.time;
  open.rests = true;
  *known = nullptr;
}

Server::Server(const ListeningSocket& socket, Calls calls, const Limits& limits)
    : work_(std::make_unique<Work>(socket, std::move(calls), limits)) {}

Server::~Server() = default;

}  // namespace swai::http
