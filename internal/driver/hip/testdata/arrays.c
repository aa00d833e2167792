/* Arrays in copies by parameters, and functions that are those of the driver API. MAJOR is the version of HIP. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if MAJOR < 6
typedef unsigned number; /* in HIP_MEMCPY3D */
enum { HOST = 0, DEVICE = 1, ARRAY = 2, UNIFIED = 3 };
#else
typedef size_t number;
enum { HOST = 1, DEVICE = 2, ARRAY = 10, UNIFIED = 3 };
#endif
enum { TO_DEVICE = 1, TO_HOST = 2, IN_DEVICE = 3 };
enum { INVALID_VALUE = 1, INVALID_DIRECTION = 21, INVALID_DEVICE = 101, INVALID_HANDLE = 400 };

struct box { number sx, sy, sz, sl; int skind; const void *shost; void *sdevice, *sarray; number spitch, sheight, dx, dy, dz, dl; int dkind; void *dhost, *ddevice, *darray; number dpitch, dheight, width, height, depth; };
struct rectangle { size_t sx, sy; int skind; const void *shost; void *sdevice, *sarray; size_t spitch, dx, dy; int dkind; void *dhost, *ddevice, *darray; size_t dpitch, width, height; };
struct pitched { void *p; size_t pitch, x, y; };
struct parameters { void *sarray; size_t sx, sy, sz; struct pitched s; void *darray; size_t dx, dy, dz; struct pitched d; size_t width, height, depth; int kind; };
struct array3d { size_t width, height, depth; int format; unsigned channels, flags; };
struct array2d { size_t width, height; int format; unsigned channels; };
struct fill { void *p; unsigned element; size_t height, pitch; unsigned value; size_t width; };

int hipArray3DCreate(void **, const struct array3d *), hipArrayCreate(void **, const struct array2d *), hipArrayDestroy(void *), hipArray3DGetDescriptor(struct array3d *, void *);
int hipDrvMemcpy3D(const struct box *), hipDrvMemcpy3DAsync(const struct box *, void *), hipMemcpy3D(const struct parameters *), hipMemcpyParam2D(const struct rectangle *), hipMemcpyAtoA(void *, size_t, void *, size_t, size_t);
int hipMemcpyAtoH(void *, void *, size_t, size_t), hipMalloc(void **, size_t), hipFree(void *), hipMemcpy(void *, const void *, size_t, int), hipDeviceSynchronize(void);
int hipGraphCreate(void **, unsigned), hipGraphDestroy(void *), hipGraphInstantiate(void **, void *, void *, char *, size_t), hipGraphLaunch(void *, void *), hipGraphExecDestroy(void *);
int hipDrvGraphAddMemcpyNode(void **, void *, const void *, size_t, const struct box *, void *), hipDrvGraphMemcpyNodeGetParams(void *, struct box *), hipDrvGraphMemcpyNodeSetParams(void *, const struct box *);
int hipDrvGraphExecMemcpyNodeSetParams(void *, void *, const struct box *, void *), hipDrvGraphAddMemsetNode(void **, void *, const void *, size_t, const struct fill *, void *);
int hipDrvGraphExecMemsetNodeSetParams(void *, void *, const struct fill *, void *);
int hipStreamCreate(void **), hipStreamDestroy(void *), hipStreamSynchronize(void *), hipStreamBatchMemOp(void *, unsigned, void *, unsigned), hipDeviceGetP2PAttribute(int *, int, int, int), hipCtxGetCacheConfig(int *);
int hipStreamCreateWithPriority(void **, unsigned, int), hipStreamGetAttribute(void *, int, void *);

static int wrong;
#define WANT(x, v) do { long long got_ = (long long)(x); if (got_ != (long long)(v)) { printf("line %d: %s is %lld, want %lld\n", __LINE__, #x, got_, (long long)(v)); wrong++; } } while (0)
#define OK(x) WANT(x, 0)

enum { W = 7, H = 5, D = 3 };
static int a[D][H][W], b[D][H][W], zero[D][H][W];

int main(void)
{
	struct array3d shape = { W, H, D, 0x0a, 1, 0 }, seen = { 0 };
	struct array2d wide = { 6, 4, 0x0a, 2 }, bytes = { 64, 4, 0x01, 1 }, line = { 20, 0, 0x0a, 1 };
	void *array, *pairs, *small, *first, *second, *linear, *graph, *node, *fills, *run, *stream;
	int v = -1;
	for (int i = 0; i < D * H * W; i++)
		a[0][0][i] = 1000 + i;
	OK(hipArray3DCreate(&array, &shape));
	OK(hipArray3DGetDescriptor(&seen, array));
	WANT(seen.width == W && seen.height == H && seen.depth == D && seen.format == 0x0a && seen.channels == 1 && seen.flags == 0, 1);

	/* A box from the host, all of it; and a part of it back, to another place. */
	struct box all = { .skind = HOST, .shost = a, .spitch = sizeof a[0][0], .sheight = H, .dkind = ARRAY, .darray = array, .width = sizeof a[0][0], .height = H, .depth = D };
	OK(hipDrvMemcpy3D(&all));
	struct box part = { .sx = 8, .sy = 1, .sz = 1, .skind = ARRAY, .sarray = array, .dx = 4, .dy = 2, .dz = 0, .dkind = HOST, .dhost = b, .dpitch = sizeof b[0][0], .dheight = H, .width = 12, .height = 3, .depth = 2 };
	OK(hipDrvMemcpy3DAsync(&part, NULL));
	OK(hipDeviceSynchronize());
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				WANT(b[z][y][x], z < 2 && y >= 2 && x >= 1 && x < 4 ? a[z + 1][y - 1][x + 1] : 0);
	part.sx = 20;
	WANT(hipDrvMemcpy3D(&part), INVALID_VALUE);
	part.sx = 8, part.sz = 2;
	WANT(hipDrvMemcpy3D(&part), INVALID_VALUE);
	part.sz = 1, part.sarray = &shape;
	WANT(hipDrvMemcpy3D(&part), INVALID_HANDLE);
	WANT(hipDrvMemcpy3D(NULL), INVALID_VALUE);

	/* By the runtime's structure the width and x of the array count elements; x of memory counts bytes. */
	memcpy(b, zero, sizeof b);
	struct parameters q = { .sarray = array, .sx = 3, .sy = 2, .sz = 2, .d = { b, sizeof b[0][0], W, H }, .dx = 8, .dy = 1, .dz = 1, .width = 4, .height = 3, .depth = 1, .kind = TO_HOST };
	OK(hipMemcpy3D(&q));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				WANT(b[z][y][x], z == 1 && y >= 1 && y < 4 && x >= 2 && x < 6 ? a[2][y + 1][x + 1] : 0);
	q.width = 5;
	WANT(hipMemcpy3D(&q), INVALID_VALUE);
	q.width = 4, q.kind = TO_DEVICE;
	WANT(hipMemcpy3D(&q), INVALID_DIRECTION);
	q.kind = TO_HOST, q.s.p = b;
	WANT(hipMemcpy3D(&q), INVALID_VALUE);
	q.s.p = NULL, q.d.p = NULL, q.kind = IN_DEVICE;
	OK(hipArrayCreate(&pairs, &wide));
	q.darray = pairs;
	WANT(hipMemcpy3D(&q), INVALID_VALUE); /* elements of 4 and 8 bytes */

	/* Rectangles: memory to an array, an array to another one, and back. */
	OK(hipMalloc(&linear, sizeof a));
	OK(hipMemcpy(linear, a, sizeof a, TO_DEVICE));
	struct rectangle r = { .sx = 4, .sy = 1, .skind = DEVICE, .sdevice = linear, .spitch = sizeof a[0][0], .dx = 16, .dy = 1, .dkind = ARRAY, .darray = pairs, .width = 24, .height = 3 };
	OK(hipMemcpyParam2D(&r));
	OK(hipArrayCreate(&small, &bytes));
	r = (struct rectangle){ .sx = 16, .sy = 1, .skind = ARRAY, .sarray = pairs, .dx = 10, .dy = 0, .dkind = ARRAY, .darray = small, .width = 24, .height = 3 };
	OK(hipMemcpyParam2D(&r));
	char back[3][24] = { { 0 } };
	r = (struct rectangle){ .sx = 10, .skind = ARRAY, .sarray = small, .dkind = HOST, .dhost = back, .dpitch = 24, .width = 24, .height = 3 };
	OK(hipMemcpyParam2D(&r));
	for (int y = 0; y < 3; y++)
		WANT(memcmp(back[y], &a[0][1 + y][1], 24), 0);
	r.sy = 2;
	WANT(hipMemcpyParam2D(&r), INVALID_VALUE);
	OK(hipArrayDestroy(small));
	r.sy = 0;
	WANT(hipMemcpyParam2D(&r), INVALID_HANDLE);

	/* A graph whose copy writes an array, and whose fill is changed afterwards. */
	struct fill f = { linear, 4, 1, 0, 5, 6 };
	struct box seen_box;
	OK(hipGraphCreate(&graph, 0));
	OK(hipDrvGraphAddMemsetNode(&fills, graph, NULL, 0, &f, NULL));
	struct box copy = { .skind = DEVICE, .sdevice = linear, .spitch = 48, .sheight = 1, .dx = 0, .dy = 0, .dkind = ARRAY, .darray = pairs, .width = 24, .height = 1, .depth = 1 };
	OK(hipDrvGraphAddMemcpyNode(&node, graph, &fills, 1, &copy, NULL));
#if MAJOR >= 6
	OK(hipDrvGraphMemcpyNodeGetParams(node, &seen_box));
	WANT(seen_box.width, 24);
	WANT(seen_box.skind, DEVICE);
	WANT(seen_box.sdevice == linear && !seen_box.darray && seen_box.dkind == DEVICE, 1);
	copy.dy = 1;
	OK(hipDrvGraphMemcpyNodeSetParams(node, &copy));
#else
	(void)seen_box;
	copy.dy = 1;
#endif
	OK(hipGraphInstantiate(&run, graph, NULL, NULL, 0));
	OK(hipDrvGraphExecMemcpyNodeSetParams(run, node, &copy, NULL));
	f.value = 9;
	OK(hipDrvGraphExecMemsetNodeSetParams(run, fills, &f, NULL));
	OK(hipGraphLaunch(run, NULL));
	OK(hipDeviceSynchronize());
	int rows[4][12];
	r = (struct rectangle){ .skind = ARRAY, .sarray = pairs, .dkind = HOST, .dhost = rows, .dpitch = 48, .width = 48, .height = 2 };
	OK(hipMemcpyParam2D(&(struct rectangle){ .sy = 1, .skind = ARRAY, .sarray = pairs, .dkind = HOST, .dhost = rows, .dpitch = 48, .width = 24, .height = 1 }));
	for (int x = 0; x < 6; x++)
		WANT(rows[0][x], 9);
	OK(hipGraphExecDestroy(run));
	OK(hipGraphDestroy(graph));

	/* From array to array, and values by a list. */
	OK(hipArrayCreate(&first, &line));
	OK(hipArrayCreate(&second, &line));
	struct box fill = { .skind = HOST, .shost = a, .spitch = 80, .sheight = 1, .dkind = ARRAY, .darray = first, .width = 80, .height = 1, .depth = 1 };
	OK(hipDrvMemcpy3D(&fill));
	OK(hipMemcpyAtoA(second, 8, first, 40, 12));
	OK(hipMemcpyAtoH(rows, second, 8, 12));
	WANT(memcmp(rows, &a[0][0][10], 12), 0);
	WANT(hipMemcpyAtoA(second, 72, first, 40, 12), INVALID_VALUE);
	union { struct { int operation; void *p; uint64_t value; unsigned flags; void *alias; } one; uint64_t pad[6]; } list[2];
	memset(list, 0, sizeof list);
	list[0].one.operation = 2, list[0].one.p = linear, list[0].one.value = 4321;
	list[1].one.operation = 1, list[1].one.p = linear, list[1].one.value = 4321, list[1].one.flags = 1;
	OK(hipStreamCreateWithPriority(&stream, 0, -1));
	OK(hipStreamBatchMemOp(stream, 2, list, 0));
	OK(hipStreamSynchronize(stream));
	OK(hipMemcpy(&v, linear, 4, TO_HOST));
	WANT(v, 4321);
	long long value[8] = { 0 };
	OK(hipStreamGetAttribute(stream, 8, value));
	WANT((int)value[0], -1);
	WANT(hipDeviceGetP2PAttribute(&v, 1, 0, 1), INVALID_DEVICE);
	OK(hipCtxGetCacheConfig(&v));
	WANT(v, 0);

	OK(hipStreamDestroy(stream));
	OK(hipFree(linear));
	OK(hipArrayDestroy(array));
	OK(hipArrayDestroy(pairs));
	OK(hipArrayDestroy(first));
	OK(hipArrayDestroy(second));
	puts(wrong ? "wrong" : "right");
	return wrong != 0;
}
