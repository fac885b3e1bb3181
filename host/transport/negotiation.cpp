// SPDX-License-Identifier: Apache-2.0
#include "host/transport/negotiation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace swai::link {
namespace {

using vfio_user::Capabilities;

constexpr const char* kMultiple = "write_multiple";

// The numbers among the capabilities.
struct Number {
  const char* name;
  uint64_t Capabilities::*field;
};
constexpr Number kNumbers[] = {{"max_msg_fds", &Capabilities::max_msg_fds},
                               {"max_data_xfer_size", &Capabilities::max_data_xfer_size},
                               {"max_dma_maps", &Capabilities::max_dma_maps},
                               {"pgsizes", &Capabilities::pgsizes}};

bool parse_capabilities(const nlohmann::json& list, Proposal& proposal, std::string& why) {
  if (!list.is_object()) {
    why = "capabilities are not an object";
    return false;
  }
  for (const Number& number : kNumbers) {
    const auto found = list.find(number.name);
    if (found == list.end()) continue;
    if (!found->is_number_unsigned()) {
      why = std::string(number.name) + " is not a number from 0 up";
      return false;
    }
    proposal.capabilities.*number.field = found->get<uint64_t>();
    proposal.named.emplace_back(number.name);
  }
  if (const auto found = list.find(kMultiple); found != list.end()) {
    if (!found->is_boolean()) {
      why = std::string(kMultiple) + " is not a boolean";
      return false;
    }
    proposal.capabilities.write_multiple = found->get<bool>();
    proposal.named.emplace_back(kMultiple);
  }
  return true;
}

// Ours are 100 bytes long. Deeply nested JSON costs stack.
constexpr size_t kMaxJson = 4096;

}  // namespace

const std::vector<std::string>& capability_names() {
  static const std::vector<std::string> names{"max_msg_fds", "max_data_xfer_size", "max_dma_maps", "pgsizes",
                                              "write_multiple"};
  return names;
}

std::optional<Proposal> parse_version(std::span<const uint8_t> payload, std::string& why) {
  const auto version = vfio_user::take<vfio_user::Version>(payload);
  if (!version) {
    why = "the message is too short for a version";
    return std::nullopt;
  }
  Proposal proposal;
  proposal.major = version->major;
  proposal.minor = version->minor;
  const auto text = payload.subspan(sizeof *version);
  if (text.empty()) return proposal;
  if (text.size() > kMaxJson) {
    why = "the JSON is longer than 4096 bytes";
    return std::nullopt;
  }
  if (text.back() != 0) {
    why = "the JSON does not end with a NUL";
    return std::nullopt;
  }
  const char* begin = reinterpret_cast<const char*>(text.data());
  const auto json = nlohmann::json::parse(begin, std::find(begin, begin + text.size(), '\0'), nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    why = "the version data is not a JSON object";
    return std::nullopt;
  }
  const auto list = json.find("capabilities");
  if (list != json.end() && !parse_capabilities(*list, proposal, why)) return std::nullopt;
  return proposal;
}

std::vector<uint8_t> make_version(const Proposal& proposal) {
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  for (const std::string& name : proposal.named) {
    for (const Number& number : kNumbers) {
      if (name == number.name) list[name] = proposal.capabilities.*number.field;
    }
    if (name == kMultiple) list[name] = proposal.capabilities.write_multiple;
  }
  std::vector<uint8_t> payload;
  vfio_user::append(payload, vfio_user::Version{proposal.major, proposal.minor});
  const std::string text = nlohmann::ordered_json{{"capabilities", list}}.dump();
  payload.insert(payload.end(), text.begin(), text.end());
  payload.push_back(0);
  return payload;
}

}  // namespace swai::link
