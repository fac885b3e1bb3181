// SPDX-License-Identifier: Apache-2.0
// The beginning of a connection: agreeing on a version, and finding out what is there.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/transport/negotiation.hpp"
#include "host/transport/vfio_user_client.hpp"

namespace swai::link {

using namespace vfio_user;

namespace {

constexpr unsigned kMaxRegions = 64;

template <typename T>
Bytes bytes_of(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

}  // namespace

void VfioUserClient::negotiate() {
  Proposal proposal;
  proposal.named = capability_names();
  proposal.capabilities.write_multiple = false;
  const auto reply =
      call(Command::kVersion, make_version(proposal), "agreeing on a version", options_.timeout);
  std::string why;
  const auto agreed = parse_version(reply, why);
  if (!agreed) lost("its reply to VERSION is malformed: " + why);
  if (agreed->major != kMajor) lost(fmt::format("it speaks version {} of the protocol", agreed->major));
  max_transfer_ = std::clamp<uint64_t>(agreed->capabilities.max_data_xfer_size, 1, kDefaultTransfer);
  max_fds_ = agreed->capabilities.max_msg_fds;
}

vfio_user::RegionInfo VfioUserClient::ask_region(uint32_t index, Payload& reply) {
  RegionInfo request;
  request.argsz = sizeof(RegionInfo) + sizeof(RegionType);
  request.index = index;
  reply = call(Command::kDeviceGetRegionInfo, bytes_of(request), fmt::format("asking about region {}", index),
               options_.timeout);
  const auto info = take<RegionInfo>(reply);
  if (!info) lost("its description of a region is too short");
  return *info;
}

void VfioUserClient::ask_what_it_is() {
  const auto info_reply =
      call(Command::kDeviceGetInfo, bytes_of(vfio_user::DeviceInfo{}), "asking what it is", options_.timeout);
  const auto info = take<vfio_user::DeviceInfo>(info_reply);
  if (!info || (info->flags & kDevicePci) == 0 || info->regions > kMaxRegions) lost("it is not a PCI device");
  for (uint32_t index = 0; index < info->regions; ++index) {
    Payload reply;
    const RegionInfo region = ask_region(index, reply);
    description_.regions.push_back(
        {region.size, (region.flags & kRegionReadable) != 0, (region.flags & kRegionWritable) != 0});
    const auto type = (region.flags & kRegionCaps) != 0 && region.cap_offset != 0
                          ? take<RegionType>(reply, region.cap_offset)
                          : std::nullopt;
    description_.has_vendor_region =
        description_.has_vendor_region ||
        (index == vendor::kRegion && type && type->id == kCapabilityType &&
         (type->type & vendor::kTypeVendor) != 0 && type->subtype == vendor::kSubtype);
  }
  IrqInfo irq;
  irq.index = static_cast<uint32_t>(Irq::kMsix);
  const auto irq_reply =
      call(Command::kDeviceGetIrqInfo, bytes_of(irq), "asking for its interrupts", options_.timeout);
  if (const auto found = take<IrqInfo>(irq_reply)) description_.vectors = found->count;

  uint64_t words[vendor::kModeAt / 8] = {};
  if (description_.has_vendor_region) {
    read(vendor::kRegion, 0, {reinterpret_cast<uint8_t*>(words), sizeof words});
    const auto version = static_cast<uint32_t>(words[vendor::kVersionAt / 8]);
    const auto minimum = static_cast<uint32_t>(words[vendor::kVersionAt / 8] >> 32);
    if (words[0] != vendor::kMagic || version < vendor::kMinimumVersion || minimum > vendor::kVersion) {
      lost(fmt::format("its vendor region has version {} (at least {} for clients), this library has {}",
                       version, minimum, vendor::kVersion));
    }
    description_.card = static_cast<uint32_t>(words[vendor::kCardAt / 8]);
    description_.cards = static_cast<uint32_t>(words[vendor::kCardAt / 8] >> 32);
    const char* text = reinterpret_cast<const char*>(words) + vendor::kConfigurationAt;
    description_.configuration.assign(text, ::strnlen(text, vendor::kConfigurationBytes));
  }
  if (!options_.deterministic) return;
  if (!description_.has_vendor_region) {
    throw Error(
        ErrorKind::kRefused,
        fmt::format(
            "{} has no vendor region, so its time cannot be ruled; open it with deterministic = false",
            description_.address));
  }
  write(vendor::kRegion, vendor::kModeAt, bytes_of(vendor::Mode::kDeterministic));
  description_.deterministic = true;
}

}  // namespace swai::link
