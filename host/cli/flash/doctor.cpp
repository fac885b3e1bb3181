// swai flash doctor: whether boards can be reached, and what to do where not.
#include "host/cli/flash/flash.hpp"

namespace swai::cli {

int flash_doctor(const Cli&) { return kDone; }

}  // namespace swai::cli
