/* A program that loads compilers at run time: client COMMAND LIBRARY. It prints what they answer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *function(const char *name)
{
	void *f = dlsym(library, name);
	if (!f) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return f;
}

#define CALL(name, ...) ((int (*)())function(name))(__VA_ARGS__)

static void show(const char *name, void *program)
{
	char size_name[64], text[64] = "";
	size_t n = 0;
	snprintf(size_name, sizeof size_name, "%sSize", name);
	CALL(size_name, program, &n);
	CALL(name, program, text);
	printf("%s: %zu %s\n", name, n, text);
}

static void compile(void *program, int n, const char *const *options)
{
	CALL("nvrtcCompileProgram", program, n, options);
	show("nvrtcGetCUBIN", program);
	show("nvrtcGetLTOIR", program);
	show("nvrtcGetPTX", program);
}

static void nvrtc(void)
{
	static const char *const real[] = { "-DX", "--gpu-architecture=sm_90a", "-G" }, *const two[] = { "-arch", "sm_80", "-arch=sm_70" };
	static const char *const virtual_[] = { "--gpu-architecture=compute_80" }, *const lto[] = { "-dlto", "-arch=sm_80" };
	static const char *const both[] = { "-rdc=true", "-arch=sm_80", "-dlto" };
	int major = 0, minor = 0;
	void *a = &major, *b = &minor;
	CALL("nvrtcVersion", &major, &minor);
	printf("version %d.%d\n", major, minor);
	compile(a, 3, real);
	compile(b, 3, two);
	compile(b, 1, virtual_);
	compile(a, 2, lto);
	compile(a, 3, both);
	compile(b, 0, NULL);
	CALL("nvrtcDestroyProgram", &a);
	show("nvrtcGetLTOIR", &major); /* a new program may have the address of an old one */
}

static void nvvm(void)
{
	static const char *options[] = { "-arch=compute_80", "-gen-lto", "-opt=3" };
	int major = 0, minor = 0;
	CALL("nvvmVersion", &major, &minor);
	printf("version %d.%d\n", major, minor);
	CALL("nvvmVerifyProgram", NULL, 3, options);
	CALL("nvvmCompileProgram", NULL, 3, options);
}

#define HEAD "// made\n/* by\n hand */ .version 8.0\n.target sm_80\n.address_size 64\n"
static const char caller[] = HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n";
static const char callee[] = HEAD ".visible .func f() { ret; }\n";
static const char uses_lto[] = HEAD ".extern .func lto();\n.visible .entry k() { call lto; ret; }\n";

static void *create(const char *prefix, int n, const char *const *options)
{
	char name[64];
	void *handle = NULL;
	int e;
	snprintf(name, sizeof name, prefix, "Create");
	if ((e = CALL(name, &handle, n, options)))
		printf("create: %d\n", e);
	return handle;
}

static int add(void *l, int type, const void *data, size_t size, const char *name)
{
	int e = ((int (*)(void *, int, const void *, size_t, const char *))function("nvJitLinkAddData"))(l, type, data, size, name);
	if (e)
		printf("add %s: %d\n", name ? name : "-", e);
	return e;
}

static void finish(void *l)
{
	size_t n = 0;
	char *text;
	int e = CALL("nvJitLinkComplete", l);
	printf("complete: %d\n", e);
	if (!e) {
		CALL("nvJitLinkGetLinkedCubinSize", l, &n);
		text = calloc(1, n + 1);
		CALL("nvJitLinkGetLinkedCubin", l, text);
		printf("%s%zu bytes too many\n", text, n - strlen(text) - 1);
		free(text);
	}
	CALL("nvJitLinkGetErrorLogSize", l, &n);
	text = calloc(1, n + 1);
	CALL("nvJitLinkGetErrorLog", l, text);
	printf("errors: %s\n", text);
	free(text);
	CALL("nvJitLinkGetInfoLogSize", l, &n);
	text = calloc(1, n + 1);
	CALL("nvJitLinkGetInfoLog", l, text);
	printf("infos: %s\n", text);
	free(text);
	CALL("nvJitLinkDestroy", &l);
	printf("destroyed: %d\n", l == NULL);
}

static void nvjitlink(void)
{
	static const char *const options[] = { "-arch=sm_80", "-lto", "-O3" }, *const no_arch[] = { "-O3" }, *const few[] = { "-arch=sm_80", "-maxrregcount=24" };
	static const char lto[] = "\x7fNC\xed and more";
	unsigned major = 0, minor = 0;
	void *l;
	CALL("nvJitLinkVersion", &major, &minor);
	printf("version %u.%u\n", major, minor);
	create("nvJitLink%s", 1, no_arch);

	l = create("__nvJitLink%s_13_5", 3, options);
	add(l, 2, caller, sizeof caller, "caller.ptx");
	add(l, 3, callee, sizeof callee - 1, NULL);
	add(l, 6, "!<arch>\nx", 9, "libcudadevrt.a");
	finish(l);

	l = create("__nvJitLink%s_12_0", 2, few); /* the function is missing */
	add(l, 2, caller, sizeof caller, "caller.ptx");
	finish(l);

	l = create("nvJitLink%s", 3, options);
	add(l, 1, "\x7f" "ELF and more", 13, "k.cubin");
	add(l, 4, "\x50\xed\x55\xba and more", 13, "k.fatbin");
	add(l, 10, "text", 4, "k.txt");
	add(l, 3, lto, sizeof lto - 1, "k.ltoir");
	add(l, 2, uses_lto, sizeof uses_lto, "caller.ptx");
	finish(l);

	l = create("nvJitLink%s", 3, options);
	add(l, 3, lto, sizeof lto - 1, "a.ltoir");
	add(l, 3, lto, sizeof lto - 1, "b.ltoir");
	finish(l);
}

int main(int argc, char **argv)
{
	void *early, *again;
	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0); /* libraries print, too */
	early = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
	library = dlopen(argv[2], RTLD_NOW);
	if (!library) {
		printf("%s\n", dlerror());
		return 1;
	}
	again = dlopen(strrchr(argv[2], '/') ? strrchr(argv[2], '/') + 1 : argv[2], RTLD_NOW | RTLD_NOLOAD);
	printf("loaded early: %d; found by its name: %d\n", early != NULL, again == library);
	if (!strcmp(argv[1], "nvrtc"))
		nvrtc();
	else if (!strcmp(argv[1], "nvvm"))
		nvvm();
	else
		nvjitlink();
	return 0;
}
