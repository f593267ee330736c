#pragma once
// Fetches from textures, and surfaces: loads and stores of elements (CUDA C++ Programming Guide,
// "Texture Fetching"). A GPU has what a texture is bound to in its own units, and computes there
// which elements a fetch needs: that is no access, and only those of the elements are recorded.

// A coordinate in elements.
WARPSCOPE_DEVICE float __warpscope_scaled(float at, unsigned int size, int is_normalized,
                                          int mode) {
  if (!is_normalized)
    return at;
  const float whole = floorf(at);
  if (mode == cudaAddressModeWrap)
    at -= whole;
  if (mode == cudaAddressModeMirror)
    at = ((int)whole & 1) != 0 ? 1.0f - (at - whole) : at - whole;
  return at * (float)size;
}
// The element that is taken for one that may be outside; -1 = none.
WARPSCOPE_DEVICE int __warpscope_inside(int element, unsigned int size, int is_normalized,
                                        int mode) {
  if (element >= 0 && element < (int)size)
    return element;
  if (mode == cudaAddressModeBorder)
    return -1;
  if (is_normalized && mode == cudaAddressModeWrap)
    return element < 0 ? element + (int)size : element - (int)size;
  return element < 0 ? 0 : (int)size - 1;
}
WARPSCOPE_DEVICE int __warpscope_along(const warpscope_texture *from, int dimension, float at,
                                       int next) {
  const unsigned int size = from->size[dimension];
  const int mode = from->modes[dimension];
  at = __warpscope_scaled(at, size, from->is_normalized, mode);
  const int element = from->is_linear ? (int)floorf(at - 0.5f) + next : (int)floorf(at);
  return __warpscope_inside(element, size, from->is_normalized, mode);
}
// How much the element behind a coordinate weighs: 8 bits of fraction, and 1 exactly.
WARPSCOPE_DEVICE float __warpscope_share(const warpscope_texture *from, int dimension, float at) {
  at = __warpscope_scaled(at, from->size[dimension], from->is_normalized, from->modes[dimension]);
  at -= 0.5f;
  return rintf((at - floorf(at)) * 256.0f) / 256.0f;
}

// Of each of 2, 4 or 8 corners a bit of `corner` says whether it is the next element in x, y and z.
// Null: outside.
WARPSCOPE_HARDWARE const char *__warpscope_texel_place(const warpscope_texture *from,
                                                       int dimensions, float x, float y, float z,
                                                       int layer, int corner) {
  const int column = __warpscope_along(from, 0, x, corner & 1);
  const int row = dimensions > 1 ? __warpscope_along(from, 1, y, corner >> 1 & 1) : 0;
  int plane = dimensions > 2 ? __warpscope_along(from, 2, z, corner >> 2 & 1) : layer;
  if (dimensions < 3)
    plane = plane < 0 ? 0 : plane < (int)from->size[2] ? plane : (int)from->size[2] - 1;
  if (column < 0 || row < 0 || plane < 0)
    return nullptr;
  return from->data + plane * from->slice + row * from->pitch + column * from->element_bytes;
}
WARPSCOPE_HARDWARE float __warpscope_texel_weight(const warpscope_texture *from, int dimensions,
                                                  float x, float y, float z, int corner) {
  const float at[3] = {x, y, z};
  float weight = 1;
  for (int i = 0; i < dimensions; ++i) {
    const float share = __warpscope_share(from, i, at[i]);
    weight *= (corner >> i & 1) != 0 ? share : 1 - share;
  }
  return weight;
}
WARPSCOPE_HARDWARE int __warpscope_texel_filtered(const warpscope_texture *from) {
  return from->is_linear;
}
WARPSCOPE_HARDWARE int __warpscope_texel_format(const warpscope_texture *from) {
  return from->format;
}

// Integers as fractions of their largest value (cudaReadModeNormalizedFloat).
WARPSCOPE_DEVICE float __warpscope_fraction(unsigned char value) { return (float)value / 255.0f; }
WARPSCOPE_DEVICE float __warpscope_fraction(unsigned short value) {
  return (float)value / 65535.0f;
}
WARPSCOPE_DEVICE float __warpscope_fraction(signed char value) {
  return fmaxf((float)value / 127.0f, -1.0f);
}
WARPSCOPE_DEVICE float __warpscope_fraction(char value) {
  return __warpscope_fraction((signed char)value);
}
WARPSCOPE_DEVICE float __warpscope_fraction(short value) {
  return fmaxf((float)value / 32767.0f, -1.0f);
}

// Numbers of 1, 2 or 4 components.
template <int Count> struct __warpscope_floats;
template <> struct __warpscope_floats<1> {
  typedef float type;
};
template <> struct __warpscope_floats<2> {
  typedef float2 type;
};
template <> struct __warpscope_floats<4> {
  typedef float4 type;
};
template <class T, bool IsClass = __is_class(T)> struct __warpscope_component {
  typedef T type;
};
template <class T> struct __warpscope_component<T, true> {
  typedef decltype(T::x) type;
};
template <class T>
constexpr int __warpscope_count = sizeof(T) / sizeof(typename __warpscope_component<T>::type);

// An element as it is, and its components as fractions.
template <class T> struct __warpscope_as_is {
  typedef T type;
  WARPSCOPE_DEVICE_MEMBER static T of(const char *place) { return *(const T *)place; }
};
template <class C, int Count> struct __warpscope_fractions {
  typedef typename __warpscope_floats<Count>::type type;
  WARPSCOPE_DEVICE_MEMBER static type of(const char *place) {
    typedef typename __warpscope_raw<sizeof(C) * Count>::type Raw;
    const Raw raw = *(const Raw *)place;
    float parts[Count];
    for (int i = 0; i < Count; ++i)
      parts[i] = __warpscope_fraction((C)(raw >> 8 * sizeof(C) * i));
    type result;
    __builtin_memcpy(&result, parts, sizeof(result));
    return result;
  }
};

struct __warpscope_coordinates {
  float x, y, z;
  int layer;
};
// Linear filtering: the appendix "Linear Filtering" of the guide. A GPU asks for all elements at
// once; here they are loads that follow each other.
template <class Read, int Dimensions>
WARPSCOPE_DEVICE typename Read::type __warpscope_filtered(const warpscope_texture *from,
                                                          __warpscope_coordinates at) {
  typedef typename Read::type R;
  constexpr int count = __warpscope_count<R>;
  float sum[count] = {};
#pragma unroll 1
  for (int corner = 0; corner < 1 << Dimensions; ++corner) {
    const char *const place =
        __warpscope_texel_place(from, Dimensions, at.x, at.y, at.z, at.layer, corner);
    if (place == nullptr)
      continue;
    const float weight = __warpscope_texel_weight(from, Dimensions, at.x, at.y, at.z, corner);
    const R value = Read::of(place);
    float parts[count];
    __builtin_memcpy(parts, &value, sizeof(parts));
    for (int i = 0; i < count; ++i)
      sum[i] += weight * parts[i];
  }
  R result;
  __builtin_memcpy(&result, sum, sizeof(result));
  return result;
}
template <class Read, int Dimensions>
WARPSCOPE_DEVICE typename Read::type __warpscope_fetch(const warpscope_texture *from,
                                                       __warpscope_coordinates at) {
  typedef typename Read::type R;
  if constexpr (__is_same(typename __warpscope_component<R>::type, float))
    if (__warpscope_texel_filtered(from))
      return __warpscope_filtered<Read, Dimensions>(from, at);
  const char *const place =
      __warpscope_texel_place(from, Dimensions, at.x, at.y, at.z, at.layer, 0);
  return place == nullptr ? R{} : Read::of(place);
}
// Only an object itself knows whether its elements are read as fractions.
template <class R, int Dimensions>
WARPSCOPE_DEVICE R __warpscope_fetch_object(cudaTextureObject_t object,
                                            __warpscope_coordinates at) {
  const auto *const from = (const warpscope_texture *)object;
  if constexpr (__is_same(typename __warpscope_component<R>::type, float)) {
    constexpr int count = __warpscope_count<R>;
    switch (__warpscope_texel_format(from)) {
    case warpscope_fractions_u8:
      return __warpscope_fetch<__warpscope_fractions<unsigned char, count>, Dimensions>(from, at);
    case warpscope_fractions_s8:
      return __warpscope_fetch<__warpscope_fractions<signed char, count>, Dimensions>(from, at);
    case warpscope_fractions_u16:
      return __warpscope_fetch<__warpscope_fractions<unsigned short, count>, Dimensions>(from, at);
    case warpscope_fractions_s16:
      return __warpscope_fetch<__warpscope_fractions<short, count>, Dimensions>(from, at);
    }
  }
  return __warpscope_fetch<__warpscope_as_is<R>, Dimensions>(from, at);
}

template <class T, int Mode> struct __warpscope_read : __warpscope_as_is<T> {};
template <class T>
struct __warpscope_read<T, cudaReadModeNormalizedFloat>
    : __warpscope_fractions<typename __warpscope_component<T>::type, __warpscope_count<T>> {};

// Each function of a reference, of an object, and of an object with the result as first argument.
#define WARPSCOPE_FETCH(name, kind, dimensions, parameters, ...)                                   \
  template <class T, int Mode>                                                                     \
  WARPSCOPE_DEVICE typename __warpscope_read<T, Mode>::type name(                                  \
      const texture<T, kind, Mode> &from, WARPSCOPE_LIST parameters) {                             \
    return __warpscope_fetch<__warpscope_read<T, Mode>, dimensions>(&from.place, {__VA_ARGS__});   \
  }                                                                                                \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE T name(cudaTextureObject_t object, WARPSCOPE_LIST parameters) {                 \
    return __warpscope_fetch_object<T, dimensions>(object, {__VA_ARGS__});                         \
  }                                                                                                \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE void name(T *to, cudaTextureObject_t object, WARPSCOPE_LIST parameters) {       \
    *to = __warpscope_fetch_object<T, dimensions>(object, {__VA_ARGS__});                          \
  }
#define WARPSCOPE_LIST(...) __VA_ARGS__
WARPSCOPE_FETCH(tex1D, cudaTextureType1D, 1, (float x), x, 0, 0, 0)
WARPSCOPE_FETCH(tex2D, cudaTextureType2D, 2, (float x, float y), x, y, 0, 0)
WARPSCOPE_FETCH(tex3D, cudaTextureType3D, 3, (float x, float y, float z), x, y, z, 0)
WARPSCOPE_FETCH(tex1DLayered, cudaTextureType1DLayered, 1, (float x, int layer), x, 0, 0, layer)
WARPSCOPE_FETCH(tex2DLayered, cudaTextureType2DLayered, 2, (float x, float y, int layer), x, y, 0,
                layer)
#undef WARPSCOPE_FETCH

// Of linear memory. Null: outside of what is bound, where a GPU fetches 0 and loads nothing.
WARPSCOPE_HARDWARE const char *__warpscope_linear_place(const warpscope_texture *from, int x) {
  const bool is_inside = x >= 0 && (unsigned int)x < from->size[0];
  return is_inside ? from->data + (long long)from->element_bytes * x : nullptr;
}
template <class Read>
WARPSCOPE_DEVICE typename Read::type __warpscope_fetch_linear(const warpscope_texture *from,
                                                              int x) {
  typedef typename Read::type R;
  const char *const place = __warpscope_linear_place(from, x);
  return place == nullptr ? R{} : Read::of(place);
}
template <class T, int Mode>
WARPSCOPE_DEVICE typename __warpscope_read<T, Mode>::type
tex1Dfetch(const texture<T, cudaTextureType1D, Mode> &from, int x) {
  return __warpscope_fetch_linear<__warpscope_read<T, Mode>>(&from.place, x);
}
template <class T> WARPSCOPE_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
  return __warpscope_fetch_linear<__warpscope_as_is<T>>((const warpscope_texture *)object, x);
}
template <class T> WARPSCOPE_DEVICE void tex1Dfetch(T *to, cudaTextureObject_t object, int x) {
  *to = tex1Dfetch<T>(object, x);
}

// Surfaces: x counts bytes. Null: outside, where nothing is stored, and 0 is loaded; without a mode
// the kernel stops there, as at any address that is not there.
WARPSCOPE_HARDWARE char *__warpscope_surface_place(const warpscope_texture *in, int bytes, int x,
                                                   int y, int z, int mode) {
  const int limits[3] = {(int)(in->size[0] * in->element_bytes) - bytes, (int)in->size[1] - 1,
                         (int)in->size[2] - 1};
  int at[3] = {x, y, z};
  for (int i = 0; i < 3; ++i) {
    const int inside = at[i] < 0 ? 0 : at[i] > limits[i] ? limits[i] : at[i];
    if (inside != at[i] && mode != cudaBoundaryModeClamp)
      return nullptr;
    at[i] = inside;
  }
  return const_cast<char *>(in->data) + at[2] * in->slice + at[1] * in->pitch + at[0];
}
template <class T>
WARPSCOPE_DEVICE T __warpscope_surface_read(const warpscope_texture *in, int x, int y, int z,
                                            int mode) {
  const char *const place = __warpscope_surface_place(in, sizeof(T), x, y, z, mode);
  return mode == cudaBoundaryModeZero && place == nullptr ? T{} : *(const T *)place;
}
template <class T>
WARPSCOPE_DEVICE void __warpscope_surface_write(const warpscope_texture *in, T value, int x, int y,
                                                int z, int mode) {
  char *const place = __warpscope_surface_place(in, sizeof(T), x, y, z, mode);
  if (mode != cudaBoundaryModeZero || place != nullptr)
    *(T *)place = value;
}
#define WARPSCOPE_MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define WARPSCOPE_SURFACE(name, kind, parameters, ...)                                             \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE T name##read(cudaSurfaceObject_t in, WARPSCOPE_LIST parameters,                 \
                                WARPSCOPE_MODE) {                                                  \
    return __warpscope_surface_read<T>((const warpscope_texture *)in, __VA_ARGS__, mode);          \
  }                                                                                                \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE void name##read(T *to, cudaSurfaceObject_t in, WARPSCOPE_LIST parameters,       \
                                   WARPSCOPE_MODE) {                                               \
    *to = __warpscope_surface_read<T>((const warpscope_texture *)in, __VA_ARGS__, mode);           \
  }                                                                                                \
  template <class T>                                                                               \
  WARPSCOPE_DEVICE void name##write(T value, cudaSurfaceObject_t in, WARPSCOPE_LIST parameters,    \
                                    WARPSCOPE_MODE) {                                              \
    __warpscope_surface_write((const warpscope_texture *)in, value, __VA_ARGS__, mode);            \
  }                                                                                                \
  template <class T, class V>                                                                      \
  WARPSCOPE_DEVICE T name##read(const surface<V, kind> &in, WARPSCOPE_LIST parameters,             \
                                WARPSCOPE_MODE) {                                                  \
    return __warpscope_surface_read<T>(&in.place, __VA_ARGS__, mode);                              \
  }                                                                                                \
  template <class T, class V>                                                                      \
  WARPSCOPE_DEVICE void name##read(T *to, const surface<V, kind> &in, WARPSCOPE_LIST parameters,   \
                                   WARPSCOPE_MODE) {                                               \
    *to = __warpscope_surface_read<T>(&in.place, __VA_ARGS__, mode);                               \
  }                                                                                                \
  template <class T, class V>                                                                      \
  WARPSCOPE_DEVICE void name##write(T value, const surface<V, kind> &in,                           \
                                    WARPSCOPE_LIST parameters, WARPSCOPE_MODE) {                   \
    __warpscope_surface_write(&in.place, value, __VA_ARGS__, mode);                                \
  }
WARPSCOPE_SURFACE(surf1D, cudaSurfaceType1D, (int x), x, 0, 0)
WARPSCOPE_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), x, y, 0)
WARPSCOPE_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
WARPSCOPE_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, 0, layer)
WARPSCOPE_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
#undef WARPSCOPE_SURFACE
#undef WARPSCOPE_MODE
#undef WARPSCOPE_LIST
