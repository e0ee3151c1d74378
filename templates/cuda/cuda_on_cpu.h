// What a .cu file needs of CUDA, on the CPU: one block after the other, its threads as fibers that wait for each other at barriers and
// shuffles. Slow, and right: threads that wait at different barriers, which on a card hang or read rubbish, are told and end the program.
#pragma once

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static

using std::max;
using std::min;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

typedef void* cudaStream_t;
typedef int cudaError_t;
inline cudaError_t last_error = 0;
inline cudaError_t cudaGetLastError() { return std::exchange(last_error, 0); }
inline cudaError_t cudaDeviceSynchronize() { return 0; }
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline cudaError_t cudaMalloc(void** made, size_t bytes) { return *made = malloc(bytes), *made == nullptr; }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) { return memcpy(to, from, bytes), 0; }

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
inline thread_local uint3 threadIdx, blockIdx;
inline thread_local dim3 blockDim, gridDim;

// ---------------------------------------------------------------- half precision

struct __nv_bfloat16 { uint16_t bits; };
inline float __bfloat162float(__nv_bfloat16 x) {
    const uint32_t bits = uint32_t(x.bits) << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
inline __nv_bfloat16 __float2bfloat16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (x != x) return {uint16_t(0x7fff)};
    return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
#ifdef __FLT16_MANT_DIG__
struct __half { _Float16 value; };
inline float __half2float(__half x) { return float(x.value); }
inline __half __float2half(float x) { return {_Float16(x)}; }
#endif

// ---------------------------------------------------------------- functions that only CUDA has

inline float __expf(float x) { return expf(x); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.7071067811865476); }
inline float normcdff(float x) { return float(normcdf(x)); }
inline double erfinv(double y) {
    if (!(y > -1.0 && y < 1.0)) return y == 1.0 ? INFINITY : y == -1.0 ? -INFINITY : NAN;
    const double w = log1p(-y * y), a = 4.330746750799873 + w / 2;
    double x = copysign(sqrt(sqrt(a * a - w / 0.147) - a), y);
    for (int k = 0; k < 4; ++k) x -= (erf(x) - y) / (1.1283791670955126 * exp(-x * x));
    return x;
}
inline float erfinvf(float y) { return float(erfinv(y)); }
inline double normcdfinv(double p) { return 1.4142135623730951 * erfinv(2.0 * p - 1.0); }
inline float normcdfinvf(float p) { return float(normcdfinv(p)); }
inline double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, fabs(x)); }
inline double cyl_bessel_i1(double x) { return copysign(std::cyl_bessel_i(1.0, fabs(x)), x); }
inline float cyl_bessel_i0f(float x) { return float(cyl_bessel_i0(x)); }
inline float cyl_bessel_i1f(float x) { return float(cyl_bessel_i1(x)); }

template <typename T, typename V>
inline T atomicAdd(T* place, V value) {
    const T before = *place;
    *place = before + value;
    return before;
}
inline __nv_bfloat16 atomicAdd(__nv_bfloat16* place, __nv_bfloat16 value) {
    const __nv_bfloat16 before = *place;
    *place = __float2bfloat16(__bfloat162float(before) + __bfloat162float(value));
    return before;
}
#ifdef __FLT16_MANT_DIG__
inline __half atomicAdd(__half* place, __half value) {
    const __half before = *place;
    *place = __float2half(__half2float(before) + __half2float(value));
    return before;
}
#endif

// ---------------------------------------------------------------- blocks and threads

namespace cuda_on_cpu {

enum Waits { NOT, WARP, BLOCK, ENDED };
constexpr int WARP_SIZE = 32;
constexpr size_t STACK = 64 << 10;

struct Fiber {
    ucontext_t began;
    jmp_buf at;
    std::unique_ptr<char[]> stack{new char[STACK]};
    Waits waits = NOT;
    bool fresh = true;
    int turn = 0;
    alignas(8) char slot[2][8];
};

// One block: its fibers run in turn, each until it waits or ends.
struct Block {
    std::vector<Fiber> fibers;
    jmp_buf scheduler;
    ucontext_t here;
    int running = 0;
    void (*body)(void*) = nullptr;
    void* arguments = nullptr;
};
inline thread_local Block* block = nullptr;

inline void enter() {
    block->body(block->arguments);
    block->fibers[block->running].waits = ENDED;
    _longjmp(block->scheduler, 1);
}

inline void wait(Waits what) {
    if (!block) {
        fprintf(stderr, "a kernel that waits was built as one that does not\n");
        abort();
    }
    Fiber& fiber = block->fibers[block->running];
    fiber.waits = what;
    if (!_setjmp(fiber.at)) _longjmp(block->scheduler, 1);
}

inline void resume(int number) {
    Fiber& fiber = block->fibers[number];
    block->running = number;
    threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / (blockDim.x * blockDim.y)};
    if (_setjmp(block->scheduler)) return;
    if (!fiber.fresh) _longjmp(fiber.at, 1);
    fiber.fresh = false;
    getcontext(&fiber.began);
    fiber.began.uc_stack.ss_sp = fiber.stack.get();
    fiber.began.uc_stack.ss_size = STACK;
    fiber.began.uc_link = nullptr;
    makecontext(&fiber.began, enter, 0);
    setcontext(&fiber.began);
}

// Whether all of some fibers that have not ended wait at one barrier.
inline bool all_wait(int first, int last, Waits what) {
    bool some = false;
    for (int number = first; number < last; ++number) {
        const Waits waits = block->fibers[number].waits;
        if (waits != what && waits != ENDED) return false;
        some = some || waits == what;
    }
    return some;
}

inline void release(int first, int last) {
    for (int number = first; number < last; ++number)
        if (block->fibers[number].waits != ENDED) block->fibers[number].waits = NOT;
}

inline void run_block(int count) {
    for (Fiber& fiber : block->fibers) fiber.waits = NOT, fiber.fresh = true, fiber.turn = 0;
    for (int ended = 0; ended < count;) {
        bool moved = false;
        for (int number = 0; number < count; ++number)
            if (block->fibers[number].waits == NOT) {
                moved = true;
                resume(number);
                ended += block->fibers[number].waits == ENDED;
            }
        for (int first = 0; first < count; first += WARP_SIZE)
            if (const int last = min(first + WARP_SIZE, count); all_wait(first, last, WARP)) moved = true, release(first, last);
        if (all_wait(0, count, BLOCK)) moved = true, release(0, count);
        if (!moved) {
            fprintf(stderr, "threads of a block wait at different barriers\n");
            abort();
        }
    }
}

constexpr cudaError_t INVALID_CONFIGURATION = 9;

// What `kernel<<<grid, threads, shared, stream>>>(...)` is here.
struct Launch {
    dim3 grid, threads;
    bool waits;
    Launch(bool waits, dim3 grid, dim3 threads, size_t = 0, cudaStream_t = nullptr) : grid(grid), threads(threads), waits(waits) {}

    // CUDA's limits, of every card since 3.0.
    bool possible() const {
        const uint64_t count = uint64_t(threads.x) * threads.y * threads.z;
        return count > 0 && count <= 1024 && threads.z <= 64 && grid.x > 0 && grid.x < 1u << 31 && grid.y > 0 && grid.y < 1u << 16 && grid.z > 0 &&
               grid.z < 1u << 16;
    }

    template <typename Body>
    void operator()(Body body) const {
        if (!possible()) {  // as on a card, where nothing runs
            last_error = INVALID_CONFIGURATION;
            return;
        }
        const int count = threads.x * threads.y * threads.z;
        gridDim = grid, blockDim = threads;
        Block made;
        if (waits) {
            made.fibers.resize(count);
            made.body = [](void* arguments) { (*static_cast<Body*>(arguments))(); };
            made.arguments = &body;
            block = &made;
        }
        for (unsigned z = 0; z < grid.z; ++z)
            for (unsigned y = 0; y < grid.y; ++y)
                for (unsigned x = 0; x < grid.x; ++x) {
                    blockIdx = {x, y, z};
                    if (waits) run_block(count);
                    else
                        for (int number = 0; number < count; ++number) {
                            threadIdx = {number % threads.x, number / threads.x % threads.y, number / (threads.x * threads.y)};
                            body();
                        }
                }
        block = nullptr;
    }
};

}  // namespace cuda_on_cpu

inline void __syncthreads() { cuda_on_cpu::wait(cuda_on_cpu::BLOCK); }
inline void __syncwarp(unsigned = 0xffffffffu) { cuda_on_cpu::wait(cuda_on_cpu::WARP); }
inline void __threadfence() {}

// Every thread of the warp puts its value down; when all have, each takes its partner's. Two places in turn: nobody is two shuffles ahead.
template <typename T>
inline T shuffle_from(T value, int partner) {
    using namespace cuda_on_cpu;
    static_assert(sizeof(T) <= 8, "a shuffle moves up to eight bytes");
    const int me = block->running, first = me / WARP_SIZE * WARP_SIZE, turn = block->fibers[me].turn;
    memcpy(block->fibers[me].slot[turn], &value, sizeof(T));
    block->fibers[me].turn = 1 - turn;
    wait(WARP);
    const size_t other = first + partner;
    if (other < block->fibers.size()) memcpy(&value, block->fibers[other].slot[turn], sizeof(T));
    return value;
}
inline int lane_of_warp() { return cuda_on_cpu::block->running % cuda_on_cpu::WARP_SIZE; }
template <typename T>
inline T __shfl_xor_sync(unsigned, T value, int mask, int = 32) { return shuffle_from(value, lane_of_warp() ^ mask); }
template <typename T>
inline T __shfl_down_sync(unsigned, T value, int delta, int = 32) {
    const int from = lane_of_warp() + delta;
    return shuffle_from(value, from < 32 ? from : lane_of_warp());
}
template <typename T>
inline T __shfl_up_sync(unsigned, T value, int delta, int = 32) {
    const int from = lane_of_warp() - delta;
    return shuffle_from(value, from >= 0 ? from : lane_of_warp());
}
template <typename T>
inline T __shfl_sync(unsigned, T value, int from, int = 32) { return shuffle_from(value, from); }

// ---------------------------------------------------------------- tensor cores

// Every thread of a warp holds the whole of a fragment: which has which element is not told on a card either.
namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major { static constexpr bool rows = true; };
struct col_major { static constexpr bool rows = false; };
enum layout_t { mem_row_major, mem_col_major };

inline float widened(float x) { return x; }
inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
#ifdef __FLT16_MANT_DIG__
inline float widened(__half x) { return __half2float(x); }
#endif

template <typename Use, int M, int N, int K, typename T, typename Layout = row_major>
struct fragment { float of[256]; };

template <typename Fragment>
inline void fill_fragment(Fragment& made, float value) { std::fill(made.of, made.of + 256, value); }

template <typename Use, typename T, typename Layout>
inline void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& made, const T* from, unsigned step) {
    if (reinterpret_cast<uintptr_t>(from) % 32 || step * sizeof(T) % 16) {
        fprintf(stderr, "a fragment is loaded from where it is not aligned\n");
        abort();
    }
    for (int k = 0; k < 256; ++k) made.of[k] = widened(Layout::rows ? from[k / 16 * step + k % 16] : from[k % 16 * step + k / 16]);
}

template <typename A, typename B, typename Sum>
inline void mma_sync(Sum& made, const A& a, const B& b, const Sum& before) {
    Sum sum = before;
    for (int y = 0; y < 16; ++y)
        for (int r = 0; r < 16; ++r)
            for (int x = 0; x < 16; ++x) sum.of[16 * y + x] += a.of[16 * y + r] * b.of[16 * r + x];
    made = sum;
    cuda_on_cpu::wait(cuda_on_cpu::WARP);
}

template <typename Fragment>
inline void store_matrix_sync(float* to, const Fragment& from, unsigned step, layout_t layout) {
    for (int k = 0; k < 256; ++k) to[layout == mem_row_major ? k / 16 * step + k % 16 : k % 16 * step + k / 16] = from.of[k];
}

}  // namespace nvcuda::wmma
