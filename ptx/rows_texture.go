package ptx

// textureBound is the fidelity of lookups. The manuals give the weights of filters, and neither the width of their sums nor the
// formula of levels by derivatives.
const textureBound = "linear filters, sRGB and .grad have no bound in the manuals; exact without them"

// Textures and surfaces, PTX ISA 9.7.11 and 9.7.12. Package texture says what a descriptor holds and what a lookup reads.
var textureRows = []row{
	{Form: "tex{.mipmap}.geom.v4.dtype.ctype ...; mipmap = base level grad; geom = 1d 2d 3d a1d a2d cube acube; dtype = u32 s32 f16 f32; ctype = s32 f32", About: "Look up a texture.",
		PTX: v(1, 0), Sec: "9.7.11.3", Needs: ".a1d 2.3 sm_10; .a2d 2.3 sm_10; .cube 3.0 sm_10; .acube 3.0 sm_20; mipmap 3.1 sm_20; .f16 4.2 sm_53", Do: texLookup, Cost: costMemory, Bound: textureBound, Undefined: textureUndefined},
	{Form: "tex{.mipmap}.geom.v2.f16x2.ctype ...; mipmap = base level grad; geom = 1d 2d 3d a1d a2d cube acube; ctype = s32 f32",
		PTX: v(4, 2), SM: 53, Sec: "9.7.11.3", Do: texLookup, Cost: costMemory, Bound: textureBound, Undefined: textureUndefined},
	{Form: "tex{.base}.geom.v4.dtype.s32 ...; geom = 2dms a2dms; dtype = u32 s32 f16 f32",
		PTX: v(3, 2), SM: 30, Sec: "9.7.11.3", Needs: ".base 3.1 sm_20; .f16 4.2 sm_53", Do: unsupported(sampleFamily, checkTexture)},
	{Form: "tex{.base}.geom.v2.f16x2.s32 ...; geom = 2dms a2dms",
		PTX: v(4, 2), SM: 53, Sec: "9.7.11.3", Do: unsupported(sampleFamily, checkTexture)},
	{Form: "tld4.comp.geom.v4.dtype.f32 ...; comp = r g b a; geom = 2d a2d cube acube; dtype = u32 s32 f32", About: "Fetch the four texels that a bilinear lookup would use.",
		PTX: v(2, 2), SM: 20, Sec: "9.7.11.4", Needs: ".a2d 4.3 sm_30; .cube 4.3 sm_30; .acube 4.3 sm_30", Do: texLookup, Cost: costMemory, Undefined: textureUndefined},
	{Form: "txq.query.b32 ...; query = width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2", About: "Ask for an attribute of a texture or sampler.",
		PTX: v(1, 5), Sec: "9.7.11.5", Needs: ".channel_data_type 2.1 sm_10; .channel_order 2.1 sm_10; .force_unnormalized_coords 2.2 sm_10; .array_size 4.1 sm_10; .num_mipmap_levels 4.1 sm_20; .num_samples 4.1 sm_30", Do: textureQuery(Texref, Samplerref), Cost: costMemory, Undefined: handleUndefined},
	{Form: "txq.level.query.b32 ...; query = width height depth", PTX: v(4, 3), SM: 30, Sec: "9.7.11.5", Do: textureQuery(Texref, Samplerref), Cost: costMemory, Undefined: handleUndefined},
	{Form: "istypep.opaque p, a:h64; opaque = texref samplerref surfref", About: "Ask whether an address is that of an opaque variable.", PTX: v(4, 0), SM: 30, Sec: "9.7.11.6", Do: isOpaque, Cost: costMemory},

	{Form: "suld.b.geom{.cop}{.vec}.dtype{.clamp} ...; geom = 1d 2d 3d a1d a2d; cop = ca cg cs cv; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero", About: "Load from a surface.",
		PTX: v(1, 5), Sec: "9.7.12.1", Needs: "cop 2.0 sm_20; .clamp 2.0 sm_20; .zero 2.0 sm_20; .3d 3.0 sm_20; .a1d 3.0 sm_20; .a2d 3.0 sm_20", Do: surfaceLoad, Cost: costMemory, Undefined: textureUndefined},
	{Form: "sust.b.geom{.cop}{.vec}.dtype{.clamp} ...; geom = 1d 2d 3d a1d a2d; cop = wb cg cs wt; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero", About: "Store to a surface.",
		PTX: v(1, 5), Sec: "9.7.12.2", Needs: "cop 2.0 sm_20; .clamp 2.0 sm_20; .zero 2.0 sm_20; .3d 3.0 sm_20; .a1d 3.0 sm_20; .a2d 3.0 sm_20", Do: surfaceStore, Cost: costMemory, Undefined: handleUndefined},
	{Form: "sust.p.geom{.vec}.b32{.clamp} ...; geom = 1d 2d 3d; vec = v2 v4; clamp = trap clamp zero",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.2", Needs: ".3d 3.0 sm_20", Do: surfacePack, Cost: costMemory, Undefined: handleUndefined},
	{Form: "sured.b.op.geom.ctype.clamp ...; op = add min max and or; geom = 1d 2d 3d; ctype = u32 u64 s32 b32 s64; clamp = trap clamp zero", About: "Reduce into a surface.",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.3", Needs: ".3d 3.0 sm_20; .s64 8.1 sm_50", Do: surfaceReduce, Cost: costMemory, Undefined: handleUndefined},
	{Form: "sured.p.op.geom.ctype.clamp ...; op = add min max and or; geom = 1d 2d 3d; ctype = b32 u32 s32 b64; clamp = trap clamp zero",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.3", Needs: ".3d 3.0 sm_20; .b64 8.1 sm_50", Do: surfaceReduce, Cost: costMemory, Undefined: handleUndefined},
	{Form: "suq.query.b32 ...; query = width height depth channel_data_type channel_order array_size memory_layout", About: "Ask for an attribute of a surface.",
		PTX: v(1, 5), Sec: "9.7.12.4", Needs: ".channel_data_type 2.1 sm_10; .channel_order 2.1 sm_10; .array_size 4.1 sm_10; .memory_layout 4.2 sm_10", Do: textureQuery(Surfref), Cost: costMemory, Undefined: handleUndefined},
}
