// SPDX-License-Identifier: Apache-2.0
// What every function refuses: null pointers, streams that are gone, what belongs to another device. The call
// says so, and nothing else happens.
#include <cstdint>
#include <functional>
#include <vector>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

void nothing(void*) {}
void nothing_either(sdaaStream_t, sdaaError_t, void*) {}

struct Refused {
  const char* what;
  std::function<sdaaError_t()> call;
};

void check_all(const std::vector<Refused>& calls, sdaaError_t error) {
  for (const Refused& one : calls) {
    CAPTURE(one.what);
    CHECK_ERROR(one.call(), error);
  }
  CHECK_OK(sdaaDeviceSynchronize());
}

#define REFUSED(call)           \
  Refused {                     \
#call, [&] { return call; } \
  }

}  // namespace

TEST_CASE("null pointers") {
  const Fakes fakes;
  const auto file = fake_module();
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  void* device = allocate(4096);
  std::vector<uint8_t> host(4096);
  sdaaModule_t other = nullptr;
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaEventCreate(&event));
  REQUIRE_OK(sdaaEventRecord(event, nullptr));
  REQUIRE_OK(sdaaEventSynchronize(event));
  size_t bytes = 0;
  check_all(
      {
          REFUSED(sdaaModuleLoad(nullptr, "file")),
          REFUSED(sdaaModuleLoad(&other, nullptr)),
          REFUSED(sdaaModuleLoadData(nullptr, file.data())),
          REFUSED(sdaaModuleLoadData(&other, nullptr)),
          REFUSED(sdaaModuleLoadBytes(nullptr, file.data(), file.size())),
          REFUSED(sdaaModuleLoadBytes(&other, nullptr, file.size())),
          REFUSED(sdaaModuleLoadBytes(&other, file.data(), 0)),
          REFUSED(sdaaModuleGetFunction(nullptr, module, "axpy_int")),
          REFUSED(sdaaModuleGetFunctionCount(nullptr, module)),
          REFUSED(sdaaFuncGetAttributes(nullptr, axpy)),
          REFUSED(sdaaLaunchKernel(axpy, nullptr, 0, nullptr)),
          REFUSED(sdaaLaunch(axpy, nullptr, nullptr, sizeof(AxpyIntArgs), nullptr)),
          REFUSED(sdaaMalloc(nullptr, 1)),
          REFUSED(sdaaMallocWithFlags(nullptr, 1, sdaaMallocShared, sdaaAnyGroup)),
          REFUSED(sdaaMallocPitch(nullptr, &bytes, 1, 1)),
          REFUSED(sdaaMallocPitch(&device, nullptr, 1, 1)),
          REFUSED(sdaaMallocHost(nullptr, 1)),
          REFUSED(sdaaHostMalloc(nullptr, 1, sdaaHostMallocDefault)),
          REFUSED(sdaaHostRegister(nullptr, 1, sdaaHostRegisterDefault)),
          REFUSED(sdaaHostUnregister(nullptr)),
          REFUSED(sdaaMemGetInfo(nullptr, &bytes)),
          REFUSED(sdaaMemGetInfo(&bytes, nullptr)),
          REFUSED(sdaaPointerGetAttributes(nullptr, device)),
          REFUSED(sdaaMemcpyAsync(device, nullptr, 1, sdaaMemcpyHostToDevice, nullptr)),
          REFUSED(sdaaMemcpyHtoD(device, nullptr, 1)),
          REFUSED(sdaaMemcpyHtoD(nullptr, host.data(), 1)),
          REFUSED(sdaaMemcpyDtoH(nullptr, device, 1)),
          REFUSED(sdaaMemcpyDtoH(host.data(), nullptr, 1)),
          REFUSED(sdaaMemcpyDtoD(device, nullptr, 1)),
          REFUSED(sdaaMemcpyDtoD(nullptr, device, 1)),
          REFUSED(sdaaMemcpyPeer(device, 0, nullptr, 0, 1)),
          REFUSED(sdaaMemcpy2D(nullptr, 8, host.data(), 8, 8, 2, sdaaMemcpyHostToDevice)),
          REFUSED(sdaaMemcpy2DAsync(device, 8, nullptr, 8, 8, 2, sdaaMemcpyHostToDevice, nullptr)),
          REFUSED(sdaaMemsetAsync(nullptr, 0, 1, nullptr)),
          REFUSED(sdaaMemset2D(nullptr, 8, 0, 8, 2)),
          REFUSED(sdaaMemset2DAsync(nullptr, 8, 0, 8, 2, nullptr)),
          REFUSED(sdaaStreamCreate(nullptr)),
          REFUSED(sdaaStreamCreateWithFlags(nullptr, sdaaStreamDefault)),
          REFUSED(sdaaStreamGetFlags(nullptr, nullptr)),
          REFUSED(sdaaLaunchHostFunc(nullptr, nullptr, nullptr)),
          REFUSED(sdaaStreamAddCallback(nullptr, nullptr, nullptr, 0)),
          REFUSED(sdaaEventCreate(nullptr)),
          REFUSED(sdaaEventCreateWithFlags(nullptr, sdaaEventDefault)),
          REFUSED(sdaaEventElapsedTime(nullptr, event, event)),
      },
      sdaaErrorInvalidValue);
}

TEST_CASE("streams and modules that are gone") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaModule_t gone = load_fake_module();
  REQUIRE_OK(sdaaModuleUnload(gone));
  const sdaaFunction_t empty = kernel(module, "nothing");
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  REQUIRE_OK(sdaaStreamDestroy(stream));
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaEventCreate(&event));
  void* device = allocate(4096);
  std::vector<uint8_t> host(4096);
  unsigned number = 0;
  sdaaFunction_t function = nullptr;
  check_all(
      {
          REFUSED(sdaaMemcpyAsync(device, host.data(), 64, sdaaMemcpyHostToDevice, stream)),
          REFUSED(sdaaMemcpy2DAsync(device, 8, host.data(), 8, 8, 2, sdaaMemcpyHostToDevice, stream)),
          REFUSED(sdaaMemsetAsync(device, 0, 64, stream)),
          REFUSED(sdaaMemset2DAsync(device, 8, 0, 8, 2, stream)),
          REFUSED(sdaaLaunchKernel(empty, nullptr, 0, stream)),
          REFUSED(sdaaLaunch(empty, nullptr, nullptr, 0, stream)),
          REFUSED(sdaaEventRecord(event, stream)),
          REFUSED(sdaaStreamWaitEvent(stream, event, 0)),
          REFUSED(sdaaStreamQuery(stream)),
          REFUSED(sdaaStreamSynchronize(stream)),
          REFUSED(sdaaStreamReset(stream)),
          REFUSED(sdaaStreamGetFlags(stream, &number)),
          REFUSED(sdaaLaunchHostFunc(stream, nothing, nullptr)),
          REFUSED(sdaaStreamAddCallback(stream, nothing_either, nullptr, 0)),
          REFUSED(sdaaStreamDestroy(stream)),
          REFUSED(sdaaModuleGetFunction(&function, gone, "nothing")),
          REFUSED(sdaaModuleGetFunctionCount(&number, gone)),
          REFUSED(sdaaModuleUnload(gone)),
      },
      sdaaErrorInvalidHandle);
}

TEST_CASE("what belongs to another device") {
  const Fakes fakes(2);
  std::vector<uint8_t> host(4096);
  // More than the other device has given out, so that it knows no such number.
  void* device = nullptr;
  for (int i = 0; i < 4; ++i) device = allocate(3 << 20);
  sdaaEvent_t first = nullptr;
  REQUIRE_OK(sdaaEventCreate(&first));
  REQUIRE_OK(sdaaEventRecord(first, nullptr));
  REQUIRE_OK(sdaaEventSynchronize(first));
  REQUIRE_OK(sdaaSetDevice(1));
  sdaaEvent_t second = nullptr;
  REQUIRE_OK(sdaaEventCreate(&second));
  REQUIRE_OK(sdaaEventRecord(second, nullptr));
  REQUIRE_OK(sdaaEventSynchronize(second));
  check_all(
      {
          REFUSED(sdaaFree(device)),
          REFUSED(sdaaMemset(device, 0, 64)),
          REFUSED(sdaaMemsetAsync(device, 0, 64, nullptr)),
          REFUSED(sdaaMemcpy(device, host.data(), 64, sdaaMemcpyHostToDevice)),
          REFUSED(sdaaMemcpyDtoH(host.data(), device, 64)),
          REFUSED(sdaaMemcpy2D(host.data(), 8, device, 8, 8, 2, sdaaMemcpyDeviceToHost)),
          REFUSED(sdaaMemcpyPeer(device, 1, device, 0, 64)),
      },
      sdaaErrorInvalidDevicePointer);
  float milliseconds = 0;
  CHECK_ERROR(sdaaEventElapsedTime(&milliseconds, first, second), sdaaErrorInvalidHandle);
  REQUIRE_OK(sdaaSetDevice(0));
  CHECK_OK(sdaaFree(device));
}
