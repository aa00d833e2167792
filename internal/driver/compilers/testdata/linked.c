/* A program that is linked with NVRTC. */
#include <stdio.h>

int nvrtcVersion(int *, int *), nvrtcCompileProgram(void *, int, const char *const *), nvrtcGetCUBIN(void *, char *);

int main(void)
{
	static const char *const options[] = { "-arch=sm_80" };
	int major = 0, minor = 0;
	char text[8] = "";
	setvbuf(stdout, NULL, _IONBF, 0);
	nvrtcVersion(&major, &minor);
	nvrtcCompileProgram(&major, 1, options);
	nvrtcGetCUBIN(&major, text);
	printf("version %d.%d, %s\n", major, minor, text);
	return 0;
}
