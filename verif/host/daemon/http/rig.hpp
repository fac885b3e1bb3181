// SPDX-License-Identifier: Apache-2.0
// A service with a played model, and clients that write bytes.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <semaphore>
#include <thread>

#include "host/daemon/http/service.hpp"

namespace swai::http_test {

using http::Json;

// Says what the test has given, word by word, and waits for more; what the test looks at has a lock.
class PlayedModel : public http::TextModel {
 public:
  void answer(const http::WaitingTexts& waiting) override {
    while (const auto answer = waiting.next()) {
      try {
        answer->begin(prompt_of(answer->request()).size(), 0);
        answer->finish(write(*answer));
      } catch (const std::exception& error) {
        answer->fail(error);
      }
    }
  }

  // Words of the answers from now on; kEnd ends one.
  static constexpr const char* kEnd = "<end>";
  static constexpr const char* kFails = "<fails>";
  void will_say(const std::vector<std::string>& words) {
    const std::lock_guard guard(mutex_);
    words_.insert(words_.end(), words.begin(), words.end());
    changed_.notify_all();
  }
  void wait_for_begun(unsigned count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  // Of the last one.
  generate::End wait_for_ended(unsigned count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ >= count; });
    return last_;
  }

 private:
  // Of a conversation the last message's letters, of a text its own; more than 20 are too many.
  static std::string prompt_of(const http::TextRequest& request) {
    const auto* const said = std::get_if<http::TextRequest::Conversation>(&request.prompt);
    std::string text = said != nullptr ? said->back().text : std::get<std::string>(request.prompt);
    if (text.size() > 20) throw http::bad_request("too long", "prompt", "context_length_exceeded");
    return text;
  }

  generate::Answer write(http::TextAnswer& text) {
    generate::Answer answer;
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    while (true) {
      // A card asks now and then, too.
      while (words_.empty()) {
        lock.unlock();
        const bool wanted = text.is_wanted();
        lock.lock();
        if (!wanted) return end(answer, generate::End::kHeard);
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      }
      const std::string word = words_.front();
      words_.pop_front();
      if (word == kEnd) return end(answer, generate::End::kModel);
      if (word == kFails) throw std::runtime_error("the card is lost");
      answer.tokens.push_back(0);
      answer.text += word;
      lock.unlock();
      const bool wanted = text.say(word);
      lock.lock();
      if (!wanted) return end(answer, generate::End::kHeard);
      if (answer.tokens.size() == text.request().most) return end(answer, generate::End::kLimit);
    }
  }

  generate::Answer& end(generate::Answer& answer, generate::End how) {
    answer.end = last_ = how;
    ++ended_;
    changed_.notify_all();
    return answer;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> words_;
  unsigned begun_ = 0, ended_ = 0;
  generate::End last_ = generate::End::kModel;
};

// Says how long the file is, and waits until it may: with "wait" as the prompt until nobody wants it any
// more.
class PlayedSpeech : public http::SpeechModel {
 public:
  http::Transcript transcribe(std::string_view file, const http::SpeechRequest& request,
                              const std::function<bool()>& go_on) override {
    if (file.empty()) throw http::bad_request("no sound", "file");
    if (request.options.initial_prompt == "wait") {
      begun.release();
      while (go_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ended.release();
    }
    const std::string bytes = fmt::format(" {} bytes", file.size());
    return {
        {{{0, 150, {1, 2}}, bytes, 0, -0.5, 0.25}, {{150, 6025, {}}, " and more", 0, -0.5, 0.25}}, "en", 61};
  }

  std::counting_semaphore<> begun{0}, ended{0};
};

struct Answered {
  int status = 0;
  std::string head;
  std::string body;  // of chunks what they carry
  Json json() const { return Json::parse(body); }
};

class Client {
 public:
  explicit Client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // A server that never answers fails the test.
    const timeval limit = {.tv_sec = 60, .tv_usec = 0};
    REQUIRE(::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }

  // False: the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Until that has come; false: the connection has ended before.
  bool wait_for(std::string_view text, size_t from = 0) {
    while (come_.find(text, from) == std::string::npos)
      if (!read()) return false;
    return true;
  }
  std::string all() {
    while (read()) {
    }
    return come_;
  }
  // The next answer.
  Answered answer() {
    Answered answered;
    if (!wait_for("\r\n\r\n")) return answered;
    const size_t end = come_.find("\r\n\r\n") + 4;
    answered.head = come_.substr(0, end);
    answered.status = std::stoi(answered.head.substr(9, 3));
    come_.erase(0, end);
    const size_t length = answered.head.find("Content-Length: ");
    if (length != std::string::npos) {
      const auto bytes = std::stoul(answered.head.substr(length + 16));
      while (come_.size() < bytes && read()) {
      }
      answered.body = come_.substr(0, bytes);
      come_.erase(0, bytes);
      return answered;
    }
    size_t at = 0;
    for (size_t bytes = 1; bytes != 0 && wait_for("\r\n", at);) {
      const size_t line = come_.find("\r\n", at) + 2;
      bytes = std::stoul(come_.substr(at, line - at), nullptr, 16);
      at = line + bytes + 2;
      while (come_.size() < at && read()) {
      }
      answered.body += come_.substr(line, bytes);
    }
    come_.erase(0, at);
    return answered;
  }
  Answered ask(std::string_view bytes) {
    send(bytes);
    return answer();
  }
  bool has_come() const {
    pollfd one = {.fd = fd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, 1) > 0;
  }
  void close() { fd_.reset(); }
  // The client stops sending, but still receives.
  void end_of_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  // Returns when the server, which is in this process, has received all bytes sent.
  void wait_until_read() const {
    for (unsigned i = 0; i < 30'000; ++i) {
      int unsent = 0, unread = 0;
      const int server = end_in_server();
      if (server >= 0 && ::ioctl(fd_.get(), SIOCOUTQ, &unsent) == 0 && unsent == 0 &&
          ::ioctl(server, FIONREAD, &unread) == 0 && unread == 0)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL("the server does not read");
  }

 private:
  // The server's socket of this connection; negative: it is not accepted.
  int end_in_server() const {
    const auto own = port_of(fd_.get(), ::getsockname);
    for (int fd = 0; fd < 1024; ++fd)
      if (port_of(fd, ::getpeername) == own) return fd;
    return -1;
  }
  template <typename Get>
  static std::optional<in_port_t> port_of(int fd, Get get) {
    sockaddr_in address = {};
    socklen_t bytes = sizeof address;
    if (get(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0 || address.sin_family != AF_INET)
      return std::nullopt;
    return address.sin_port;
  }

  bool read() {
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    come_.append(bytes.data(), static_cast<size_t>(count));
    return true;
  }

  link::Fd fd_;
  std::string come_;
};

inline std::string get(std::string_view path, std::string_view headers = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers);
}
inline std::string post(std::string_view path, std::string_view body, std::string_view headers = "") {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n{}\r\n{}",
      path, body.size(), headers, body);
}

// A form, with a file unless that is null.
inline std::string form(const std::vector<std::pair<std::string, std::string>>& fields,
                        const std::string* file, std::string_view headers = "") {
  std::string body;
  for (const auto& [name, text] : fields)
    body += fmt::format("--xyz\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name, text);
  if (file != nullptr) {
    body += fmt::format(
        "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n"
        "Content-Type: application/octet-stream\r\n\r\n{}\r\n",
        *file);
  }
  body += "--xyz--\r\n";
  return fmt::format(
      "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; "
      "boundary=xyz\r\nContent-Length: {}\r\n{}\r\n{}",
      body.size(), headers, body);
}

// Open files of this process.
inline size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}
// The server closes ended connections with some delay.
inline void wait_for_descriptors(size_t count) {
  for (unsigned i = 0; i < 30'000 && descriptors() != count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(descriptors() == count);
}

struct Rig {
  explicit Rig(http::Service::Options options = {}, size_t waiting = 16) : socket("0"), line(waiting) {
    auto played = std::make_unique<PlayedModel>();
    model = played.get();
    models.text.emplace("m", std::move(played));
    auto listens = std::make_unique<PlayedSpeech>();
    speech = listens.get();
    models.speech.emplace("s", std::move(listens));
    service.emplace(socket, models, line, std::move(options));
  }
  uint16_t port() const {
    return static_cast<uint16_t>(std::stoul(socket.name().substr(socket.name().rfind(':') + 1)));
  }
  Answered ask(std::string_view bytes) const { return Client(port()).ask(bytes); }

  http::ListeningSocket socket;
  http::Models models;
  http::Line line;
  PlayedModel* model;
  PlayedSpeech* speech;
  std::optional<http::Service> service;
};

}  // namespace swai::http_test
