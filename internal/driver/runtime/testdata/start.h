/* The start-up code of a translation unit with one kernel and three variables. CODE_KIND 2 makes the PTX look as if it were
   machine code. */
typedef struct { unsigned x, y, z; } dim3;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *), cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);

#ifndef CODE_KIND
#define CODE_KIND 1
#endif
#ifndef FIRST_CONSTANT
#define FIRST_CONSTANT "0"
#endif

#define PTX \
	".version 8.0\n.target sm_70\n.address_size 64\n" \
	".const .align 4 .u32 addend = " FIRST_CONSTANT ";\n.global .align 4 .u32 counter[2];\n" \
	".global .attribute(.managed) .align 4 .u32 shared_number = 7;\n" \
	".visible .entry add(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %q;\n" \
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n" \
	"ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r1; add.u32 %r3, %r3, %r2; ld.const.u32 %r4, [addend]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3;\n" \
	"setp.ne.u32 %q, %r2, 0; @%q ret; ld.global.u32 %r5, [counter+4]; add.u32 %r5, %r5, 1; st.global.u32 [counter+4], %r5;\n" \
	"ld.global.u32 %r6, [shared_number]; add.u32 %r6, %r6, %r6; st.global.u32 [shared_number], %r6; ret;\n}\n"

static const struct {
	uint32_t magic; uint16_t version, head; uint64_t size;
	uint16_t kind, one; uint32_t entry_head; uint64_t padded; uint32_t compressed, options; uint16_t minor, major; uint32_t sm, name, name_length; uint64_t flags, zero, bytes;
	char text[(sizeof PTX + 7) / 8 * 8];
} __attribute__((packed, aligned(8))) image = {
	0xba55ed50, 1, 16, 64 + (sizeof PTX + 7) / 8 * 8,
	CODE_KIND, 0x101, 64, (sizeof PTX + 7) / 8 * 8, 0, 0, 0, 8, 70, 0, 0, 0x11, 0, 0, PTX,
};

static const struct { uint32_t magic, version; const void *data, *extra; } wrapper = { 0x466243b1, 1, &image, NULL };

/* Their addresses stand for the kernels and the variables. */
static char add_stub, absent_stub, constant, counter;
static unsigned *managed;
static void **handle;

__attribute__((constructor)) static void begin_unit(void)
{
	handle = __cudaRegisterFatBinary((void *)&wrapper);
	__cudaRegisterFunction(handle, &add_stub, (char *)"add", "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, &absent_stub, (char *)"absent", "absent", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handle, &constant, (char *)"addend", "addend", 0, 4, 1, 0);
	__cudaRegisterVar(handle, &counter, (char *)"counter", "counter", 0, 8, 0, 0);
	__cudaRegisterManagedVar(handle, (void **)&managed, (char *)"shared_number", "shared_number", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

__attribute__((destructor)) static void end_unit(void) { __cudaUnregisterFatBinary(handle); }

/* add_all is add<<<1, 32, 0, stream>>>(p, n). */
static int add_all(void *p, unsigned n, void *stream)
{
	dim3 grid = { 1, 1, 1 }, block = { 32, 1, 1 };
	size_t shared;
	void *args[] = { &p, &n };
	int e = (int)__cudaPushCallConfiguration(grid, block, 0, stream);
	if (e || (e = __cudaPopCallConfiguration(&grid, &block, &shared, &stream)))
		return e;
	return cudaLaunchKernel(&add_stub, grid, block, args, shared, stream);
}
