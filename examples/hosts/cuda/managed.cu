// Managed memory: of the heap, and a managed variable.
#include "check.h"

__managed__ int total = 3;
__managed__ int table[4] = { 1, 2, 3, 4 };

struct Node { int value; Node *next; };

__global__ void walk(Node *list)
{
	for (; list; list = list->next)
		total += list->value;
	table[2] = total;
}

int main()
{
	Node *list = nullptr;
	WANT(total, 3);
	for (int i = 1; i <= 20; i++) {
		Node *n;
		OK(cudaMallocManaged(&n, sizeof *n));
		n->value = i, n->next = list, list = n;
	}
	total += 4;
	walk<<<1, 1>>>(list);
	OK(cudaDeviceSynchronize());
	WANT(total, 217);
	WANT(table[2], 217);
	WANT(table[3], 4);
	while (list) {
		Node *n = list;
		list = n->next;
		OK(cudaFree(n));
	}
	return finish();
}
