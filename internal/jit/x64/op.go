package x64

// Op is a machine instruction, by mnemonic and kinds of operands.
type Op uint16
