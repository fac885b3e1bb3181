// SPDX-License-Identifier: Apache-2.0
// Why a request gets no answer, as OpenAI's interface says it.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace swai::http {

// What is written keeps its order. (What is read does not: looking a name up takes a step for each other
// one.)
using Json = nlohmann::ordered_json;

struct Problem : std::runtime_error {
  // `param`: which part of the request is meant; `code`: for programs. Both may be empty.
  Problem(int http_status, const std::string& message, std::string parameter = "",
          std::string short_code = "")
      : std::runtime_error(message),
        status(http_status),
        param(std::move(parameter)),
        code(std::move(short_code)) {}

  int status;  // of HTTP
  std::string param;
  std::string code;
  unsigned retry_after = 0;  // seconds; 0: nothing is known about that
  std::string allow;         // of 405: methods
};

// The client is to blame.
inline Problem bad_request(const std::string& message, std::string param = "", std::string code = "") {
  return Problem(400, message, std::move(param), std::move(code));
}

Json to_json(const Problem& problem);
// With bytes that are no UTF-8 replaced.
std::string text_of(const Json& json);

}  // namespace swai::http
