// Package randprog makes random programs in IR, runs them on two engines and compares all
// that can be seen of a run. A program that differs is made smaller.
//
// A Program is plain data: a list of statements that JSON can hold, so that one that
// failed once stays a test. It ends whatever it computes: every branch back uses up
// fuel, which each lane (each wave, where lanes are switched by EXEC) has little of. Its
// results do not depend on the number of workers: blocks store to places of their own,
// and what they share they change by operations whose order does not show.
package randprog
