// Values of registers and sets of lanes, as text. Bits arrive as hexadecimal text of up to 64 bits.

const buffer = new DataView(new ArrayBuffer(8));

// A set of lanes as two words of 32 bits.
export function mask(hex) {
  const digits = (hex || '0x0').slice(2).padStart(16, '0');
  return { lo: parseInt(digits.slice(-8), 16) >>> 0, hi: parseInt(digits.slice(-16, -8), 16) >>> 0 };
}

export const has = (m, lane) => ((lane < 32 ? m.lo >>> lane : m.hi >>> (lane - 32)) & 1) === 1;
export const isEmpty = (m) => m.lo === 0 && m.hi === 0;
export const same = (a, b) => a.lo === b.lo && a.hi === b.hi;
export const or = (a, b) => ({ lo: (a.lo | b.lo) >>> 0, hi: (a.hi | b.hi) >>> 0 });

export function lanesIn(m) {
  const out = [];
  for (let i = 0; i < 64; i++) if (has(m, i)) out.push(i);
  return out;
}

export const maskOf = (lanes) => lanes.reduce((m, l) => {
  if (l < 32) m.lo = (m.lo | (1 << l)) >>> 0;
  else m.hi = (m.hi | (1 << (l - 32))) >>> 0;
  return m;
}, { lo: 0, hi: 0 });

// "0-3, 8" for a list of lanes in order; "11 lanes" if there are more than most pieces.
export function ranges(lanes, most = 64) {
  const out = [];
  for (let i = 0; i < lanes.length; i++) {
    let j = i;
    while (j + 1 < lanes.length && lanes[j + 1] === lanes[j] + 1) j++;
    out.push(i === j ? `${lanes[i]}` : `${lanes[i]}-${lanes[j]}`);
    i = j;
  }
  return out.length > most ? `${lanes.length} lanes` : out.join(', ');
}

export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, e = (bits >> 10) & 31, f = bits & 1023;
  if (e === 0) return sign * f * 2 ** -24;
  if (e === 31) return f ? NaN : sign * Infinity;
  return sign * (1 + f / 1024) * 2 ** (e - 15);
}

export function single(bits) {
  buffer.setUint32(0, bits);
  return buffer.getFloat32(0);
}

export function double(big) {
  buffer.setBigUint64(0, big);
  return buffer.getFloat64(0);
}

function shortest(x, digits, equal) {
  if (!Number.isFinite(x) || x === 0) return Object.is(x, -0) ? '-0' : String(x);
  for (let p = 1; p < digits; p++) {
    const s = Number(x.toPrecision(p));
    if (equal(s)) return String(s);
  }
  return String(Number(x.toPrecision(digits)));
}

export const hexText = (big) => `0x${big.toString(16)}`;

// The text of a value by its type: "u32", "s16", "f32", "bf16", "f16x2", "pred", "b64", ….
export function text(big, type, hex) {
  if (type === 'pred') return big ? '1' : '0';
  if (hex) return hexText(big);
  const n = Number(big & 0xffffffffn) >>> 0;
  switch (type) {
    case 'f16': return shortest(half(n & 0xffff), 5, (s) => half16(s) === (n & 0xffff));
    case 'bf16': return shortest(single((n & 0xffff) << 16 >>> 0), 4, (s) => Math.fround(s) === single((n & 0xffff) << 16 >>> 0));
    case 'f32': return shortest(single(n), 9, (s) => Math.fround(s) === single(n));
    case 'f64': return String(double(big));
    case 'f16x2': return `${text(big & 0xffffn, 'f16')},${text((big >> 16n) & 0xffffn, 'f16')}`;
    case 'bf16x2': return `${text(big & 0xffffn, 'bf16')},${text((big >> 16n) & 0xffffn, 'bf16')}`;
  }
  if (/^[sub]64$/.test(type) && big > 0xffffffffn && big < 0x1000000000000n) return hexText(big); // an address, mostly
  const signed = /^s(8|16|32|64)$/.exec(type);
  if (signed) return String(BigInt.asIntN(Number(signed[1]), big));
  if (type[0] === 'b' ? big > 0xffffn : big > 0xffffffffn) return hexText(big);
  return String(big);
}

function half16(x) {
  if (Number.isNaN(x)) return 0x7e00;
  for (let e = 0; e < 31; e++) { // few values are asked for, and the exponents are 31
    const unit = 2 ** (e === 0 ? -24 : e - 25), f = Math.abs(x) / unit - (e === 0 ? 0 : 1024);
    if (Number.isInteger(f) && f >= 0 && f < 1024) return (x < 0 ? 0x8000 : 0) | (e << 10) | f;
  }
  return -1;
}

// A text in at most n characters; '' if nothing of it fits.
export function fit(s, n) {
  if (s.length <= n) return s;
  if (n < 2) return '';
  if (/^-?\d*\.\d+$/.test(s)) {
    for (let p = 6; p > 0; p--) {
      const t = String(Number(Number(s).toPrecision(p))).replace(/^(-?)0\./, '$1.');
      if (t.length <= n) return t;
    }
  }
  return n < 3 ? '' : `…${s.slice(1 - n)}`;
}

// The number that a value is, for comparisons of size; NaN if it is none.
export function number(big, type) {
  switch (type) {
    case 'f16': return half(Number(big & 0xffffn));
    case 'bf16': return single(Number(big & 0xffffn) << 16 >>> 0);
    case 'f32': return single(Number(big & 0xffffffffn));
    case 'f64': return double(big);
  }
  const signed = /^s(8|16|32|64)$/.exec(type);
  return Number(signed ? BigInt.asIntN(Number(signed[1]), big) : big);
}

export const escape = (s) => String(s).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

// A strip is a register of all lanes, ready to be drawn: for each lane its text, whether it is undefined, or undefined for a
// lane without a value.
export class Strip {
  // value is a RegisterValue of a recording.
  constructor(value, lanes) {
    Object.assign(this, { name: value.name, type: value.type, scalar: !!value.scalar, lanes });
    this.bits = new Array(lanes);
    this.undefined = { lo: 0, hi: 0 };
    const m = value.scalar ? { lo: 0xffffffff, hi: lanes > 32 ? 0xffffffff : 0 } : mask(value.lanes);
    this.mask = m;
    for (let lane = 0, at = 0; lane < lanes; lane++) {
      if (!has(m, lane)) continue;
      this.bits[lane] = BigInt(value.bits[at]);
      const u = value.undefined?.[at];
      if (u && u !== '0x0') {
        if (lane < 32) this.undefined.lo = (this.undefined.lo | (1 << lane)) >>> 0;
        else this.undefined.hi = (this.undefined.hi | (1 << (lane - 32))) >>> 0;
        (this.undefinedBits ??= {})[lane] = BigInt(u);
      }
      if (!value.scalar) at++;
    }
  }

  // Whether undefined bits are all that the type has.
  blank(u) {
    const n = Number(/\d+/.exec(this.type)?.[0] ?? 1);
    return u !== undefined && u >= (1n << BigInt(n)) - 1n;
  }

  texts(hex) {
    const key = hex ? 'hexTexts' : 'plainTexts';
    // A lane that nothing wrote has no text.
    return this[key] ??= this.bits.map((b, l) => (b === undefined || (b === 0n && this.blank(this.undefinedBits?.[l])) ? undefined : text(b, this.type, hex)));
  }

  // The one value of all lanes, or undefined.
  get uniform() {
    if (this.uniformValue === undefined) {
      const first = this.bits.find((b) => b !== undefined);
      this.uniformValue = first !== undefined && isEmpty(this.undefined) && this.bits.every((b) => b === undefined || b === first) ? first : null;
    }
    return this.uniformValue;
  }

  // {base, step} if lane i holds base + step·i in at least 4 lanes; else null.
  get affine() {
    if (this.affineForm !== undefined) return this.affineForm;
    this.affineForm = null;
    if (/^(f|bf|pred)/.test(this.type) || !isEmpty(this.undefined)) return null;
    const at = lanesIn(this.mask);
    if (at.length < 4) return null;
    const v = at.map((l) => BigInt.asIntN(64, this.bits[l]));
    if ((v[1] - v[0]) % BigInt(at[1] - at[0])) return null;
    const step = (v[1] - v[0]) / BigInt(at[1] - at[0]);
    if (step === 0n || !at.every((l, i) => v[i] === v[0] + step * BigInt(l - at[0]))) return null;
    return this.affineForm = { base: v[0] - step * BigInt(at[0]), step };
  }

  affineText() {
    const { base, step } = this.affine;
    const head = base === 0n ? '= ' : `${base > 0xffffn ? hexText(base) : base} ${step < 0n ? '-' : '+'} `;
    const size = step < 0n ? -step : step;
    return `${head}${base === 0n && step < 0n ? '-' : ''}${size === 1n ? '' : `${size}·`}lane`;
  }

  // Each lane's share of the way from the smallest value to the largest, 0 to 1.
  get heat() {
    if (this.heatShares) return this.heatShares;
    const v = this.bits.map((b) => (b === undefined ? NaN : number(b, this.type)));
    const known = v.filter(Number.isFinite), low = Math.min(...known), high = Math.max(...known);
    return this.heatShares = v.map((x) => (high > low && Number.isFinite(x) ? (x - low) / (high - low) : 0.5));
  }

  // What a card says of one lane.
  describe(lane) {
    const b = this.bits[lane];
    if (b === undefined) return null;
    const plain = text(b, this.type, false), parts = [plain];
    if (this.type !== 'pred') {
      const hex = hexText(b);
      if (hex !== plain) parts.push(hex);
      if (/^[bus]32$/.test(this.type) && b > 0x00ffffffn) parts.push(`f32 ${text(b, 'f32', false)}`);
      if (/^f32$/.test(this.type)) parts.push(`u32 ${b}`);
    }
    const u = this.undefinedBits?.[lane];
    return { value: parts.join(' = '), short: plain, undefined: u === undefined ? '' : `undefined bits ${hexText(u)}` };
  }
}

// textStrip is a Strip of a register that try printed: data are numbers, one for each lane or one for all.
export function textStrip(name, { type, data, poison = [] }, lanes) {
  const all = maskOf([...Array(lanes).keys()]), scalar = data.length === 1, values = scalar ? Array(lanes).fill(data[0]) : data;
  const texts = values.map((v) => (v === null ? '?' : String(v))), bad = new Set(poison), same = texts.every((t) => t === texts[0]) && !bad.size;
  const numbers = values.map(Number), known = numbers.filter(Number.isFinite), low = Math.min(...known), high = Math.max(...known);
  return {
    name, type, scalar, lanes, mask: all, uniform: same ? texts[0] : null, affine: null, undefined: maskOf([...bad]),
    heat: numbers.map((x) => (high > low ? (x - low) / (high - low) : 0.5)), texts: () => texts.map((t, l) => (bad.has(l) ? '?' : t)),
    describe: (l) => ({ value: texts[l], short: texts[l], undefined: bad.has(l) ? 'undefined' : '' }),
  };
}
