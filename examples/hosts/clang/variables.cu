// Managed variables: the host and the kernels have them at one address.
#include "check.h"

struct Node { int value; Node *next; };

__managed__ int total = 3;
__managed__ int table[3000] = { 1, 2, 3 };
__managed__ Node *list;
static __managed__ double own = 0.5;

__global__ void walk(const Node *first, int *where)
{
	for (const Node *n = first; n; n = n->next)
		total += n->value;
	table[2999] = where == &table[10] && first == list;
	own *= 3;
}

int main()
{
	Node nodes[2];
	Node *shared;
	EXPECT(total == 3 && table[1] == 2 && table[3] == 0 && own == 0.5);
	OK(cudaMallocManaged(&shared, 2 * sizeof nodes[0]));
	shared[0] = { 10, &shared[1] };
	shared[1] = { 20, nullptr };
	list = shared;
	total += 4;
	walk<<<1, 1>>>(list, &table[10]);
#ifndef FORGET_WAIT
	OK(cudaDeviceSynchronize());
#endif
	const int seen = total; // without the wait the kernel may still change it
	OK(cudaDeviceSynchronize());
#ifndef FORGET_WAIT
	EXPECT(seen == 37);
#endif
	EXPECT(total == 37 && table[2999] == 1 && own == 1.5);

	// They are memory like any other.
	cudaPointerAttributes a;
	OK(cudaPointerGetAttributes(&a, &table[5]));
	EXPECT(a.type == cudaMemoryTypeManaged && a.devicePointer == &table[5]);
	int n = 50;
	OK(cudaMemcpyToSymbol(total, &n, sizeof n));
	EXPECT(total == 50);
	OK(cudaMemcpyFromSymbol(&n, table, sizeof n, sizeof n));
	EXPECT(n == 2);
	OK(cudaMemset(table, 0xff, 8));
	EXPECT(table[0] == -1 && table[1] == -1 && table[2] == 3);
	OK(cudaMemcpy(&total, &table[2], sizeof n, cudaMemcpyDefault));
	EXPECT(total == 3);
	int *p;
	OK(cudaGetSymbolAddress((void **)&p, table));
	EXPECT(p == table);
	OK(cudaFree(shared));

	// The variables have their first values after a reset, when a kernel is launched.
	OK(cudaDeviceReset());
	walk<<<1, 1>>>(nullptr, nullptr);
	OK(cudaDeviceSynchronize());
	EXPECT(total == 3 && table[0] == 1 && own == 1.5 && table[2999] == 0);
	std::puts(seen ? "right" : "wrong");
}
