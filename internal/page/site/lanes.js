// The lane axis that all panels share, and the drawing of cells on it.
import { fit, has, isEmpty } from './values.js';

// An Axis says where each lane stands. Its widths are pixels of CSS.
export class Axis {
  // most bounds the width of the texts at the left. least is what a cell must have at least if there are more than 32 lanes: those
  // that have no room then are scrolled to.
  constructor(width, lanes, most = 330, least = 0) {
    this.lanes = lanes;
    this.shift = 0; // how far the lanes are scrolled
    this.width = width;
    this.group = lanes > 32 ? 16 : 8;
    const groups = Math.ceil(lanes / this.group);
    const set = (left, gap) => {
      this.left = left;
      this.gap = gap;
      this.cell = (width - left - 4 - gap * (groups - 1)) / lanes;
    };
    this.stacked = width < 600;
    if (!this.stacked) set(Math.round(Math.max(190, Math.min(lanes > 32 ? 210 : most, width * 0.3))), 5);
    const scrolls = lanes > 32 && this.cell < least;
    if (this.stacked || (this.cell < 9 && !scrolls)) {
      this.stacked = true;
      set(2, width < 600 ? 2 : 5);
    }
    if (scrolls) this.cell = Math.max(least, this.cell);
    if (this.cell >= 9) {
      const c = Math.min(30, this.cell < 13 ? Math.floor(this.cell * 4) / 4 : Math.floor(this.cell));
      if (!this.stacked) this.left += Math.floor(Math.min(most < 330 ? 0 : 90, (this.cell - c) * lanes)); // the text gets what is left over
      this.cell = c;
    }
    // What the lanes take, and how much of it is out of sight.
    this.span = this.x(lanes - 1) + this.cell - this.left;
    this.hidden = Math.max(0, Math.ceil(this.left + this.span + 4 - width));
    this.textSize = this.cell >= 24 ? 11 : this.cell >= 17 ? 9.5 : 8;
    this.chars = Math.floor((this.cell - 1) / (this.textSize * 0.602));
    this.head = this.stacked ? 15 : 0; // the height of the text above the cells of a line
    this.cellHeight = 16;
    this.rowHeight = this.cellHeight + 2 + this.head;
  }

  x(lane) { return this.left - this.shift + lane * this.cell + Math.floor(lane / this.group) * this.gap; }

  get right() { return this.x(this.lanes - 1) + this.cell; }

  // scroll moves the lanes, and reports whether they have moved.
  scroll(shift) {
    const was = this.shift;
    this.shift = Math.max(0, Math.min(this.hidden, Math.round(shift)));
    return this.shift !== was;
  }

  // clip lets draw draw where the lanes are, and not on the texts at the left.
  clip(ctx, draw) {
    if (!this.hidden) {
      draw();
      return;
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.left - 2, -1e5, this.width - this.left + 2, 2e5);
    ctx.clip();
    draw();
    ctx.restore();
  }

  // The lane at x, or -1.
  at(x) {
    if (x < this.left) return -1;
    for (let l = 0; l < this.lanes; l++) if (x >= this.x(l) && x < this.x(l) + this.cell) return l;
    return -1;
  }

  // Which lanes have their number in the head: all, or every fourth.
  labelled(lane) { return this.cell >= 13 || lane % 4 === 0; }
}

const names = ['bg', 'fg', 'dim', 'faint', 'line', 'panel', 'on', 'onfg', 'heat', 'off', 'undefined', 'undefinedfg', 'hatch', 'error', 'reads', 'why', 'select', 'current', 'wait'];
let colours, patterns;

// The colours of the style sheet's custom properties, resolved: canvases do not know them.
export function palette() {
  if (colours) return colours;
  const probe = document.getElementById('probe');
  const style = getComputedStyle(document.documentElement);
  colours = {};
  for (const n of names) {
    probe.style.color = style.getPropertyValue(`--${n}`);
    colours[n] = getComputedStyle(probe).color;
  }
  patterns = new Map();
  return colours;
}

export const forgetPalette = () => { colours = undefined; };

function hatch(ctx) {
  const c = palette(), dpr = Math.max(1, Math.round(devicePixelRatio));
  let p = patterns.get(dpr);
  if (!p) {
    const n = 6 * dpr, tile = new OffscreenCanvas(n, n), t = tile.getContext('2d');
    t.fillStyle = c.undefined;
    t.fillRect(0, 0, n, n);
    t.strokeStyle = c.hatch;
    t.lineWidth = 1.5 * dpr;
    t.beginPath();
    for (const d of [-n, 0, n]) {
      t.moveTo(d - 1, n + 1);
      t.lineTo(d + n + 1, -1);
    }
    t.stroke();
    patterns.set(dpr, p = ctx.createPattern(tile, 'repeat'));
  }
  p.setTransform(new DOMMatrix().scale(1 / devicePixelRatio));
  return p;
}

export const family = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

// size makes a canvas sharp on its screen and returns its context, in pixels of CSS.
export function size(canvas, width, height) {
  const r = devicePixelRatio || 1, w = Math.round(width * r), h = Math.round(height * r);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext('2d');
  ctx.setTransform(r, 0, 0, r, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.textBaseline = 'middle';
  return ctx;
}

export function head(ctx, axis, y) {
  ctx.font = `10px ${family}`;
  ctx.fillStyle = palette().dim;
  ctx.textAlign = 'center';
  axis.clip(ctx, () => {
    for (let l = 0; l < axis.lanes; l++) if (axis.labelled(l)) ctx.fillText(String(l), axis.x(l) + axis.cell / 2, y);
  });
}

// label draws text that ends before x1, with … if it is cut.
export function label(ctx, text, x0, x1, y, { bold, colour, size: s = 11, align = 'left' } = {}) {
  const n = Math.floor((x1 - x0) / (s * 0.602));
  if (n < 2) return;
  ctx.font = `${bold ? 'bold ' : ''}${s}px ${family}`;
  ctx.fillStyle = colour ?? palette().fg;
  ctx.textAlign = align;
  ctx.fillText(text.length > n ? `${text.slice(0, n - 1)}…` : text, align === 'right' ? x1 : x0, y);
}

// cells draws one line of lanes from y on. The members of line, all but here optional:
//   here, active     sets of lanes: those of the line, and of them those for which it acts
//   exist            the lanes that there are
//   wait             lanes that wait for others
//   strip            the Strip of values, hex: as hexadecimal digits
//   glyphs           a sign for each lane, where there is no value
//   shares           for a folded line: how often each lane acts, 0 to 1
//   why              lanes with the outline of provenance
//   select           the selected lane, or -1
export function cells(ctx, axis, y, line) { axis.clip(ctx, () => drawCells(ctx, axis, y, line)); }

// drawCells is cells without the clipping.
export function drawCells(ctx, axis, y, line) {
  const c = palette(), h = axis.cellHeight, w = axis.cell;
  const { here, active = here, strip } = line;
  if (line.scalar && !strip) {
    ctx.fillStyle = c.on;
    ctx.fillRect(axis.x(0) + 0.5, y + h / 2 - 1.5, axis.span - 1, 3);
    return;
  }
  const texts = strip?.texts(line.hex);
  const undef = strip?.undefined;
  // What stands in all lanes is one bar for each group of neighbours.
  let bar = null;
  const mono = axis.textSize * 0.602;
  if (strip && strip.uniform !== null) bar = strip.texts(line.hex).find((t) => t !== undefined);
  const long = texts && !bar && texts.some((t) => t !== undefined && t.length > axis.chars);
  if (long && strip.affine) bar = strip.affineText();
  const narrow = long && texts.some((t) => t !== undefined && t.length > axis.chars && fit(t, axis.chars).length < Math.min(3, t.length));
  if (bar && strip.type !== 'pred') {
    for (let l = 0; l < axis.lanes;) {
      if (!has(active, l) || !has(strip.mask, l)) { l++; continue; }
      let e = l;
      while (e + 1 < axis.lanes && has(active, e + 1) && has(strip.mask, e + 1)) e++;
      const x0 = axis.x(l) + 0.5, x1 = axis.x(e) + w - 0.5;
      ctx.fillStyle = c.on;
      ctx.fillRect(x0, y, x1 - x0, h);
      const full = strip.scalar ? `${bar}, once for the wave` : strip.uniform !== null && e - l > 8 ? `${bar} in ${l === 0 && e === axis.lanes - 1 ? 'all lanes' : `lanes ${l}-${e}`}` : bar;
      const from = Math.max(x0, axis.left), to = Math.min(x1, axis.width); // what is in sight
      const room = Math.floor((to - from - 2) / (10 * 0.602));
      const t = full.length <= room ? full : fit(bar, room);
      ctx.font = `10px ${family}`;
      ctx.textAlign = 'center';
      ctx.fillStyle = c.onfg;
      if (t && room > 0) ctx.fillText(t, (from + to) / 2, y + h / 2 + 0.5);
      l = e + 1;
    }
  } else {
    bar = null;
  }
  const heat = narrow && !bar ? strip.heat : null;
  const plain = [], bold = [];
  for (let l = 0; l < axis.lanes; l++) {
    if (line.exist && !has(line.exist, l)) continue;
    const x = axis.x(l), mid = x + w / 2;
    if (line.shares) {
      const s = line.shares[l];
      if (s > 0) {
        ctx.fillStyle = c.on;
        ctx.fillRect(x + 0.5, y, w - 1, h);
        ctx.fillStyle = c.heat;
        ctx.fillRect(x + 0.5, y + h * (1 - s), w - 1, h * s);
      } else {
        dot(ctx, c, mid, y + h / 2);
      }
    } else if (!has(here, l)) {
      if (line.wait && has(line.wait, l)) {
        ctx.fillStyle = c.wait;
        ctx.fillRect(mid - 1.25, y - 1 - axis.head, 2.5, h + 2 + axis.head);
      } else if (!line.blank) {
        dot(ctx, c, mid, y + h / 2);
      }
    } else if (!has(active, l) || (strip && !strip.scalar && !has(strip.mask, l))) {
      ctx.strokeStyle = c.faint;
      ctx.lineWidth = 1;
      if (w >= 13) ctx.strokeRect(x + 1, y + 0.5, w - 2, h - 1);
      ctx.beginPath();
      ctx.moveTo(mid - Math.min(3, w / 4), y + h / 2);
      ctx.lineTo(mid + Math.min(3, w / 4), y + h / 2);
      ctx.stroke();
    } else if (undef && has(undef, l)) {
      ctx.fillStyle = hatch(ctx);
      ctx.fillRect(x + 0.5, y, w - 1, h);
      if (heat) ticks(ctx, c, x, y, w, h, heat[l]);
      else if (texts[l] !== undefined) bold.push(l);
    } else if (!bar || !strip?.texts || !has(strip.mask, l)) {
      ctx.fillStyle = c.on;
      ctx.fillRect(x + 0.5, y, w - 1, h);
      if (heat && texts[l] !== undefined) ticks(ctx, c, x, y, w, h, heat[l]);
      else if (texts?.[l] !== undefined || line.glyphs?.[l]) plain.push(l);
    }
  }
  const write = (list, weight, colour, back) => {
    if (!list.length) return;
    ctx.font = `${weight}${axis.textSize}px ${family}`;
    ctx.textAlign = 'center';
    for (const l of list) {
      const t = texts?.[l] !== undefined ? fit(texts[l], axis.chars) : line.glyphs[l];
      if (!t) continue;
      const mid = axis.x(l) + w / 2;
      if (back) {
        const half = Math.min(w / 2 - 0.5, t.length * mono / 2 + 1.5);
        ctx.fillStyle = c.undefined;
        ctx.fillRect(mid - half, y + 3, 2 * half, h - 6);
      }
      ctx.fillStyle = colour;
      ctx.fillText(t, mid, y + h / 2 + 0.5);
    }
  };
  write(plain, '', c.onfg, false);
  write(bold, 'bold ', c.undefinedfg, true);
  if (line.why && !isEmpty(line.why)) {
    ctx.strokeStyle = c.why;
    ctx.lineWidth = 2;
    for (let l = 0; l < axis.lanes; l++) {
      if (!has(line.why, l)) continue;
      if (bar || w < 13) { // neighbours in one frame
        let e = l;
        while (e + 1 < axis.lanes && has(line.why, e + 1)) e++;
        ctx.strokeRect(axis.x(l) + 1.5, y + 1, axis.x(e) + w - axis.x(l) - 3, h - 2);
        l = e;
      } else {
        ctx.strokeRect(axis.x(l) + 1.5, y + 1, w - 3, h - 2);
      }
    }
  }
  if (line.select >= 0) {
    const x = axis.x(line.select);
    ctx.strokeStyle = c.select;
    ctx.lineWidth = 2;
    ctx.strokeRect(x, y - 0.5, w, h + 1);
  }
}

function dot(ctx, c, x, y) {
  ctx.fillStyle = c.faint;
  ctx.fillRect(x - 1, y - 1, 2, 2);
}

// A value that has no room as a text: its size within the line, as the height of a bar.
function ticks(ctx, c, x, y, w, h, share) {
  ctx.fillStyle = c.heat;
  const t = Math.max(2, share * (h - 2));
  ctx.fillRect(x + w * 0.25, y + h - t, w * 0.5, t);
}
