#pragma once
// Fetches from textures, without filtering: loads of one element (CUDA C++ Programming Guide,
// "Texture Fetching").

// The element of `size` in a row or column that a coordinate means; -1 = outside, with the border's
// mode.
WARPSCOPE_DEVICE int __warpscope_texel(float at, unsigned int size, int is_normalized, int mode) {
  if (is_normalized) {
    if (mode == cudaAddressModeWrap)
      at -= floorf(at);
    if (mode == cudaAddressModeMirror) {
      const float whole = floorf(at);
      at = ((int)whole & 1) != 0 ? 1.0f - (at - whole) : at - whole;
    }
    at *= (float)size;
  }
  const int element = (int)floorf(at);
  if (element >= 0 && element < (int)size)
    return element;
  if (mode == cudaAddressModeBorder)
    return -1;
  return element < 0 ? 0 : (int)size - 1;
}
template <class T> WARPSCOPE_DEVICE T __warpscope_fetch_1d(const warpscope_texture &from, float x) {
  const int column = __warpscope_texel(x, from.width, from.is_normalized, from.modes[0]);
  return column < 0 ? T{} : ((const T *)from.data)[column];
}
template <class T>
WARPSCOPE_DEVICE T __warpscope_fetch_2d(const warpscope_texture &from, float x, float y) {
  const int column = __warpscope_texel(x, from.width, from.is_normalized, from.modes[0]);
  const int row = __warpscope_texel(y, from.height, from.is_normalized, from.modes[1]);
  return column < 0 || row < 0 ? T{} : ((const T *)(from.data + row * from.pitch))[column];
}

// Integers as fractions of their largest value (cudaReadModeNormalizedFloat).
template <class T, int Mode> struct __warpscope_texel_value {
  typedef T type;
  WARPSCOPE_DEVICE_MEMBER static T of(T value) { return value; }
};
#define WARPSCOPE_NORMALIZED(from, most)                                                           \
  template <> struct __warpscope_texel_value<from, cudaReadModeNormalizedFloat> {                  \
    typedef float type;                                                                            \
    WARPSCOPE_DEVICE_MEMBER static float of(from value) { return (float)value / (most); }          \
  };
WARPSCOPE_NORMALIZED(unsigned char, 255.0f)
WARPSCOPE_NORMALIZED(signed char, 127.0f)
WARPSCOPE_NORMALIZED(unsigned short, 65535.0f)
WARPSCOPE_NORMALIZED(short, 32767.0f)
#undef WARPSCOPE_NORMALIZED

#define WARPSCOPE_REFERENCE template <class T, int Mode> WARPSCOPE_DEVICE
#define WARPSCOPE_VALUE typename __warpscope_texel_value<T, Mode>::type
WARPSCOPE_REFERENCE WARPSCOPE_VALUE tex1Dfetch(const texture<T, 1, Mode> &from, int x) {
  return __warpscope_texel_value<T, Mode>::of(((const T *)from.place.data)[x]);
}
WARPSCOPE_REFERENCE WARPSCOPE_VALUE tex1D(const texture<T, 1, Mode> &from, float x) {
  return __warpscope_texel_value<T, Mode>::of(__warpscope_fetch_1d<T>(from.place, x));
}
WARPSCOPE_REFERENCE WARPSCOPE_VALUE tex2D(const texture<T, 2, Mode> &from, float x, float y) {
  return __warpscope_texel_value<T, Mode>::of(__warpscope_fetch_2d<T>(from.place, x, y));
}
#undef WARPSCOPE_REFERENCE
#undef WARPSCOPE_VALUE

// The object of linear memory is its address.
template <class T> WARPSCOPE_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
  return ((const T *)object)[x];
}
template <class T> WARPSCOPE_DEVICE T tex1D(cudaTextureObject_t object, float x) {
  return __warpscope_fetch_1d<T>(*(const warpscope_texture *)object, x);
}
template <class T> WARPSCOPE_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) {
  return __warpscope_fetch_2d<T>(*(const warpscope_texture *)object, x, y);
}
