#include "host/http/form.hpp"

#include <microhttpd.h>

#include <memory>

namespace swai::http {
namespace {

constexpr size_t kBuffer = 16 << 10;
constexpr size_t kMostFields = 64;
constexpr const char* kFile = "file";

struct Destroy {
  void operator()(MHD_PostProcessor* processor) const { MHD_destroy_post_processor(processor); }
};

// A part comes in pieces.
MHD_Result take(void* to, MHD_ValueKind, const char* name, const char*, const char*, const char*,
                const char* data, uint64_t, size_t bytes) {
  if (name == nullptr) return MHD_YES;  // nobody can ask for it
  Form& form = *static_cast<Form*>(to);
  const std::string_view piece(data == nullptr ? "" : data, data == nullptr ? 0 : bytes);
  if (name == std::string_view(kFile)) {
    form.has_file = true;
    form.file += piece;
    return MHD_YES;
  }
  if (!form.fields.contains(name) && form.fields.size() == kMostFields) return MHD_NO;
  form.fields[name] += piece;
  return MHD_YES;
}

}  // namespace

Form form_of(MHD_Connection* connection, std::string_view body) {
  Form form;
  const std::unique_ptr<MHD_PostProcessor, Destroy> processor(
      MHD_create_post_processor(connection, kBuffer, take, &form));
  if (processor != nullptr) MHD_post_process(processor.get(), body.data(), body.size());
  return form;
}

}  // namespace swai::http
