#pragma once
// threadIdx, blockIdx, blockDim, gridDim: variables whose members are calls of OpenCL's built-ins.
WARPSCOPE_PURE unsigned long _Z12get_local_idj(unsigned int dimension);
WARPSCOPE_PURE unsigned long _Z12get_group_idj(unsigned int dimension);
WARPSCOPE_PURE unsigned long _Z14get_local_sizej(unsigned int dimension);
WARPSCOPE_PURE unsigned long _Z14get_num_groupsj(unsigned int dimension);

#define WARPSCOPE_INDEX(type, variable, builtin)                                                   \
  struct type {                                                                                    \
    __declspec(property(get = get_x)) unsigned int x;                                              \
    __declspec(property(get = get_y)) unsigned int y;                                              \
    __declspec(property(get = get_z)) unsigned int z;                                              \
    WARPSCOPE_DEVICE unsigned int get_x() { return static_cast<unsigned int>(builtin(0)); }        \
    WARPSCOPE_DEVICE unsigned int get_y() { return static_cast<unsigned int>(builtin(1)); }        \
    WARPSCOPE_DEVICE unsigned int get_z() { return static_cast<unsigned int>(builtin(2)); }        \
    __attribute__((device, always_inline, nodebug)) operator uint3() const {                       \
      return {get_x(), get_y(), get_z()};                                                          \
    }                                                                                              \
    __attribute__((device, always_inline, nodebug)) operator dim3() const {                        \
      return {get_x(), get_y(), get_z()};                                                          \
    }                                                                                              \
  };                                                                                               \
  extern const __attribute__((device, weak)) type variable;

WARPSCOPE_INDEX(warpscope_thread_index, threadIdx, _Z12get_local_idj)
WARPSCOPE_INDEX(warpscope_block_index, blockIdx, _Z12get_group_idj)
WARPSCOPE_INDEX(warpscope_block_size, blockDim, _Z14get_local_sizej)
WARPSCOPE_INDEX(warpscope_grid_size, gridDim, _Z14get_num_groupsj)
#undef WARPSCOPE_INDEX

static constexpr int warpSize = 32;
