// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/form.hpp"

#include <microhttpd.h>

namespace swai::http {
namespace {

constexpr size_t kBuffer = 16 << 10;
constexpr size_t kMostFields = 64;
constexpr const char* kFile = "file";

// A part comes in pieces.
MHD_Result take(void* to, MHD_ValueKind, const char* name, const char*, const char*, const char*,
                const char* data, uint64_t, size_t bytes) {
  if (name == nullptr) return MHD_YES;  // nothing can refer to it
  Form& form = *static_cast<Form*>(to);
  const std::string_view piece(data == nullptr ? "" : data, data == nullptr ? 0 : bytes);
  if (name == std::string_view(kFile)) {
    form.has_file = true;
    form.file.insert(form.file.end(), piece.begin(), piece.end());
    return MHD_YES;
  }
  if (!form.fields.contains(name) && form.fields.size() == kMostFields) return MHD_NO;
  form.fields[name] += piece;
  return MHD_YES;
}

}  // namespace

void FormReader::Destroy::operator()(MHD_PostProcessor* processor) const {
  MHD_destroy_post_processor(processor);
}

FormReader::FormReader(MHD_Connection* connection, Form& form)
    : processor_(MHD_create_post_processor(connection, kBuffer, take, &form)) {}

void FormReader::add(std::string_view piece) {
  if (processor_) MHD_post_process(processor_.get(), piece.data(), piece.size());
}

}  // namespace swai::http
