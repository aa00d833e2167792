package ptx

const (
	atomNeeds = "scope 5.0 sm_60; .cluster 7.8 sm_90; sem 6.0 sm_70; level::cache_hint 7.4 sm_80; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90"
	// Needs of the forms without a cache hint.
	casNeeds = "scope 5.0 sm_60; .cluster 7.8 sm_90; sem 6.0 sm_70; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90"
	// Needs of the vector forms, which access global memory only.
	vecNeeds = "level::cache_hint 7.4 sm_90"

	atomLists = "; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster"
	redLists  = "; sem = relaxed release; ss = global shared shared::cta shared::cluster"
	atomSem   = "; sem = relaxed acquire release acq_rel"
	redSem    = "; sem = relaxed release"
)

// Atomics, PTX ISA 9.7.14.5 and 9.7.14.6. Atomics of 64 bits, and of f32, f64 and f16, are newer
// than those of 32 bits, so they have rows of their own.
var atomicRows = []row{
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = and or xor exch; type = b32" + atomLists, About: "Read, modify and write memory in one step, and return the old value.",
		PTX: v(1, 1), SM: 11, Sec: "9.7.14.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = and or xor; type = b64" + atomLists,
		PTX: v(3, 1), SM: 32, Sec: "9.7.14.5", Needs: atomNeeds, Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = exch; type = b64" + atomLists,
		PTX: v(1, 2), SM: 12, Sec: "9.7.14.5", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = exch; type = b128" + atomLists,
		PTX: v(8, 3), SM: 90, Sec: "9.7.14.5", Needs: ".sys 8.4 sm_90", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c; type = b16" + atomLists,
		PTX: v(6, 3), SM: 70, Sec: "9.7.14.5", Needs: casNeeds, Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c; type = b32" + atomLists,
		PTX: v(1, 1), SM: 11, Sec: "9.7.14.5", Needs: casNeeds + "; .shared 1.2 sm_12", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c; type = b64" + atomLists,
		PTX: v(1, 2), SM: 12, Sec: "9.7.14.5", Needs: casNeeds + "; .shared 2.0 sm_20", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c; type = b128" + atomLists,
		PTX: v(8, 3), SM: 90, Sec: "9.7.14.5", Needs: ".sys 8.4 sm_90", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = add min max; type = u32 s32" + atomLists,
		PTX: v(1, 1), SM: 11, Sec: "9.7.14.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = inc dec; type = u32" + atomLists,
		PTX: v(1, 1), SM: 11, Sec: "9.7.14.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = add; type = u64" + atomLists,
		PTX: v(1, 2), SM: 12, Sec: "9.7.14.5", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = min max; type = u64 s64" + atomLists,
		PTX: v(3, 1), SM: 32, Sec: "9.7.14.5", Needs: atomNeeds, Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:h64}; op = add; type = f32 f64" + atomLists,
		PTX: v(2, 0), SM: 20, Sec: "9.7.14.5", Needs: atomNeeds + "; .f64 5.0 sm_60", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type d, [a], b{, policy:h64}; op = add; type = f16 f16x2 bf16 bf16x2 f32" + atomLists,
		PTX: v(6, 2), SM: 60, Sec: "9.7.14.5", Needs: atomNeeds + "; .f16 6.3 sm_70; .bf16 7.8 sm_90; .bf16x2 7.8 sm_90; .f32 9.4 sm_90", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	// Vectors: each element is atomic by itself.
	{Form: "atom{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type d, [a], b{, policy:h64}; op = add; vec = v2 v4; type = f32" + atomSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.5", Needs: vecNeeds + "; noftz 9.4 sm_90", Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type d, [a], b{, policy:h64}; op = add min max; vec = v2 v4 v8; type = f16 bf16" + atomSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.5", Needs: vecNeeds, Do: atom, Discards: true, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type d, [a], b{, policy:h64}; op = add min max; vec = v2 v4; type = f16x2 bf16x2" + atomSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.5", Needs: vecNeeds, Do: atom, Discards: true, Loose: true, Cost: costMemory},

	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = and or xor; type = b32 b64" + redLists, About: "Read, modify and write memory in one step.",
		PTX: v(1, 2), SM: 11, Sec: "9.7.14.6", Needs: atomNeeds + "; .shared 1.2 sm_12; .b64 3.1 sm_32", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = add min max; type = u32 s32" + redLists,
		PTX: v(1, 2), SM: 11, Sec: "9.7.14.6", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = inc dec; type = u32" + redLists,
		PTX: v(1, 2), SM: 11, Sec: "9.7.14.6", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = add; type = u64" + redLists,
		PTX: v(1, 2), SM: 12, Sec: "9.7.14.6", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = min max; type = u64 s64" + redLists,
		PTX: v(3, 1), SM: 32, Sec: "9.7.14.6", Needs: atomNeeds, Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:h64}; op = add; type = f32 f64" + redLists,
		PTX: v(2, 0), SM: 20, Sec: "9.7.14.6", Needs: atomNeeds + "; .f64 5.0 sm_60", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type [a], b{, policy:h64}; op = add; type = f16 f16x2 bf16 bf16x2 f32" + redLists,
		PTX: v(6, 2), SM: 60, Sec: "9.7.14.6", Needs: atomNeeds + "; .f16 6.3 sm_70; .bf16 7.8 sm_90; .bf16x2 7.8 sm_90; .f32 9.4 sm_90", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type [a], b{, policy:h64}; op = add; vec = v2 v4; type = f32" + redSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.6", Needs: vecNeeds + "; noftz 9.4 sm_90", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type [a], b{, policy:h64}; op = add min max; vec = v2 v4 v8; type = f16 bf16" + redSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.6", Needs: vecNeeds, Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type [a], b{, policy:h64}; op = add min max; vec = v2 v4; type = f16x2 bf16x2" + redSem,
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.6", Needs: vecNeeds, Do: atom, Loose: true, Cost: costMemory},
}
