// Who reads whom: arcs from the lanes that are read to the lanes that read, on the axis of the lanes.
import { cells, family, head, label, palette, size } from './lanes.js';
import { has, isEmpty, lanesIn, mask, maskOf, ranges } from './values.js';

// picture describes an exchange for draw: of a step of a recording.
export function ofStep(s, lanes, before) {
  const x = s.exchange, together = mask(x.together), readers = mask(x.readers);
  const absent = new Set((x.absent ?? []).map((a) => a.lane));
  const source = x.fold ? null : x.source ?? [];
  // The register that is read: the first one behind the results.
  const names = (s.text.slice(s.text.indexOf(',') + 1).match(/%[\w.]+|\b[vs]\d+\b|\bv\[\d+:\d+\]/g) ?? []);
  const strip = names.map((n) => before?.get(n)).find((r) => r && !r.scalar);
  return { lanes, together, readers, absent, source, fold: x.fold, members: x.members, from: strip, to: s.strip, absentNotes: x.absent ?? [] };
}

// ofExplanation describes the lane map of an explained instruction: its member "lanes" or "fold".
export function ofExplanation(data) {
  const lanes = data.isa === 'gcn3' ? 64 : 32, all = [...Array(lanes).keys()];
  if (data.lanes) {
    const source = all.map((l) => (typeof data.lanes.source[l] === 'number' ? data.lanes.source[l] : -1));
    const at = (word) => all.filter((l) => data.lanes.source[l] === word);
    return {
      lanes, together: maskOf(all), readers: maskOf(all.filter((l) => source[l] >= 0)), absent: new Set(), source,
      undefinedLanes: new Set(data.lanes.undefined ?? []), zero: at('zero'), kept: at('keep'), absentNotes: [],
    };
  }
  if (data.fold) {
    return { lanes, together: maskOf(data.fold.participants), readers: maskOf(data.fold.results ? data.fold.participants : all), absent: new Set(), fold: true, absentNotes: [] };
  }
  return null;
}

export const height = (axis) => 132 + (axis.stacked ? 34 : 0);

export function draw(canvas, axis, p, select, hex) {
  const c = palette(), hgt = height(axis), ctx = size(canvas, axis.width, hgt);
  head(ctx, axis, 8);
  const y0 = 20 + axis.head, y1 = hgt - 22 - axis.head, h = axis.cellHeight;
  const all = maskOf([...Array(p.lanes).keys()]);
  const say = (text, y, bold) => {
    if (axis.stacked) label(ctx, text, 4, axis.width - 4, y === y0 ? y - 8 : y + h + 9, { bold, colour: c.dim, size: 10 });
    else label(ctx, text, 8, axis.left - 8, y + h / 2, { bold, align: 'right', colour: bold ? c.fg : c.dim });
  };
  say(p.from ? `lanes that are read: ${p.from.name}` : 'lanes that are read', y0);
  cells(ctx, axis, y0, { here: p.together, exist: all, strip: p.from && p.from.uniform === null ? p.from : undefined, hex, select: -1 });
  say(p.to ? `result ${p.to.name}` : 'lanes that read', y1);
  if (p.to) {
    cells(ctx, axis, y1, { here: p.to.mask, exist: all, strip: p.to, hex, select });
  } else {
    const undef = p.undefinedLanes ?? new Set();
    const lanes = { name: '', type: 'u32', mask: all, scalar: false, uniform: null, affine: null, undefined: maskOf([...undef]), heat: [], texts: () => Array.from({ length: p.lanes }, (_, l) => sign(p, l)) };
    cells(ctx, axis, y1, { here: all, exist: all, strip: lanes, select });
  }
  axis.clip(ctx, () => {
    absentMarks(ctx, axis, p, y0);
    arcs(ctx, axis, p, select, y0 + h + 2, y1 - 4);
  });
  const top = y0 + h + 2, bottom = y1 - 4, bad = isBad(p);
  if (!axis.stacked) {
    const mid = (top + bottom) / 2;
    label(ctx, sentence(p, select), 8, axis.left - 8, mid, { align: 'right', bold: true, colour: bad(select) ? c.error : c.fg });
    if (p.members && p.members !== '0x0') label(ctx, `membermask ${p.members}`, 8, axis.left - 8, mid + 17, { align: 'right', colour: c.dim, size: 10 });
  }
  ctx.font = `10px ${family}`;
}

// isBad tells of a lane whether what it reads is undefined.
const isBad = (p) => (l) => p.absent.has(p.source?.[l]) || p.undefinedLanes?.has(l);

// absentMarks crosses out the lanes that are read and take no part.
function absentMarks(ctx, axis, p, y0) {
  const c = palette(), w = axis.cell, h = axis.cellHeight;
  for (const l of p.absent) {
    const x = axis.x(l) + w / 2;
    ctx.strokeStyle = c.error;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.arc(x, y0 + h / 2, Math.min(4.5, w / 2 - 1), 0, 7);
    ctx.moveTo(x - 4, y0 + h - 3);
    ctx.lineTo(x + 4, y0 + 3);
    ctx.stroke();
  }
}

// arcs draws the arcs between two heights, those of the lane select strong.
function arcs(ctx, axis, p, select, top, bottom) {
  const c = palette(), w = axis.cell, bad = isBad(p);
  const arc = (from, to, strong, bad) => {
    const x0 = axis.x(from) + w / 2, x1 = axis.x(to) + w / 2;
    ctx.strokeStyle = strong ? (bad ? c.error : c.reads) : bad ? c.error : c.faint;
    ctx.globalAlpha = strong ? 1 : 0.75;
    ctx.lineWidth = strong ? 2.5 : 1;
    ctx.setLineDash(bad ? [4, 3] : []);
    ctx.beginPath();
    ctx.moveTo(x0, top);
    ctx.bezierCurveTo(x0, top + (bottom - top) * 0.6, x1, bottom - (bottom - top) * 0.6, x1, bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    if (strong) {
      ctx.fillStyle = ctx.strokeStyle;
      ctx.beginPath();
      ctx.moveTo(x1 - 6, bottom - 5);
      ctx.lineTo(x1 + 6, bottom - 5);
      ctx.lineTo(x1, bottom + 4);
      ctx.fill();
    }
  };
  if (p.fold) {
    const from = lanesIn(p.together), to = lanesIn(p.readers), mid = (top + bottom) / 2;
    ctx.strokeStyle = c.reads;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    const xs = [...from, ...to].map((l) => axis.x(l) + w / 2);
    ctx.moveTo(Math.min(...xs), mid);
    ctx.lineTo(Math.max(...xs), mid);
    for (const l of from) {
      ctx.moveTo(axis.x(l) + w / 2, top);
      ctx.lineTo(axis.x(l) + w / 2, mid);
    }
    for (const l of to) {
      ctx.moveTo(axis.x(l) + w / 2, mid);
      ctx.lineTo(axis.x(l) + w / 2, bottom);
    }
    ctx.stroke();
  } else {
    for (let l = 0; l < p.lanes; l++) if (p.source[l] >= 0 && has(p.readers, l) && l !== select) arc(p.source[l], l, false, bad(l));
    if (select >= 0 && p.source[select] >= 0 && has(p.readers, select)) arc(p.source[select], select, true, bad(select));
  }
}

// over draws, above a line of the timeline that begins at y, what a lane reads there, and what lanes read it. If there is no room above
// the line, it draws below.
export function over(ctx, axis, p, lane, y) {
  const c = palette(), w = axis.cell, bad = isBad(p), up = y > 40;
  const from = up ? y + axis.head + 1 : y + axis.rowHeight - 1, tall = up ? -1 : 1;
  const arc = (a, b, strong) => {
    const x0 = axis.x(a) + w / 2, x1 = axis.x(b) + w / 2, rise = tall * Math.min(34, 14 + Math.abs(x1 - x0) * 0.12);
    ctx.strokeStyle = bad(b) ? c.error : c.reads;
    ctx.fillStyle = ctx.strokeStyle;
    ctx.lineWidth = strong ? 2.5 : 1.25;
    ctx.setLineDash(bad(b) ? [4, 3] : []);
    ctx.beginPath();
    ctx.moveTo(x0, from);
    if (a === b) ctx.bezierCurveTo(x0 - w, from + rise, x0 + w, from + rise, x1, from);
    else ctx.bezierCurveTo(x0, from + rise, x1, from + rise, x1, from + tall * 5);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x1 - 4, from + tall * 6);
    ctx.lineTo(x1 + 4, from + tall * 6);
    ctx.lineTo(x1, from);
    ctx.fill();
  };
  axis.clip(ctx, () => {
    if (p.fold) {
      if (has(p.readers, lane)) for (const l of lanesIn(p.together)) arc(l, lane, false);
      return;
    }
    for (let l = 0; l < p.lanes; l++) if (l !== lane && p.source[l] === lane && has(p.readers, l)) arc(lane, l, false);
    if (p.source[lane] >= 0 && has(p.readers, lane)) arc(p.source[lane], lane, true);
  });
}

const sign = (p, l) => (p.source[l] >= 0 ? String(p.source[l]) : p.zero?.includes(l) ? '0' : '·');

// What an exchange does to a lane.
export function sentence(p, lane) {
  if (lane < 0) return '';
  if (p.fold) return has(p.readers, lane) ? `lane ${lane} reads lanes ${ranges(lanesIn(p.together))}` : `lane ${lane} reads none`;
  const from = p.source?.[lane];
  if (!(from >= 0) || !has(p.readers, lane)) return p.zero?.includes(lane) ? `lane ${lane} receives 0` : p.kept?.includes(lane) ? `lane ${lane} keeps its value` : `lane ${lane} reads none`;
  return `lane ${lane} reads lane ${from}${p.absent.has(from) ? ': absent' : p.undefinedLanes?.has(lane) ? ': undefined' : ''}`;
}

// All of an exchange as text, for screen readers.
export function summary(p) {
  if (p.fold) return `lanes ${ranges(lanesIn(p.readers))} read lanes ${ranges(lanesIn(p.together))}`;
  if (isEmpty(p.readers)) return 'no lane reads another';
  return lanesIn(p.readers).slice(0, 64).map((l) => sentence(p, l)).join('; ');
}
