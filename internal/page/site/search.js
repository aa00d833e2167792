// The search for steps: line:36, %r6, lane:4 undefined, finding, waits, or a part of an instruction.

// matching returns the indices of the steps that fit the words of a search.
export function matching(t, words) {
  const terms = words.trim().split(/\s+/).filter(Boolean), lane = Number(terms.map((w) => /^lane:(\d+)$/.exec(w)?.[1]).find(Boolean) ?? -1);
  const bit = (lo, hi, i) => (lane < 0 ? lo[i] || hi[i] : (lane < 32 ? lo[i] >>> lane : hi[i] >>> (lane - 32)) & 1);
  const tests = terms.map((w) => {
    const m = /^(line|step|fragment):(\d+)$/.exec(w);
    if (m) return (i) => t[m[1]][i] === Number(m[2]);
    if (/^lane:\d+$/.test(w)) return (i) => bit(t.alo, t.ahi, i);
    if (w === 'undefined') return (i) => bit(t.ulo, t.uhi, i);
    if (w === 'finding') return (i) => t.findings.has(t.step[i]);
    if (w === 'waits') return (i) => bit(t.waitLo, t.waitHi, i);
    const word = w.toLowerCase();
    if (/^%?[\w]+$/.test(w) && /\d$/.test(w)) {
      const r = new RegExp(`(^|[^\\w%])${w.replace(/[%$]/g, '\\$&')}(?!\\w)`);
      return (i) => r.test(t.text[i]);
    }
    return (i) => t.text[i].toLowerCase().includes(word);
  });
  const out = [];
  if (tests.length) for (let i = 0; i < t.count; i++) if (tests.every((f) => f(i))) out.push(i);
  return out;
}
