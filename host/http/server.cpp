#include "host/http/server.hpp"

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
#include <thread>
#include <utility>

#include "host/http/form.hpp"

namespace swai::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kEventBytes = 16 << 10;  // at a time
// How often it is looked whether somebody takes too long.
constexpr int kLookMilliseconds = 1000;

std::string header_of(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

// Of the body, as far as the client tells. The library has read the number.
uint64_t length_of(MHD_Connection* connection) {
  const std::string text = header_of(connection, "Content-Length");
  uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

Problem too_large(size_t most_bytes) {
  return Problem(413, fmt::format("the body has more than {} bytes", most_bytes), "", "body_too_large");
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string text) {
  text = text.substr(0, text.find(';'));
  std::erase(text, ' ');
  std::ranges::transform(text, text.begin(), [](unsigned char sign) { return std::tolower(sign); });
  return text;
}

void add_header(MHD_Response* response, const char* name, const std::string& value) {
  if (!value.empty()) MHD_add_response_header(response, name, value.c_str());
}

// Whose turn it is to send events.
ssize_t take_events(void* exchange, uint64_t, char* to, size_t room) {
  bool over = false;
  const size_t bytes = (*static_cast<std::shared_ptr<Exchange>*>(exchange))->take(to, room, over);
  return over ? MHD_CONTENT_READER_END_OF_STREAM : static_cast<ssize_t>(bytes);
}

void forget_exchange(void* exchange) { delete static_cast<std::shared_ptr<Exchange>*>(exchange); }

MHD_Result send(MHD_Connection* connection, const Reply& reply, const std::shared_ptr<Exchange>& exchange) {
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
  // A connection of the library's, with the request that it is about.
  struct Open : Exchange::Connection {
    Open(MHD_Connection* connection, int wake_fd) : handle(connection), wakes(wake_fd) {
      socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    }
    void sleep() override { MHD_suspend_connection(handle); }
    void wake() override {
      MHD_resume_connection(handle);
      ::eventfd_write(wakes, 1);
    }

    MHD_Connection* handle;
    int wakes;  // the server's thread
    int socket;
    std::optional<Clock::time_point> end;  // none: it waits for us
    // Until the request is whole:
    Request request;
    size_t most_bytes = 0;
    std::optional<Reply> refusal;
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
  void look_at_time();
  MHD_Result begin(Open& open, const char* url, const char* method);
  void add(Open& open, const char* data, size_t bytes) const;
  void answer(Open& open);

  const Calls calls_;
  const Limits limits_;
  // Of the server's thread alone:
  std::list<Open> open_;
  bool closed_ = false;  // one has been: the library lets the next one in when it runs again
  link::Fd wake_;
  std::atomic<bool> ends_ = false;
  MHD_Daemon* daemon_ = nullptr;
  std::thread thread_;
};

Server::Work::Work(const ListeningSocket& socket, Calls calls, const Limits& limits)
    : calls_(std::move(calls)), limits_(limits), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // It closes the socket that it is given.
  const int listener = ::dup(socket.get());
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request, this,
                             MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
                             limits.connections, MHD_OPTION_NOTIFY_CONNECTION, on_connection, this,
                             MHD_OPTION_NOTIFY_COMPLETED, on_completed, this, MHD_OPTION_END);
  if (daemon_ == nullptr || !wake_) throw std::runtime_error("the HTTP server cannot be started");
  thread_ = std::thread([this] { serve(); });
}

Server::Work::~Work() {
  ends_ = true;
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
  // None may sleep when the library ends.
  for (const Open& open : open_)
    if (open.exchange) open.exchange->abandon();
  MHD_stop_daemon(daemon_);
}

void Server::Work::serve() {
  const int library = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  std::array<pollfd, 2> what = {{{library, POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  while (!ends_) {
    MHD_UNSIGNED_LONG_LONG wanted = 0;
    int milliseconds = open_.empty() ? -1 : kLookMilliseconds;
    if (MHD_get_timeout(daemon_, &wanted) == MHD_YES && wanted < kLookMilliseconds)
      milliseconds = static_cast<int>(wanted);
    if (std::exchange(closed_, false)) milliseconds = 0;
    ::poll(what.data(), what.size(), milliseconds);
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    MHD_run(daemon_);
    look_at_time();
  }
}

void Server::Work::look_at_time() {
  const auto now = Clock::now();
  for (Open& open : open_) {
    if (!open.end && open.exchange && open.exchange->is_over()) open.end = now + limits_.time;
    // The library finds it closed.
    if (open.end && *open.end < now) ::shutdown(open.socket, SHUT_RDWR);
  }
}

void Server::Work::on_connection(void* self, MHD_Connection* connection, void** context,
                                 MHD_ConnectionNotificationCode code) {
  Work& work = *static_cast<Work*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    Open& open = work.open_.emplace_back(connection, work.wake_.get());
    open.end = Clock::now() + work.limits_.time;
    *context = &open;
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
    work.add(open, data, *bytes);
    *bytes = 0;
    return MHD_YES;
  }
  if (!open.exchange) work.answer(open);
  const Reply* const reply = open.exchange->first_answer();
  return reply == nullptr ? MHD_YES : send(connection, *reply, open.exchange);
}

MHD_Result Server::Work::begin(Open& open, const char* url, const char* method) {
  open.request = {.method = method,
                  .path = url,
                  .content_type = media_type(header_of(open.handle, "Content-Type")),
                  .authorization = header_of(open.handle, "Authorization"),
                  .host = header_of(open.handle, "Host"),
                  .origin = header_of(open.handle, "Origin")};
  open.refusal.reset();
  open.most_bytes = 0;
  try {
    open.most_bytes = calls_.admit(open.request);
    if (length_of(open.handle) > open.most_bytes) throw too_large(open.most_bytes);
  } catch (const Problem& problem) {
    open.refusal = reply_of(problem);
  }
  // Who asks before it sends a body is told at once; from others the body is read, and goes nowhere, because
  // they do not listen before.
  if (open.refusal && !header_of(open.handle, "Expect").empty())
    return send(open.handle, *open.refusal, nullptr);
  return MHD_YES;
}

void Server::Work::add(Open& open, const char* data, size_t bytes) const {
  if (open.refusal) return;
  if (bytes <= open.most_bytes - open.request.body.size()) {
    open.request.body.append(data, bytes);
    return;
  }
  open.refusal = reply_of(too_large(open.most_bytes));
  open.request.body = {};
}

void Server::Work::answer(Open& open) {
  if (open.request.content_type == kFormType && !open.refusal) {
    open.request.form = form_of(open.handle, open.request.body);
    open.request.body = {};
  }
  open.exchange = std::make_shared<Exchange>(std::move(open.request));
  open.exchange->connect(open.socket, open);
  open.end.reset();
  if (open.refusal) {
    open.exchange->answer(*open.refusal);
    return;
  }
  try {
    calls_.answer(open.exchange);
  } catch (const Problem& problem) {
    open.exchange->answer(reply_of(problem));
  }
}

void Server::Work::on_completed(void* self, MHD_Connection* connection, void** known,
                                MHD_RequestTerminationCode) {
  Work& work = *static_cast<Work*>(self);
  Open& open = open_of(connection);
  if (open.exchange) open.exchange->disconnect();
  open.exchange.reset();
  open.request = {};
  open.end = Clock::now() + work.limits_.time;
  *known = nullptr;
}

Server::Server(const ListeningSocket& socket, Calls calls, const Limits& limits)
    : work_(std::make_unique<Work>(socket, std::move(calls), limits)) {}

Server::~Server() = default;

}  // namespace swai::http
