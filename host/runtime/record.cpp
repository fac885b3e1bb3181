// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/record.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace swai::sdaa::record {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void get(const Json& line, const char* name, T& value) {
  if (const auto found = line.find(name); found != line.end()) found->get_to(value);
}
template <typename T>
void get(const Json& line, const char* name, std::optional<T>& value) {
  if (line.contains(name)) get(line, name, value.emplace());
}

}  // namespace

std::string file_of(const std::string& name, unsigned process) {
  return process == 0 ? name : name + "." + std::to_string(process);
}
std::string contents_of(const std::string& file) { return file + ".contents"; }

uint64_t piece_bytes(uint64_t bytes) {
  constexpr uint64_t kSmallest = 4096;
  constexpr uint64_t kMost = 1024;  // pieces
  return std::max(kSmallest, std::bit_ceil((bytes + kMost - 1) / kMost));
}

std::string line_of(const Result& result) {
  Json line = Json::object();
  const auto put = [&line](const char* name, const auto& value) {
    if (!value.empty()) line[name] = value;
  };
  put("source", result.source);
  put("what", result.what);
  put("name", result.name);
  if (result.bytes != 0) line["bytes"] = result.bytes;
  put("place", result.place);
  if (result.end) line["end"] = *result.end;
  put("text", result.text);
  put("digests", result.digests);
  if (result.at) line["at"] = *result.at;
  // What kernels print may be no UTF-8: digests tell that apart.
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result read_line(std::string_view line) {
  try {
    const Json from = Json::parse(line);
    if (!from.is_object()) throw std::runtime_error("a line is no JSON object");
    Result result;
    get(from, "source", result.source);
    get(from, "what", result.what);
    get(from, "name", result.name);
    get(from, "bytes", result.bytes);
    get(from, "place", result.place);
    get(from, "end", result.end);
    get(from, "text", result.text);
    get(from, "digests", result.digests);
    get(from, "at", result.at);
    return result;
  } catch (const Json::exception& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace swai::sdaa::record
