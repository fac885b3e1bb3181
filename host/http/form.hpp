// Forms with files (multipart/form-data).
#pragma once

#include <string_view>

#include "host/http/exchange.hpp"

struct MHD_Connection;

namespace swai::http {

inline constexpr std::string_view kFormType = "multipart/form-data";

// `connection`: of the request, whose headers say what is between the parts. A form that is cut off or no
// form has those parts that could be read.
Form form_of(MHD_Connection* connection, std::string_view body);

}  // namespace swai::http
