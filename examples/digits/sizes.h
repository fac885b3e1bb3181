/* SPDX-License-Identifier: Apache-2.0 */
/* What host and kernel agree on: sizes of images, filters and maps. */
#ifndef SIZES_H
#define SIZES_H

enum {
  kDigits = 10,
  kImageWidth = 12, /* a digit is drawn somewhere in it */
  kImageHeight = 12,
  kFilterWidth = 5, /* a digit */
  kFilterHeight = 7,
  kMapWidth = kImageWidth - kFilterWidth + 1, /* places where a filter fits */
  kMapHeight = kImageHeight - kFilterHeight + 1,
  kImagePixels = kImageWidth * kImageHeight,
  kFilterPixels = kFilterWidth * kFilterHeight,
  kMapPlaces = kMapWidth * kMapHeight
};

#endif
