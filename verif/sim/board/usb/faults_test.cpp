// SPDX-License-Identifier: Apache-2.0
// What --fault takes, and what it refuses.
#include <doctest/doctest.h>

#include <set>

#include "verif/sim/board/usb/port_bench.hpp"

namespace swai::usb {
namespace {

using Kind = TransferFault::Kind;

TEST_CASE("faults as they are written") {
  CHECK(faults_of({"unplug=transfer:17"}).transfers == std::vector<TransferFault>{{Kind::kUnplug, 17, 0}});
  CHECK(faults_of({"unplug=transfer:17:600"}).transfers ==
        std::vector<TransferFault>{{Kind::kUnplug, 17, 600}});
  CHECK(faults_of({"stall=transfer:0x10"}).transfers == std::vector<TransferFault>{{Kind::kStall, 16, 0}});
  CHECK(faults_of({"nak=transfer:5:7"}).transfers == std::vector<TransferFault>{{Kind::kNak, 5, 7}});
  CHECK(*faults_of({"cut=byte:9"}).cut->byte == 9);
  CHECK(*faults_of({"cut=operation:3"}).cut->operation == 3);
  CHECK(faults_of({"cut=operation:3"}).cut->progress == 0.5);
  CHECK(faults_of({"cut=operation:3:0.25"}).cut->progress == 0.25);
  CHECK(faults_of({"worn=0x1000"}).defects.worn[0].address == 0x1000);
  CHECK(faults_of({"stuck=0x1000:7:1"}).defects.stuck[0].value);
  CHECK(*faults_of({"data-line=0"}).data_line == false);
  const FaultPlan several =
      faults_of({"claimed", "no-access", "detach-refused", "error=transfer:1", "error=transfer:2"});
  CHECK(several.claimed);
  CHECK(several.no_access);
  CHECK(several.detach_refused);
  CHECK(several.at(2)->transfer == 2);
  CHECK(several.at(3) == nullptr);
}

TEST_CASE("faults that are refused, with the form that would do") {
  for (const char* text : {"",
                           "unplug",
                           "unplug=",
                           "unplug=transfer",
                           "unplug=transfer:",
                           "unplug=transfer:x",
                           "unplug=transfer:-1",
                           "unplug=transfer:1:2:3",
                           "unplug=byte:1",
                           "stall=transfer:99999999999999999999999",
                           "cut",
                           "cut=bytes:1",
                           "cut=byte:",
                           "cut=byte:1:2",
                           "cut=operation:1:2",
                           "cut=operation:1:nan",
                           "cut=operation:1:0.5:1",
                           "worn=",
                           "worn=1:2:3:4",
                           "stuck=1:2",
                           "stuck=1:8:0",
                           "stuck=1:0:2",
                           "data-line=2",
                           "data-line",
                           "random=",
                           "random=0",
                           "claimed=1",
                           "nonsense",
                           "random=1:2"}) {
    CAPTURE(text);
    std::string what;
    try {
      faults_of({text});
    } catch (const FaultError& error) {
      what = error.what();
    }
    CHECK(what.find("write it as") != std::string::npos);
  }
}

TEST_CASE("random faults are chosen by the seed, of every kind and at every place") {
  std::set<Kind> kinds;
  std::set<uint64_t> places;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const FaultPlan plan = faults_of({"random=20"}, seed);
    REQUIRE(plan.transfers.size() == 1);
    CHECK(plan.transfers == faults_of({"random=20"}, seed).transfers);
    kinds.insert(plan.transfers[0].kind);
    places.insert(plan.transfers[0].transfer);
  }
  CHECK(kinds.size() == 6);
  CHECK(places.size() == 20);
  CHECK(*places.begin() == 1);
}

}  // namespace
}  // namespace swai::usb
