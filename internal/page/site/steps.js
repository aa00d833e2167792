// Steps, states and memories of a recording, fetched as they are looked at.
import { call } from './backend.js';
import { Strip, has, mask, ranges } from './values.js';

const page = 256, kept = 48;

// prepare adds to a step what drawing it needs.
function prepare(s, lanes) {
  s.here = mask(s.lanes);
  s.acts = mask(s.active);
  s.strips = (s.writes ?? []).map((w) => new Strip(w, lanes));
  s.strip = s.strips.find((x) => !x.scalar && x.type !== 'pred') ?? s.strips.find((x) => !x.scalar) ?? s.strips[0];
  const taken = mask(s.taken), exits = mask(s.exits), store = s.access?.some((a) => a.kind === 'store');
  if (!s.strip && (s.branch || s.exits || store)) {
    s.glyphs = Array.from({ length: lanes }, (_, l) => (has(exits, l) ? '×' : has(taken, l) ? '↷' : store && has(s.acts, l) ? '↓' : ''));
  }
  return s;
}

export class Steps {
  constructor(rec, track, changed) {
    Object.assign(this, { rec, track, changed, pages: new Map(), flying: new Set(), wanted: [] });
  }

  // get returns a step by its index in the track, or undefined until it is there.
  get(index) { return this.pages.get(Math.floor(index / page))?.[index % page]; }

  // want asks for the steps of a range of indices, those asked for last first.
  want(from, to) {
    const a = Math.max(0, Math.floor(from / page)), b = Math.floor(Math.max(from, to - 1) / page);
    this.wanted = [];
    for (let p = a; p <= b && p - a < 8; p++) if (!this.pages.has(p) && p * page < this.track.count) this.wanted.push(p);
    this.fly();
  }

  fly() {
    while (this.flying.size < 2 && this.wanted.length) {
      const p = this.wanted.shift();
      if (!this.flying.has(p) && !this.pages.has(p)) this.load(p).catch((e) => { this.failed ??= e; });
    }
  }

  async load(p) {
    const { track } = this, first = p * page, last = Math.min(track.count, first + page) - 1;
    this.flying.add(p);
    try {
      const { steps } = await call('steps', { rec: this.rec, wave: track.wave, from: track.step[first], to: track.step[last] + 1 });
      this.pages.set(p, steps.map((s) => prepare(s, track.lanes)));
      if (this.pages.size > kept) this.pages.delete(this.pages.keys().next().value);
      this.changed();
    } finally {
      this.flying.delete(p);
      this.fly();
    }
  }

  async at(index) {
    const p = Math.floor(index / page);
    if (!this.pages.has(p)) await this.load(p);
    return this.get(index);
  }
}

// A Latest runs a function of the newest arguments only: what comes while it runs replaces what waits.
export class Latest {
  constructor(f) { this.f = f; }

  run(...args) {
    this.next = args;
    if (this.busy) return;
    this.busy = (async () => {
      while (this.next) {
        const a = this.next;
        this.next = null;
        try {
          await this.f(...a, () => this.next === null);
        } catch (e) {
          if (e.name !== 'AbortError') console.warn(e);
        }
      }
      this.busy = null;
    })();
  }
}

// What the cell of a step in a lane says, as one sentence.
export function cellText(track, i, lane, s, findings) {
  const parts = [`step ${track.step[i]}`];
  if (track.line[i]) parts.push(`line ${track.line[i]}`);
  const bit = (lo, hi) => ((lane < 32 ? lo[i] >>> lane : hi[i] >>> (lane - 32)) & 1) === 1;
  if (!bit(track.lo, track.hi)) {
    parts.push(bit(track.waitLo, track.waitHi) ? `lane ${lane} waits for other lanes` : `lane ${lane} is not here`);
    return parts.join(', ');
  }
  if (!bit(track.alo, track.ahi) && !s?.scalar) {
    parts.push(`lane ${lane} is here and not active`);
    return parts.join(', ');
  }
  for (const strip of s?.strips ?? []) {
    const d = strip.describe(lane);
    if (d) parts.push(`${strip.name}${strip.scalar ? '' : ` of lane ${lane}`} = ${d.short}${d.undefined ? ', undefined' : ''}`);
  }
  if (s?.strips.length && parts.length === (track.line[i] ? 2 : 1)) parts.push(`lane ${lane} is not written`);
  if (s && !s.strips.length) parts.push(`lane ${lane} executes it`);
  const read = s?.exchange?.source?.[lane];
  if (read >= 0 && has(mask(s.exchange.readers), lane)) {
    const absent = s.exchange.absent?.find((a) => a.lane === read && (a.reader === lane || a.reader === undefined));
    parts.push(`read from lane ${read}${absent ? ', which is absent' : ''}`);
  }
  if (s?.exchange?.fold) parts.push(`reads lanes ${ranges([...Array(track.lanes).keys()].filter((l) => has(mask(s.exchange.together), l)))}`);
  for (const f of track.findings.get(track.step[i]) ?? []) {
    const d = findings[f]?.finding;
    if (d) parts.push(`${d.severity}: ${d.code}`);
  }
  return parts.join(', ');
}
