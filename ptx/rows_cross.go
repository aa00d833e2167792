package ptx

// Instructions that cross lanes, PTX ISA 9.7.9.5, 9.7.9.6 and 9.7.14.9 to 9.7.14.15.
var crossRows = []row{
	{Form: "shfl.mode.b32 d[|p], a, b:u32, c:u32; mode = up down bfly idx", About: "Each lane reads the register of another lane of its warp.", PTX: v(3, 0), SM: 30, Sec: "9.7.9.5",
		Deprecated: v(6, 0), Removed: v(6, 4), RemovedSM: 70, Instead: "shfl.sync", Do: shfl, Cost: costShared,
		Undefined: []Undefined{undefInactive}},
	{Form: "shfl.sync.mode.b32 d[|p], a, b:u32, c:u32, membermask:u32; mode = up down bfly idx", PTX: v(6, 0), SM: 30, Sec: "9.7.9.6", Do: shflSync, Cost: costShared,
		Undefined: []Undefined{undefAbsent, undefMember}},
	{Form: "vote.mode.pred p, {!}a; mode = all any uni", About: "Combine a predicate over the lanes of a warp.", PTX: v(1, 2), SM: 12, Sec: "9.7.14.9",
		Deprecated: v(6, 0), Removed: v(6, 4), RemovedSM: 70, Instead: "vote.sync", Do: vote, Cost: costHalf},
	{Form: "vote.ballot.b32 d, {!}a", PTX: v(1, 2), SM: 20, Sec: "9.7.14.9",
		Deprecated: v(6, 0), Removed: v(6, 4), RemovedSM: 70, Instead: "vote.sync", Do: vote, Cost: costHalf},
	{Form: "vote.sync.mode.pred p, {!}a, membermask:u32; mode = all any uni", PTX: v(6, 0), SM: 30, Sec: "9.7.14.10", Do: voteSync, Cost: costHalf,
		Undefined: []Undefined{undefMember}},
	{Form: "vote.sync.ballot.b32 d, {!}a, membermask:u32", PTX: v(6, 0), SM: 30, Sec: "9.7.14.10", Do: voteSync, Cost: costHalf,
		Undefined: []Undefined{undefMember}},
	{Form: "match.any.sync.type d:b32, a, membermask:u32; type = b32 b64", About: "Find the lanes that hold equal values.", PTX: v(6, 0), SM: 70, Sec: "9.7.14.11", Do: match, Cost: costSlow,
		Undefined: []Undefined{undefMember}},
	{Form: "match.all.sync.type d[|p]:b32, a, membermask:u32; type = b32 b64", PTX: v(6, 0), SM: 70, Sec: "9.7.14.11", Do: match, Discards: true, Cost: costSlow,
		Undefined: []Undefined{undefMember}},
	{Form: "activemask.b32 d", About: "The mask of the lanes that execute this instruction together.", PTX: v(6, 2), SM: 30, Sec: "9.7.14.12", Do: activemask,
		Undefined: []Undefined{undefTogether}},
	{Form: "redux.sync.op.type d, a, membermask:u32; op = add min max; type = u32 s32", About: "Reduce a value over the lanes of a warp.", PTX: v(7, 0), SM: 80, Sec: "9.7.14.13", Do: redux, Cost: costHalf,
		Undefined: []Undefined{undefMember}},
	{Form: "redux.sync.op.b32 d, a, membermask:u32; op = and or xor", PTX: v(7, 0), SM: 80, Sec: "9.7.14.13", Do: redux, Cost: costHalf,
		Undefined: []Undefined{undefMember}},
	{Form: "redux.sync.op{.abs}{.NaN}.f32 d, a, membermask:u32; op = min max", PTX: v(8, 6), SM: 100, Arch: "sm_100f", Sec: "9.7.14.13", Do: redux, Cost: costHalf,
		Undefined: []Undefined{undefMember}},
	{Form: "elect.sync d|p!:b32, membermask:u32", About: "Elect one lane of the warp.", PTX: v(8, 0), SM: 90, Sec: "9.7.14.15", Do: elect, Discards: true,
		Undefined: []Undefined{undefMember}},
}

// barSays holds the texts of explain for the operands of bar and barrier.
var barSays = map[string]string{
	"a": "the number of the barrier, 0 to 15", "b": "how many threads it waits for: a multiple of 32", "c": "the predicate that each thread brings",
	"d": "in how many threads the predicate is true", "p": "the predicates of all threads, combined",
	".arrive": "does not wait", ".red": "reduces a predicate over the threads", ".aligned": "all threads of the warp execute this instruction together",
}

// Barriers and miscellany, PTX ISA 9.7.14.1, 9.7.14.2 and 9.7.20.
var syncRows = []row{
	{Form: "bar{.cta}.sync a:u32{, b:u32}", About: "Wait at a barrier: for the threads of the block, or with .warp for lanes of the warp.", PTX: v(1, 0), Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: bar, Cost: costBarrier, Says: barSays},
	{Form: "bar{.cta}.arrive a:u32, b:u32", PTX: v(2, 0), SM: 20, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: bar, Cost: costBarrier, Says: barSays},
	{Form: "bar{.cta}.red.popc.u32 d, a:u32{, b:u32}, {!}c", PTX: v(2, 0), SM: 20, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: bar, Cost: costBarrier, Says: barSays},
	{Form: "bar{.cta}.red.op.pred p, a:u32{, b:u32}, {!}c; op = and or", PTX: v(2, 0), SM: 20, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: bar, Cost: costBarrier, Says: barSays},
	{Form: "bar.sync.all a:u32", PTX: v(6, 0), SM: 30, Sec: "9.7.14.1", Do: bar, Cost: costBarrier, Says: barSays},
	{Form: "barrier{.cta}.sync{.aligned} a:u32{, b:u32}", About: "Wait for the threads of the block at a barrier.", PTX: v(6, 0), SM: 30, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: barrier, Cost: costBarrier, Says: barSays},
	{Form: "barrier{.cta}.arrive{.aligned} a:u32, b:u32", PTX: v(6, 0), SM: 30, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: barrier, Cost: costBarrier, Says: barSays},
	{Form: "barrier{.cta}.red.popc{.aligned}.u32 d, a:u32{, b:u32}, {!}c", PTX: v(6, 0), SM: 30, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: barrier, Cost: costBarrier, Says: barSays},
	{Form: "barrier{.cta}.red.op{.aligned}.pred p, a:u32{, b:u32}, {!}c; op = and or", PTX: v(6, 0), SM: 30, Sec: "9.7.14.1", Needs: ".cta 7.8 sm_20", Do: barrier, Cost: costBarrier, Says: barSays},
	{Form: "bar.warp.sync membermask:u32", PTX: v(6, 0), SM: 30, Sec: "9.7.14.2", Do: warpSync,
		Undefined: []Undefined{undefMember}},
	{Form: "brkpt", About: "Stop for a debugger.", PTX: v(1, 0), SM: 11, Sec: "9.7.20.1", Do: trap},
	{Form: "nanosleep.u32 t", About: "Suspend the thread for about t nanoseconds: no effect on results.", PTX: v(6, 2), SM: 70, Sec: "9.7.20.2", Do: yield},
	{Form: "setmaxnreg.action.sync.aligned.u32 registers:imm9; action = inc dec", About: "Change the number of registers of the warp: no effect on results.", PTX: v(8, 0), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.20.5", Do: maxRegisters,
		Undefined: []Undefined{undefWarpgroup}},
	{Form: "griddepcontrol.action; action = launch_dependents wait", About: "Order dependent grids: no effect on one grid.", PTX: v(7, 8), SM: 90, Sec: "9.7.14.14", Do: hint},
	{Form: "pmevent a:imm4", About: "Trigger a performance monitor event: no effect on results.", PTX: v(1, 4), Sec: "9.7.20.3", Do: hint},
	{Form: "pmevent.mask a:imm16", PTX: v(3, 0), SM: 20, Sec: "9.7.20.3", Do: hint},
	{Form: "trap", About: "Abort the run with a fault.", PTX: v(1, 0), Sec: "9.7.20.4", Do: trap},
}

// Control flow, PTX ISA 9.7.13.
var flowRows = []row{
	{Form: "bra{.uni} tgt", About: "Branch, each thread for itself.", PTX: v(1, 0), Sec: "9.7.13.3", Do: bra, Cost: costBranch},
	{Form: "brx.idx{.uni} a:u32, tlist", About: "Branch to one of a list of targets.", PTX: v(6, 0), SM: 30, Sec: "9.7.13.4", Do: brx, Cost: costBranch, Says: map[string]string{"a": "the number of the target, from 0", "tlist": "the .branchtargets directive that lists the targets"},
		Undefined: []Undefined{undefTarget}},
	{Form: "call{.uni} callee:callee", About: "Call a function.", PTX: v(1, 0), Sec: "9.7.13.5", Do: call, Cost: costBranch},
	{Form: "ret{.uni}", About: "Return from a function; end the thread of a kernel.", PTX: v(1, 0), Sec: "9.7.13.6", Do: ret, Cost: costBranch},
	{Form: "stacksave.type d; type = u32 u64", About: "Copy the stack pointer to a register.", PTX: v(7, 3), SM: 52, Sec: "9.7.18.1", Do: stackSave},
	{Form: "stackrestore.type a!; type = u32 u64", About: "Set the stack pointer to a value that stacksave returned.", PTX: v(7, 3), SM: 52, Sec: "9.7.18.2", Do: stackRestore,
		Undefined: []Undefined{undefStack}},
	{Form: "alloca.type d, a{, align:imm32}; type = u32 u64", About: "Allocate private memory on the stack until the function exits.", PTX: v(7, 3), SM: 52, Sec: "9.7.18.3", Do: allocaMeaning,
		Undefined: []Undefined{undefRoom}},
	{Form: "exit", About: "End the thread.", PTX: v(1, 0), Sec: "9.7.13.7", Do: exit, Cost: costBranch},
}
