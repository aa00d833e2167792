package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.org/crosslane/lane"
)

// callName matches a shuffle of CUDA or HIP: __shfl_down_sync(m, v, 4, 16), __shfl(v, 0).
var callName = regexp.MustCompile(`^\s*__shfl(_up|_down|_xor)?(_sync)?\s*\(`)

// readCall reads a call of a shuffle. The arguments before the lane or the offset are not looked at:
// the mask, and the value. Calls with _sync are CUDA's, with segments of 32 lanes unless a width is
// given; HIP's have segments of a wave.
func readCall(s string, g *goal) error {
	m := callName.FindStringSubmatch(s)
	open := strings.IndexByte(s, '(')
	list, rest, ok := arguments(s[open+1:])
	if !ok || strings.Trim(rest, " \t;") != "" {
		return bad("write the whole call and nothing else, such as __shfl_xor_sync(m, v, 16)", "%q: the parentheses do not match", s)
	}
	first, width := 1, g.n
	form := "__shfl" + m[1] + "(v, k, width)"
	if m[2] != "" {
		first, width = 2, 32
		form = "__shfl" + m[1] + "_sync(mask, v, k, width)"
	}
	if len(list) < first+1 || len(list) > first+2 {
		return bad("write "+form, "%q has %d arguments", s, len(list))
	}
	k, err := strconv.ParseInt(list[first], 0, 64)
	if err != nil || k < -1<<31 || k > 1<<32-1 {
		return bad("plan needs a constant", "%q: argument %d is %q, want a number", s, first+1, list[first])
	}
	if len(list) == first+2 {
		w, err := strconv.Atoi(list[first+1])
		if list[first+1] == "warpSize" {
			w, err = g.n, nil
		}
		if err != nil || w < 1 || w > g.n || w&(w-1) != 0 {
			return bad("", "%q: the width is %q, want a power of two up to %d", s, list[first+1], g.n)
		}
		width = w
	}
	g.about = fmt.Sprintf("the lanes of __shfl%s%s by %d in segments of %d", m[1], m[2], k, width)
	mode := map[string]lane.ShflMode{"_up": lane.ShflUp, "_down": lane.ShflDown, "_xor": lane.ShflBfly, "": lane.ShflIdx}[m[1]]
	if c, ok := lane.PackC(mode, width); ok && m[2] != "" {
		if g.n > lane.WarpLanes {
			g.notes = append(g.notes, "a call with _sync is CUDA's, whose warps have 32 lanes: the wave is two of them")
		}
		return g.each(func(i int) int8 {
			j, _ := lane.ShflSource(mode, i%lane.WarpLanes, uint32(k), c)
			return int8(i - i%lane.WarpLanes + j)
		})
	}
	return g.each(func(i int) int8 { return int8(hipSource(mode, i, uint32(k), width)) })
}

// hipSource is the source lane of HIP's calls, which read the lane itself if the source is outside
// the segment. It differs from CUDA's in offsets of 32 and more.
func hipSource(mode lane.ShflMode, i int, k uint32, width int) int {
	base, end := int64(i-i%width), int64(i-i%width+width)
	j := int64(i)
	switch mode {
	case lane.ShflUp:
		j -= int64(k)
		if j < base {
			return i
		}
	case lane.ShflDown:
		j += int64(k)
	case lane.ShflBfly:
		j ^= int64(k)
	default:
		j = base + int64(k&uint32(width-1))
	}
	if j >= end {
		return i
	}
	return int(j)
}

// arguments splits the arguments of a call at commas outside parentheses. rest is the text after
// the closing one.
func arguments(s string) (list []string, rest string, ok bool) {
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			return append(list, strings.TrimSpace(s[start:i])), s[i+1:], true
		case c == ',' && depth == 0:
			list, start = append(list, strings.TrimSpace(s[start:i])), i+1
		}
	}
	return nil, "", false
}
