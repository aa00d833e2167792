package codeobject

// read leaves the units out: readAlone then reads their line tables, without the calls that were inlined. The reader of units would
// make the WebAssembly module larger by a hundredth.
func (l *Lines) read(map[string][]byte) {}
