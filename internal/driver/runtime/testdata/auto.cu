// The device that exec chooses for a process stays as it is: over a reset, after a fork, and for objects that the process opens.
// With -DPLUGIN this is an object with a kernel of its own.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void count(int *p) { atomicAdd(p, 1); }

// run prints the device, and how many of 64 lanes have counted.
extern "C" void run(const char *who)
{
	int device = 0, major = 0, minor = 0, n = 0, *p;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
	cudaMalloc(&p, sizeof n);
	cudaMemset(p, 0, sizeof n);
	count<<<2, 32>>>(p);
	cudaError_t error = cudaGetLastError();
	cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
	cudaFree(p);
	std::printf("%s: %d.%d %d %s\n", who, major, minor, n, cudaGetErrorName(error));
	std::fflush(stdout);
}

#ifndef PLUGIN
static void plugin(const char *file)
{
	void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	if (!object) {
		std::puts(dlerror());
		return;
	}
	((void (*)(const char *))dlsym(object, "run"))("object");
}

int main(int argc, char **argv)
{
	const char *mode = argv[1];
	if (!std::strcmp(mode, "reset")) {
		run("first");
		cudaDeviceReset();
		run("again");
	} else if (!std::strcmp(mode, "fork")) {
		pid_t child = fork();
		if (child == 0) {
			run("child");
			return 0;
		}
		int status;
		waitpid(child, &status, 0);
		run("parent");
	} else if (!std::strcmp(mode, "after")) {
		run("program");
		plugin(argv[2]);
	} else if (!std::strcmp(mode, "before")) {
		void *object = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
		run("program");
		plugin(argv[2]);
		dlclose(object);
	}
}
#endif
