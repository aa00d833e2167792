// The views without a recording: explain, try, plan, and the gallery of examples.
import { call } from './backend.js';
import * as exchange from './exchange.js';
import { cells, head, label, palette, size } from './lanes.js';
import { split } from './share.js';
import { Latest } from './steps.js';
import { escape, maskOf, textStrip } from './values.js';

const $ = (id) => document.getElementById(id);

const instructions = ['shfl.sync.down.b32 %r1, %r2, 16, 31, 0xffffffff', 'shfl.sync.bfly.b32 %r1|%p1, %r2, 5, 0x1f, -1', 'vote.sync.ballot.b32 %r1, %p1, -1', 'redux.sync.add.u32 %r1, %r2, -1',
  'v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0', 'v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0xa', 'ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,8,5)', 'v_readlane_b32 s0, v1, 3'];
const trials = [
  ['%r1=iota', 'shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;\nadd.u32 %r3, %r1, %r2;'],
  ['%r1=iota', 'shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, 0x0000ffff;'],
  ['v0:f32=fill:1', 'v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0\nv_add_f32 v2, v1, v1 row_shr:2'],
  ['v0=iota', 'ds_swizzle_b32 v1, v0 offset:swizzle(REVERSE,16)'],
];

const goals = ['xor 5', 'rotate 4', 'reverse in 16', 'shift 1 in 16 fill zero', 'transpose 8x8', 'broadcast 5', 'reduce add u32', 'scan exclusive add f32', "__shfl_down_sync(m, v, 4, 16)"];

export class Views {
  constructor(app, { status, newAxis }) {
    Object.assign(this, { app, status, newAxis });
    $('view-explain').innerHTML = `<section><h2>Explain an instruction</h2>
      <label class="hide" for="explain-text">instruction, a part of a mnemonic, or the code of a finding</label><input id="explain-text" class="wide" spellcheck="false" autocomplete="off" value="${instructions[0]}">
      <div class="fields"><label>active lanes <input id="explain-active" size="20" placeholder="all" spellcheck="false"></label></div>
      <div class="chips" id="explain-chips"></div></section><section id="explain-out" aria-live="polite"><div id="explain-picture"><canvas id="explain-map" role="img" aria-label="lane map"></canvas></div><div id="explain-facts"></div></section>`;
    $('view-try').innerHTML = `<section><h2>Try instructions <small>without a kernel</small></h2>
      <div class="fields"><label class="line">registers before <input id="try-set" spellcheck="false" autocomplete="off"></label><label>active lanes <input id="try-active" size="18" placeholder="all" spellcheck="false"></label>
      <label>read as <select id="try-as"><option value="">its type</option><option>u32</option><option>s32</option><option>f32</option><option>hex</option></select></label></div>
      <p><label class="hide" for="try-text">instructions</label><textarea id="try-text" rows="5" spellcheck="false"></textarea></p>
      <div class="chips" id="try-chips"></div></section><section id="try-out" aria-live="polite"><div id="try-strips"></div><div id="try-findings"></div></section>`;
    $('view-plan').innerHTML = `<section><h2>Plan <small>the cheapest instructions for a lane map</small></h2>
      <form class="fields" id="plan-form"><label class="line">goal <input id="plan-goal" spellcheck="false" autocomplete="off" value="xor 5"></label><label>target <input id="plan-target" size="8" spellcheck="false" autocomplete="off" list="plan-targets" value="gfx803"></label><datalist id="plan-targets"><option>gfx803</option><option>sm_80</option><option>sm_90</option></datalist><label>best in <select id="plan-prefer"><option>latency</option><option>throughput</option><option>no-lds</option><option>registers</option></select></label><button class="main">Plan</button></form><div class="chips" id="plan-chips"></div></section>
      <section id="plan-out" aria-live="polite"></section>`;
    $('view-gallery').innerHTML = '<section><h2>Find the bug</h2><p>Each kernel here runs, and is wrong; beside it stands a twin that is right. Look at the lanes, then open the hint.</p><div class="fields"><label>show <select id="gallery-kind"><option value="">all</option><option value="bug">bugs</option><option value="twin">twins</option><option value="tour">tours</option></select></label><label>instruction set <select id="gallery-isa"><option value="">both</option><option value="ptx">PTX</option><option value="gcn3">GCN3</option></select></label></div><div id="gallery-list" class="cards"></div></section>';
    $('explain-chips').replaceChildren(...instructions.map((t) => chip(t, () => {
      $('explain-text').value = t;
      this.explain();
    })));
    $('try-chips').replaceChildren(...trials.map(([set, t]) => chip(t.split('\n')[0].slice(0, 60), () => {
      $('try-set').value = set;
      $('try-text').value = t;
      this.tryOut();
    })));
    $('plan-chips').replaceChildren(...goals.map((t) => chip(t, () => {
      $('plan-goal').value = t;
      this.plan();
    })));
    $('plan-out').addEventListener('click', (e) => {
      const a = this.planned?.data?.answers?.[e.target.dataset?.answer];
      if (!a) return;
      const gcn3 = this.planned.data.isa === 'gcn3';
      $('try-set').value = gcn3 ? 'v0=iota' : '%r0=iota';
      $('try-text').value = a.code.join(gcn3 ? '\n' : '\n');
      this.app.setView('try');
      this.tryOut();
    });
    [$('try-set').value, $('try-text').value] = trials[0];
    this.explainer = new Latest((...a) => this.runExplain(...a));
    this.trier = new Latest((...a) => this.runTry(...a));
    let timer;
    const soon = (f) => () => {
      clearTimeout(timer);
      timer = setTimeout(f, 180);
    };
    for (const id of ['explain-text', 'explain-active']) $(id).addEventListener('input', soon(() => this.explain()));
    for (const id of ['try-set', 'try-active', 'try-as', 'try-text']) $(id).addEventListener('input', soon(() => this.tryOut()));
    for (const id of ['gallery-kind', 'gallery-isa']) $(id).addEventListener('change', () => this.listGallery());
    $('plan-form').addEventListener('submit', (e) => {
      e.preventDefault();
      this.plan();
    });
    $('explain-map').addEventListener('pointermove', (e) => this.pointMap(e));
    $('explain-map').addEventListener('pointerleave', () => {
      this.mapLane = -1;
      this.drawMap();
    });
  }

  show(view) {
    this.view = view;
    if (view === 'explain' && !this.explained) this.explain();
    if (view === 'try' && !this.tried) this.tryOut();
    if (view === 'plan' && !this.planned) this.plan();
    if (view === 'gallery') this.gallery();
    this.repaint();
  }

  repaint() {
    if (this.view === 'explain') this.drawMap();
    if (this.view === 'try') this.drawStrips();
    if (this.view === 'plan') this.drawPlan();
  }

  // The members of the address, and back.
  members() {
    if (this.app.view === 'explain') return { i: $('explain-text').value, a: $('explain-active').value };
    if (this.app.view === 'try') return { i: $('try-text').value, t: $('try-set').value, a: $('try-active').value };
    if (this.app.view === 'plan') return { i: $('plan-goal').value, t: $('plan-target').value, a: $('plan-prefer').value };
    return {};
  }

  restore(m) {
    if (m.view === 'explain' && m.i) {
      $('explain-text').value = m.i;
      $('explain-active').value = m.a ?? '';
      this.explained = null;
    }
    if (m.view === 'try' && m.i) {
      $('try-text').value = m.i;
      $('try-set').value = m.t ?? '';
      $('try-active').value = m.a ?? '';
      this.tried = null;
    }
    if (m.view === 'plan' && m.i) {
      $('plan-goal').value = m.i;
      $('plan-target').value = m.t ?? 'gfx803';
      $('plan-prefer').value = m.a || 'latency';
      this.planned = null;
    }
  }

  // The command that does the same as this view.
  command() {
    const q = (s) => `'${s.replace(/'/g, "'\\''")}'`;
    if (this.app.view === 'explain') return `crosslane explain ${q($('explain-text').value)}${$('explain-active').value ? ` --exec ${$('explain-active').value}` : ''}`;
    if (this.app.view === 'try') return `crosslane try ${split($('try-set').value).map((s) => `--set ${q(s)} `).join('')}${$('try-active').value ? `--exec ${$('try-active').value} ` : ''}${q($('try-text').value.replace(/\s*\n\s*/g, '; ').replace(/;+\s*;/g, ';'))}`;
    if (this.app.view === 'plan') return `crosslane plan ${q($('plan-goal').value)} --target ${$('plan-target').value} --prefer ${$('plan-prefer').value}`;
    return null;
  }

  // ---- explain

  explain() { this.explainer.run($('explain-text').value, $('explain-active').value.trim()); }

  async runExplain(text, active, current) {
    if (!text.trim()) return;
    let d;
    try {
      d = await call('explain', { text, options: active ? { active } : {} });
    } catch (e) {
      if (!current()) return;
      this.explained = {};
      $('explain-facts').innerHTML = `<pre class="out">${escape(e.findings?.length ? e.findings.map((f) => `${f.message} [${f.code}]${f.remedy ? `\nremedy: ${f.remedy}` : ''}`).join('\n') : e.message)}</pre>`;
      this.drawMap();
      return;
    }
    if (!current()) return;
    this.explained = d;
    this.mapLane = -1;
    const x = d.data;
    if (d.kind && d.kind !== 'instruction') {
      $('explain-facts').innerHTML = `<pre class="out">${escape(d.text)}</pre>`;
    } else {
      const parts = (list) => list.map((p) => `<dt><code>${escape(p.text)}</code></dt><dd>${escape(p.meaning ?? '')}${p.type ? ` <small class="dim">${escape(p.type)}</small>` : ''}</dd>`).join('');
      const list = (title, l) => (l?.length ? `<dt>${title}</dt><dd>${l.map(escape).join('<br>')}</dd>` : '');
      $('explain-facts').innerHTML = `<p><b>${escape(x.about ?? '')}</b></p><p><code>${escape(x.form ?? '')}</code></p>
        <dl class="facts">${parts([...(x.modifiers ?? []).filter((m) => m.meaning), ...(x.operands ?? [])])}${list('note', x.notes)}${list('undefined', x.undefined && [x.undefined])}${list('hazards', x.hazards)}${list('needs', x.needs)}${list('cost', x.cost && [x.cost])}${list('refused', x.refused && [x.refused])}${list('manual', x.section && [x.section])}</dl>
        <details><summary>as at a terminal</summary><pre class="out">${escape(d.text)}</pre></details>`;
    }
    this.drawMap();
    this.app.save();
  }

  drawMap() {
    const canvas = $('explain-map'), x = this.explained?.data, p = x && (this.explained.kind ?? 'instruction') === 'instruction' ? exchange.ofExplanation(x) : null;
    $('explain-picture').hidden = !p;
    this.map = p;
    if (!p || this.app.view !== 'explain') return;
    this.mapAxis = this.newAxis($('explain-picture').clientWidth, p.lanes);
    exchange.draw(canvas, this.mapAxis, p, this.mapLane ?? -1, false);
    canvas.setAttribute('aria-label', exchange.summary(p));
  }

  pointMap(e) {
    const l = this.mapAxis?.at(e.clientX - $('explain-map').getBoundingClientRect().left) ?? -1;
    if (l === this.mapLane) return;
    this.mapLane = l;
    this.drawMap();
  }

  // ---- try

  tryOut() { this.trier.run($('try-text').value, split($('try-set').value), $('try-active').value.trim(), $('try-as').value); }

  async runTry(text, set, active, as, current) {
    if (!text.trim()) return;
    const options = { set, trace: true };
    if (active) options.active = active;
    if (as) options.as = as;
    let d;
    try {
      d = await call('try', { text, options });
    } catch (e) {
      if (!current()) return;
      this.tried = { data: { registers: {}, findings: e.findings ?? [] } };
      this.showTried(e.message);
      return;
    }
    if (!current()) return;
    this.tried = d;
    this.showTried('');
    this.app.save();
  }

  showTried(problem) {
    const { data } = this.tried;
    $('try-findings').innerHTML = `${problem && !data.findings?.length ? `<pre class="out">${escape(problem)}</pre>` : ''}${(data.findings ?? []).map((f) => `<div class="find ${escape(f.severity ?? 'error')}"><span aria-hidden="true">${f.severity === 'note' ? '△' : '▲'}</span> ${f.line ? `<span class="where">line ${f.line}</span> ` : ''}${escape(f.message)} [${escape(f.code)}]${f.remedy ? `<span class="remedy">${escape(f.remedy)}</span>` : ''}</div>`).join('')}
      ${this.tried.text ? `<details><summary>as at a terminal</summary><pre class="out">${escape(this.tried.text)}</pre></details>` : ''}`;
    this.drawStrips();
  }

  drawStrips() {
    const box = $('try-strips'), data = this.tried?.data;
    if (!data || this.app.view !== 'try') return;
    const lanes = data.lanes ?? 32, axis = this.newAxis(box.clientWidth, lanes), c = palette();
    const groups = [];
    // After each instruction, what it has changed.
    for (const step of data.steps ?? []) {
      const before = {};
      for (const g of groups) Object.assign(before, g.registers);
      const changed = Object.entries(step.registers ?? {}).filter(([name, r]) => (before[name] ? JSON.stringify(before[name]) !== JSON.stringify(r) : r.poison?.length !== lanes));
      groups.push({ text: step.text, registers: Object.fromEntries(changed) });
    }
    if (!groups.length) groups.push({ text: '', registers: data.registers });
    let rows = 0;
    for (const g of groups) rows += Object.keys(g.registers ?? {}).length + (g.text ? 1 : 0);
    const canvas = box.firstChild ?? box.appendChild(document.createElement('canvas'));
    const ctx = size(canvas, axis.width, 20 + rows * (axis.rowHeight + 2));
    head(ctx, axis, 8);
    let y = 20;
    const all = maskOf([...Array(lanes).keys()]), says = [];
    for (const g of groups) {
      if (g.text) {
        label(ctx, g.text, 4, axis.width - 4, y + axis.rowHeight / 2, { bold: true });
        y += axis.rowHeight + 2;
      }
      for (const [name, r] of Object.entries(g.registers ?? {})) {
        const strip = textStrip(name, r, lanes);
        label(ctx, name, 14, axis.stacked ? 120 : axis.left - 60, axis.stacked ? y + 8 : y + axis.rowHeight / 2);
        label(ctx, strip.type, axis.stacked ? 130 : axis.left - 60, axis.stacked ? 190 : axis.left - 12, axis.stacked ? y + 8 : y + axis.rowHeight / 2, { colour: c.dim, size: 10 });
        cells(ctx, axis, y + 1 + axis.head, { here: all, exist: all, strip, select: -1 });
        says.push(`${name}: ${strip.texts().join(' ')}`);
        y += axis.rowHeight + 2;
      }
    }
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', says.join('; ') || 'no register was written');
  }

  // ---- plan

  async plan() {
    const out = $('plan-out');
    let d;
    try {
      d = await call('plan', { goal: $('plan-goal').value, target: $('plan-target').value.trim(), prefer: $('plan-prefer').value });
    } catch (e) {
      this.planned = {};
      out.innerHTML = `<pre class="out">${escape(e.findings?.map((f) => `${f.message} [${f.code}]${f.remedy ? `\nremedy: ${f.remedy}` : ''}`).join('\n') || e.message)}</pre>`;
      return;
    }
    this.planned = d;
    const x = d.data, names = { latency: 'latency', issue: 'issue', instructions: 'instructions', bytes: 'bytes', wait_states: 'wait states', lds_trips: 'LDS trips', shuffles: 'shuffles', registers: 'registers' };
    out.innerHTML = `<p><b>${escape(x.about ?? x.goal)}</b></p><div id="plan-picture"${x.map?.length ? '' : ' hidden'}><canvas id="plan-map" role="img"></canvas></div>` +
      (x.answers ?? []).map((a, i) => `<div class="answer"><h3>${i + 1}. ${escape(a.how)}</h3><pre class="out">${escape(a.code.join('\n'))}</pre>
        <p class="values">${Object.entries(names).filter(([k]) => a.cost?.[k]).map(([k, n]) => `${n} <b>${escape(a.cost[k])}</b>`).join(' · ')}</p>
        <ul>${(a.reasons ?? []).map((r) => `<li>${escape(r)}</li>`).join('')}</ul><p>✓ ${escape(a.proof?.what ?? '')}</p><button data-answer="${i}">try it</button></div>`).join('') +
      `<details><summary>as at a terminal</summary><pre class="out">${escape(d.text)}</pre></details>`;
    this.drawPlan();
    this.app.save();
  }

  drawPlan() {
    const x = this.planned?.data, canvas = $('plan-map');
    if (!canvas || !x.map?.length || this.app.view !== 'plan') return;
    const source = x.map.map((s) => (/^\d+$/.test(s) ? Number(s) : -1)), all = maskOf(x.map.map((_, l) => l));
    const p = {
      lanes: x.map.length, together: all, readers: maskOf([...source.keys()].filter((l) => source[l] >= 0)), absent: new Set(), absentNotes: [], source,
      zero: [...source.keys()].filter((l) => x.map[l] === 'z'), kept: [...source.keys()].filter((l) => x.map[l] === '='),
    };
    exchange.draw(canvas, this.newAxis($('plan-picture').clientWidth, p.lanes), p, -1, false);
    canvas.setAttribute('aria-label', exchange.summary(p));
  }

  // ---- the gallery

  async gallery() {
    if (!this.examples) {
      try {
        this.examples = await call('examples', {});
      } catch {
        this.examples = [];
      }
      const first = ['tour', 'bug', 'bug', 'bug', 'bug', 'tour'], used = new Set();
      const some = first.map((k) => this.examples.find((e) => e.kind === k && !used.has(e) && used.add(e))).filter(Boolean);
      $('first-examples').replaceChildren(...some.map((e) => this.card(e)));
    }
    this.listGallery();
  }

  listGallery() {
    const kind = $('gallery-kind').value, isa = $('gallery-isa').value;
    $('gallery-list').replaceChildren(...(this.examples ?? []).filter((e) => (!kind || e.kind === kind) && (!isa || e.isa === isa)).map((e) => this.card(e)));
  }

  card(e) {
    const b = document.createElement('button');
    b.className = 'card';
    b.dataset.example = e.id;
    b.innerHTML = `<span class="tag">${escape({ bug: '▲ bug', twin: '✓ twin', tour: '→ tour' }[e.kind] ?? e.kind)} · ${escape(e.isa === 'gcn3' ? 'GCN3' : 'PTX')}</span><b>${escape(e.title)}</b><span>${escape(e.question ?? '')}</span>`;
    b.addEventListener('click', () => this.open(e));
    return b;
  }

  async open(e) {
    const story = $('story');
    story.innerHTML = `<h2>${escape(e.title)} <small>${escape(e.program.name)}</small></h2><p>${escape(e.question ?? '')}</p>` +
      (e.hint ? `<details><summary>hint</summary><p>${escape(e.hint)}</p></details>` : '') +
      (e.code ? `<details id="reveal"><summary>reveal</summary><p>Under Findings stands <code>${escape(e.code)}</code>: click it to see its step.</p></details>` : '');
    this.app.setView('lanes');
    await this.app.setProgram({ name: e.program.name, text: e.program.text, base64: e.program.base64, includes: e.program.includes }, e.launch, { record: true, story: e });
    scrollTo({ top: 0 });
  }
}

function chip(text, f) {
  const b = document.createElement('button');
  b.textContent = text;
  b.addEventListener('click', f);
  return b;
}
