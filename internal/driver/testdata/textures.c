/* Arrays, textures and surfaces: what kernels read and write through them, and each kind of refusal. */
#include "cu.h"

typedef unsigned long long u64;
struct descriptor { size_t width, height, depth; unsigned format, channels, flags; };
struct resource { unsigned type, pad; union { void *array; struct { u64 at; unsigned format, channels; size_t bytes; } linear; struct { u64 at; unsigned format, channels; size_t width, height, pitch; } pitch; int reserved[32]; } u; unsigned flags, pad2; };
struct sampling { unsigned address[3], filter, flags, anisotropy, mip_filter; float bias, min, max, border[4]; int reserved[12]; };
struct copy2d { size_t src_x, src_y; unsigned src_type; const void *src_host; u64 src_device; void *src_array; size_t src_pitch, dst_x, dst_y; unsigned dst_type; void *dst_host; u64 dst_device; void *dst_array; size_t dst_pitch, width, height; };
struct copy3d { size_t src_x, src_y, src_z, src_level; unsigned src_type; const void *src_host; u64 src_device; void *src_array, *src_context; size_t src_pitch, src_height, dst_x, dst_y, dst_z, dst_level; unsigned dst_type; void *dst_host; u64 dst_device; void *dst_array, *dst_context; size_t dst_pitch, dst_height, width, height, depth; };

int cuArrayCreate_v2(void **, const void *), cuArray3DCreate_v2(void **, const void *), cuArrayDestroy(void *), cuArray3DGetDescriptor_v2(void *, void *);
int cuMipmappedArrayCreate(void **, const void *, unsigned), cuMipmappedArrayGetLevel(void **, void *, unsigned), cuMipmappedArrayDestroy(void *);
int cuTexObjectCreate(u64 *, const void *, const void *, const void *), cuTexObjectDestroy(u64), cuTexObjectGetResourceDesc(void *, u64), cuTexObjectGetTextureDesc(void *, u64);
int cuSurfObjectCreate(u64 *, const void *), cuSurfObjectDestroy(u64), cuSurfObjectGetResourceDesc(void *, u64);
int cuMemcpy2D_v2(const void *), cuMemcpy3D_v2(const void *), cuMemcpyHtoA_v2(void *, size_t, const void *, size_t), cuMemcpyAtoH_v2(void *, void *, size_t, size_t);

static const char text[] =
	".version 8.0\n.target sm_70\n.address_size 64\n"
	".visible .entry fetch(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;\n"
	"cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3f800000; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}]; st.global.f32 [%rd2], %f3; ret;\n}\n"
	".visible .entry layer(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3; mov.u32 %r2, 1;\n"
	"tex.a2d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%rd1, {%r1, %r2, %r2, %r2}]; st.global.f32 [%rd2], %f3; ret;\n}\n"
	".visible .entry level(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3; mov.u32 %r2, 0;\n"
	"tex.level.2d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%rd1, {%r2, %r2}], %r1; st.global.f32 [%rd2], %f3; ret;\n}\n"
	".visible .entry put(.param .u64 s)\n{\n.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [s]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, 2; cvt.rn.f32.u32 %f1, %r1; sust.b.2d.b32.zero [%rd1, {%r2, %r3}], %f1; ret;\n}\n";

static void *fetch, *layer, *level, *put;

static int look(void *kernel, u64 object, float *out)
{
	ptr p;
	void *args[] = { &object, &p };
	int e;
	OK(cuMemAlloc_v2(&p, 128));
	if (!(e = cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, args, NULL)) && !(e = cuCtxSynchronize()))
		OK(cuMemcpyDtoH_v2(out, p, 128));
	if (!e)
		OK(cuMemFree_v2(p));
	return e;
}

int main(int argc, char **argv)
{
	struct descriptor d = { 8, 4, 0, 0x20, 1, 0 }, seen;
	struct { size_t width, height; unsigned format, channels; } flat = { 8, 4, 0x20, 1 };
	struct resource r, back;
	struct sampling s, same;
	struct copy2d c;
	struct copy3d v;
	void *array, *volume, *mip, *l, *module;
	u64 tex, surf;
	ptr p;
	float data[64], out[32];
	begin();
	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&fetch, module, "fetch"));
	OK(cuModuleGetFunction(&layer, module, "layer"));
	OK(cuModuleGetFunction(&level, module, "level"));
	OK(cuModuleGetFunction(&put, module, "put"));
	for (int i = 0; i < 64; i++)
		data[i] = (float)i;
	memset(&r, 0, sizeof r), memset(&s, 0, sizeof s), memset(&c, 0, sizeof c), memset(&v, 0, sizeof v);

	/* An array, copied line by line from memory whose lines are 40 bytes apart. */
	OK(cuArrayCreate_v2(&array, &flat));
	OK(cuArray3DGetDescriptor_v2(&seen, array));
	WANT(seen.width * 100 + seen.height * 10 + seen.depth, 840);
	c.src_type = 1, c.src_host = data, c.src_pitch = 40, c.dst_type = 3, c.dst_array = array, c.width = 32, c.height = 4;
	OK(cuMemcpy2D_v2(&c));
	r.type = 0, r.u.array = array;
	s.address[0] = s.address[1] = s.address[2] = 1, s.filter = 1;
	OK(cuTexObjectCreate(&tex, &r, &s, NULL));
	OK(look(fetch, tex, out));
	/* At (i, 1) the filter takes the mean of four texels, each line 10 apart; clamp at the ends. */
	for (int i = 0; i < 32; i++) {
		float a = i > 7 ? 7 : i, b = i == 0 ? 0 : i > 8 ? 7 : i - 1;
		WANT(out[i] * 4, (a + b) * 2 + 20);
	}
	OK(cuTexObjectGetResourceDesc(&back, tex));
	WANT(back.u.array == array, 1);
	OK(cuTexObjectGetTextureDesc(&same, tex));
	WANT(memcmp(&s, &same, sizeof s), 0);
	/* A surface over the array: the third line becomes 0, 1, 2 and so on. */
	OK(cuSurfObjectCreate(&surf, &r));
	OK(cuSurfObjectGetResourceDesc(&back, surf));
	{
		void *args[] = { &surf };
		OK(cuLaunchKernel(put, 1, 1, 1, 32, 1, 1, 0, 0, args, NULL));
	}
	OK(cuMemcpyAtoH_v2(out, array, 64, 32));
	for (int i = 0; i < 8; i++)
		WANT(out[i], i);
	WANT(cuMemcpyAtoH_v2(out, array, 100, 32), 1);
	OK(cuSurfObjectDestroy(surf));
	OK(cuTexObjectDestroy(tex));
	WANT(cuTexObjectDestroy(tex), 1);

	/* Memory with a pitch, read at coordinates from 0 to 1. */
	OK(cuMemAlloc_v2(&p, 256));
	OK(cuMemcpyHtoD_v2(p, data, 256));
	r.type = 3, r.u.pitch.at = p, r.u.pitch.format = 0x20, r.u.pitch.channels = 1, r.u.pitch.width = 8, r.u.pitch.height = 2, r.u.pitch.pitch = 128;
	s.filter = 0, s.flags = 2, s.address[0] = s.address[1] = 0;
	OK(cuTexObjectCreate(&tex, &r, &s, NULL));
	OK(look(fetch, tex, out)); /* whole numbers are the first texel again */
	for (int i = 0; i < 32; i++)
		WANT(out[i], 0);
	OK(cuTexObjectDestroy(tex));
	OK(cuMemFree_v2(p));

	/* Four layers of 4x4. */
	d = (struct descriptor){ 4, 4, 4, 0x20, 1, 1 };
	OK(cuArray3DCreate_v2(&volume, &d));
	v.src_type = 1, v.src_host = data, v.src_pitch = 16, v.src_height = 4, v.dst_type = 3, v.dst_array = volume, v.width = 16, v.height = 4, v.depth = 4;
	OK(cuMemcpy3D_v2(&v));
	memset(&r, 0, sizeof r), memset(&s, 0, sizeof s);
	s.address[0] = s.address[1] = s.address[2] = 1;
	r.u.array = volume;
	OK(cuTexObjectCreate(&tex, &r, &s, NULL));
	OK(look(layer, tex, out));
	for (int i = 0; i < 32; i++)
		WANT(out[i], 5 + 16 * (i > 3 ? 3 : i));
	OK(cuTexObjectDestroy(tex));
	OK(cuArrayDestroy(volume));

	/* Three levels. */
	d = (struct descriptor){ 4, 4, 0, 0x20, 1, 0 };
	OK(cuMipmappedArrayCreate(&mip, &d, 3));
	for (int i = 0; i < 3; i++) {
		OK(cuMipmappedArrayGetLevel(&l, mip, i));
		OK(cuArray3DGetDescriptor_v2(&seen, l));
		WANT(seen.width, 4 >> i);
		for (int k = 0; k < 16; k++)
			data[k] = (float)(100 * i + k);
		OK(cuMemcpyHtoA_v2(l, 0, data, 4 * seen.width * seen.height));
	}
	WANT(cuMipmappedArrayGetLevel(&l, mip, 3), 1);
	r.type = 1, r.u.array = mip, s.max = 9;
	OK(cuTexObjectCreate(&tex, &r, &s, NULL));
	OK(look(level, tex, out));
	for (int i = 0; i < 32; i++)
		WANT(out[i], 100 * (i > 2 ? 2 : i));
	OK(cuTexObjectDestroy(tex));
	OK(cuMipmappedArrayDestroy(mip));

	/* Refusals. */
	d = (struct descriptor){ 4, 4, 0, 0x20, 3, 0 };
	WANT(cuArray3DCreate_v2(&volume, &d), 1);
	d = (struct descriptor){ 4, 3, 6, 0x20, 1, 4 };
	WANT(cuArray3DCreate_v2(&volume, &d), 1);
	d = (struct descriptor){ 0, 0, 0, 0x20, 1, 0 };
	WANT(cuArray3DCreate_v2(&volume, &d), 1);
	WANT(cuArrayDestroy(&d), 400);
	r.type = 0, r.u.array = &d;
	WANT(cuTexObjectCreate(&tex, &r, &s, NULL), 1);
	r.u.array = array, s.filter = 2;
	WANT(cuTexObjectCreate(&tex, &r, &s, NULL), 1);
	flat.format = 3;
	OK(cuArrayCreate_v2(&volume, &flat));
	r.u.array = volume, s.filter = 1, s.flags = 1; /* a linear filter of integers */
	WANT(cuTexObjectCreate(&tex, &r, &s, NULL), 1);
	OK(cuArrayDestroy(volume));
	c.src_array = &d, c.src_type = 3, c.dst_type = 1, c.dst_host = data;
	WANT(cuMemcpy2D_v2(&c), 400);
	if (argc > 1 && !strcmp(argv[1], "destroyed")) { /* the object is used after its end */
		s.filter = 0, s.flags = 0, r.u.array = array;
		OK(cuTexObjectCreate(&tex, &r, &s, NULL));
		OK(cuTexObjectDestroy(tex));
		WANT(look(fetch, tex, out) != 0, 1);
		return finish();
	}
	if (argc > 1 && !strcmp(argv[1], "layers")) { /* an array without layers is read as one with layers */
		s.filter = 0, s.flags = 0, r.u.array = array;
		OK(cuTexObjectCreate(&tex, &r, &s, NULL));
		WANT(look(layer, tex, out) != 0, 1);
		return finish();
	}
	OK(cuArrayDestroy(array));
	return finish();
}
