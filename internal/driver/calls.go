package driver

// A Call is the number of a call in requests. The driver library has the same numbers (shim/libcuda.c).
type Call uint16

// The calls. Each comment gives the body of the request, and after an arrow that of the reply.
const (
	CallHello       Call = iota + 1 // version u32, pid u32, program text; the arena's file -> options u32, driver version u32, device u32s
	CallCallers                     // frames: count u32, each file text, line u32, function text; for the next call
	CallAlloc                       // bytes u64, stream u64 (0: none), managed u32 -> address u64
	CallFree                        // address u64, stream u64 (0: none), in stream u32
	CallMemory                      // -> used u64, limit u64
	CallWriteShared                 // stream u64, address u64, bytes u64; the client writes them after the reply
	CallReadShared                  // stream u64, address u64, bytes u64; the client reads them after the reply
	CallWrite                       // stream u64, address u64, bytes
	CallRead                        // stream u64, address u64, bytes u64 -> bytes
	CallCopy                        // stream u64, to u64, from u64, bytes u64
	CallSet                         // stream u64, address u64, pattern bytes, elements u64
	CallLoad                        // name text, image bytes, most registers u32 (0: any), variables of the client: count u32, each name text, address u64 (both may be left out) -> module u64, log text, variables: count u32, each address u64, bytes u64, managed u32 (2: it is the client's, which puts pages there; an offset u64 in the arena's file follows)
	CallUnload                      // module u64
	CallFunction                    // module u64, name text -> function u64, layout
	CallFunctions                   // module u64 -> count u32, names
	CallVariable                    // module u64, name text -> address u64, bytes u64, managed u32
	CallPrepare                     // function u64 -> attributes
	CallMaxShared                   // function u64, bytes u32
	CallOccupancy                   // function u64, lanes u32, shared u32 -> blocks u32
	CallLaunch                      // stream u64, function u64, grid 3 u32, block 3 u32, shared u32, mode u32, parameters bytes; bit 0 of the mode: cooperative; 8 bits each from bit 8 on: a cluster's x, y, z, or 0
	CallStreamNew                   // non-blocking u32 -> stream u64
	CallStreamClose                 // stream u64
	CallStreamWait                  // stream u64: the host waits
	CallEventNew                    // -> event u64
	CallEventClose                  // event u64
	CallEventRecord                 // stream u64, event u64
	CallEventWait                   // stream u64, event u64: the stream waits
	CallEventHost                   // event u64: the host waits
	CallEventSince                  // event u64, earlier event u64 -> nanoseconds u64
	CallSynchronize                 // the host waits for all streams
	CallLink                        // most registers u32 (0: any), count u32, each name text, image bytes -> module text, log text
	CallReset                       // frees everything
	CallFindings                    // -> JSON crosslane.device-findings/1: the findings since the call before, and why the last call failed
	CallAllocNamed                  // name text, bytes u64, flags u32 (1 managed, 2 shown) -> address u64
	CallDescribe                    // function u64 -> JSON crosslane.device-kernel/1
	CallLaunchSeen                  // as CallLaunch -> findings u32: how many CallFindings would send
	CallRegister                    // address u64 (0: in new pages), offset in the first page u32, bytes u64 -> address u64; the client puts the pages into its own memory
	CallRefused                     // status u32, text; the library refused a call for the reason of the text. With a file text behind them: the code that this file registers cannot be loaded, for the reason of the last CallLoad or CallLink with an error
	CallExit                        // the host waits for all streams; the process exits by itself: an object that it has left is a leak
	CallHostFunc                    // number u32, stream u64: the client runs a function of the host; later calls wait until it has returned
	CallDrop                        // address u64: as CallFree, but the memory is a leak: its context ends
	CallIPCShare                    // address u64 -> handle bytes, address u64, bytes u64; its file follows the reply, with a byte
	CallIPCOpen                     // handle bytes -> as CallIPCShare
	CallWatch                       // stream u64, number u32, address u64, bytes u64, use u32 (0 a copy reads them, 1 a copy writes them, 2 a kernel may use them): the last operation of the stream uses memory of the host
	CallTouched                     // kind u32 (0 memory in use, 1 the device's, 2 the device's in a copy, 3 a free of another kind, which is the number), writes u32, number u32, address u64, bytes u64 (kind 0: 1 for an access of a function in a stream; kind 3: the API): the host has accessed memory that it may not
	CallArea                        // bytes u64 -> address u64: memory for the pieces of CallInPlace, in the place of that of the call before
	CallInPlace                     // function u64, grid 3 u32, block 3 u32, shared u32, last u32, parameters bytes, count u32, each piece its address on the host u64, its address in the area u64, bytes u64 -> the needed address u64, bytes u64 (0: none)
	CallMade                        // kind text, number u64: the library has made an object that only it knows
	CallEnded                       // kind text, number u64: and ends it
	CallWriteValue                  // stream u64, address u64, value u64, size u32, flags u32: the stream writes a value
	CallWaitValue                   // stream u64, address u64, value u64, size u32, how u32 (0 at least, 1 equal, 2 a common bit, 3 a bit that neither has): the stream waits for a value
	CallSnapshot                    // address u64, bytes u64 -> bytes, undefined bits: none, or as many bytes; nothing is reported but a bad address
	CallReserve                     // bytes u64, alignment u64 -> address u64
	CallUnreserve                   // address u64, bytes u64
	CallCreate                      // bytes u64 -> memory u64
	CallRetain                      // address u64 -> memory u64
	CallRelease                     // memory u64
	CallMap                         // address u64, bytes u64, offset u64, memory u64 -> the place of these bytes in the arena u64; the client maps them at the address, too
	CallUnmap                       // address u64, bytes u64; the client maps the arena's own bytes there again
	CallRights                      // address u64, bytes u64, rights u32 (CUmemAccess_flags)
	CallTensorMap                   // form u32 (0 tiled, 1 im2col, 2 im2col::w, 2+256 im2col::w::128), type u32, rank u32, address u64, sizes u64s, strides u64s from dimension 1 on, box u32s or corners u32s, channels u32, pixels u32, element strides u32s, interleave u32, swizzle u32, L2 u32, fill u32; or form u32 (3 address, 4 class), map bytes, value u64 -> why it is refused text, map bytes
	CallTexture                     // descriptor bytes (package texture) -> why it cannot be used text
	numCalls
)
