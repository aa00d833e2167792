package ir

// An Observer follows one wave through a function, at its Observe operations. It sees
// the guest values, and may change them: package gcn3 uses it to find what a program
// did not wait for, and to deliver loads late. It is used by one goroutine at a time.
type Observer interface {
	// Start is called before the wave runs a block of the grid.
	Start()
	// At is called by an Observe operation with its Imm. frame are the guest values, in
	// the layout that package ir describes. The notes are valid until the next call.
	At(imm uint64, frame []byte) []Note
	// Describe puts a note into words.
	Describe(n Note) NoteText
}

// Observed are the values that an Observer reads at an Observe operation.
type Observed struct {
	// Address, if not 0, is the upper half of the 64-bit generic address of the guest
	// instruction's access, which is observed: see Calm.
	Address Ref
	Refs    [2]Ref // others; 0: none
}

// Calm is implemented by observers whose Observe operations mostly do nothing: those that
// have no Observed.Address if Calm returns true, the others if besides no active lane's
// address is in shared memory. Only Observe operations change what it returns.
type Calm interface{ Calm() bool }

// A Note is something that an Observer found at the instruction that it observed.
type Note struct {
	Code  string // of the finding
	Lanes uint64 // the lanes that it concerns, as a mask; 0: the wave
	// With tells apart the notes of one instruction and code, such as the number of the
	// instruction that it disagrees with.
	With int32
	Args [4]int32 // what else Describe needs
}

// NoteText is what a user reads of a Note.
type NoteText struct {
	Text    string // the message behind the mnemonic
	Remedy  string
	Section string // of the manual
	Mild    bool   // a warning
	Other   Pos    // another instruction that is involved
	Role    string // what it did
}
