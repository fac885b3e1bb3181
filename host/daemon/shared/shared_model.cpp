// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/shared/shared_model.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <numeric>

#include "host/daemon/cards/control.hpp"
#include "host/models/exec/card_memory.hpp"
#include "host/transport/unix_socket.hpp"

namespace swai::write {

using models::Token;

// So many tokens, of ten digits and a comma each, are sure to fit into a request beside all else.
constexpr uint32_t kMostRoom = (serve::kMostRequestBytes - 2048) / 11;

std::optional<SharedModel> SharedModel::find(const std::string& control, const std::string& identity) {
  if (identity.empty()) return std::nullopt;
  try {
    const Json reply = link::ask(control, {{"command", "models"}});
    for (const Json& one : reply.at("models")) {
      OnCard model = on_card_in(one);
      if (model.identity != identity) continue;
      model.room = std::min(model.room, kMostRoom);
      return SharedModel(control, std::move(model));
    }
  } catch (const std::exception&) {
    // It is none of this user's, or an older one.
  }
  return std::nullopt;
}

bool SharedModel::takes(const Wish& wish) const { return wish.tokens.size() + wish.most - 1 <= is_.room; }

std::string SharedModel::line_for(const Wish& wish, const generate::Sampling& sampling) const {
  return link::line_of(request_of({.model = is_.identity,
                                   .tokens = {wish.tokens.begin(), wish.tokens.end()},
                                   .most = wish.most,
                                   .sampling = sampling}));
}

// A text on its way. When this goes, the daemon ends it.
class SharedModel::Writing {
 public:
  // The daemon has no place for one more text now.
  struct Refused {};

  Writing(const SharedModel& model, size_t number, const std::string& request)
      : control_(model.control()), number_(number), fd_(link::connect_unix(control_)) {
    if (!fd_) throw link::Unreachable(fmt::format("{}: {}", control_, std::strerror(errno)));
    if (!link::write_all(fd_.get(), request)) lose();
  }

  int fd() const { return fd_.get(); }
  size_t number() const { return number_; }
  const Taken& taken() const { return taken_; }

  // What has come; false: it is over.
  bool read(const Ears& ears) {
    std::array<char, 4096> piece;
    const ssize_t got = ::recv(fd_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) lose();
    text_.append(piece.data(), static_cast<size_t>(got));
    size_t begin = 0;
    for (size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      if (!hear(std::string_view(text_).substr(begin, end - begin), ears)) return false;
    text_.erase(0, begin);
    return true;
  }

 private:
  bool hear(std::string_view text, const Ears& ears) {
    const Json line = Json::parse(text, nullptr, false);
    if (line.contains("token")) {
      const uint64_t token = number_in(line, "token");
      if (token > std::numeric_limits<Token>::max()) refuse();
      ++taken_.tokens;
      return ears.got(number_, static_cast<Token>(token));
    }
    if (line.contains("begins")) {
      taken_.tokens += number_in(line, "begins");
      taken_.kv_bytes = number_in(line, "kv_bytes");
      ears.begins(number_);
      return true;
    }
    if (line.contains("busy")) throw Refused();
    const auto error = line.find("error");
    if (error != line.end() && error->is_string()) {
      const std::string why = error->get<std::string>();
      if (!line.contains("card_error")) throw std::runtime_error(why);
      const uint64_t number = number_in(line, "card_error");
      if (number == sdaaSuccess || number > sdaaErrorDeviceFirmware) refuse();
      throw walk::CardError(static_cast<sdaaError_t>(number), why);
    }
    taken_.beside = number_in(line, "beside");
    return false;
  }
  uint64_t number_in(const Json& line, const char* name) const {
    const auto found = line.find(name);
    if (found == line.end() || !found->is_number_unsigned()) refuse();
    return found->get<uint64_t>();
  }
  [[noreturn]] void refuse() const {
    throw link::Unreachable(control_ + ": the daemon's answer makes no sense");
  }
  [[noreturn]] void lose() const {
    throw link::Unreachable(control_ + ": the daemon has ended, or was not read from for too long");
  }

  const std::string control_;
  const size_t number_;
  const link::Fd fd_;
  std::string text_;
  Taken taken_;
};

SharedModel::Taken SharedModel::write(std::span<const Wish> texts, const generate::Sampling& sampling,
                                      const Ears& ears) const {
  constexpr size_t kAtOnce = serve::Control::Limits().answers_of_process;
  constexpr int kSoon = 100;  // ms, after which a daemon that had no place is asked again
  Taken all;
  std::deque<size_t> left(texts.size());
  std::iota(left.begin(), left.end(), size_t{0});
  std::list<Writing> written;
  bool refused = false;
  while (!left.empty() || !written.empty()) {
    for (; !left.empty() && !refused && written.size() < kAtOnce; left.pop_front())
      written.emplace_back(*this, left.front(), line_for(texts[left.front()], sampling));
    std::vector<pollfd> fds;
    for (const Writing& one : written) fds.push_back({one.fd(), POLLIN, 0});
    const int ready = ::poll(fds.data(), fds.size(), refused ? kSoon : -1);
    if (ready == 0) refused = false;
    if (ready <= 0) continue;
    size_t i = 0;
    for (auto one = written.begin(); one != written.end(); ++i) {
      try {
        if (fds[i].revents == 0 || one->read(ears)) {
          ++one;
          continue;
        }
        all.tokens += one->taken().tokens;
        all.beside += one->taken().beside;
        all.kv_bytes += one->taken().kv_bytes;
        refused = false;
      } catch (const Writing::Refused&) {
        left.push_front(one->number());
        refused = true;
      }
      one = written.erase(one);
    }
  }
  return all;
}

}  // namespace swai::write
