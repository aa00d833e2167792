// The timeline: steps of a wave down, lanes across.
import { LaneGrid } from './grid.js';
import * as exchange from './exchange.js';
import { cells, label, palette } from './lanes.js';
import { cellText } from './steps.js';

export class Timeline {
  // app has: track, steps, info, lane, hex, breakpoints, watched, select(), lastWrite(), hover(), unhover().
  constructor(element, app) {
    this.app = app;
    this.grid = new LaneGrid(element, 'Timeline: steps down, lanes across', {
      count: () => app.track?.rows.length ?? 0,
      before: (a, b) => this.fetch(a, b),
      paint: (ctx, r, y) => this.paint(ctx, r, y),
      after: (ctx, a, b, top) => {
        this.brackets(ctx, a, b, top);
        this.end(ctx, top);
        this.arrows(ctx, top);
      },
      extra: () => app.track?.endless,
      rowLabel: (r) => this.rowText(r),
      cellLabel: (r, l) => this.cellText(r, l),
      across: (d) => app.across(d),
      press: (r, l, e) => this.press(r, l, e),
      twice: (r, l) => { if (!app.track.rows[r].fold && l >= 0) app.lastWrite(); },
      hover: (r, l, e) => this.hover(r, l, e),
      leave: () => {
        this.point(null);
        app.unhover();
      },
    });
  }

  // point says which cell the pointer is on: null, or the index of a step and a lane.
  point(at) {
    if (at?.i === this.at?.i && at?.lane === this.at?.lane) return;
    this.at = at;
    this.grid.later();
  }

  // arrows draws who reads whom at the cell under the pointer.
  arrows(ctx, top) {
    const { track, steps, info } = this.app, s = this.at && steps?.get(this.at.i);
    if (!s?.exchange) return;
    const row = track.row(this.at.i);
    if (track.rows[row]?.i !== this.at.i) return; // it is in a folded loop
    exchange.over(ctx, this.grid.axis, exchange.ofStep(s, info.lanes, null), this.at.lane, row * this.grid.axis.rowHeight - top);
  }

  fetch(a, b) {
    const { track, steps } = this.app;
    if (!track || b <= a) return;
    const first = track.rows[a], last = track.rows[b - 1];
    steps.want(first.fold ? first.fold.from : first.i, (last.fold ? last.fold.from : last.i) + 1);
  }

  rowIndex(r) {
    const row = this.app.track.rows[r];
    return row.fold ? row.fold.from : row.i;
  }

  rowText(r) {
    const { track } = this.app, row = track.rows[r];
    if (row.fold) return foldText(row.fold);
    return `step ${track.step[row.i]}${track.line[row.i] ? `, line ${track.line[row.i]}` : ''}: ${track.text[row.i]}`;
  }

  cellText(r, l) {
    const { track, steps, info } = this.app, row = track.rows[r];
    if (row.fold) return `${foldText(row.fold)}, lane ${l} acts in ${Math.round(track.shares(row.fold)[l] * 100)} percent of the steps`;
    return cellText(track, row.i, l, steps.get(row.i), info.findings);
  }

  press(r, l, e) {
    const { app } = this, row = app.track.rows[r];
    if (row.fold) {
      app.track.toggle(row.fold);
      app.relayout();
      this.grid.show(r, app.lane);
      return;
    }
    const step = app.track.step[row.i];
    if (e.shiftKey && l >= 0) app.path(step, l);
    else app.select({ step, lane: l >= 0 ? l : app.lane, why: l >= 0 }, true);
  }

  hover(r, l, e) {
    const { app } = this, row = app.track.rows[r];
    this.point(row.fold || l < 0 ? null : { i: row.i, lane: l });
    app.hover(row.fold ? null : row.i, l, e, row.fold ? this.cellText(r, Math.max(0, l)) : this.rowText(r));
  }

  paint(ctx, r, y) {
    const { app } = this, { track, steps } = app, { axis } = this.grid, c = palette(), row = track.rows[r];
    const h = axis.rowHeight, current = app.row === r, textY = axis.stacked ? y + axis.head / 2 + 1 : y + h / 2;
    if (current) {
      ctx.fillStyle = c.current;
      ctx.fillRect(0, y, axis.width, h);
    }
    const right = axis.stacked ? axis.width - 4 : axis.left - 14, indent = row.depth * 10;
    if (row.fold) {
      const f = row.fold, found = track.foldFindings(f);
      label(ctx, `${f.open ? '▾' : '▸'} ${foldText(f)}`, 8 + indent, right, textY, { bold: true, colour: found.size ? c.error : c.fg });
      cells(ctx, axis, y + 1 + axis.head, { here: { lo: 0, hi: 0 }, exist: app.exist, shares: track.shares(f), why: track.why(f), select: current ? app.lane : -1 });
      return;
    }
    const i = row.i, s = steps.get(i), n = track.line[i];
    const x = 8 + indent + 34;
    label(ctx, n ? String(n) : `${track.step[i]}`, 4 + indent, x - 6, textY, { align: 'right', colour: c.dim, size: 10 });
    const mark = app.mark(track.step[i]);
    if (mark) label(ctx, mark.sign, x - 4, x + 12, textY, { bold: true, colour: mark.colour });
    if (app.breakpoints.has(n) && n) {
      ctx.fillStyle = c.error;
      ctx.beginPath();
      ctx.arc(5 + indent, textY, 3.5, 0, 7);
      ctx.fill();
    }
    label(ctx, track.text[i], x + 9, right, textY, { bold: current });
    const pick = (lo, hi) => ({ lo: lo[i], hi: hi[i] });
    cells(ctx, axis, y + 1 + axis.head, {
      here: s?.scalar ? app.exist : pick(track.lo, track.hi), active: s?.scalar ? app.exist : pick(track.alo, track.ahi), exist: app.exist,
      wait: pick(track.waitLo, track.waitHi), strip: s?.strip, glyphs: s?.glyphs, scalar: s?.scalar, hex: app.hex,
      why: pick(track.whyLo, track.whyHi), select: current ? app.lane : -1,
    });
  }

  // Behind the last step: the lanes that wait for ever.
  end(ctx, top) {
    const { track } = this.app, { axis } = this.grid, c = palette(), h = axis.rowHeight;
    if (!track?.endless) return;
    const y = track.rows.length * h - top;
    if (y > this.grid.height) return;
    label(ctx, '▲ these lanes wait for ever', axis.stacked ? 8 : 42, axis.stacked ? axis.width : axis.left - 14, axis.stacked ? y + axis.head / 2 + 1 : y + h / 2, { bold: true, colour: c.error });
    cells(ctx, axis, y + 1 + axis.head, { here: { lo: 0, hi: 0 }, exist: this.app.exist, wait: track.endless, select: -1 });
  }

  // Brackets at the left of the lanes: the steps of one fragment, while there are several.
  brackets(ctx, a, b, top) {
    const { track } = this.app, { axis } = this.grid, c = palette(), h = axis.rowHeight;
    if (!track || axis.stacked) return;
    ctx.lineWidth = 1.5;
    for (let r = a; r < b; r++) {
      const row = track.rows[r];
      if (row.fold) continue;
      const y = r * h - top, i = row.i;
      for (let slot = 0; slot < 4; slot++) {
        const x = axis.left - 12 + slot * 3;
        const inside = track.slot[i] === slot;
        const below = track.through[i] >> slot & 1, above = i > 0 && track.through[i - 1] >> slot & 1;
        if (!inside && !below && !above) continue;
        ctx.strokeStyle = slot % 2 ? c.wait : c.reads;
        ctx.setLineDash(slot > 1 ? [2, 2] : []);
        ctx.beginPath();
        ctx.moveTo(x, above ? y : y + h / 2);
        ctx.lineTo(x, below ? y + h : y + h / 2);
        if (inside) {
          ctx.moveTo(x, y + h / 2);
          ctx.lineTo(axis.left - 1, y + h / 2);
        }
        ctx.stroke();
      }
    }
    ctx.setLineDash([]);
  }
}

export function foldText(f) {
  const what = f.whole ? `${f.rounds} rounds` : f.rounds === 1 ? `round ${f.first + 1} of ${f.of}` : `rounds ${f.first + 1}-${f.first + f.rounds} of ${f.of}`;
  return `${f.line && f.whole ? `loop at line ${f.line}: ` : ''}${what}, ${f.to - f.from} steps`;
}

// The registers of the wave as of the current step, on the same axis.
export class Registers {
  constructor(element, app) {
    this.app = app;
    this.list = [];
    this.grid = new LaneGrid(element, 'Registers: names down, lanes across', {
      count: () => this.list.length,
      paint: (ctx, r, y) => this.paint(ctx, r, y),
      rowLabel: (r) => `${this.list[r].name}, ${this.list[r].type}${this.changed.has(this.list[r].name) ? ', changed in this step' : ''}`,
      cellLabel: (r, l) => {
        const d = this.list[r].describe(l);
        return `${this.list[r].name}${this.list[r].scalar ? '' : ` of lane ${l}`} ${d ? `= ${d.short}${d.undefined ? ', undefined' : ''}` : 'has no value'}`;
      },
      across: (d) => app.across(d),
      press: (r, l, e) => {
        const reg = this.list[r];
        this.grid.show(r, l >= 0 ? l : app.lane, e.detail > 0);
        app.select({ register: reg.name, lane: l >= 0 ? l : app.lane, why: l >= 0 });
      },
      twice: (r, l) => { if (l >= 0) app.lastWrite(); },
      hover: (r, l, e) => app.hoverRegister(this.list[r], l, e),
      leave: () => app.unhover(),
    });
    this.changed = new Set();
  }

  set(list, changed) {
    this.list = list;
    this.changed = changed;
  }

  paint(ctx, r, y) {
    const { app } = this, { axis } = this.grid, c = palette(), reg = this.list[r], h = axis.rowHeight;
    const changed = this.changed.has(reg.name), chosen = app.register === reg.name;
    const textY = axis.stacked ? y + axis.head / 2 + 1 : y + h / 2;
    if (chosen) {
      ctx.fillStyle = c.current;
      ctx.fillRect(0, y, axis.width, h);
    }
    const right = axis.stacked ? 150 : axis.left - 60;
    label(ctx, reg.name, 14, right, textY, { bold: changed || chosen });
    label(ctx, reg.type, right, axis.stacked ? 220 : axis.left - 12, textY, { colour: c.dim, size: 10 });
    if (app.watched?.register === reg.name) label(ctx, '◆', 2, 14, textY, { colour: c.error });
    const blank = { lo: 0, hi: 0 };
    cells(ctx, axis, y + 1 + axis.head, { here: reg.mask ?? blank, exist: app.exist, strip: reg, hex: app.hex, blank: true, select: chosen ? app.lane : -1 });
    if (changed) {
      ctx.strokeStyle = c.select;
      ctx.lineWidth = 1.5;
      axis.clip(ctx, () => ctx.strokeRect(axis.x(0) - 1.5, y + 0.5 + axis.head, axis.span + 3, axis.cellHeight + 1));
    }
  }
}

