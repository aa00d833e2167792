/* printf and assert as AMD's device libraries have them: requests to the host by the buffer of hostcalls. Here they are
   written anew, because the libraries are not needed to compile this program. */
#include "mini.h"

typedef struct { uint64_t next, active; uint32_t service, control; } header;
typedef struct { header *headers; uint64_t (*payloads)[64][8]; struct signal *doorbell; uint64_t free, ready, mask; } buffer;
struct signal { uint64_t kind, value, *mailbox; uint32_t event; };

#define ATOMIC __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM
#define LOAD(p) __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)

static __device__ int lane(void) { return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)); }

static __device__ void push(buffer *b, uint64_t *top, uint64_t packet)
{
	uint64_t old = LOAD(top);
	do
		__hip_atomic_store(&b->headers[packet & b->mask].next, old, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
	while (!__hip_atomic_compare_exchange_strong(top, &old, packet, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM));
}

/* The request of all active lanes; the result is that of the lane. */
static __device__ uint64_t request(uint32_t service, const uint64_t words[8])
{
	buffer *b = *(buffer **)((char *)__builtin_amdgcn_implicitarg_ptr() + 80);
	int me = lane(), first = me == __builtin_amdgcn_readfirstlane(me);
	uint64_t packet = 0;
	if (first) {
		packet = LOAD(&b->free);
		while (!__hip_atomic_compare_exchange_strong(&b->free, &packet, LOAD(&b->headers[packet & b->mask].next), __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM))
			;
	}
	packet = (uint64_t)(uint32_t)__builtin_amdgcn_readfirstlane((int)(packet >> 32)) << 32 | (uint32_t)__builtin_amdgcn_readfirstlane((int)packet);
	header *h = &b->headers[packet & b->mask];
	uint64_t *slot = b->payloads[packet & b->mask][me];
	for (int i = 0; i < 8; i++)
		slot[i] = words[i];
	uint64_t active = __builtin_amdgcn_ballot_w64(1);
	if (first) {
		h->service = service, h->active = active;
		__hip_atomic_store(&h->control, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
		push(b, &b->ready, packet);
		__hip_atomic_fetch_add(&b->doorbell->value, 1, ATOMIC);
		*b->doorbell->mailbox = b->doorbell->event;
		__builtin_amdgcn_s_sendmsg(1, __builtin_amdgcn_readfirstlane((int)b->doorbell->event) & 255);
	}
	while (__builtin_amdgcn_readfirstlane((int)LOAD(&h->control)) & 1)
		__builtin_amdgcn_s_sleep(1);
	uint64_t result = slot[0];
	if (first)
		push(b, &b->free, packet + b->mask + 1);
	return result;
}

/* The format "lane %d: %s, %5.2f, %lx, %%\n" in words, and four arguments: two requests, of which the second one ends the message. */
__global__ void print(int *printed, int limit, uint32_t service)
{
	int i = blockIdx_x * blockDim_x + threadIdx_x;
	double d = i * 0.25;
	uint64_t begin[8] = { 1 | 5 << 5 }; /* begins; 5 words: the standard output, and the format */
	if (i >= limit)
		return;
	__builtin_memcpy(&begin[2], "lane %d: %s, %5.2f, %lx, %%\n\0\0\0", 32);
	uint64_t more[8] = { 0, (uint64_t)i, 0, 0, 0, 0, 0, 0 };
	__builtin_memcpy(&more[2], "eight chars", 12);
	__builtin_memcpy(&more[4], &d, 8);
	more[5] = 0x123456789ab + i;
	uint64_t id = request(service, begin);
	more[0] = id & ~0xffull | 2 | 5 << 5; /* ends; 5 words */
	printed[i] = (int)request(service, more);
}

int main(int argc, char **argv)
{
	enum { N = 130 };
	int *d, h[N], limit = argc > 1 ? atoi(argv[1]) : N;
	CHECK(hipMalloc(&d, sizeof h)), CHECK(hipMemset(d, 0, sizeof h));
	print<<<3, 64>>>(d, limit, argc > 2 ? atoi(argv[2]) : 2);
	hipError_t e = hipDeviceSynchronize();
	if (e) {
		printf("error %d\n", e);
		return 0;
	}
	CHECK(hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		char text[100];
		int want = snprintf(text, sizeof text, "lane %d: %s, %5.2f, %lx, %%\n", i, "eight chars", i * 0.25, 0x123456789abul + i);
		EXPECT(h[i] == (i < limit ? want : 0));
	}
	CHECK(hipFree(d));
	puts("right");
	return 0;
}
