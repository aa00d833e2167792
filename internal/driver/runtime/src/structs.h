/* The structures of the runtime API. Their members are those of the API in its order; a test compares sizes and offsets
   with the headers. Handles are void *. */

typedef struct size3 { uint32_t x, y, z; } size3; /* dim3 */

struct extent { size_t width, height, depth; };
struct pos { size_t x, y, z; };
struct pitched { void *p; size_t pitch, xsize, ysize; };
struct channel { int32_t x, y, z, w; uint32_t kind; };

struct copy3d { /* cudaMemcpy3DParms */
	void *src_array; struct pos src_pos; struct pitched src;
	void *dst_array; struct pos dst_pos; struct pitched dst;
	struct extent extent; uint32_t kind;
};

struct peer3d { /* cudaMemcpy3DPeerParms */
	void *src_array; struct pos src_pos; struct pitched src; int32_t src_device;
	void *dst_array; struct pos dst_pos; struct pitched dst; int32_t dst_device;
	struct extent extent;
};

struct driver_copy3d { /* CUDA_MEMCPY3D of the driver API */
	uint64_t src_x, src_y, src_z, src_level; uint32_t src_type; const void *src_host; uint64_t src_device; void *src_array, *src_context; uint64_t src_pitch, src_height;
	uint64_t dst_x, dst_y, dst_z, dst_level; uint32_t dst_type; void *dst_host; uint64_t dst_device; void *dst_array, *dst_context; uint64_t dst_pitch, dst_height;
	uint64_t width, height, depth;
};

struct driver_copy2d { /* CUDA_MEMCPY2D of the driver API */
	uint64_t src_x, src_y; uint32_t src_type; const void *src_host; uint64_t src_device; void *src_array; uint64_t src_pitch;
	uint64_t dst_x, dst_y; uint32_t dst_type; void *dst_host; uint64_t dst_device; void *dst_array; uint64_t dst_pitch;
	uint64_t width, height;
};

struct launch_config { size3 grid, block; size_t shared; void *stream, *attributes; uint32_t count; }; /* cudaLaunchConfig_t */

struct function_attributes { /* cudaFuncAttributes */
	size_t shared, constant, local;
	int32_t max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carveout;
#if CUDART_MAJOR >= 12
	int32_t cluster_must_be_set, cluster[3], cluster_policy, nonportable_cluster, reserved[17];
#endif
};

struct pointer_attributes { /* cudaPointerAttributes */
	uint32_t type; int32_t device; void *device_pointer, *host_pointer;
#if CUDART_MAJOR >= 13
	union { int32_t domain; int64_t unused; } locality;
	int64_t reserved[7];
#endif
};

struct kernel_node { void *func; size3 grid, block; uint32_t shared; void **params, **extra; };              /* cudaKernelNodeParams */
struct memset_node { void *dst; size_t pitch; uint32_t value, element; size_t width, height; };             /* cudaMemsetParams */
struct update_result { uint32_t result; void *node, *from; };                                               /* cudaGraphExecUpdateResultInfo */
struct any_node { uint32_t type; int32_t reserved[3]; int64_t value[29]; int64_t last; };                   /* cudaGraphNodeParams */
