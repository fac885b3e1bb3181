// A request and its answer, between the server, which knows the connection, and whoever answers, perhaps in
// another thread and much later.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "host/http/problem.hpp"

namespace swai::http {

struct Form {
  std::map<std::string, std::string> fields;
  std::string file;  // the bytes of the part with that name
  bool has_file = false;
};

struct Request {
  std::string method;
  std::string path;
  std::string content_type;  // in small letters, without parameters
  std::string authorization;
  std::string host;
  std::string origin;  // of a page in a browser
  std::string body;
  Form form;  // when it is one, in place of the body
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

// All functions may be called by any thread.
class Exchange {
 public:
  explicit Exchange(Request request) : request_(std::move(request)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const Request& request() const { return request_; }

  // One of the two, once. What comes later than the first is left out.
  void answer(Reply reply);
  void begin_events();
  // Events behind each other: what the client has not read waits here.
  void write(std::string_view events);
  void end();
  // The client has closed its end, or is lost: nobody wants the answer.
  bool is_gone() const;

  // --- For the server, which has a thread for all connections.

  // A connection that can be left alone until there is something to do. It must not call this object.
  class Connection {
   public:
    virtual ~Connection() = default;
    virtual void sleep() = 0;
    virtual void wake() = 0;
  };
  void connect(int socket, Connection& connection);
  void disconnect();
  // Null: there is none, and the connection sleeps until there is.
  const Reply* first_answer();
  // Gives at most `room` bytes of what can be sent. None and not `over`: the connection sleeps until there
  // are some.
  size_t take(char* to, size_t room, bool& over);
  // All has been said, if not heard.
  bool is_over() const;
  // Nobody will say any more.
  void abandon();

 private:
  void sleep();
  void wake();

  const Request request_;
  mutable std::mutex mutex_;
  Connection* connection_ = nullptr;
  int socket_ = -1;
  bool sleeps_ = false;
  bool answered_ = false;
  bool over_ = false;
  Reply reply_;
  std::string events_;
  size_t sent_ = 0;  // of the events
};

}  // namespace swai::http
