// Structures by value: with arrays, padding and more than 4 KB together.
#include "check.h"

struct Small { char tag; double value; short list[3]; };
struct Large { int words[1000]; };

__global__ void unpack(Small s, Large l, char last, double *out)
{
	int i = threadIdx.x;
	out[i] = i == 0 ? s.tag : i == 1 ? s.value : i == 2 ? s.list[2] : i == 3 ? last : l.words[i];
}

int main()
{
	Small s = { 'x', 6.5, { 1, 2, -3 } };
	Large l;
	for (int i = 0; i < 1000; i++)
		l.words[i] = 7 * i;
	Buffer<double> out(1000);
	unpack<<<1, 1000>>>(s, l, '!', out);
	std::vector<double> got = out.get();
	WANT(got[0], 'x');
	WANT(got[1] * 2, 13);
	WANT(got[2], -3);
	WANT(got[3], '!');
	for (int i = 4; i < 1000; i++)
		WANT(got[i], 7 * i);
	return finish();
}
