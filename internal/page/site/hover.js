// The card under the pointer.
import * as exchange from './exchange.js';
import { cellText } from './steps.js';
import { escape, has, lanesIn, mask } from './values.js';

const $ = (id) => document.getElementById(id);
const sign = { error: '▲', warning: '▲', note: '△' };

export function card(html, e) {
  const c = $('card');
  c.innerHTML = html;
  c.hidden = false;
  const w = c.offsetWidth, h = c.offsetHeight;
  c.style.left = `${Math.max(4, Math.min(e.clientX + 14, innerWidth - w - 6))}px`;
  c.style.top = `${e.clientY + 18 + h > innerHeight ? Math.max(4, e.clientY - h - 12) : e.clientY + 18}px`;
}

// install gives the page its cards.
export function install(app) {
  app.hover = (i, lane, e, plain) => {
    if (i === null || lane < 0) {
      card(escape(plain), e);
      return;
    }
    const t = app.track, s = app.steps.get(i);
    const lines = [`<b>${escape(t.text[i])}</b>`];
    const here = (lane < 32 ? t.lo[i] >>> lane : t.hi[i] >>> (lane - 32)) & 1;
    const says = cellText(t, i, lane, s, app.info.findings);
    if (!here) {
      lines.push(escape(says.split(', ').slice(t.line[i] ? 2 : 1).join(', ')));
      if (t.done[i] < 0) lines.push('<span class="bad">the lanes of this step wait for ever</span>');
    } else {
      for (const strip of s?.strips ?? []) {
        const d = strip.describe(lane);
        if (d) lines.push(`${escape(strip.name)}${strip.scalar ? '' : ` of lane ${lane}`} = ${escape(d.value)}${d.undefined ? ` <span class="bad">${escape(d.undefined)}</span>` : ''}`);
      }
      for (const a of s?.access ?? []) {
        const at = lanesIn(mask(a.lanes)).indexOf(lane);
        if (at >= 0 && a.addresses?.[at]) lines.push(`${escape(a.kind)} of ${a.size} bytes, ${escape(a.space)} ${a.addresses[at]}`);
      }
      if (s?.exchange) {
        const p = exchange.ofStep(s, app.info.lanes, null), bad = p.absent.has(p.source?.[lane]);
        const why = p.absentNotes.find((a) => a.reader === lane)?.reasons?.join(', ');
        lines.push(`<span${bad ? ' class="bad"' : ''}>${escape(exchange.sentence(p, lane))}${why ? ` (${escape(why)})` : ''}</span>`);
        if (i === app.index) app.drawExchange(lane);
      }
      if (!has({ lo: t.alo[i], hi: t.ahi[i] }, lane) && !s?.scalar) lines.push('its guard or EXEC keeps it from acting');
      if (s?.branch && has(mask(s.taken), lane)) lines.push('takes the branch');
      if (s?.exits && has(mask(s.exits), lane)) lines.push('ends here');
      if (t.done[i] !== t.step[i]) lines.push(t.done[i] < 0 ? '<span class="bad">waits for ever</span>' : `waits until step ${t.done[i]}`);
    }
    for (const f of t.findings.get(t.step[i]) ?? []) lines.push(`<span class="bad">${sign[app.info.findings[f].finding.severity]} ${escape(app.info.findings[f].finding.code)}</span>`);
    lines.push(`<small class="dim">step ${t.step[i]}${t.line[i] ? `, line ${t.line[i]}` : ''}, lane ${lane}</small>`);
    card(lines.join('<br>'), e);
  };
  app.hoverRegister = (strip, lane, e) => {
    const d = lane >= 0 && strip.describe(lane);
    card(d ? `<b>${escape(strip.name)}</b>${strip.scalar ? '' : ` of lane ${lane}`} = ${escape(d.value)}${d.undefined ? `<br><span class="bad">${escape(d.undefined)}</span>` : ''}` : `<b>${escape(strip.name)}</b> ${escape(strip.type)}${strip.affine ? `<br>${escape(strip.affineText())}` : ''}`, e);
  };
  app.unhover = () => {
    if ($('card').hidden) return;
    $('card').hidden = true;
    app.drawExchange();
  };
}
