#include "host/write/shared_model.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <list>

#include "host/link/unix_socket.hpp"
#include "host/serve/control.hpp"

namespace swai::write {

using models::Token;

std::optional<SharedModel> SharedModel::find(const std::string& control, const std::string& identity) {
  if (identity.empty()) return std::nullopt;
  try {
    const Json reply = link::ask(control, {{"command", "models"}});
    for (const Json& one : reply.at("models")) {
      OnCard model = on_card_in(one);
      if (model.identity == identity) return SharedModel(control, std::move(model));
    }
  } catch (const std::exception&) {
    // It is none of this user's, or an older one.
  }
  return std::nullopt;
}

bool SharedModel::takes(const Wish& wish) const {
  return wish.tokens.size() + wish.most - 1 <= is_.room &&
         line_for(wish, {}).size() <= serve::kMostRequestBytes;
}

std::string SharedModel::line_for(const Wish& wish, const generate::Sampling& sampling) const {
  return link::line_of(request_of({.model = is_.identity,
                                   .tokens = {wish.tokens.begin(), wish.tokens.end()},
                                   .most = wish.most,
                                   .sampling = sampling}));
}

// A text on its way. When this goes, the daemon ends it.
class SharedModel::Writing {
 public:
  Writing(const SharedModel& model, size_t number, const std::string& request)
      : control_(model.control()), number_(number), fd_(link::connect_unix(control_)) {
    if (!fd_) throw link::Unreachable(fmt::format("{}: {}", control_, std::strerror(errno)));
    if (!link::write_all(fd_.get(), request)) lose();
  }

  int fd() const { return fd_.get(); }
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
    const auto error = line.find("error");
    if (error != line.end() && error->is_string()) throw std::runtime_error(error->get<std::string>());
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
  Taken all;
  std::list<Writing> written;
  for (size_t next = 0; next < texts.size() || !written.empty();) {
    for (; next < texts.size() && written.size() < kAtOnce; ++next)
      written.emplace_back(*this, next, line_for(texts[next], sampling));
    std::vector<pollfd> fds;
    for (const Writing& one : written) fds.push_back({one.fd(), POLLIN, 0});
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    size_t i = 0;
    for (auto one = written.begin(); one != written.end(); ++i) {
      if (fds[i].revents == 0 || one->read(ears)) {
        ++one;
        continue;
      }
      all.tokens += one->taken().tokens;
      all.beside += one->taken().beside;
      all.kv_bytes += one->taken().kv_bytes;
      one = written.erase(one);
    }
  }
  return all;
}

}  // namespace swai::write
