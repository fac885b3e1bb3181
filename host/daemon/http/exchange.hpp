// SPDX-License-Identifier: Apache-2.0
// A request and its answer, between the server, which has the connection, and the component that answers,
// possibly in another thread and much later.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "host/daemon/http/budget.hpp"
#include "host/daemon/http/mapped_bytes.hpp"
#include "host/daemon/http/problem.hpp"

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
  Budget::Share memory;  // held by body and form
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

  // Only for the server's thread, and only until the request is taken.
  const Request& request() const { return *request_; }
  // Returns the request once; none if the client has gone.
  std::optional<Request> take_request();

  // Only the first call of either has an effect.
  void answer(Reply reply);
  void begin_events();
  // Appends events; those that the client has not read are kept here.
  void write(std::string_view events);
  void end();
  // The client has closed its end, or is lost: no answer is needed.
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
  // Also frees the request, if it was not taken.
  void disconnect();
  // Null: there is none, and the connection sleeps until there is.
  const Reply* first_answer();
  // Gives at most `room` bytes of what can be sent. None and not `over`: the connection sleeps until there
  // are some.
  size_t take(char* to, size_t room, bool& over);
  // The answer is complete, though perhaps not sent.
  bool is_over() const;
  // Ends an incomplete answer.
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

// The same exchange, for the component that answers it: dropping the last copy of this pointer abandons it,
// so no connection waits for an answer that cannot come.
std::shared_ptr<Exchange> to_answer(std::shared_ptr<Exchange> exchange);

}  // namespace swai::http
