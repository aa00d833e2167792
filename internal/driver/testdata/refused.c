/* Calls that are refused by name, and the attributes that say so. */
#include "cu.h"

int cuDeviceGetAttribute(int *, int, int), cuMemImportFromShareableHandle(void), cuMemPoolExportToShareableHandle(void);


int main(void)
{
	/* exported memory, clusters, tensor maps */
	static const int absent[] = { 103, 104, 105, 116, 120, 127, 128, 129 };
	int v;
	begin();
	for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++) {
		OK(cuDeviceGetAttribute(&v, absent[i], 0));
		WANT(v, 0);
	}
	for (int i = 0; i < 2; i++) {
		WANT(cuMemImportFromShareableHandle(), 801);
		WANT(cuMemPoolExportToShareableHandle(), 801);
	}
	return finish();
}
