// librocrand's generator Philox4x32-10, bit for bit: word 4 i + j is word j of the block cipher with the counter (i, 0, 0, 0)
// and the key (seed, 0). The cipher is written here anew (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3").
// Link it with -lrocrand.
#include "check.h"

#include <rocrand/rocrand.h>

#include <cstdint>
#include <vector>

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1)
{
	for (int round = 0; round < 10; round++) {
		uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
		uint32_t next[4] = { (uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a };
		for (int i = 0; i < 4; i++)
			c[i] = next[i];
		k0 += 0x9E3779B9, k1 += 0xBB67AE85;
	}
}

int main()
{
	const size_t n = 4096;
	const uint32_t seed = 12345;
	rocrand_generator g;
	unsigned *d;
	std::vector<unsigned> h(n);
	CHECK(hipMalloc(&d, n * sizeof(unsigned)));
	EXPECT(rocrand_create_generator(&g, ROCRAND_RNG_PSEUDO_PHILOX4_32_10) == ROCRAND_STATUS_SUCCESS);
	EXPECT(rocrand_set_seed(g, seed) == ROCRAND_STATUS_SUCCESS);
	EXPECT(rocrand_generate(g, d, n) == ROCRAND_STATUS_SUCCESS);
	CHECK(hipMemcpy(h.data(), d, n * sizeof(unsigned), hipMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i += 4) {
		uint32_t c[4] = { (uint32_t)(i / 4), 0, 0, 0 };
		philox(c, seed, 0);
		for (int j = 0; j < 4; j++)
			EXPECT(h[i + j] == c[j]);
	}
	EXPECT(rocrand_destroy_generator(g) == ROCRAND_STATUS_SUCCESS);
	CHECK(hipFree(d));
	std::puts("rocrand: right");
}
