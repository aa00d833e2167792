/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_MATH_FUNCTIONS_HPP
#define CROSSLANE_MATH_FUNCTIONS_HPP

/* min and max in kernels for the types that clang's own headers leave out. */
#define CROSSLANE_MINMAX(T, A, B) \
	static __inline__ __attribute__((always_inline)) __device__ T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; } \
	static __inline__ __attribute__((always_inline)) __device__ T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
CROSSLANE_MINMAX(unsigned int, unsigned int, unsigned int)
CROSSLANE_MINMAX(unsigned int, int, unsigned int)
CROSSLANE_MINMAX(unsigned int, unsigned int, int)
CROSSLANE_MINMAX(long, long, long)
CROSSLANE_MINMAX(unsigned long, unsigned long, unsigned long)
CROSSLANE_MINMAX(unsigned long, long, unsigned long)
CROSSLANE_MINMAX(unsigned long, unsigned long, long)
CROSSLANE_MINMAX(long long, long long, long long)
CROSSLANE_MINMAX(unsigned long long, unsigned long long, unsigned long long)
CROSSLANE_MINMAX(unsigned long long, long long, unsigned long long)
CROSSLANE_MINMAX(unsigned long long, unsigned long long, long long)
#undef CROSSLANE_MINMAX
static __inline__ __attribute__((always_inline)) __device__ float min(float a, float b) { return fminf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float max(float a, float b) { return fmaxf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ double min(double a, double b) { return fmin(a, b); }
static __inline__ __attribute__((always_inline)) __device__ double max(double a, double b) { return fmax(a, b); }
static __inline__ __attribute__((always_inline)) __device__ double min(float a, double b) { return fmin((double)a, b); }
static __inline__ __attribute__((always_inline)) __device__ double max(float a, double b) { return fmax((double)a, b); }
static __inline__ __attribute__((always_inline)) __device__ double min(double a, float b) { return fmin(a, (double)b); }
static __inline__ __attribute__((always_inline)) __device__ double max(double a, float b) { return fmax(a, (double)b); }

/* Functions of float under the names of double. clang declares most of them and leaves them to CUDA's headers. */
static __inline__ __attribute__((always_inline)) __device__ float acosh(float a) { return acoshf(a); }
static __inline__ __attribute__((always_inline)) __device__ float asinh(float a) { return asinhf(a); }
static __inline__ __attribute__((always_inline)) __device__ float atanh(float a) { return atanhf(a); }
static __inline__ __attribute__((always_inline)) __device__ float cbrt(float a) { return cbrtf(a); }
static __inline__ __attribute__((always_inline)) __device__ float erfc(float a) { return erfcf(a); }
static __inline__ __attribute__((always_inline)) __device__ float erf(float a) { return erff(a); }
static __inline__ __attribute__((always_inline)) __device__ float exp2(float a) { return exp2f(a); }
static __inline__ __attribute__((always_inline)) __device__ float expm1(float a) { return expm1f(a); }
static __inline__ __attribute__((always_inline)) __device__ float lgamma(float a) { return lgammaf(a); }
static __inline__ __attribute__((always_inline)) __device__ float log1p(float a) { return log1pf(a); }
static __inline__ __attribute__((always_inline)) __device__ float log2(float a) { return log2f(a); }
static __inline__ __attribute__((always_inline)) __device__ float logb(float a) { return logbf(a); }
static __inline__ __attribute__((always_inline)) __device__ float nearbyint(float a) { return nearbyintf(a); }
static __inline__ __attribute__((always_inline)) __device__ float rint(float a) { return rintf(a); }
static __inline__ __attribute__((always_inline)) __device__ float round(float a) { return roundf(a); }
static __inline__ __attribute__((always_inline)) __device__ float tgamma(float a) { return tgammaf(a); }
static __inline__ __attribute__((always_inline)) __device__ float trunc(float a) { return truncf(a); }
static __inline__ __attribute__((always_inline)) __device__ float rsqrt(float a) { return rsqrtf(a); }
static __inline__ __attribute__((always_inline)) __device__ float rcbrt(float a) { return rcbrtf(a); }
static __inline__ __attribute__((always_inline)) __device__ float sinpi(float a) { return sinpif(a); }
static __inline__ __attribute__((always_inline)) __device__ float cospi(float a) { return cospif(a); }
static __inline__ __attribute__((always_inline)) __device__ float erfinv(float a) { return erfinvf(a); }
static __inline__ __attribute__((always_inline)) __device__ float erfcinv(float a) { return erfcinvf(a); }
static __inline__ __attribute__((always_inline)) __device__ float normcdfinv(float a) { return normcdfinvf(a); }
static __inline__ __attribute__((always_inline)) __device__ float normcdf(float a) { return normcdff(a); }
static __inline__ __attribute__((always_inline)) __device__ float erfcx(float a) { return erfcxf(a); }
static __inline__ __attribute__((always_inline)) __device__ float copysign(float a, float b) { return copysignf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float fdim(float a, float b) { return fdimf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float fmax(float a, float b) { return fmaxf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float fmin(float a, float b) { return fminf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float hypot(float a, float b) { return hypotf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float nextafter(float a, float b) { return nextafterf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float remainder(float a, float b) { return remainderf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
static __inline__ __attribute__((always_inline)) __device__ int ilogb(float a) { return ilogbf(a); }
static __inline__ __attribute__((always_inline)) __device__ long long llrint(float a) { return llrintf(a); }
static __inline__ __attribute__((always_inline)) __device__ long lrint(float a) { return lrintf(a); }
static __inline__ __attribute__((always_inline)) __device__ long lround(float a) { return lroundf(a); }
static __inline__ __attribute__((always_inline)) __device__ long long llround(float a) { return llroundf(a); }
static __inline__ __attribute__((always_inline)) __device__ float remquo(float a, float b, int * c) { return remquof(a, b, c); }
static __inline__ __attribute__((always_inline)) __device__ float scalbln(float a, long b) { return scalblnf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ float scalbn(float a, int b) { return scalbnf(a, b); }
static __inline__ __attribute__((always_inline)) __device__ void sincospi(float a, float * b, float * c) { sincospif(a, b, c); }
static __inline__ __attribute__((always_inline)) __device__ void sincos(float a, float * b, float * c) { sincosf(a, b, c); }
static __inline__ __attribute__((always_inline)) __device__ double nan(const char *tag) { return __nv_nan((const signed char *)tag); }
static __inline__ __attribute__((always_inline)) __device__ float nanf(const char *tag) { return __nv_nanf((const signed char *)tag); }

#endif
