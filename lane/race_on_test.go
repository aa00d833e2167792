//go:build race

package lane_test

// raceEnabled reports whether the race detector is on. It slows the exhaustive loops tenfold, so
// that they then take fewer EXEC masks; the run without the detector takes all.
const raceEnabled = true
