package ptx

// Moves, PTX ISA 9.7.9.3 and 9.7.9.4.
var moveRows = []row{
	// The operands of mov may be registers, special registers, vectors, addresses and functions;
	// its meaning distinguishes them.
	{Form: "mov.type d:any, a:any; type = pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", About: "Copy a register, a constant, a special register or an address; pack or unpack a vector.", PTX: v(1, 0), Sec: "9.7.9.3", Do: mov, Specials: true},
	{Form: "mov.b128 d:any, a:any", PTX: v(8, 3), SM: 70, Sec: "9.7.9.4", Do: mov, Specials: true},
	{Form: "mov.vec.type d, a; vec = v2 v4; type = b16 b32 u16 u32 s16 s32 f32", PTX: v(1, 0), Sec: "9.7.9.3", Do: movVector, Specials: true},
	{Form: "mov.vec.type d, a; vec = v2; type = b64 u64 s64 f64", PTX: v(1, 0), Sec: "9.7.9.3", Do: movVector, Specials: true},
	{Form: "isspacep.space p, a:addr; space = const global local shared shared::cta shared::cluster param param::entry", About: "Ask whether a generic address lies in a state space.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.20",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90", Do: isspacep},
	{Form: "cvta.space.size d:any, a:any; space = const global local shared shared::cta shared::cluster param param::entry; size = u32 u64", About: "Convert an address between a state space and the generic space.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.21",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90", Do: cvta},
	{Form: "cvta.to.space.size d, a; space = const global local shared shared::cta shared::cluster param param::entry; size = u32 u64", PTX: v(2, 0), SM: 20, Sec: "9.7.9.21",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90", Do: cvtaTo,
		Undefined: []Undefined{undefWindow}},
}
