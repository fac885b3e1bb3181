#include "host/walk/decoder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "abi/decode.hpp"

namespace swai::walk {
namespace {

// What turns one block of parameters into another. Sums wrap, so anything can become anything.
std::vector<decode::Increment> difference(std::vector<uint64_t> from, std::vector<uint64_t> to) {
  const size_t count = std::max(from.size(), to.size());
  from.resize(count);
  to.resize(count);
  std::vector<decode::Increment> changes;
  for (size_t i = 0; i < count; ++i)
    if (from[i] != to[i]) changes.push_back({to[i] - from[i], static_cast<uint32_t>(i), 0});
  return changes;
}

}  // namespace

Decoder::Decoder(std::string name, std::span<const uint8_t> program, const Walker& walker)
    : walker_(walker),
      parameters_("parameters", node::kMaxParameters * sizeof(uint64_t), CardMemory::kShared),
      job_(std::move(name), program) {}

void Decoder::run(std::span<const Phase> phases, cpe::GlobalPtr<void> token, std::span<const uint32_t> ends,
                  const std::function<bool(uint32_t)>& got) {
  std::vector<decode::Phase> told;
  std::vector<decode::Increment> changes;
  size_t parameters = 0;
  for (size_t i = 0; i < phases.size(); ++i) {
    const Phase& phase = phases[i];
    const bool last = i + 1 == phases.size();
    if (phase.runs != 1 && !last) throw std::logic_error("only the last phase has several runs");
    const std::vector<decode::Increment> here =
        difference(phase.parameters,
                   last ? (phase.runs == 1 ? phase.parameters : phase.next) : phases[i + 1].parameters);
    told.push_back({phase.list->address().bits(), static_cast<uint32_t>(phase.list->count()), phase.runs,
                    phase.writes ? decode::Token::kText : decode::Token::kProgress,
                    static_cast<uint32_t>(changes.size()), static_cast<uint32_t>(here.size()), 0});
    changes.insert(changes.end(), here.begin(), here.end());
    parameters = std::max(parameters, phase.parameters.size());
  }
  if (phases.empty() || parameters > node::kMaxParameters) throw std::logic_error("phases that no list has");
  std::vector<uint64_t> words = phases.front().parameters;
  words.resize(node::kMaxParameters);
  parameters_.put(bytes_of(words));

  std::vector<uint8_t> arguments;
  add_bytes(arguments, std::array{decode::Wish{.walk = walker_.kernel(),
                                               .parameters = parameters_.address().bits(),
                                               .token = token.bits(),
                                               .parameter_count = static_cast<uint32_t>(parameters),
                                               .phases = static_cast<uint32_t>(told.size()),
                                               .increments = static_cast<uint32_t>(changes.size()),
                                               .ends = static_cast<uint32_t>(ends.size())}});
  add_bytes(arguments, told);
  add_bytes(arguments, changes);
  add_bytes(arguments, ends);
  job_.start(arguments);
  bool wanted = true;
  while (const auto token = job_.read<uint32_t>()) {
    if (!wanted) continue;
    wanted = got(*token);
    if (!wanted) job_.cancel();
  }
  const uint32_t code = job_.wait();
  if (code != decode::kAll && code != decode::kEnd && (wanted || code != decode::kCancelled)) job_.fail(code);
}

}  // namespace swai::walk
