// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/server.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/transport/negotiation.hpp"

namespace swai::socket {

using namespace link::vfio_user;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr size_t kMaxVisitors = 16;
// Between two tries to let somebody in when no descriptor is left.
constexpr milliseconds kClosedFor{100};

// One look at the sockets costs microseconds; this often they notice.
constexpr std::chrono::microseconds kSliceTarget{1000};
constexpr uint64_t kMinSlice = 16;
constexpr uint64_t kMaxSlice = 1 << 22;

// Sizes of pages that a client may map in: 4 KiB, 2 MiB, 1 GiB.
constexpr uint64_t kPageSizes = 1 << 12 | 1 << 21 | 1 << 30;

void reply_error(link::Channel& channel, Header header, int error) {
  if ((header.flags & kTypeMask) != kTypeCommand || (header.flags & kNoReply) != 0) return;
  header.bytes = sizeof header;
  header.flags = kTypeReply | kError;
  header.error = static_cast<uint32_t>(error);
  channel.send(header, {});
}

// What we agree to: of what was proposed, the smaller of the two sides.
bool agree(const Limits& limits, const link::Proposal& proposal, link::Proposal& reply, std::string& why) {
  const Capabilities& theirs = proposal.capabilities;
  if (proposal.major != kMajor) {
    why = fmt::format("it speaks version {}.{} of the protocol, we speak {}.{}", proposal.major,
                      proposal.minor, kMajor, kMinor);
    return false;
  }
  if (theirs.max_data_xfer_size == 0 || (theirs.pgsizes & kPageSizes) == 0) {
    why = "its page sizes or its transfer size leave nothing that both can do";
    return false;
  }
  reply.minor = std::min(proposal.minor, kMinor);
  reply.named = proposal.named;
  reply.capabilities = {.max_msg_fds = kMaxFds,
                        .max_data_xfer_size = limits.access_bytes,
                        .max_dma_maps = std::min<uint64_t>(theirs.max_dma_maps, limits.maps),
                        .pgsizes = theirs.pgsizes & kPageSizes,
                        .write_multiple = theirs.write_multiple};
  return true;
}

}  // namespace

Server::Server(Clock& clock, ServerOptions options)
    : clock_(clock), options_(std::move(options)), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Server::~Server() { close("the server ends"); }

void Server::close(const std::string& why) {
  for (const auto& card : cards_) card->request_release();
  for (const Entrance& entrance : entrances_) {
    if (entrance.listener) remove_socket(entrance.path, entrance.inode);
  }
  entrances_.clear();
  for (const auto& card : cards_) card->drop(why);
}

void Server::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

size_t Server::add(Device& device) {
  cards_.push_back(std::make_unique<Port>(device, clock_, options_.limits,
                                          [this](const std::string& line) { log(line); }));
  return cards_.size() - 1;
}

std::vector<Port*> Server::ports_of(const std::vector<size_t>& cards) const {
  std::vector<Port*> ports;
  for (const size_t card : cards) ports.push_back(cards_.at(card).get());
  return ports;
}

void Server::listen(const std::vector<size_t>& cards, const std::string& path) {
  Entrance entrance{
      .ports = ports_of(cards), .path = path, .listener = {}, .inode = 0, .visitors = {}, .closed_until = {}};
  entrance.listener = listen_on(path, options_.audience, entrance.inode);
  entrances_.push_back(std::move(entrance));
}

void Server::connect(size_t card, link::Fd connection) {
  entrances_.remove_if([](const Entrance& old) { return !old.listener && old.visitors.empty(); });
  entrances_.push_back({.ports = ports_of({card}),
                        .path = "",
                        .listener = {},
                        .inode = 0,
                        .visitors = {},
                        .closed_until = {}});
  receive_visitor(entrances_.back(), std::move(connection));
}

std::optional<Peer> Server::client(size_t card) const {
  const Port& port = *cards_[card];
  return port.taken() ? peer_of(port.fd()) : std::nullopt;
}

void Server::receive_visitor(Entrance& entrance, link::Fd connection) {
  if (entrance.visitors.size() == kMaxVisitors) entrance.visitors.pop_front();
  entrance.visitors.push_back(Visitor{link::Channel(std::move(connection), kMaxFds),
                                      steady_clock::now() + options_.handshake_timeout});
}

void Server::accept(Entrance& entrance) {
  link::Fd fd(::accept4(entrance.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int error = errno;
  if (fd) {
    if (admits(options_.audience, fd.get())) {
      receive_visitor(entrance, std::move(fd));
    } else {
      log("a connection is refused: it is of another user");
    }
  } else if (error == EMFILE || error == ENFILE) {
    // Somebody makes room, or it is looked at again later: the connection waits in the queue.
    if (!entrance.visitors.empty()) entrance.visitors.pop_front();
    entrance.closed_until = steady_clock::now() + kClosedFor;
  }
}

int Server::turn_away(const Entrance& entrance, const Visitor& visitor, std::string& why) const {
  const auto peer = peer_of(visitor.channel.fd());
  unsigned of_process = 0;
  unsigned of_user = 0;
  bool free = false;
  for (const Port* port : entrance.ports) {
    const auto other = port->taken() ? peer_of(port->fd()) : std::nullopt;
    free = free || !port->taken();
    of_process += peer && other && other->process == peer->process ? 1 : 0;
    of_user += peer && other && other->user == peer->user ? 1 : 0;
  }
  const Limits& limits = options_.limits;
  const bool too_many = (limits.per_process != 0 && of_process >= limits.per_process) ||
                        (limits.per_user != 0 && of_user >= limits.per_user);
  if (too_many) {
    why = fmt::format("its program has {} connections to the card, its user {}", of_process, of_user);
    return EUSERS;
  }
  if (!free) why = "the card has a client";
  return free ? 0 : EBUSY;
}

bool Server::greet(const Entrance& entrance, Visitor& visitor) {
  link::Channel& channel = visitor.channel;
  const auto message = channel.receive();
  if (!message) {
    if (channel.state() == link::Channel::State::kMalformed)
      reply_error(channel, channel.malformed(), EINVAL);
    return channel.state() == link::Channel::State::kOpen && steady_clock::now() < visitor.deadline;
  }
  std::string why;
  link::Proposal reply;
  const Header& header = message->header;
  const bool is_version = header.command == static_cast<uint16_t>(Command::kVersion) &&
                          header.flags == kTypeCommand && message->fds.empty() && !message->too_many_fds;
  const auto proposal = is_version ? link::parse_version(message->payload, why) : std::nullopt;
  if (!proposal || !agree(options_.limits, *proposal, reply, why)) {
    log(fmt::format("a connection is refused: {}", is_version ? why : "its first message is not VERSION"));
    reply_error(channel, header, EINVAL);
    return false;
  }
  if (const int error = turn_away(entrance, visitor, why); error != 0) {
    log("a connection is refused: " + why);
    reply_error(channel, header, error);
    return false;
  }
  const auto free = std::ranges::find_if(entrance.ports, [](const Port* port) { return !port->taken(); });
  const std::vector<uint8_t> payload = link::make_version(reply);
  Header answer = header;
  answer.bytes = static_cast<uint32_t>(sizeof answer + payload.size());
  answer.flags = kTypeReply;
  answer.error = 0;
  channel.send(answer, payload);
  log("a client has connected");
  (*free)->admit(std::move(channel), reply.capabilities,
                 std::min<uint64_t>(proposal->capabilities.max_data_xfer_size, kMaxAccess));
  return false;
}

bool Server::time_may_pass() const {
  bool wanted = false;
  bool held = false;
  bool runs_freely = false;
  for (const auto& card : cards_) {
    if (card->owed()) return false;
    wanted = wanted || card->waits_for_time();
    held = held || card->deterministic();
    runs_freely = runs_freely || card->started();
  }
  return wanted || (runs_freely && !held && !clock_.asleep());
}

uint64_t Server::present() const {
  uint64_t now = UINT64_MAX;
  for (const auto& card : cards_) now = std::min(now, card->cycle());
  return now;
}

void Server::pass_time() {
  uint64_t limit = UINT64_MAX;
  for (const auto& card : cards_) limit = std::min(limit, card->time_limit());
  const uint64_t now = present();
  const bool cut = now < UINT64_MAX - slice_ && now + slice_ < limit;
  const auto begin = steady_clock::now();
  clock_.run(cut ? now + slice_ : limit);
  const auto took = steady_clock::now() - begin;
  if (took > 2 * kSliceTarget) {
    slice_ = std::max(slice_ / 2, kMinSlice);
  } else if (cut && present() >= now + slice_ && took < kSliceTarget / 2) {
    // A slice that a card has ended says nothing of how long a whole one takes.
    slice_ = std::min(slice_ * 2, kMaxSlice);
  }
}

void Server::serve() {
  for (const auto& card : cards_) {
    const auto owed = card->owed_since();
    if (owed && steady_clock::now() - *owed > options_.answer_timeout)
      card->drop("it does not answer a request for its memory");
    // First who leaves, then who comes: a client may close its connection and open another at once.
    card->work();
  }
  for (Entrance& entrance : entrances_)
    entrance.visitors.remove_if([&](Visitor& visitor) { return !greet(entrance, visitor); });
  for (const auto& card : cards_) card->work();
}

void Server::watch(std::vector<pollfd>& fds, std::vector<Watched>& what) {
  const auto add = [&](int fd, int events, Watched item) {
    fds.push_back({fd, static_cast<short>(events), 0});
    what.push_back(item);
  };
  add(wake_.get(), POLLIN, {});
  for (Entrance& entrance : entrances_) {
    if (entrance.closed_until && steady_clock::now() >= *entrance.closed_until) entrance.closed_until.reset();
    if (entrance.listener && !entrance.closed_until)
      add(entrance.listener.get(), POLLIN, {.entrance = &entrance});
    for (const Visitor& visitor : entrance.visitors) add(visitor.channel.fd(), POLLIN, {});
  }
  for (const auto& port : cards_) {
    if (!port->taken()) continue;
    add(port->fd(), (port->wants_input() ? POLLIN : 0) | (port->wants_output() ? POLLOUT : 0),
        {.port = port.get()});
  }
}

int Server::timeout(int at_most_ms) const {
  const auto unfinished = [](const auto& card) { return card->unfinished(); };
  if (time_may_pass() || std::any_of(cards_.begin(), cards_.end(), unfinished)) return 0;
  std::optional<Time> first;
  const auto consider = [&](Time time) { first = first ? std::min(*first, time) : time; };
  for (const Entrance& entrance : entrances_) {
    for (const Visitor& visitor : entrance.visitors) consider(visitor.deadline);
    if (entrance.closed_until) consider(*entrance.closed_until);
  }
  for (const auto& card : cards_) {
    if (const auto owed = card->owed_since()) consider(*owed + options_.answer_timeout);
  }
  if (!first) return at_most_ms;
  const auto left = std::chrono::ceil<milliseconds>(*first - steady_clock::now()).count() + 1;
  const int wait = static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
  return at_most_ms < 0 ? wait : std::min(wait, at_most_ms);
}

void Server::turn(int timeout_ms, std::span<pollfd> others) {
  std::vector<pollfd> fds;
  std::vector<Watched> what;
  watch(fds, what);
  fds.insert(fds.end(), others.begin(), others.end());
  if (::poll(fds.data(), fds.size(), timeout(timeout_ms)) < 0) {
    for (pollfd& item : fds) item.revents = 0;
  }
  std::copy(fds.end() - static_cast<ptrdiff_t>(others.size()), fds.end(), others.begin());
  for (size_t i = 0; i < what.size(); ++i) {
    if (fds[i].revents == 0) continue;
    if (what[i].entrance != nullptr) accept(*what[i].entrance);
    const bool hung_up = (fds[i].revents & (POLLHUP | POLLERR)) != 0;
    if (what[i].port != nullptr && hung_up) what[i].port->hung_up();
  }
  serve();
  if (!time_may_pass()) return;
  pass_time();
  for (const auto& card : cards_) card->work();
}

void Server::run() {
  for (;;) {
    turn(-1);
    uint64_t count;
    if (::read(wake_.get(), &count, sizeof count) == sizeof count) return;
  }
}

void Server::stop() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace swai::socket
