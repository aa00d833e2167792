package ptx

const atomNeeds = "scope 5.0 sm_60; .cluster 7.8 sm_90; sem 6.0 sm_70; level::cache_hint 7.4 sm_80; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90"

// Atomics, PTX ISA 9.7.13.5 and 9.7.13.6. Atomics of 64 bits, of f32 and of f64
// came later than those of 32 bits and have rows of their own for that reason.
var atomicRows = []row{
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = and or xor exch; type = b32", About: "Read, modify and write memory in one step, and return the old value.",
		PTX: v(1, 1), SM: 11, Sec: "9.7.13.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = and or xor; type = b64",
		PTX: v(3, 1), SM: 32, Sec: "9.7.13.5", Needs: atomNeeds, Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = exch; type = b64",
		PTX: v(1, 2), SM: 12, Sec: "9.7.13.5", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; type = b16 b32 b64",
		PTX: v(1, 1), SM: 11, Sec: "9.7.13.5", Needs: "scope 5.0 sm_60; .cluster 7.8 sm_90; sem 6.0 sm_70; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90; .b16 6.3 sm_70; .b64 1.2 sm_12; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = add min max; type = u32 s32",
		PTX: v(1, 1), SM: 11, Sec: "9.7.13.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = inc dec; type = u32",
		PTX: v(1, 1), SM: 11, Sec: "9.7.13.5", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.add{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; type = u64",
		PTX: v(1, 2), SM: 12, Sec: "9.7.13.5", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; op = min max; type = u64 s64",
		PTX: v(3, 1), SM: 32, Sec: "9.7.13.5", Needs: atomNeeds, Do: atom, Loose: true, Cost: costMemory},
	{Form: "atom{.sem}{.scope}{.ss}.add{.level::cache_hint}.type d, [a], b{, policy:b64}; sem = relaxed acquire release acq_rel; ss = global shared shared::cta shared::cluster; type = f32 f64",
		PTX: v(2, 0), SM: 20, Sec: "9.7.13.5", Needs: atomNeeds + "; .f64 5.0 sm_60", Do: atom, Loose: true, Cost: costMemory},

	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; op = and or xor; type = b32 b64", About: "Read, modify and write memory in one step.",
		PTX: v(1, 2), SM: 11, Sec: "9.7.13.6", Needs: atomNeeds + "; .shared 1.2 sm_12; .b64 3.1 sm_32", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; op = add min max; type = u32 s32",
		PTX: v(1, 2), SM: 11, Sec: "9.7.13.6", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; op = inc dec; type = u32",
		PTX: v(1, 2), SM: 11, Sec: "9.7.13.6", Needs: atomNeeds + "; .shared 1.2 sm_12", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.add{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; type = u64",
		PTX: v(1, 2), SM: 12, Sec: "9.7.13.6", Needs: atomNeeds + "; .shared 2.0 sm_20", Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; op = min max; type = u64 s64",
		PTX: v(3, 1), SM: 32, Sec: "9.7.13.6", Needs: atomNeeds, Do: atom, Loose: true, Cost: costMemory},
	{Form: "red{.sem}{.scope}{.ss}.add{.level::cache_hint}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; type = f32 f64",
		PTX: v(2, 0), SM: 20, Sec: "9.7.13.6", Needs: atomNeeds + "; .f64 5.0 sm_60", Do: atom, Loose: true, Cost: costMemory},
}
