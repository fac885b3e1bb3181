// SPDX-License-Identifier: Apache-2.0
// fmt's functions for libsdaa.so, which programs use without fmt beside it: compiled once, here, instead of
// in each source.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template void buffer<char>::append<char>(const char*, const char*);
template void vformat_to<char>(buffer<char>&, string_view, format_args, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
