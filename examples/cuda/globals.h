// What program and kernel must agree on.
#pragma once

constexpr int CLASSES = 4;
