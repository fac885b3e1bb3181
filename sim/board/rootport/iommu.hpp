// SPDX-License-Identifier: Apache-2.0
// What a card may reach of the host's memory: one table of mappings per card, as a vfio-user client makes it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace swai::rootport {

enum class Access : uint8_t { kRead, kWrite };

struct Permissions {
  bool read = true;
  bool write = true;
};

// Memory that is not mapped into this process, for example a vfio-user client's that is reached by messages.
// Both calls answer by calling `done` once, at once or later; the span stays valid until then. Until the
// answer the simulated time stands still. A call of `done` for a mapping that has gone meanwhile does
// nothing.
class RemoteMemory {
 public:
  using Done = std::function<void(bool ok)>;
  virtual ~RemoteMemory() = default;
  virtual void read(uint64_t iova, std::span<uint8_t> into, Done done) = 0;
  virtual void write(uint64_t iova, std::span<const uint8_t> from, Done done) = 0;
};

enum class MapResult : uint8_t { kOk, kEmpty, kWrap, kOverlap, kNothing, kPartial };
const char* text(MapResult result);

struct IommuFault {
  enum class Reason : uint8_t { kUnmapped, kPermission, kRefused };  // kRefused: the remote memory said no
  uint64_t cycle = 0;
  unsigned card = 0;
  Access access = Access::kRead;
  uint64_t address = 0;  // the first byte that could not be reached
  Reason reason = Reason::kUnmapped;
  bool operator==(const IommuFault&) const = default;
};
const char* text(IommuFault::Reason reason);

class Iommu {
 public:
  static constexpr size_t kLogged = 256;  // the newest faults are kept

  explicit Iommu(unsigned card = 0) : card_(card) {}
  Iommu(const Iommu&) = delete;
  Iommu& operator=(const Iommu&) = delete;

  // Bytes [iova, iova + length) become `host` onwards; the memory must stay there until unmapped.
  MapResult map(uint64_t iova, uint64_t length, uint8_t* host, Permissions permissions);
  // The same through `memory`, which is given iova addresses.
  MapResult map(uint64_t iova, uint64_t length, RemoteMemory& memory, Permissions permissions);
  // Takes away every mapping inside the range. kPartial (and nothing is changed) when one lies across its
  // ends, kNothing when there is none. When it returns, nothing touches the memory any more; requests under
  // way will fault.
  MapResult unmap(uint64_t iova, uint64_t length);
  void unmap_all();
  size_t mappings() const { return regions_.size(); }

  const std::deque<IommuFault>& faults() const { return log_; }
  uint64_t fault_count() const { return fault_count_; }
  void clear_faults() { log_.clear(); }

  // For ports. Is any byte of the range mapped?
  bool touches(uint64_t iova, uint64_t length) const;

  // One access of a card. Host memory is done at once; remote memory when its owner has answered.
  class Transfer {
   public:
    enum class State : uint8_t { kIdle, kWaiting, kDone, kFault };
    // The whole range is checked before any of it is touched. Reads fill `buffer`, writes take from it.
    void begin(Iommu& iommu, uint64_t cycle, Access access, uint64_t iova, std::span<uint8_t> buffer);
    // Goes on when there is an answer.
    State state();
    bool waiting() const;
    void cancel();

   private:
    friend class Iommu;
    struct Remote;
    void fail(uint64_t address, IommuFault::Reason reason);
    void go_on();
    void ask(RemoteMemory& memory, uint64_t iova, size_t bytes);
    bool take_answer();
    Iommu* iommu_ = nullptr;
    State state_ = State::kIdle;
    Access access_ = Access::kRead;
    uint64_t cycle_ = 0;
    uint64_t iova_ = 0;
    std::span<uint8_t> buffer_;
    size_t done_ = 0;
    std::shared_ptr<Remote> remote_;
  };

 private:
  struct Region {
    uint64_t length = 0;
    uint8_t* host = nullptr;
    RemoteMemory* remote = nullptr;
    Permissions permissions;
  };
  using Regions = std::map<uint64_t, Region>;

  MapResult add(uint64_t iova, Region region);
  Regions::const_iterator find(uint64_t iova) const;
  void fault(uint64_t cycle, Access access, uint64_t address, IommuFault::Reason reason);

  unsigned card_;
  Regions regions_;
  std::deque<IommuFault> log_;
  uint64_t fault_count_ = 0;
  std::vector<std::weak_ptr<Transfer::Remote>> under_way_;
};

}  // namespace swai::rootport
