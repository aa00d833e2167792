/* A program that compiles by libnvvm: nvvm_client LIBRARY FILE OPTION... . It prints the results, the log and the PTX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

#define CALL(name, ...) ((int (*)())dlsym(library, name))(__VA_ARGS__)

static const char *text(int result) { return ((const char *(*)(int))dlsym(library, "nvvmGetErrorString"))(result); }

int main(int n, char **args)
{
	void *program = NULL, *none = NULL;
	char *data = calloc(1, 1 << 16), *out;
	int major, minor, debug_major, debug_minor;
	size_t size = 0;
	FILE *f = fopen(args[2], "r");
	signal(SIGCHLD, SIG_IGN); /* as some hosts do */
	if (!(library = dlopen(args[1], RTLD_NOW)) || !f)
		return printf("%s\n", dlerror()), 1;
	size = fread(data, 1, 1 << 16, f);
	CALL("nvvmVersion", &major, &minor);
	printf("version %d.%d\n", major, minor);
	CALL("nvvmIRVersion", &major, &minor, &debug_major, &debug_minor);
	printf("IR %d.%d, debug %d.%d\n", major, minor, debug_major, debug_minor);
	CALL("nvvmLLVMVersion", "compute_80", &major);
	printf("LLVM %d\n", major);
	printf("create: %s\n", text(CALL("nvvmCreateProgram", &program)));
	printf("empty: %s\n", text(CALL("nvvmCompileProgram", program, 0, NULL)));
	printf("no result: %s\n", text(CALL("nvvmGetCompiledResultSize", program, &size)));
	printf("add: %s\n", text(CALL("nvvmAddModuleToProgram", program, data, strlen(data) + 1, NULL)));
	printf("add: %s\n", text(CALL("nvvmLazyAddModuleToProgram", program, "BC\xc0\xde", (size_t)4, "libdevice")));
	printf("add: %s\n", text(CALL("nvvmAddModuleToProgram", program, NULL, (size_t)4, "m")));
	printf("verify: %s\n", text(CALL("nvvmVerifyProgram", program, n - 3, args + 3)));
	printf("compile: %s\n", text(CALL("nvvmCompileProgram", program, n - 3, args + 3)));
	CALL("nvvmGetProgramLogSize", program, &size);
	out = calloc(1, size + 1);
	out[size] = '#';
	CALL("nvvmGetProgramLog", program, out);
	printf("log: %zu %s%s\n", size, out, out[size] == '#' ? "" : " too long");
	if (CALL("nvvmGetCompiledResultSize", program, &size) == 0) {
		out = calloc(1, size + 1);
		out[size] = '#';
		CALL("nvvmGetCompiledResult", program, out);
		printf("PTX of %s length%s\n%s", strlen(out) + 1 == size ? "right" : "wrong", out[size] == '#' ? "" : " too long", out);
	}
	printf("destroy: %s\n", text(CALL("nvvmDestroyProgram", &program)));
	printf("none: %s, %s\n", text(CALL("nvvmDestroyProgram", &none)), text(CALL("nvvmCompileProgram", NULL, 0, NULL)));
	return 0;
}
