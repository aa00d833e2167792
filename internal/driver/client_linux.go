package driver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// client is a connected process.
type client struct {
	server *Server
	conn   *net.UnixConn
	ctx    context.Context
	cancel context.CancelFunc
	who    Client
	arena  *arena
	dev    *device.Device
	out    writer
	replies
	callers  device.Callers // of the next call
	stdout   printed        // the output of kernels since the last reply
	failed   diag.List      // why the last call with an error failed
	unloaded diag.List      // why the last module with an error could not be loaded or linked
	sentFindings

	texts     map[string][]byte // of modules, by name; the last one of a name
	last      uint64            // the last number of an object
	modules   map[uint64]*device.Module
	functions map[uint64]*device.Kernel
	numbers   map[*device.Kernel]uint64 // of functions
	streams   map[uint64]*device.Stream
	events    map[uint64]*device.Event
	area      area // for launches on memory of the host
	beside    beside
	owned     map[owned]device.Callers                // objects that the host has made and not ended
	host      func() (sim.HostState, device.HostWait) // stalled
}

// sentFindings says which findings CallFindings has sent.
type sentFindings struct {
	shown int       // how many of the device
	left  diag.List // those of the devices before that it has not sent
}

// newDevice makes the device of a client; c may be nil.
func newDevice(o Options, c *client) (*device.Device, error) {
	opt := o.Device
	opt.NoCallers = true
	if c != nil {
		opt.Report = func(d *diag.Diagnostic) { c.server.found(c.who, d) }
		opt.Stdout = &c.stdout
	}
	d, err := device.New(o.Target, opt)
	if err != nil || c == nil {
		return d, err
	}
	d.UseArena(c.arena)
	d.UseLateErrors()
	d.UseHost(c.host)
	if o.Record != nil {
		d.UseRecorder(func(r *device.Recorded) { o.Record(c.who, r) })
	}
	d.UseCallers(func() device.Callers { return c.callers })
	return d, nil
}

// Objects of streams: the default stream has the numbers 0 and 1. The own stream of the client's thread n has 16 n + 2.
const (
	noStream     = 0
	legacyStream = 1
	threadStream = 2
)

// maxObjects is how many objects of one kind a client may have.
const maxObjects = 1 << 20

// number makes the number of a new object. Numbers are never those of a special stream, and are not used again.
func (c *client) number() uint64 {
	c.last += 16
	return 0x10000 + c.last
}

// stream returns a stream by its number.
func (c *client) stream(n uint64) (*device.Stream, bool) {
	if n <= legacyStream {
		return c.dev.Default(), true
	}
	s := c.streams[n]
	if s == nil && n%16 == threadStream {
		return c.ownStream(n)
	}
	return s, s != nil
}

// printed puts the text that kernels have printed before the body of a reply.
func (c *client) printed() {
	c.out.bytes(c.stdout.text)
	c.stdout.text, c.stdout.full = c.stdout.text[:0], false
}

// printed is text on its way to a client.
type printed struct {
	text []byte
	full bool
}

// maxPrinted bounds the text between two replies.
const maxPrinted = 16 << 20

// Write keeps text, and says so if there is too much of it.
func (p *printed) Write(b []byte) (int, error) {
	if n := maxPrinted - len(p.text); n >= len(b) {
		p.text = append(p.text, b...)
	} else if !p.full {
		p.full = true
		p.text = append(append(p.text, b[:max(n, 0)]...), "\n(the text that follows is left out: it is more than 16 MiB between two calls)\n"...)
	}
	return len(b), nil
}

// handle carries out a call. It writes the body of the reply to c.out: printed text first.
func (c *client) handle(q *request) Status {
	in := &q.body
	call := Call(q.call)
	switch {
	case call == 0 || call >= numCalls:
		in.bad = true
		return InvalidValue
	case call == CallHello:
		return c.hello(in)
	case c.dev == nil:
		in.bad = true
		return NotInitialized
	case call == CallCallers:
		c.callers = c.frames(in)
		return Success
	}
	defer func() { c.callers = nil }()
	if !c.answered && call != CallLaunchSeen {
		c.printed()
	}
	if s := c.before(call, !c.answered); s != Success {
		return s
	}
	stream := in.peek()
	c.first = q.flags&flagFirst != 0
	if c.first {
		if s := c.wait(stream); s != Success {
			return s
		}
	}
	status := calls[call](c, in)
	if in.bad {
		return InvalidValue
	}
	if status == Success && q.flags&flagWait != 0 {
		return c.wait(stream)
	}
	return status
}

// calls are the functions of the calls. Each reads its fields first, and does nothing if they are bad.
var calls = [numCalls]func(c *client, in *reader) Status{
	CallAlloc: (*client).alloc, CallFree: (*client).free, CallMemory: (*client).memory,
	CallWriteShared: (*client).writeShared, CallReadShared: (*client).readShared, CallWrite: (*client).write, CallRead: (*client).read,
	CallCopy: (*client).copy, CallSet: (*client).set,
	CallLoad: (*client).load, CallUnload: (*client).unload, CallFunction: (*client).function, CallFunctions: (*client).functionNames,
	CallVariable: (*client).variable, CallPrepare: (*client).prepare, CallMaxShared: (*client).maxShared, CallOccupancy: (*client).occupancy,
	CallLaunch:    (*client).launch,
	CallStreamNew: (*client).streamNew, CallStreamClose: (*client).streamClose, CallStreamWait: (*client).streamWait,
	CallEventNew: (*client).eventNew, CallEventClose: (*client).eventClose, CallEventRecord: (*client).eventRecord,
	CallEventWait: (*client).eventWait, CallEventHost: (*client).eventHost, CallEventSince: (*client).eventSince,
	CallSynchronize: (*client).synchronize, CallLink: (*client).link, CallReset: (*client).reset,
	CallRefused: (*client).refused, CallExit: (*client).exit, CallHostFunc: (*client).hostFunction, CallDrop: (*client).drop,
	CallFindings: (*client).findings, CallAllocNamed: (*client).allocNamed, CallDescribe: (*client).describe,
	CallLaunchSeen: (*client).launchSeen,
	CallRegister:   (*client).register, CallIPCShare: (*client).ipcShare, CallIPCOpen: (*client).ipcOpen,
	CallWatch: (*client).watch, CallTouched: (*client).touched,
	CallArea: (*client).takeArea, CallInPlace: (*client).inPlace, CallMade: (*client).madeObject, CallEnded: (*client).endedObject,
	CallWriteValue: (*client).writeValue, CallWaitValue: (*client).waitValue, CallSnapshot: (*client).snapshot,
	CallTensorMap: (*client).tensorMap, CallTexture: (*client).texture,
	CallReserve: (*client).reserve, CallUnreserve: (*client).unreserve, CallCreate: (*client).create, CallRetain: (*client).retain,
	CallRelease: (*client).release, CallMap: (*client).mapMemory, CallUnmap: (*client).unmap, CallRights: (*client).rights,
}

// Options of the reply to Hello.
const (
	optionCheck     = 1 << iota // the client sends calls of the host, and notes of all copies
	optionKeepGoing             // faults are reported and not returned
)

// hello begins the conversation.
func (c *client) hello(in *reader) Status {
	version, pid, program := in.u32(), in.u32(), in.text()
	if in.bad || c.dev != nil || version != Version {
		in.bad = true
		return InvalidValue
	}
	c.conn.SetDeadline(time.Time{})
	c.who = Client{int(pid), program}
	c.clear()
	var err error
	o := c.server.opt
	if o.Choose != nil {
		o.Target = cmp.Or(o.Choose(c.peer(), c.who), o.Target)
	}
	if c.dev, err = newDevice(o, c); err != nil {
		return InvalidValue
	}
	c.server.processes.Add(1)
	c.printed()
	options := uint32(0)
	if o.Device.Check {
		options |= optionCheck
	}
	if o.Device.KeepGoing {
		options |= optionKeepGoing
	}
	c.out.u32(options)
	c.out.u32(DriverVersion)
	_, limit := c.dev.Used()
	c.out.u64(limit)
	c.out.text("Crosslane " + c.dev.Target())
	const attributes = 160
	c.out.u32(attributes)
	for n := range attributes {
		v, ok := c.dev.DriverAttribute(n)
		if !ok {
			v = -1
		}
		c.out.u32(uint32(int32(v)))
	}
	return Success
}

// clear makes the tables of objects empty.
func (c *client) clear() {
	c.texts = map[string][]byte{}
	c.modules, c.functions, c.numbers = map[uint64]*device.Module{}, map[uint64]*device.Kernel{}, map[*device.Kernel]uint64{}
	c.streams, c.events = map[uint64]*device.Stream{}, map[uint64]*device.Event{}
	c.area, c.owned = area{}, map[owned]device.Callers{}
}

// maxFrames is how many calls of a host are kept.
const maxFrames = 64

// maxFrameText is how many bytes the name of a file or of a function has at most.
const maxFrameText = 4 << 10

// frames reads the calls of the host.
func (c *client) frames(in *reader) device.Callers {
	n := in.u32()
	if n > maxFrames {
		in.bad = true
		return nil
	}
	var list device.HostStack
	var code []codeAddress
	for range n {
		file, line, name := in.text(), in.u32(), in.text()
		if len(file) > maxFrameText || len(name) > maxFrameText {
			in.bad = true
		}
		if line != codeLine {
			list = append(list, api.Frame{File: file, Line: int(line), Func: name})
			continue
		}
		at, symbol, _ := strings.Cut(name, " ")
		off, err := strconv.ParseUint(at, 16, 64)
		in.bad = in.bad || err != nil
		code = append(code, codeAddress{file, off, symbol})
	}
	if len(code) > 0 {
		return device.LateStack(func() []api.Frame { return c.server.symbols.frames(code) })
	}
	return list
}

// codeLine stands for the line of a call of compiled code: the function is the offset of the call in the file, in
// hexadecimal, and after a blank the exported symbol before it.
const codeLine = 1<<32 - 1

func (c *client) alloc(in *reader) Status {
	n, stream, managed := in.u64(), in.u64(), in.u32()
	if in.bad {
		return InvalidValue
	}
	var p api.DevicePtr
	var err error
	if stream == noStream {
		p, err = c.dev.Alloc("", n, managed != 0)
	} else {
		s, ok := c.stream(stream)
		if !ok {
			return InvalidHandle
		}
		p, err = s.Alloc("", n)
	}
	c.out.u64(uint64(p))
	return c.status(err)
}

func (c *client) free(in *reader) Status {
	p, stream, inStream := api.DevicePtr(in.u64()), in.u64(), in.u32()
	if in.bad {
		return InvalidValue
	}
	if inStream == 0 {
		return c.status(c.dev.Free(p))
	}
	s, ok := c.stream(stream)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.Free(p))
}

func (c *client) memory(*reader) Status {
	used, limit := c.dev.Used()
	c.out.u64(used)
	c.out.u64(limit)
	return Success
}

// streamRange reads a stream, an address and a number of bytes.
func (c *client) streamRange(in *reader) (s *device.Stream, p api.DevicePtr, n uint64, ok bool) {
	s, ok = c.stream(in.u64())
	p, n = api.DevicePtr(in.u64()), in.u64()
	return s, p, n, ok && !in.bad
}

func (c *client) writeShared(in *reader) Status {
	s, p, n, ok := c.streamRange(in)
	if !ok {
		return InvalidHandle
	}
	if c.first {
		return c.status(s.WriteStaged(p, n)) // the host does not wait for it
	}
	return c.status(s.WriteShared(p, n))
}

func (c *client) readShared(in *reader) Status {
	s, p, n, ok := c.streamRange(in)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.ReadShared(p, n))
}

func (c *client) write(in *reader) Status {
	s, ok := c.stream(in.u64())
	p, data := api.DevicePtr(in.u64()), in.bytes()
	if in.bad || !ok {
		return InvalidHandle
	}
	return c.status(s.Write(p, data))
}

func (c *client) read(in *reader) Status {
	s, p, n, ok := c.streamRange(in)
	if !ok {
		return InvalidHandle
	}
	if n > maxBody {
		return InvalidValue
	}
	data := make([]byte, n)
	err := s.Read(data, p)
	if err == nil {
		c.out.bytes(data)
	}
	return c.status(err)
}

// snapshot sends bytes and their undefined bits.
func (c *client) snapshot(in *reader) Status {
	p, n := api.DevicePtr(in.u64()), in.u64()
	if in.bad || n > maxBody/4 {
		return InvalidValue
	}
	data, undefined, err := c.dev.Snapshot(p, n)
	if err == nil {
		c.out.bytes(data)
		c.out.bytes(undefined)
	}
	return c.status(err)
}

func (c *client) copy(in *reader) Status {
	s, ok := c.stream(in.u64())
	to, from, n := api.DevicePtr(in.u64()), api.DevicePtr(in.u64()), in.u64()
	if in.bad || !ok {
		return InvalidHandle
	}
	return c.status(s.Copy(to, from, n))
}

func (c *client) set(in *reader) Status {
	s, ok := c.stream(in.u64())
	p, pattern, n := api.DevicePtr(in.u64()), in.bytes(), in.u64()
	if in.bad || !ok {
		return InvalidHandle
	}
	return c.status(s.Fill(p, pattern, n))
}

// logText is the text of diagnostics for the log of a just-in-time compiler.
func logText(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(d.Error())
		b.WriteByte('\n')
		if d.Remedy != "" {
			b.WriteString("  " + d.Remedy + "\n")
		}
	}
	return b.String()
}

func (c *client) load(in *reader) Status {
	name, image, registers := in.text(), in.bytes(), uint32(0)
	if len(in.b) > 0 {
		registers = in.u32()
	}
	at := c.addresses(in)
	if in.bad {
		return InvalidValue
	}
	if len(c.modules) >= maxObjects {
		return OutOfMemory
	}
	image = limited(bytes.Clone(image), registers)
	m, err := session.LoadWith(image, name, api.LoadOptions{ISA: api.Auto, SM: c.dev.Properties().Arch})
	var mod *device.Module
	if err == nil {
		mod, err = c.dev.LoadAt(m, at)
	}
	if err != nil {
		c.unloaded = diag.Of(err)
		c.out.u64(0)
		c.out.text(logText(c.unloaded))
		if s := c.status(err); s != InvalidValue {
			return s
		}
		return InvalidPTX
	}
	if c.server.opt.Record != nil {
		mod.SetImage(image)
	}
	id := c.number()
	c.modules[id] = mod
	c.made("module", id)
	if m.PTX() != nil && m.File() == name {
		c.texts[name] = image
	}
	c.out.u64(id)
	c.out.text(logText(m.Warnings()))
	list := mod.Variables()
	c.out.u32(uint32(len(list)))
	for i := range list {
		c.out.u64(uint64(list[i].Ptr))
		c.out.u64(list[i].Size)
		if p := c.arena.hostPagesAt(uint64(list[i].Ptr)); p != nil {
			c.out.u32(managedOfHost)
			c.out.u64(p.off)
		} else {
			c.out.u32(flag(list[i].Managed))
		}
	}
	return Success
}

// flag is 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (c *client) unload(in *reader) Status {
	id := in.u64()
	m := c.modules[id]
	if m == nil || in.bad {
		return InvalidHandle
	}
	delete(c.modules, id)
	delete(c.owned, owned{"module", id})
	for _, k := range m.Kernels() {
		delete(c.functions, c.numbers[k])
		delete(c.numbers, k)
	}
	return c.status(m.Unload())
}

func (c *client) function(in *reader) Status {
	m, name := c.modules[in.u64()], in.text()
	if m == nil || in.bad {
		return InvalidHandle
	}
	k, err := m.ExactKernel(name)
	if err != nil {
		return NotFound
	}
	id, ok := c.numbers[k]
	if !ok {
		if len(c.functions) >= maxObjects {
			return OutOfMemory
		}
		id = c.number()
		c.functions[id], c.numbers[k] = k, id
	}
	c.out.u64(id)
	params := k.Params()
	c.out.u32(uint32(len(params)))
	for i := range params {
		c.out.u32(uint32(params[i].Offset))
		c.out.u32(uint32(params[i].Size))
	}
	return Success
}

func (c *client) functionNames(in *reader) Status {
	m := c.modules[in.u64()]
	if m == nil || in.bad {
		return InvalidHandle
	}
	list := m.Kernels()
	c.out.u32(uint32(len(list)))
	for _, k := range list {
		c.out.text(k.Name())
	}
	return Success
}

func (c *client) variable(in *reader) Status {
	m, name := c.modules[in.u64()], in.text()
	if m == nil || in.bad {
		return InvalidHandle
	}
	v, err := m.Variable(name)
	if err != nil {
		return NotFound
	}
	c.out.u64(uint64(v.Ptr))
	c.out.u64(v.Size)
	c.out.u32(flag(v.Managed))
	return Success
}

// prepare translates a kernel and returns its attributes. What cannot run is named on the server's log.
func (c *client) prepare(in *reader) Status {
	k := c.functions[in.u64()]
	if k == nil || in.bad {
		return InvalidHandle
	}
	a, err := k.Attributes()
	if err != nil {
		c.server.logf("%s", logText(diag.Of(err)))
		return c.status(err)
	}
	for _, v := range [...]int{a.MaxThreads, a.StaticShared, a.ConstBytes, a.LocalBytes, a.Registers, a.PTXVersion, a.BinaryVersion, a.MaxDynamicShared} {
		c.out.u32(uint32(v))
	}
	return Success
}

func (c *client) maxShared(in *reader) Status {
	k, n := c.functions[in.u64()], in.u32()
	if k == nil || in.bad {
		return InvalidHandle
	}
	return c.status(k.SetMaxDynamicShared(n))
}

func (c *client) occupancy(in *reader) Status {
	k, lanes, shared := c.functions[in.u64()], in.u32(), in.u32()
	if k == nil || in.bad {
		return InvalidHandle
	}
	n, err := k.Occupancy(api.Dim3{X: lanes}, shared)
	c.out.u32(uint32(n))
	return c.status(err)
}

// launchFields reads the fields of a launch; ok is false if the stream or the kernel is none.
func (c *client) launchFields(in *reader) (s *device.Stream, k *device.Kernel, l api.DeviceLaunch, ok bool) {
	s, ok = c.stream(in.u64())
	k = c.functions[in.u64()]
	dim := func() api.Dim3 { return api.Dim3{X: in.u32(), Y: in.u32(), Z: in.u32()} }
	l = api.DeviceLaunch{Grid: dim(), Block: dim(), Shared: in.u32()}
	mode := in.u32() // see CallLaunch
	l.Cooperative, l.Cluster = mode&1 != 0, api.Dim3{X: mode >> 8 & 255, Y: mode >> 16 & 255, Z: mode >> 24}
	l.Params = in.bytes()
	if l.Params == nil {
		l.Params = []byte{}
	}
	return s, k, l, ok && k != nil && !in.bad
}

func (c *client) launch(in *reader) Status {
	stream := in.peek()
	s, k, l, ok := c.launchFields(in)
	if !ok {
		return InvalidHandle
	}
	if !c.answered {
		// The host goes on while the kernel runs: the kernel may wait for it.
		if err := s.Fits(k, l); err != nil {
			return c.status(err)
		}
		c.answer(Success)
	}
	c.begin(stream)
	defer c.end()
	res, err := s.Launch(c.ctx, k, l)
	if res != nil {
		c.server.launches.Add(1)
	}
	keep := c.server.opt.Device.KeepGoing
	if err != nil && keep && faulted(err) {
		return Success
	}
	status := c.status(err)
	if status == LaunchTimeout && !keep {
		c.sticky = status
	}
	return status
}

// faulted reports whether a kernel ran and faulted.
func faulted(err error) bool {
	for _, d := range diag.Of(err) {
		if d.Class != diag.Fault && d.Class != diag.Timeout {
			return false
		}
	}
	return true
}

func (c *client) streamNew(in *reader) Status {
	nonBlocking := in.u32()
	if in.bad {
		return InvalidValue
	}
	if len(c.streams) >= maxObjects {
		return OutOfMemory
	}
	s, err := c.dev.NewStream(nonBlocking != 0)
	if err != nil {
		return c.status(err)
	}
	id := c.number()
	c.streams[id] = s
	c.made("stream", id)
	c.out.u64(id)
	return Success
}

func (c *client) streamClose(in *reader) Status {
	id := in.u64()
	s := c.streams[id]
	if s == nil || in.bad {
		return InvalidHandle
	}
	delete(c.streams, id)
	delete(c.owned, owned{"stream", id})
	return c.status(s.Close())
}

func (c *client) streamWait(in *reader) Status {
	n := in.u64()
	if in.bad {
		return InvalidHandle
	}
	return c.wait(n)
}

// wait lets the host wait for a stream.
func (c *client) wait(n uint64) Status {
	s, ok := c.stream(n)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.Synchronize())
}

func (c *client) eventNew(*reader) Status {
	if len(c.events) >= maxObjects {
		return OutOfMemory
	}
	id := c.number()
	c.events[id] = c.dev.NewEvent()
	c.made("event", id)
	c.out.u64(id)
	return Success
}

func (c *client) eventClose(in *reader) Status {
	id := in.u64()
	if c.events[id] == nil || in.bad {
		return InvalidHandle
	}
	delete(c.events, id)
	delete(c.owned, owned{"event", id})
	return Success
}

// streamEvent reads a stream and an event.
func (c *client) streamEvent(in *reader) (s *device.Stream, e *device.Event, ok bool) {
	s, ok = c.stream(in.u64())
	e = c.events[in.u64()]
	return s, e, ok && e != nil && !in.bad
}

func (c *client) eventRecord(in *reader) Status {
	s, e, ok := c.streamEvent(in)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.Record(e))
}

func (c *client) eventWait(in *reader) Status {
	s, e, ok := c.streamEvent(in)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.Wait(e))
}

func (c *client) eventHost(in *reader) Status {
	e := c.events[in.u64()]
	if e == nil || in.bad {
		return InvalidHandle
	}
	return c.status(e.Synchronize())
}

func (c *client) eventSince(in *reader) Status {
	e, earlier := c.events[in.u64()], c.events[in.u64()]
	if e == nil || earlier == nil || in.bad {
		return InvalidHandle
	}
	t, err := e.Since(earlier)
	c.out.u64(uint64(t))
	return c.status(err)
}

func (c *client) synchronize(*reader) Status { return c.status(c.dev.Synchronize()) }

// maxParts is how many modules are linked at most, maxLinked how many bytes they have together.
const (
	maxParts  = 4096
	maxLinked = 64 << 20
)

// reset frees everything that the client has on its device.
func (c *client) reset(*reader) Status {
	c.pending, c.sticky = Success, Success
	list := c.dev.Close()
	c.left = append(c.left, list[min(c.shown, len(list)):]...)
	c.shown = 0
	c.clear()
	c.arena.reset()
	var err error
	o := c.server.opt
	o.Target = c.dev.Target()
	if c.dev, err = newDevice(o, c); err != nil {
		return InvalidContext
	}
	return Success
}

// String names the client in messages.
func (c Client) String() string { return fmt.Sprintf("%s (process %d)", c.Program, c.PID) }
