// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/error.hpp"

#include <cerrno>

namespace swai::sdaa {
namespace {

using protocol::Status;

struct Name {
  sdaaError_t code;
  const char* name;
  const char* text;
};
#define SDAA_NAME(name, text) \
  { sdaa##name, "sdaa" #name, text }
constexpr Name kNames[] = {
    SDAA_NAME(Success, "no error"),
    SDAA_NAME(ErrorInvalidValue, "an argument makes no sense"),
    SDAA_NAME(ErrorOutOfMemory, "out of memory"),
    SDAA_NAME(ErrorNotInitialized, "not initialised"),
    SDAA_NAME(ErrorDeinitialized, "the library is shutting down"),
    SDAA_NAME(ErrorProfilerDisabled, "profiling is disabled"),
    SDAA_NAME(ErrorProfilerNotInitialized, "nobody listens to the profiler"),
    SDAA_NAME(ErrorProfilerAlreadyStarted, "profiling has been started already"),
    SDAA_NAME(ErrorProfilerAlreadyStopped, "profiling has been stopped already"),
    SDAA_NAME(ErrorInvalidConfiguration, "the launch names cores or a group that are not there"),
    SDAA_NAME(ErrorInvalidPitchValue, "the pitch is smaller than the width"),
    SDAA_NAME(ErrorInvalidSymbol, "no such symbol"),
    SDAA_NAME(ErrorInvalidDevicePointer, "the pointer names no memory of the device"),
    SDAA_NAME(ErrorInvalidMemcpyDirection, "not a direction for a copy"),
    SDAA_NAME(ErrorInsufficientDriver, "library and firmware of the card speak different versions"),
    SDAA_NAME(ErrorMissingConfiguration, "the configuration is missing"),
    SDAA_NAME(ErrorPriorLaunchFailure, "an earlier launch failed"),
    SDAA_NAME(ErrorInvalidDeviceFunction, "no such kernel"),
    SDAA_NAME(ErrorNoDevice, "no card"),
    SDAA_NAME(ErrorInvalidDevice, "no such device"),
    SDAA_NAME(ErrorInvalidImage, "the module is not good"),
    SDAA_NAME(ErrorInvalidContext, "the card does not take another client"),
    SDAA_NAME(ErrorMapFailed, "host memory could not be made reachable for the card"),
    SDAA_NAME(ErrorUnmapFailed, "host memory could not be taken away from the card"),
    SDAA_NAME(ErrorNoBinaryForDevice, "the module is for another card"),
    SDAA_NAME(ErrorNotMapped, "not mapped"),
    SDAA_NAME(ErrorECCNotCorrectable, "damaged memory"),
    SDAA_NAME(ErrorUnsupportedLimit, "no such limit"),
    SDAA_NAME(ErrorPeerAccessUnsupported, "the cards do not reach each other"),
    SDAA_NAME(ErrorInvalidKernelFile, "not a module"),
    SDAA_NAME(ErrorInvalidSource, "not a source"),
    SDAA_NAME(ErrorFileNotFound, "no such file, or it cannot be read"),
    SDAA_NAME(ErrorSharedObjectSymbolNotFound, "no such symbol in the module"),
    SDAA_NAME(ErrorSharedObjectInitFailed, "the module could not be initialised"),
    SDAA_NAME(ErrorOperatingSystem, "the operating system refused something"),
    SDAA_NAME(ErrorInvalidHandle, "the handle names nothing that exists"),
    SDAA_NAME(ErrorIllegalState, "not possible in this state"),
    SDAA_NAME(ErrorNotFound, "not found"),
    SDAA_NAME(ErrorNotReady, "not complete yet"),
    SDAA_NAME(ErrorIllegalAddress, "a kernel used memory that it may not use"),
    SDAA_NAME(ErrorLaunchOutOfResources, "the kernel needs more than a core has"),
    SDAA_NAME(ErrorLaunchTimeOut, "a kernel ran too long and was stopped"),
    SDAA_NAME(ErrorPeerAccessAlreadyEnabled, "peer access is enabled already"),
    SDAA_NAME(ErrorPeerAccessNotEnabled, "peer access is not enabled"),
    SDAA_NAME(ErrorContextIsDestroyed, "the device has been reset"),
    SDAA_NAME(ErrorAssert, "a kernel stopped itself"),
    SDAA_NAME(ErrorHostMemoryAlreadyRegistered, "the host memory is registered already"),
    SDAA_NAME(ErrorHostMemoryNotRegistered, "the host memory is not registered"),
    SDAA_NAME(ErrorLaunchFailure, "a kernel failed"),
    SDAA_NAME(ErrorCooperativeLaunchTooLarge, "more blocks than can run at once"),
    SDAA_NAME(ErrorNotPermitted, "not permitted here"),
    SDAA_NAME(ErrorNotSupported, "not supported"),
    SDAA_NAME(ErrorStreamCaptureUnsupported, "not possible while a stream is captured"),
    SDAA_NAME(ErrorStreamCaptureInvalidated, "the capture has become invalid"),
    SDAA_NAME(ErrorStreamCaptureMerge, "two captures would become one"),
    SDAA_NAME(ErrorStreamCaptureUnmatched, "the capture began with another stream"),
    SDAA_NAME(ErrorStreamCaptureUnjoined, "a captured stream is not waited for by the first one"),
    SDAA_NAME(ErrorStreamCaptureIsolation, "a captured stream would wait for what is outside of the capture"),
    SDAA_NAME(ErrorStreamCaptureImplicit, "the default stream would wait for a captured one"),
    SDAA_NAME(ErrorCapturedEvent, "the event was recorded in a capture"),
    SDAA_NAME(ErrorGraphExecUpdateFailure, "the graph differs from the one that was instantiated"),
    SDAA_NAME(ErrorUnknown, "unknown error"),
    SDAA_NAME(ErrorTimedOut, "the card did not answer in time"),
    SDAA_NAME(ErrorDeviceLost, "the connection to the card is lost"),
    SDAA_NAME(ErrorTransferFailure, "a transfer between host and card failed"),
    SDAA_NAME(ErrorDeviceFirmware, "the card's firmware reported an error of its own"),
};
#undef SDAA_NAME

const Name* find(sdaaError_t code) {
  for (const Name& name : kNames) {
    if (name.code == code) return &name;
  }
  return nullptr;
}

struct Last {
  sdaaError_t code = sdaaSuccess;
  std::string message;
};
thread_local Last last;

}  // namespace

sdaaError_t code_of(Status status) {
  switch (status) {
    case Status::kOk:
      return sdaaSuccess;
    case Status::kVersion:
      return sdaaErrorInsufficientDriver;
    case Status::kNotAttached:
    case Status::kNoContext:
      return sdaaErrorInvalidContext;
    case Status::kNoMemory:
    case Status::kNoQueue:
    case Status::kNoModule:
    case Status::kNoProgram:
      return sdaaErrorOutOfMemory;
    case Status::kBadPointer:
      return sdaaErrorInvalidDevicePointer;
    case Status::kBadOperation:
    case Status::kBadRange:
    case Status::kBadArguments:
      return sdaaErrorInvalidValue;
    case Status::kBadHandle:
      return sdaaErrorInvalidHandle;
    case Status::kModuleRefused:
      return sdaaErrorInvalidImage;
    case Status::kBadMask:
      return sdaaErrorInvalidConfiguration;
    case Status::kKernelFault:
    case Status::kProgramFault:
      return sdaaErrorLaunchFailure;
    case Status::kKernelTimeout:
      return sdaaErrorLaunchTimeOut;
    case Status::kTransfer:
      return sdaaErrorTransferFailure;
    case Status::kRefused:
      return sdaaErrorPriorLaunchFailure;
    case Status::kCancelled:
      return sdaaErrorContextIsDestroyed;
    case Status::kBadCommand:
    case Status::kGroupLost:
    case Status::kProgramEnded:  // which is no failure
    case Status::kInternal:
    case Status::kAgain:
      return sdaaErrorDeviceFirmware;
  }
  return sdaaErrorUnknown;
}

Failure failure_of(const link::Error& error) {
  switch (error.kind()) {
    case link::ErrorKind::kBadArgument:
      return {error.code() == ENOMEM ? sdaaErrorOutOfMemory : sdaaErrorOperatingSystem, error.what()};
    case link::ErrorKind::kNoConnection:
      return {sdaaErrorNoDevice, error.what()};
    case link::ErrorKind::kTimedOut:
      return {sdaaErrorTimedOut, error.what()};
    case link::ErrorKind::kLost:
      return {sdaaErrorDeviceLost, error.what()};
    case link::ErrorKind::kRefused:
    case link::ErrorKind::kIncomplete:
      return {sdaaErrorTransferFailure, error.what()};
  }
  return {sdaaErrorUnknown, error.what()};
}

void remember(sdaaError_t code, const char* message) noexcept {
  last.code = code;
  try {
    last.message = message;
  } catch (...) {
    last.message.clear();
  }
}

}  // namespace swai::sdaa

using swai::sdaa::last;

sdaaError_t sdaaGetLastError(void) {
  const sdaaError_t code = last.code;
  last.code = sdaaSuccess;
  return code;
}
sdaaError_t sdaaPeekAtLastError(void) { return last.code; }
const char* sdaaGetErrorName(sdaaError_t error) {
  const auto* name = swai::sdaa::find(error);
  return name != nullptr ? name->name : "sdaaErrorUnknown";
}
const char* sdaaGetErrorString(sdaaError_t error) {
  const auto* name = swai::sdaa::find(error);
  return name != nullptr ? name->text : "not an error of this library";
}
sdaaError_t sdaaDrvGetErrorName(sdaaError_t error, const char** name) {
  const auto* found = swai::sdaa::find(error);
  if (name == nullptr || found == nullptr) return sdaaErrorInvalidValue;
  *name = found->name;
  return sdaaSuccess;
}
sdaaError_t sdaaDrvGetErrorString(sdaaError_t error, const char** text) {
  const auto* found = swai::sdaa::find(error);
  if (text == nullptr || found == nullptr) return sdaaErrorInvalidValue;
  *text = found->text;
  return sdaaSuccess;
}
const char* sdaaGetLastErrorMessage(void) { return last.message.c_str(); }
