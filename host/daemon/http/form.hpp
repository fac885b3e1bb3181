// SPDX-License-Identifier: Apache-2.0
// Forms with files (multipart/form-data).
#pragma once

#include <memory>
#include <string_view>

#include "host/daemon/http/exchange.hpp"

struct MHD_Connection;
struct MHD_PostProcessor;

namespace swai::http {

inline constexpr std::string_view kFormType = "multipart/form-data";

// Reads a form while it arrives, so that its bytes are in memory only once. A truncated or invalid form has
// the parts that could be read.
class FormReader {
 public:
  // The headers of `connection` name the boundary between parts. Both arguments outlive the reader.
  FormReader(MHD_Connection* connection, Form& form);

  void add(std::string_view piece);

 private:
  struct Destroy {
    void operator()(MHD_PostProcessor* processor) const;
  };
  const std::unique_ptr<MHD_PostProcessor, Destroy> processor_;
};

}  // namespace swai::http
