// A Track is a wave's steps in columns, and the lines that the timeline shows of them: steps, and folded loops.
import { mask, or } from './values.js';

export class Track {
  // outline is the data of the operation "outline".
  constructor(outline, wave, lanes) {
    this.wave = wave;
    this.lanes = lanes;
    const n = this.count = outline.step.length;
    this.step = outline.step;
    this.line = outline.line;
    this.text = outline.op.map((i) => outline.ops[i]);
    this.lo = new Uint32Array(n);
    this.hi = new Uint32Array(n);
    this.alo = new Uint32Array(n);
    this.ahi = new Uint32Array(n);
    this.ulo = new Uint32Array(n);
    this.uhi = new Uint32Array(n);
    this.whyLo = new Uint32Array(n);
    this.whyHi = new Uint32Array(n);
    this.waitLo = new Uint32Array(n);
    this.waitHi = new Uint32Array(n);
    this.fragment = outline.fragment;
    this.done = outline.done;
    const known = new Map();
    const parsed = (hex) => known.get(hex) ?? (known.set(hex, mask(hex)), known.get(hex));
    for (let i = 0; i < n; i++) {
      let m = parsed(outline.lanes[i]);
      this.lo[i] = m.lo;
      this.hi[i] = m.hi;
      m = parsed(outline.active[i]);
      this.alo[i] = m.lo;
      this.ahi[i] = m.hi;
      if (outline.undefined?.[i]) {
        m = parsed(outline.undefined[i]);
        this.ulo[i] = m.lo;
        this.uhi[i] = m.hi;
      }
    }
    this.findings = new Map();
    for (const [i, list] of Object.entries(outline.findings ?? {})) this.findings.set(this.step[i], list);
    this.loops = (outline.loops ?? []).map((l) => ({ ...l })).sort((a, b) => a.from - b.from || b.to - a.to);
    this.wait();
    this.brackets();
    this.open = new Set();
    this.unfolded = n <= 400;
    this.build();
  }

  // The lanes that wait while others run: from the arrival of their step to its end, or to the end of the wave.
  wait() {
    for (let i = 0; i < this.count; i++) {
      const end = this.done[i];
      if (end === this.step[i]) continue;
      let went = false;
      for (let j = i + 1; j < this.count && (end < 0 || this.step[j] <= end); j++) {
        if (this.lo[j] & this.lo[i] || this.hi[j] & this.hi[i]) { // they went on: a call, not a rendezvous
          went = true;
          break;
        }
        this.waitLo[j] |= this.lo[i];
        this.waitHi[j] |= this.hi[i];
      }
      if (end < 0 && !went) this.endless = or(this.endless ?? { lo: 0, hi: 0 }, { lo: this.lo[i], hi: this.hi[i] });
    }
  }

  // Brackets join the steps of a fragment while its wave is divided. slot[i] is the column of step i's bracket, -1: none;
  // through[i] has the columns whose bracket goes on below step i.
  brackets() {
    const n = this.count;
    this.slot = new Int8Array(n).fill(-1);
    this.through = new Uint8Array(n);
    let end = 0;
    while (end < n) {
      // A stretch of steps in which no lane set contains all lanes seen around it.
      const start = end;
      const full = (i) => i === 0 || (this.fragment[i] === this.fragment[i - 1] && this.lo[i] === this.lo[i - 1] && this.hi[i] === this.hi[i - 1]);
      end++;
      if (full(start)) continue;
      let slots = new Map(), last = new Map();
      let i = start;
      let all = { lo: this.lo[start - 1] | this.lo[start], hi: this.hi[start - 1] | this.hi[start] };
      if (this.lo[i] === all.lo >>> 0 && this.hi[i] === all.hi >>> 0) continue; // lanes have come together
      for (; i < n; i++) {
        all = { lo: (all.lo | this.lo[i]) >>> 0, hi: (all.hi | this.hi[i]) >>> 0 };
        if (i > start && this.lo[i] >>> 0 === all.lo && this.hi[i] >>> 0 === all.hi) break; // together again
        const f = this.fragment[i];
        if (!slots.has(f)) {
          if (slots.size === 4) { slots = new Map(); last = new Map(); }
          slots.set(f, slots.size);
        }
        this.slot[i] = slots.get(f);
        if (last.has(f)) for (let j = last.get(f); j < i; j++) this.through[j] |= 1 << this.slot[i];
        last.set(f, i);
      }
      end = Math.max(end, i);
    }
  }

  // rows are the lines of the timeline: {i, depth} for a step, {fold, depth} for rounds of a loop.
  build() {
    this.rows = [];
    this.emit(0, this.count, 0, this.unfolded ? [] : this.loops);
  }

  emit(from, to, depth, loops) {
    let i = from;
    for (let k = 0; k < loops.length && i < to; k++) {
      const l = loops[k];
      if (l.from < i || l.to > to || l.rounds < 3) continue;
      while (i < l.from) this.rows.push({ i: i++, depth });
      const inner = loops.slice(k + 1).filter((x) => x.from >= l.from && x.to <= l.to && x.to - x.from < l.to - l.from);
      this.emitRounds(l, 0, l.rounds, depth, inner);
      i = l.to;
    }
    while (i < to) this.rows.push({ i: i++, depth });
  }

  bound(l, round) { return round >= l.rounds ? l.to : l.from + Math.round((l.to - l.from) * round / l.rounds); }

  emitRounds(l, a, b, depth, inner) {
    const from = this.starts(l, a), to = this.starts(l, b);
    const key = `${from}-${to}-${b - a}`;
    const fold = { from, to, rounds: b - a, first: a, of: l.rounds, line: l.line, key, whole: b - a === l.rounds };
    fold.open = this.open.has(key);
    this.rows.push({ fold, depth });
    if (!fold.open) return;
    if (b - a === 1) {
      this.emit(from, to, depth + 1, inner);
      return;
    }
    // At most 16 parts, each of 2^k rounds.
    let size = 1;
    while ((b - a) / size > 16) size *= 2;
    for (let r = a; r < b; r += size) this.emitRounds(l, r, Math.min(b, r + size), depth + 1, inner);
  }

  // The index of the first step of a round: given by the outline, or rounds of one length.
  starts(l, round) { return l.starts ? l.starts[round] ?? l.to : this.bound(l, round); }

  toggle(fold, open = !fold.open) {
    if (open) this.open.add(fold.key);
    else this.open.delete(fold.key);
    this.build();
  }

  unfold(all) {
    this.unfolded = all;
    this.open.clear();
    this.build();
  }

  // The index of a step; if the step is another wave's, of the last one before it, or 0.
  index(step) {
    let a = 0, b = this.count;
    while (a < b) {
      const m = (a + b) >> 1;
      if (this.step[m] <= step) a = m + 1;
      else b = m;
    }
    return Math.max(0, a - 1);
  }

  // The row that shows a step's index.
  row(index) {
    let a = 0, b = this.rows.length;
    const first = (r) => (r.fold ? r.fold.from : r.i);
    while (a < b) {
      const m = (a + b) >> 1;
      if (first(this.rows[m]) <= index) a = m + 1;
      else b = m;
    }
    return Math.max(0, a - 1);
  }

  // shares are how often each lane acts within a fold, 0 to 1.
  shares(fold) {
    if (fold.shares) return fold.shares;
    const out = new Array(this.lanes).fill(0);
    const every = Math.max(1, Math.floor((fold.to - fold.from) / 2000));
    let n = 0;
    for (let i = fold.from; i < fold.to; i += every, n++) {
      for (let l = 0; l < this.lanes; l++) if ((l < 32 ? this.alo[i] >>> l : this.ahi[i] >>> (l - 32)) & 1) out[l]++;
    }
    return fold.shares = out.map((x) => x / n);
  }

  setWhy(cells) {
    this.whyLo.fill(0);
    this.whyHi.fill(0);
    for (const [step, hex] of cells ?? []) {
      const i = this.index(step);
      if (this.step[i] !== step) continue;
      const m = mask(hex);
      this.whyLo[i] |= m.lo;
      this.whyHi[i] |= m.hi;
    }
    this.whyVersion = (this.whyVersion ?? 0) + 1;
  }

  why(fold) {
    if (fold.whyVersion !== this.whyVersion) {
      fold.whyMask = { lo: 0, hi: 0 };
      for (let i = fold.from; i < fold.to; i++) {
        fold.whyMask.lo = (fold.whyMask.lo | this.whyLo[i]) >>> 0;
        fold.whyMask.hi = (fold.whyMask.hi | this.whyHi[i]) >>> 0;
      }
      fold.whyVersion = this.whyVersion;
    }
    return fold.whyMask;
  }

  // The findings of the steps of a fold, as indices.
  foldFindings(fold) {
    if (!fold.found) {
      fold.found = new Set();
      for (const [step, list] of this.findings) {
        if (step >= this.step[fold.from] && step <= this.step[fold.to - 1]) for (const f of list) fold.found.add(f);
      }
    }
    return fold.found;
  }
}
