/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_MATH_CONSTANTS_H
#define CROSSLANE_MATH_CONSTANTS_H

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_INF __builtin_inf()
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_TWO_PI_F (2 * CUDART_PI_F)
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_SQRT_TWO 1.4142135623730951e+0

#endif
