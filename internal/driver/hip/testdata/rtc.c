/* A program that compiles a kernel while it runs, as a program in C of the ROCm of its version does, and what the library
   returns for mistakes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hiprtcCreateProgram(void **, const char *, const char *, int, const char **, const char **), hiprtcDestroyProgram(void **);
int hiprtcCompileProgram(void *, int, const char **), hiprtcAddNameExpression(void *, const char *), hiprtcGetLoweredName(void *, const char *, const char **);
int hiprtcGetCodeSize(void *, size_t *), hiprtcGetCode(void *, char *), hiprtcGetProgramLogSize(void *, size_t *), hiprtcGetProgramLog(void *, char *);
int hiprtcVersion(int *, int *);
const char *hiprtcGetErrorString(int);
int hipModuleLoadData(void *, const void *), hipModuleGetFunction(void *, void *, const char *), hipModuleGetGlobal(void *, size_t *, void *, const char *), hipModuleUnload(void *);
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int hipMalloc(void *, size_t), hipFree(void *), hipMemcpy(void *, const void *, size_t, int), hipMemset(void *, int, size_t);

#define EXPECT(condition) do { if (!(condition)) { printf("line %d: %s is wrong\n", __LINE__, #condition); exit(1); } } while (0)

static const char source[] =
	"#include \"parts/add.h\"\n"
	"#include <hip/hip_runtime.h>\n"
	"__device__ int offset = 1000;\n"
	"namespace my { template <int N> __global__ void add(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = sum(N, (int)threadIdx.x) + offset * (int)gridDim.x; } }\n";

static const char *header[] = { "__device__ inline int sum(int a, int b) { return a + b + EXTRA; }\n" }, *header_name[] = { "parts/add.h" };

/* log_of returns the log of a program. */
static char *log_of(void *program)
{
	size_t n = 0;
	char *text;
	EXPECT(!hiprtcGetProgramLogSize(program, &n) && n > 0);
	text = malloc(n);
	EXPECT(!hiprtcGetProgramLog(program, text) && strlen(text) == n - 1);
	return text;
}

int main(void)
{
	void *program, *module, *f, *g, *d, *args[1] = { &d };
	const char *name, *options[] = { "-DEXTRA=20", "--gpu-architecture=gfx803", "-O2" }, *wrong[] = { "-fgpu-rdc" };
	int h[128], major = 0, minor = 0;
	size_t n = 0;
	char *code, *text;
	EXPECT(!hiprtcVersion(&major, &minor) && major == 9);
	EXPECT(hiprtcCreateProgram(NULL, source, "a", 0, NULL, NULL) == 4 && hiprtcCreateProgram(&program, source, "a", 1, NULL, NULL) == 3 && hiprtcCreateProgram(&program, "", "a", 0, NULL, NULL) == 3);
	EXPECT(!hiprtcCreateProgram(&program, source, "add.hip", 1, header, header_name));
	EXPECT(!hiprtcAddNameExpression(program, "my::add<3>") && !hiprtcAddNameExpression(program, "&offset"));
	EXPECT(hiprtcGetLoweredName(program, "my::add<3>", &name) == 9 && hiprtcGetCode(program, (char *)h) == 3);
	EXPECT(hiprtcCompileProgram(program, 0, NULL) == 6); /* EXTRA is not defined */
	text = log_of(program);
	EXPECT(strstr(text, "add.h:1:") && strstr(text, "'EXTRA'") && !strstr(text, "/tmp"));
	free(text);
	EXPECT(hiprtcCompileProgram(program, 1, wrong) == 5);
	text = log_of(program);
	EXPECT(strstr(text, "crosslane: the option -fgpu-rdc of hiprtc is not supported"));
	free(text);
	EXPECT(!hiprtcCompileProgram(program, 3, options));
	EXPECT(!hiprtcGetCodeSize(program, &n) && n > 64);
	code = malloc(n);
	EXPECT(!hiprtcGetCode(program, code) && !memcmp(code, "\177ELF", 4));
	EXPECT(hiprtcAddNameExpression(program, "my::add<4>") == 8 && hiprtcGetLoweredName(program, "my::add<4>", &name) == 10);
	EXPECT(!hipModuleLoadData(&module, code));
	EXPECT(!hiprtcGetLoweredName(program, "my::add<3>", &name) && !strcmp(name, "_ZN2my3addILi3EEEvPi") && !hipModuleGetFunction(&f, module, name));
	EXPECT(!hiprtcGetLoweredName(program, "&offset", &name) && !strcmp(name, "offset") && !hipModuleGetGlobal(&g, &n, module, name) && n == 4);
	EXPECT(!hiprtcDestroyProgram(&program) && !program && hiprtcDestroyProgram(&program) == 4);
	EXPECT(!hipMalloc(&d, sizeof h) && !hipMemset(d, 0, sizeof h));
	EXPECT(!hipModuleLaunchKernel(f, 2, 1, 1, 64, 1, 1, 0, NULL, args, NULL) && !hipMemcpy(h, d, sizeof h, 2));
	for (int i = 0; i < 128; i++)
		EXPECT(h[i] == 3 + i % 64 + 20 + 2000);
	EXPECT(!hipFree(d) && !hipModuleUnload(module));
	EXPECT(!hiprtcCreateProgram(&program, source, "add.hip", 1, header, (const char *[]){ "../add.h" }) && hiprtcCompileProgram(program, 3, options) == 3);
	text = log_of(program);
	EXPECT(strstr(text, "the header \"../add.h\" has a name outside the folder of headers"));
	free(text), hiprtcDestroyProgram(&program);
	EXPECT(!hiprtcCreateProgram(&program, "__global__ void k() {}", NULL, 0, NULL, NULL) && !hiprtcAddNameExpression(program, "no_such") && hiprtcCompileProgram(program, 1, options + 1) == 6);
	text = log_of(program);
	EXPECT(strstr(text, "name expressions:1:") && strstr(text, "no_such"));
	free(text), hiprtcDestroyProgram(&program);
	EXPECT(!strcmp(hiprtcGetErrorString(6), "HIPRTC_ERROR_COMPILATION") && !strcmp(hiprtcGetErrorString(100), "HIPRTC_ERROR_LINKING"));
	free(code);
	puts("right");
	return 0;
}
