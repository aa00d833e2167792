/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_DEVICE_TYPES_H
#define CROSSLANE_DEVICE_TYPES_H

enum cudaRoundMode {
	cudaRoundNearest = 0,
	cudaRoundZero = 1,
	cudaRoundPosInf = 2,
	cudaRoundMinInf = 3,
};

#endif
