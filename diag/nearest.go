package diag

// Nearest returns the name that is most similar to a misspelt word, "" if none is similar. At equal
// distances it is the first one.
func Nearest(word string, names []string) string {
	best, bestDist := "", min(3, (len(word)+3)/2)
	for _, n := range names {
		if d := editDistance(word, n, bestDist); d < bestDist {
			best, bestDist = n, d
		}
	}
	return best
}

// editDistance returns the number of insertions, deletions and replacements between a and b, or
// limit if the number is at least limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur[0] = i + 1
		for j := range len(b) {
			d := prev[j]
			if a[i] != b[j] {
				d++
			}
			cur[j+1] = min(d, prev[j+1]+1, cur[j]+1)
		}
		prev, cur = cur, prev
	}
	return min(prev[len(b)], limit)
}
