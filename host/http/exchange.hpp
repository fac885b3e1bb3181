// SPDX-License-Identifier: Apache-2.0
// A request and its answer, between the server, which has the connection, and whatever answers, possibly in
// another thread and much later.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "host/http/budget.hpp"
#include "host/http/mapped_bytes.hpp"
#include "host/http/problem.hpp"

namespace swai::http {

struct Form {
  std::map<std::string, std::string> fields;
  MappedBytes file;  // the part with that name
  bool has_file = false;
};

struct Request {
  std::string method;
  std::string path;
  std::string content_type;  // in lower case, without parameters
  std::string authorization;
  std::string host;
  std::string origin;  // of a page in a browser
  std::string body;
  Form form;             // if it is one, instead of the body
  Budget::Share memory;  // that body and form take
};

struct Reply {
  int status = 200;
  std::string content_type;
  std::string body;
  std::string retry_after;  // headers, unless they are empty
  std::string allow;
};

Reply reply_of(const Problem& problem);
Reply json_reply(const std::string& text);

// All functions may be called by any thread, unless stated otherwise.
class Exchange {
 public:
  explicit Exchange(Request request) : request_(std::move(request)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // For the server's thread, until the request is taken.
  const Request& request() const { return *request_; }
  // The request, once; none if the client has gone.
  std::optional<Request> take_request();

  // One of the two, once; later calls have no effect.
  void answer(Reply reply);
  void begin_events();
  // Appends events: what the client has not read waits here.
  void write(std::string_view events);
  void end();
  // The client has closed its end, or is lost: the answer is not wanted.
  bool is_gone() const;

  // --- For the server, which has one thread for all connections.

  // A connection that can be left alone until there is something to do. It must not call this object.
  class Connection {
   public:
    virtual ~Connection() = default;
    virtual void sleep() = 0;
    virtual void wake() = 0;
  };
  void connect(int socket, Connection& connection);
  // Frees the request, too, if it still waits here.
  void disconnect();
  // Null: there is none, and the connection sleeps until there is.
  const Reply* first_answer();
  // Gives at most `room` bytes of what can be sent. None and not `over`: the connection sleeps until there
  // are some.
  size_t take(char* to, size_t room, bool& over);
  // The whole answer is here, if not sent.
  bool is_over() const;
  // Ends an answer that is not over.
  void abandon();

 private:
  void sleep();
  void wake();

  mutable std::mutex mutex_;
  std::optional<Request> request_;
  Connection* connection_ = nullptr;
  int socket_ = -1;
  bool sleeps_ = false;
  bool answered_ = false;
  bool over_ = false;
  Reply reply_;
  std::string events_;
  size_t sent_ = 0;  // of the events
};

// The same exchange, for whatever answers it: the last copy of this pointer abandons it. So no connection
// waits for an answer that cannot come.
std::shared_ptr<Exchange> to_answer(std::shared_ptr<Exchange> exchange);

}  // namespace swai::http
