//go:build race

package lane_test

// raceEnabled: the race detector slows the exhaustive loops tenfold; they then
// take fewer EXEC masks, and the plain run takes all.
const raceEnabled = true
