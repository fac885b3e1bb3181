// SPDX-License-Identifier: Apache-2.0
// What program and kernel must agree on.
#pragma once

constexpr int CLASSES = 4;
