// SPDX-License-Identifier: Apache-2.0
// The length that the header of a WAV file states. libsndfile replaces it with the length of the data
// present.
#pragma once

namespace swai::audio {

// Whether the header states more sound than the file has. False for files of other formats, and for the
// placeholder lengths of programs that write to a pipe.
bool is_cut_short_wav(int fd);

}  // namespace swai::audio
