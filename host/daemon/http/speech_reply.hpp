// SPDX-License-Identifier: Apache-2.0
// What was said, in the format that is asked for.
#pragma once

#include "host/daemon/http/speech_model.hpp"

namespace swai::http {

Reply speech_reply(const Transcript& transcript, SpeechFormat format);

}  // namespace swai::http
