// Opens the library whose path is given three times; each time its variable has its first value.
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **args)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(args[count - 1], RTLD_NOW);
		auto bump = library ? (int (*)())dlsym(library, "bump") : nullptr;
		if (!bump) {
			std::printf("%s\n", dlerror());
			return 1;
		}
		const int first = bump(), second = bump();
		if (first != 11 || second != 12) {
			std::printf("%d %d\n", first, second);
			return 1;
		}
		dlclose(library);
	}
	std::puts("right");
}
