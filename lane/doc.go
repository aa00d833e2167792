// Package lane holds the meaning of cross-lane instructions, as pure functions beside the
// pseudo-code of the vendors.
//
// A wave is 32 lanes (PTX) or 64 lanes (GCN3) that execute one instruction together. An instruction
// that moves data between lanes is a [Map]. For every destination lane it names the lane whose
// value arrives there, or states that the lane gets zero or keeps its old value. It also holds the
// lanes whose value the manual leaves undefined. shfl, ds_permute_b32, ds_bpermute_b32,
// ds_swizzle_b32 and the DPP modifier are maps. vote, match, redux, v_mbcnt and v_readfirstlane_b32
// are folds: functions of a [Mask] and of the values of the lanes in it.
//
// The same map has several users: an engine gathers with it, a checker finds the lanes that it
// reads, a front end draws it. No function of this package allocates (strings and errors aside),
// panics, or keeps state.
//
// The word "undefined" has one meaning here: [Map.Undef] holds destination lanes whose value the
// manual does not define. Src still holds the lane that they would read, so that a finding can name
// both. The engine chooses the bits.
package lane
