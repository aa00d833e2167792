// The legend of the timeline, and the timeline as a table.
import { drawCells, size } from './lanes.js';
import { escape, has, lanesIn } from './values.js';

const $ = (id) => document.getElementById(id);

const legendItems = [
  ['written', { on: 1 }], ['undefined: hatched, bold', { undef: 1 }], ['here, not written', { idle: 1 }], ['not here', { dot: 1 }], ['waits', { wait: 1 }],
  ['part of the why', { why: 1 }], ['selected', { select: 1 }],
];

export function legend() {
  const box = $('legend');
  const one = { lo: 1, hi: 0 }, none = { lo: 0, hi: 0 };
  box.replaceChildren(...legendItems.map(([text, k]) => {
    const li = document.createElement('li'), c = document.createElement('canvas');
    c.setAttribute('aria-hidden', 'true');
    const small = { lanes: 1, left: 1, cell: 18, gap: 0, group: 8, cellHeight: 14, head: 0, width: 20, chars: 2, textSize: 9, right: 19, x: () => 1 };
    const ctx = size(c, 20, 16);
    const strip = k.on || k.why || k.select || k.undef ? { name: '', type: 'pred', mask: one, uniform: null, affine: null, undefined: k.undef ? one : none, texts: () => ['5'] } : undefined;
    drawCells(ctx, small, 1, { here: k.dot || k.wait ? none : one, active: k.idle ? none : one, wait: k.wait ? one : none, strip, why: k.why ? one : none, select: k.select ? 0 : -1 });
    li.append(c, text);
    return li;
  }), ...[['▲', 'error, warning'], ['△', 'note'], ['↷', 'takes the branch'], ['↓', 'stores'], ['×', 'ends']].map(([s, text]) => {
    const li = document.createElement('li');
    li.textContent = `${s} ${text}`;
    return li;
  }));
}

// showTable shows the steps around the selected one.
export async function showTable(app) {
  const t = app.track, from = Math.max(0, app.index - 20), to = Math.min(t.count, from + 60);
  await Promise.all([app.steps.at(from), app.steps.at(to - 1)]);
  const lanes = lanesIn(app.exist);
  const rows = [];
  for (let i = from; i < to; i++) {
    const s = app.steps.get(i), texts = s?.strip?.texts(app.hex);
    rows.push(`<tr${i === app.index ? ' class="now"' : ''}><th scope="row">${t.step[i]}</th><td>${t.line[i] || ''}</td><td class="text">${escape(t.text[i])}</td><td class="text">${escape(s?.strip?.name ?? '')}</td>` +
      lanes.map((l) => {
        const v = texts?.[s.strip.scalar ? 0 : l], bad = s?.strip && has(s.strip.undefined, l);
        const here = (l < 32 ? t.lo[i] >>> l : t.hi[i] >>> (l - 32)) & 1;
        return `<td${bad ? ' class="undef"' : ''}>${!here ? '·' : v === undefined ? '' : escape(v)}${bad ? '?' : ''}</td>`;
      }).join('') + '</tr>');
  }
  $('tables').innerHTML = `<table><caption class="hide">steps ${t.step[from]} to ${t.step[to - 1]}; · the lane is not here, ? the value is undefined</caption>` +
    `<thead><tr><th scope="col">step</th><th scope="col">line</th><th scope="col" class="text">instruction</th><th scope="col" class="text">register</th>${lanes.map((l) => `<th scope="col">${l}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
