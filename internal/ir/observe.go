package ir

// An Observer follows one wave through a function, at its Observe operations. It sees the guest
// values, and may change them: package amdgpu uses it to find missing waits of a program, and to
// deliver loads late. One goroutine uses it at a time.
type Observer interface {
	// Start is called before the wave runs a block of the grid.
	Start()
	// At is called by an Observe operation with its Imm. frame holds the guest values, in the
	// layout that package ir describes. The notes are valid until the next call.
	At(imm uint64, frame []byte) []Note
	// Describe puts a note into words.
	Describe(n Note) NoteText
}

// Observed are the values that an Observer reads at an Observe operation.
type Observed struct {
	// Address, if not 0, is the upper half of the 64-bit generic address of the access of the
	// observed guest instruction: see Calm.
	Address Ref
	Refs    [2]Ref // further values; 0: none
}

// Calm is implemented by observers whose Observe operations mostly have no effect. If Calm returns
// true, operations without Observed.Address have none. The other operations have none if, in
// addition, no active lane's address is in shared memory. Only Observe operations change the result
// of Calm.
type Calm interface{ Calm() bool }

// A Note is a finding of an Observer at the instruction that it observed.
type Note struct {
	Code  string // code of the finding
	Lanes uint64 // the lanes that it concerns, as a mask; 0: the wave
	// With distinguishes the notes of one instruction and code, for example by the number of the
	// other instruction involved.
	With int32
	Args [4]int32 // further arguments for Describe
}

// NoteText is the text of a Note for a user.
type NoteText struct {
	Text    string // the message after the mnemonic
	Remedy  string
	Section string // section of the manual
	Mild    bool   // a warning
	Other   Pos    // another instruction that is involved
	Role    string // its role
}
