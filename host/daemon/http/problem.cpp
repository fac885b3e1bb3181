// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/problem.hpp"

namespace swai::http {
namespace {

const char* type_of(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json to_json(const Problem& problem) {
  return {{"error",
           {{"message", problem.what()},
            {"type", type_of(problem.status)},
            {"param", text_or_null(problem.param)},
            {"code", text_or_null(problem.code)}}}};
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace swai::http
