// The page: one recording, one selection, and panels that show it.
import { call, kind, pending } from './backend.js';
import { Editor } from './editor.js';
import * as exchange from './exchange.js';
import { install } from './hover.js';
import { Axis, forgetPalette, palette } from './lanes.js';
import { LaunchForm } from './launch.js';
import { Memory } from './memory.js';
import { Views } from './modes.js';
import { Panels } from './panels.js';
import { matching } from './search.js';
import { format, pack, parse, unpack } from './share.js';
import { base, opened, showSource, sourceFiles } from './source.js';
import { Latest, Steps } from './steps.js';
import { legend, showTable } from './tables.js';
import { Registers, Timeline } from './timeline.js';
import { Track } from './track.js';
import { Strip, escape, has, mask } from './values.js';
import { WhyTree } from './why.js';

const $ = (id) => document.getElementById(id);

const app = {
  program: { name: 'kernel.ptx', text: '' }, rec: 0, info: null, track: null, steps: null, tracks: new Map(),
  step: 0, index: 0, row: 0, lane: 0, register: '', wave: 0, hex: false, breakpoints: new Set(), watched: null, exist: mask('0x0'),
  view: 'lanes', whyData: null, isa: 'ptx', findings: [],
};
app.idle = () => pending() === 0 && !restoring;
globalThis.crosslane = app; // for tests

// ---- the program -----------------------------------------------------------------------------------------------------------

const editor = new Editor($('editor'), {
  label: 'program text',
  changed: (text) => {
    app.program = { ...app.program, text, base64: undefined };
    stale(true);
    reload.soon();
    save();
  },
  toggle: (line) => toggleBreakpoint(line),
  hover: (position) => app.ops?.includes('hover') && call('hover', { program: app.program, position }).then((d) => d.text, () => ''),
  complete: (position) => app.ops?.includes('complete') ? call('complete', { program: app.program, position }).then((d) => d.items, () => []) : [],
});

const form = new LaunchForm(() => {
  stale(true);
  save();
});

function debounce(f, ms) {
  let timer;
  const g = (...a) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...a), ms);
  };
  return { soon: g };
}

// reload asks what kernels the text has, and what is wrong with it.
const reloader = new Latest(async (first) => {
  const program = app.program;
  if (!program.text && !program.base64) {
    form.setKernels([]);
    return;
  }
  let findings = [], kernels = [];
  try {
    const k = await call('kernels', { program });
    findings = k.findings ?? [];
    kernels = k.kernels ?? [];
    if (k.isa) setISA(k.isa);
    if (!app.info || first) problem('');
  } catch (e) {
    findings = e.findings ?? [];
    if (!findings.length) problem(e.message);
  }
  form.setKernels(kernels);
  if (kernels.length && (!form.line || (form.parsed.kernel && !kernels.some((x) => x.name === form.parsed.kernel)))) form.set(kernels[0].suggested ?? '');
  if (app.ops?.includes('diagnose') && program.text) {
    try {
      const d = await call('diagnose', { program });
      findings = d.findings.map((f) => ({ ...f.finding, range: f.range }));
    } catch { /* what kernels said stands */ }
  } else if (kernels.length) {
    try {
      const s = await call('static', { program });
      findings = [...findings, ...(s.findings ?? s ?? [])];
    } catch { /* the text does not load: kernels has said so */ }
  }
  if (program !== app.program) return;
  if (app.ops?.includes('symbols')) showSymbols(await call('symbols', { program }).then((d) => d.symbols, () => []));
  app.staticFindings = findings;
  if (app.isStale || !app.info) showFindings(findings.map((finding) => ({ finding, steps: [] })), 'without a run');
  else editor.diagnose(app.findings.map((f) => f.finding).filter(own));
});
// showSymbols fills the list of the names that the program declares.
function showSymbols(list) {
  const option = (s, inside) => new Option(`${inside ? '\u2003' : ''}${s.name}${s.kind === 'label' ? ':' : ''} \u2013 ${s.detail || s.kind}`, s.range.start.line + 1);
  $('symbols').replaceChildren(new Option('go to\u2026', ''), ...list.flatMap((s) => [option(s), ...(s.inside ?? []).map((x) => option(x, true))]));
  $('symbols').hidden = !list.length;
}

$('symbols').addEventListener('change', () => {
  editor.goTo(Number($('symbols').value));
  $('symbols').value = '';
});

const reload = { ...debounce(() => reloader.run(), 350), now: (first) => reloader.run(first) };
const own = (f) => !f.file || f.file === app.program.name || f.file.endsWith(`/${app.program.name}`) || app.program.name.endsWith(`/${f.file}`);

function setISA(isa) {
  if (app.isa !== isa) editor.setISA(isa);
  app.isa = isa;
  $('fix').hidden = isa !== 'gcn3';
}

function stale(is) {
  app.isStale = is && !!app.info;
  document.body.classList.toggle('stale', app.isStale);
  if (app.isStale) status('the program or its launch has changed: record it again');
}

async function setProgram(program, launch, { record = false, story = null } = {}) {
  app.program = program;
  dropRecording();
  $('story').hidden = !story;
  app.breakpoints.clear();
  editor.breakpoints(app.breakpoints);
  $('program-name').textContent = base(program.name);
  $('program-name').title = program.name;
  const isa = /\.(s|asm|co|hsaco|o)$/.test(program.name) ? 'gcn3' : 'ptx';
  app.isa = isa;
  let text = program.text ?? '';
  if (program.base64) {
    try {
      const s = await call('source', { program });
      text = Array.isArray(s.lines) ? s.lines.join('\n') : s.lines ?? '';
    } catch (e) {
      problem(e.message);
    }
  }
  editor.set(text, isa);
  setISA(isa);
  form.setKernels([]);
  form.set(launch?.line ?? '');
  problem('');
  sourceFiles(app);
  reload.now(true);
  if (record) {
    await reloader.busy;
    await act('record');
  }
  save();
}
app.setProgram = setProgram;

async function openFile(file) {
  if (/\.(cu|cuh|cpp|cc|c|h|hpp|hip|py|cl|mojo)$/.test(file.name) && app.program.text) {
    opened.set(file.name, { name: file.name, lines: (await file.text()).split('\n') });
    sourceFiles(app);
    showSource(app, app.current);
    status(`${file.name} is shown beside the program`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const binary = bytes.subarray(0, 4096).includes(0);
  let program;
  if (binary) {
    let s = '';
    for (let i = 0; i < bytes.length; i += 8192) s += String.fromCharCode(...bytes.subarray(i, i + 8192));
    program = { name: file.name, base64: btoa(s) };
  } else {
    program = { name: file.name, text: new TextDecoder().decode(bytes) };
  }
  setView('lanes');
  await setProgram(program, null);
}

// ---- run, check, record ----------------------------------------------------------------------------------------------------

let running;

function problem(text, findings) {
  $('problem').hidden = !text && !findings?.length;
  if (findings?.length === 1 && findings[0].message === text) text = '';
  $('problem').textContent = text + (findings?.length ? `${text && '\n'}${findings.map((f) => `${f.line ? `${f.file ?? app.program.name}:${f.line}:${f.column ?? 1}: ` : ''}${f.message} [${f.code}]${f.remedy ? `\n  remedy: ${f.remedy}` : ''}`).join('\n')}` : '');
}

function status(text) { $('status').textContent = text; }

async function act(op) {
  running?.abort();
  const mine = running = new AbortController(), began = performance.now();
  $('do-stop').disabled = false;
  problem('');
  status(`${{ run: 'running', check: 'checking', record: 'recording' }[op]}…`);
  try {
    const params = { program: app.program, launch: { line: form.line } };
    if (op === 'record') params.options = { check: true };
    const data = await call(op, params, mine.signal);
    const ms = performance.now() - began;
    if (op === 'record') {
      await showRecording(data);
      if (ms < 2000) moreFindings(params, data.rec);
    } else {
      showResult(op, data);
    }
    status(`${{ run: 'ran', check: 'checked', record: 'recorded' }[op]} in ${ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`}`);
  } catch (e) {
    if (e.name === 'AbortError') {
      status('stopped');
    } else {
      status('');
      problem(e.message, e.findings);
      if (e.findings?.length) showFindings(e.findings.map((finding) => ({ finding, steps: [] })), op);
    }
  } finally {
    if (running === mine) {
      running = undefined;
      $('do-stop').disabled = !asking;
    }
  }
  save();
}
app.act = act;

// moreFindings adds what only a whole check finds, such as rules about the text of the kernel.
async function moreFindings({ program, launch }, rec) {
  let data;
  try {
    data = await call('check', { program, launch });
  } catch {
    return; // the findings of the recording stand
  }
  if (app.rec !== rec) return;
  const key = (f) => JSON.stringify([f.code, f.line, f.column, f.message]), have = new Set(app.info.findings.map((f) => key(f.finding)));
  const more = (data.findings ?? []).filter((f) => !have.has(key(f)));
  if (!more.length) return;
  app.info.findings = [...app.info.findings, ...more.map((finding) => ({ finding, steps: [] }))];
  showFindings(app.info.findings, '');
  markFindings();
}

function showResult(op, data) {
  const list = data.findings ?? [], errors = list.filter((f) => f.severity === 'error').length;
  $('start').hidden = true;
  $('result').hidden = false;
  $('result').innerHTML = `<h2>${op === 'run' ? 'Run' : 'Check'} <small>${list.length ? `${errors} errors, ${list.length - errors} others` : 'nothing to report'}</small></h2>` +
    (data.buffers ?? []).map((b) => `<div class="values"><b>${escape(b.name)}</b> ${escape(b.type)}[${b.shape?.join(',') ?? ''}] = ${escape(values(b.data))}</div>`).join('') +
    (data.output ? `<pre class="out">${escape(data.output)}</pre>` : '');
  showFindings(list.map((finding) => ({ finding, steps: [] })), op);
  app.result = data;
}

const values = (data) => (data.length > 96 ? `${data.slice(0, 96).join(', ')}, … ${data.length} in all` : data.join(', '));

// ---- the recording ---------------------------------------------------------------------------------------------------------

function dropRecording() {
  if (app.rec) call('drop', { rec: app.rec }).catch(() => {});
  Object.assign(app, { rec: 0, info: null, track: null, steps: null, whyData: null, watched: null, found: null });
  app.tracks.clear();
  $('recorded').hidden = true;
  $('memory-panel').hidden = true;
  $('result').hidden = true;
  $('start').hidden = !!(app.program.text || app.program.base64);
  showWhy(null);
  showFindings([], '');
  stale(false);
}

async function showRecording({ rec, info }) {
  const before = app.want ?? (app.info ? { s: app.step, l: app.lane, w: app.wave, r: app.register } : {});
  app.want = undefined;
  dropRecording();
  info.findings ??= [];
  Object.assign(app, { rec, info, step: 0, lane: 0, register: '' });
  stale(false);
  $('recorded').hidden = false;
  $('start').hidden = true;
  $('wave').replaceChildren(...info.waves.map((w, i) => new Option(`block ${w.block.join(',')} · ${info.isa === 'gcn3' ? 'wave' : 'warp'} ${w.warp}`, i)));
  showFindings(info.findings ?? [], '');
  memory.set(info, rec);
  const first = (info.findings ?? []).filter((f) => f.steps?.length).sort((a, b) => rank(a) - rank(b))[0];
  const restore = before.s !== undefined && before.s < info.first + info.steps;
  await setWave(restore ? Math.min(Number(before.w) || 0, info.waves.length - 1) : 0);
  let step = restore ? Number(before.s) : first ? first.steps[0] : app.track.step[0] ?? 0;
  let lane = restore ? Number(before.l) || 0 : lanesOf(first?.finding)[0] ?? 0;
  lane = Math.max(0, Math.min(info.lanes - 1, lane));
  await select({ step, lane, register: restore ? before.r ?? '' : '', why: restore ? before.y === '1' : false, follow: true });
  if (info.full) problem(`the record is full: ${info.steps} of ${info.total} steps are kept`);
}

const rank = (f) => ({ error: 0, warning: 1 })[f.finding.severity] ?? 2;

// The lanes of a finding: "4-15, 20".
function lanesOf(f) {
  return (f?.lanes ?? '').split(/,\s*/).filter(Boolean).flatMap((r) => {
    const [a, b = a] = r.split('-').map(Number);
    return Array.from({ length: b - a + 1 }, (_, i) => a + i);
  });
}

async function setWave(wave) {
  if (!app.tracks.has(wave)) {
    const outline = await call('outline', { rec: app.rec, wave });
    const track = new Track(outline, wave, app.info.lanes);
    app.tracks.set(wave, { track, steps: new Steps(app.rec, track, () => { timeline.grid.later(); }) });
  }
  Object.assign(app, app.tracks.get(wave), { wave, exist: mask(app.info.waves[wave].lanes) });
  app.track.setWhy(app.whyCells);
  $('wave').value = wave;
  $('time').max = Math.max(0, app.track.count - 1);
  $('fold').hidden = !app.track.loops.some((l) => l.rounds > 2);
  $('fold').setAttribute('aria-pressed', !app.track.unfolded);
  relayout();
  ticks();
}

const panels = new Panels({ c: document.querySelector('.right'), t: $('timeline'), r: $('registers'), e: $('editor'), y: $('why-tree') }, () => {
  relayout();
  save();
});
const timeline = new Timeline($('timeline'), app);
const registers = new Registers($('registers'), app);
const memory = new Memory(app);
Object.assign(app, { timeline, registers, panels });

let axis;

function relayout() {
  if (!app.track) return;
  const width = timeline.grid.scroller.clientWidth || $('timeline').clientWidth;
  if (!width) return; // another view is shown
  const shift = axis?.shift ?? 0;
  axis = new Axis(width, app.info.lanes, 330, 14);
  axis.scroll(shift);
  timeline.grid.layout(axis, panels.size('t', Math.max(230, Math.min(innerHeight * 0.56, 720))));
  registers.grid.layout(axis, panels.size('r', 330));
  drawExchange();
  legend();
  // The bar that scrolls the lanes of all panels.
  $('across').hidden = !axis.hidden;
  $('across').style.marginLeft = `${axis.left}px`;
  $('across').firstElementChild.style.width = `${axis.hidden + $('across').clientWidth}px`;
  $('across').scrollLeft = axis.shift;
}
app.relayout = relayout;

// shiftTo scrolls the lanes of all panels, and reports whether they have moved.
function shiftTo(shift) {
  if (!axis?.scroll(shift)) return false;
  $('across').scrollLeft = axis.shift;
  timeline.grid.later();
  registers.grid.later();
  drawExchange();
  return true;
}
app.across = (d) => shiftTo(axis.shift + d);
$('across').addEventListener('scroll', () => shiftTo($('across').scrollLeft));

// reveal scrolls to a lane if it is out of sight.
function reveal(lane) {
  const x = axis?.x(lane) ?? 0;
  if (!axis?.hidden || (x >= axis.left && x + axis.cell <= axis.width - 4)) return;
  shiftTo(axis.shift + x - (axis.left + axis.width) / 2);
}

// select moves the selection. step, lane, register and wave are kept if they are not given; why asks for the provenance.
async function select({ step = app.step, lane = app.lane, register, why = false, wave, follow = false } = {}, focus) {
  if (!app.info) return;
  if (wave !== undefined && wave !== app.wave) await setWave(wave);
  const moved = step !== app.step;
  app.step = step;
  app.lane = Math.max(0, Math.min(app.info.lanes - 1, lane));
  app.index = app.track.index(step);
  if (app.track.step[app.index] !== step && follow) {
    // The step is another wave's.
    for (let w = 0; w < app.info.waves.length; w++) {
      if (w === app.wave) continue;
      await setWave(w);
      app.index = app.track.index(step);
      if (app.track.step[app.index] === step) break;
    }
  }
  app.step = app.track.step[app.index] ?? step;
  app.row = app.track.row(app.index);
  if (register !== undefined) app.register = register;
  else if (moved) app.register = '';
  reveal(app.lane);
  timeline.grid.show(app.row, app.lane, focus);
  $('time').value = app.index;
  $('clock').textContent = `step ${app.step} of ${app.info.total}`;
  $('time').setAttribute('aria-valuetext', `step ${app.step} of ${app.info.total}, ${app.track.text[app.index] ?? ''}`);
  editor.mark(app.track.line[app.index], app.whyLines, true);
  $('t-first').disabled = $('t-back').disabled = app.index === 0;
  $('t-last').disabled = $('t-next').disabled = app.index >= app.track.count - 1;
  markFindings();
  detail.run(why);
  save();
}
app.select = select;

// detail fetches what the panels under the timeline show.
const detail = new Latest(async (why, current) => {
  const { rec, track, index, step, wave } = app;
  const s = await app.steps.at(index);
  const [before, after] = await Promise.all([call('state', { rec, step, wave }), call('state', { rec, step: step + 1, wave })]);
  if (!current() || rec !== app.rec) return;
  app.current = s;
  app.before = new Map(before.registers.map((r) => [r.name, new Strip(r, app.info.lanes)]));
  app.after = after;
  showRegisters(s, track, index);
  app.picture = s?.exchange ? exchange.ofStep(s, app.info.lanes, app.before) : null;
  drawExchange();
  showSource(app, s);
  memory.show(step, s);
  if (tableOn) showTable(app);
  timeline.grid.paint();
  if (why) askWhy();
});

function showRegisters(s, track, index) {
  const lanes = app.info.lanes, filter = $('register-filter').value.trim().toLowerCase();
  const changed = new Set((s?.strips ?? []).map((x) => x.name));
  // The latest writes first, as far as the steps are here.
  const recent = new Map();
  for (let i = index, n = 0; i >= 0 && n < 300; i--, n++) {
    for (const w of app.steps.get(i)?.strips ?? []) if (!recent.has(w.name)) recent.set(w.name, recent.size);
  }
  const all = app.after.registers.filter((r) => !filter || r.name.toLowerCase().includes(filter)).map((r) => new Strip(r, lanes));
  // What nothing has written is left out, unless it is asked for.
  const list = all.filter((r) => filter || recent.has(r.name) || r.texts(false).some((t) => t !== undefined)), empty = all.length - list.length;
  list.sort((a, b) => (recent.get(a.name) ?? 1e6) - (recent.get(b.name) ?? 1e6));
  registers.set(list, changed);
  const at = list.findIndex((r) => r.name === app.register);
  $('registers-at').textContent = `after step ${app.step}; the latest writes first${changed.size ? '; framed: written in this step' : ''}${empty ? `; ${empty} not yet written` : ''}`;
  registers.grid.row = Math.max(0, at);
  registers.grid.lane = app.lane;
  registers.grid.scroller.scrollTop = at > 8 ? registers.grid.scroller.scrollTop : 0;
  registers.grid.layout(axis, panels.size('r', 330));
}

app.drawExchange = drawExchange;
install(app);

function drawExchange(lane = app.lane) {
  const p = app.picture, canvas = $('exchange');
  canvas.hidden = !p;
  $('no-exchange').hidden = !!p;
  $('no-exchange').textContent = app.track?.done[app.index] < 0 ? 'The lanes of this step wait for ever: nothing was exchanged.' : 'This instruction lets no lane read another.';
  if (!p || !axis) return;
  exchange.draw(canvas, axis, p, lane, app.hex);
  canvas.setAttribute('aria-label', exchange.summary(p));
}

$('exchange').addEventListener('pointermove', (e) => {
  const l = axis?.at(e.clientX - $('exchange').getBoundingClientRect().left) ?? -1;
  if (l >= 0) drawExchange(l);
});
$('exchange').addEventListener('pointerleave', () => drawExchange());
$('exchange').addEventListener('click', (e) => {
  const l = axis?.at(e.clientX - $('exchange').getBoundingClientRect().left) ?? -1;
  if (l >= 0) select({ lane: l, why: true });
});

// ---- findings --------------------------------------------------------------------------------------------------------------

const sign = { error: '▲', warning: '▲', note: '△' };

function showFindings(list, origin) {
  app.findings = list;
  const box = $('findings');
  const order = list.map((f, i) => ({ ...f, i })).sort((a, b) => rank(a) - rank(b));
  $('findings-count').textContent = list.length ? `${list.length}${origin ? `, ${origin}` : ''}` : '';
  box.replaceChildren(...order.map(({ finding: f, steps, i }) => {
    const b = document.createElement('button');
    b.className = `find ${f.severity}`;
    b.dataset.finding = i;
    b.innerHTML = `<span aria-hidden="true">${sign[f.severity] ?? '△'}</span> <span class="where">${f.line ? `line ${f.line}` : escape(f.file ?? '')}</span> <span class="hide">${f.severity}: </span>` +
      `<span class="message">${escape(f.message)} [${escape(f.code)}]</span>` +
      (f.remedy ? `<span class="remedy">${escape(f.remedy)}</span>` : '');
    b.addEventListener('click', () => toFinding(i, steps?.[0]));
    return b;
  }));
  if (!list.length) box.innerHTML = `<p class="dim">${app.info || app.result ? 'none' : 'none yet'}</p>`;
  const errors = list.filter((f) => f.finding.severity !== 'note').length, notes = list.length - errors;
  const brief = list.length ? [errors && `▲ ${errors}`, notes && `△ ${notes}`].filter(Boolean).join('  ') : '✓ no findings';
  $('chip').innerHTML = `<span aria-hidden="true">${brief}</span><span class="hide">${list.length ? `${errors} errors and warnings, ${notes} notes: go to the next` : 'no findings'}</span>`;
  $('chip').classList.toggle('calm', !list.length);
  editor.diagnose(list.map((f) => f.finding).filter(own));
}

function toFinding(i, step) {
  const f = app.findings[i].finding;
  if (step !== undefined && app.info) select({ step, lane: lanesOf(f)[0] ?? app.lane, follow: true });
  else if (f.line) editor.goTo(f.line);
}

function markFindings() {
  const here = new Set(app.track?.findings.get(app.step) ?? []);
  for (const b of $('findings').children) if (b.dataset.finding) b.setAttribute('aria-current', here.has(Number(b.dataset.finding)));
}

// The sign of a step in the timeline.
app.mark = (step) => {
  const list = app.track.findings.get(step);
  if (app.found?.has(step)) return { sign: '◆', colour: palette().reads };
  if (!list) return null;
  const worst = Math.min(...list.map((i) => rank(app.info.findings[i])));
  return { sign: worst < 2 ? '▲' : '△', colour: worst < 2 ? palette().error : palette().dim };
};

function nextFinding(d) {
  const steps = [...new Set((app.info?.findings ?? []).flatMap((f) => f.steps ?? []))].sort((a, b) => a - b);
  if (!steps.length) return;
  const to = d > 0 ? steps.find((s) => s > app.step) ?? steps[0] : steps.findLast((s) => s < app.step) ?? steps.at(-1);
  const f = app.info.findings.find((x) => x.steps?.includes(to));
  select({ step: to, lane: lanesOf(f.finding)[0] ?? app.lane, follow: true });
}

function ticks() {
  const n = Math.max(1, app.track.count - 1), out = [];
  const add = (step, cls) => {
    const i = app.track.index(step);
    if (app.track.step[i] === step && out.length < 400) out.push([i, cls]);
  };
  for (const f of app.info.findings ?? []) for (const s of (f.steps ?? []).slice(0, 100)) add(s, rank(f) < 2 ? '' : 'note');
  for (const s of [...(app.found ?? [])].slice(0, 200)) add(s, 'found');
  $('ticks').replaceChildren(...out.map(([i, cls]) => {
    const t = document.createElement('i');
    t.className = cls;
    t.style.left = `${(100 * i) / n}%`;
    return t;
  }));
}

// ---- why -------------------------------------------------------------------------------------------------------------------

const tree = new WhyTree($('why-tree'), (steps, lane) => select({ step: steps.includes(app.step) ? app.step : steps.at(-1), lane: lane ?? app.lane, follow: true }));

let asking; // ends the question that is open

const asker = new Latest(async (params, title, then, current) => {
  let data;
  asking = new AbortController();
  $('do-stop').disabled = false;
  try {
    data = await call('why', params, asking.signal);
  } catch (e) {
    if (current()) showWhy(null, `${title}: ${e.message}`);
    return;
  } finally {
    asking = undefined;
    $('do-stop').disabled = !running;
  }
  if (!current() || params.rec !== app.rec) return;
  showWhy(data, title);
  then?.();
});

function showWhy(data, title = '') {
  app.whyData = data;
  app.whyCells = data?.cells ?? [];
  app.whyLines = new Set((data?.provenance.nodes ?? []).filter((n) => n.kind === 'instruction' && !n.file).map((n) => n.line));
  $('why-of').textContent = title;
  $('why-empty').hidden = !!data || !!title;
  $('why-path').textContent = '';
  tree.show(data);
  $('why-more').hidden = tree.all <= tree.most;
  $('why-more').textContent = `The tree has ${tree.shown} of ${tree.all} nodes; the timeline outlines all of them.`;
  $('why-pre').textContent = data?.text ?? '';
  const asText = $('why-text').getAttribute('aria-pressed') === 'true';
  $('why-tree').hidden = !data || asText;
  $('why-pre').hidden = !data || !asText;
  app.track?.setWhy(app.whyCells);
  if (app.track) {
    timeline.grid.paint();
    editor.mark(app.track.line[app.index], app.whyLines);
  }
  memory.mark(data);
  save();
}

// The register that the selection is about: the chosen one, or what the step wrote.
const chosenRegister = () => app.register || app.current?.strip?.name || '';

async function askWhy(then, path) {
  const register = chosenRegister();
  if (!app.info) return;
  const wrote = app.current?.strips?.some((s) => s.name === register && (s.scalar || has(s.mask, app.lane)));
  if (!register && !app.current?.access?.length && !app.current?.branch) {
    showWhy(null);
    return;
  }
  const params = { rec: app.rec, step: app.step, wave: app.wave, lane: app.lane, path };
  if (register && (wrote ? app.register : true)) params.register = register;
  asker.run(params, `${register || app.current.op}${register && app.current?.strip?.scalar ? '' : ` of lane ${app.lane}`}, step ${app.step}`, then);
}
app.why = askWhy;
// The element of a buffer as it is after the selected step, or at the end if no step so far stored it.
app.whyElement = (name, index, stored) => asker.run({ rec: app.rec, step: stored ? app.step + 1 : app.info.first + app.info.steps, buffer: name, index }, `${name}[${index}]${stored ? '' : ' at the end'}`, undefined);

// path shows how a value reaches the selected one, or the other way around: the later one is explained.
app.path = (step, lane) => {
  const other = { step: app.step, lane: app.lane, register: app.register };
  const later = step > other.step ? { step, lane } : other, earlier = step > other.step ? other : { step, lane };
  const show = () => {
    const p = app.whyData?.path;
    if (!p) {
      $('why-path').textContent = `step ${earlier.step}, lane ${earlier.lane} is no part of this value`;
      return;
    }
    $('why-path').textContent = `the path from step ${earlier.step}, lane ${earlier.lane}: ${p.nodes.length} steps`;
    tree.markPath(new Set(p.nodes));
    app.track.setWhy(p.cells);
    timeline.grid.paint();
  };
  select({ ...later, why: false }).then(async () => {
    await detail.busy;
    askWhy(show, { step: earlier.step, lane: earlier.lane });
  });
};

async function lastWrite() {
  const register = chosenRegister();
  if (!register) return;
  try {
    // From a step that writes the register, the write before it; else the latest one.
    const wrote = app.current?.strips?.some((s) => s.name === register) && !app.register;
    const { step } = await call('lastwrite', { rec: app.rec, step: wrote ? app.step : app.step + 1, wave: app.wave, register, lane: app.lane });
    if (step < 0) status(`nothing wrote ${register} of lane ${app.lane} before step ${app.step}`);
    else if (step === app.step) status(`${register} was written in this step`);
    else await select({ step, register });
  } catch (e) {
    status(e.message);
  }
}
app.lastWrite = lastWrite;

// ---- breakpoints, watch, search --------------------------------------------------------------------------------------------

function toggleBreakpoint(line) {
  if (!line) return;
  if (!app.breakpoints.delete(line)) app.breakpoints.add(line);
  editor.breakpoints(app.breakpoints);
  timeline.grid.later();
}

async function toggleWatch() {
  const register = chosenRegister();
  if (!register) return;
  const off = app.watched?.register === register && app.watched.lane === app.lane;
  app.watched = null;
  app.found = null;
  if (!off) {
    try {
      const { steps } = await call('query', { rec: app.rec, wave: app.wave, register, lane: app.lane });
      app.watched = { register, lane: app.lane, steps };
      app.found = new Set(steps);
      status(`watching ${register} of lane ${app.lane}: ${steps.length} writes; c and C go to them`);
    } catch (e) {
      status(e.message);
    }
  } else {
    status('');
  }
  ticks();
  timeline.grid.later();
  registers.grid.later();
}

// go on to the next or the previous breakpoint or watched write.
function goOn(d) {
  const t = app.track, watched = new Set(app.watched?.steps ?? []);
  for (let i = app.index + d; i >= 0 && i < t.count; i += d) {
    if (app.breakpoints.has(t.line[i]) || watched.has(t.step[i])) {
      select({ step: t.step[i] });
      return;
    }
  }
  status(d > 0 ? 'no breakpoint or watched write behind this step' : 'no breakpoint or watched write before this step');
}

function search(d = 0) {
  if (!app.track) return;
  const list = matching(app.track, $('search').value);
  app.found = list.length ? new Set(list.map((i) => app.track.step[i])) : null;
  ticks();
  timeline.grid.later();
  if (!$('search').value.trim()) {
    $('matches').textContent = '';
    return;
  }
  let at = list.indexOf(app.index);
  if (d && list.length) {
    const to = d > 0 ? list.find((i) => i > app.index) ?? list[0] : list.findLast((i) => i < app.index) ?? list.at(-1);
    at = list.indexOf(to);
    select({ step: app.track.step[to] });
  }
  $('matches').textContent = list.length ? `${at < 0 ? '' : `${at + 1}/`}${list.length}` : 'none';
}

// ---- other looks --------------------------------------------------------------------------------------------------------------

let tableOn = false;

function toggleTable() {
  tableOn = !tableOn;
  $('table').setAttribute('aria-pressed', tableOn);
  $('tables').hidden = !tableOn;
  $('timeline').hidden = tableOn;
  if (tableOn) showTable(app);
  else relayout();
}

function toggleHex() {
  app.hex = !app.hex;
  $('hex').setAttribute('aria-pressed', app.hex);
  timeline.grid.later();
  registers.grid.later();
  drawExchange();
  if (tableOn) showTable(app);
  save();
}

// ---- views, address, theme ---------------------------------------------------------------------------------------------------

const names = ['lanes', 'explain', 'try', 'plan', 'gallery'];

function setView(view) {
  app.view = names.includes(view) ? view : 'lanes';
  for (const n of names) {
    $(`view-${n}`).hidden = n !== app.view;
    const tab = $(`tab-${n}`);
    tab.setAttribute('aria-selected', n === app.view);
    tab.tabIndex = n === app.view ? 0 : -1;
  }
  views.show(app.view);
  if (app.view === 'lanes') relayout();
  save();
}
app.setView = setView;

let packed = { key: '', c: '' }, restoring = true;

async function address() {
  const content = { program: app.program, launch: { line: form.line } }, key = JSON.stringify(content);
  if (packed.key !== key) packed = { key, c: app.program.text || app.program.base64 ? await pack(content) : '' };
  const m = { v: 1, view: app.view === 'lanes' ? '' : app.view, ...views.members(), p: panels.text(), c: app.rec && app.rec === app.openedRec ? '' : packed.c };
  if (app.info) Object.assign(m, { s: app.step, l: app.lane, w: app.wave, r: app.register, y: app.whyData ? '1' : '', h: app.hex ? '1' : '' });
  return format(m);
}

const saver = debounce(async () => {
  const a = await address();
  if (!restoring && a !== location.hash) history.replaceState(null, '', a);
}, 250);
function save() { if (!restoring) saver.soon(); }
app.save = save;

async function restore() {
  restoring = true;
  const m = parse(location.hash);
  try {
    const hello = await call('hello', {});
    app.ops = hello.ops ?? [];
    app.version = hello.version;
    $('tab-plan').hidden = !app.ops.includes('plan');
    app.hex = m.h === '1';
    $('hex').setAttribute('aria-pressed', app.hex);
    views.restore(m);
    panels.restore(m.p);
    let content = m.c ? await unpack(m.c) : hello.program ? { program: hello.program, launch: hello.launch } : null;
    setView(m.view || 'lanes');
    if (!m.c && hello.recording) {
      // The page was opened with a recording: it is shown as it is.
      if (content) await setProgram(content.program, content.launch);
      app.want = m.s !== undefined ? m : undefined;
      app.openedRec = hello.recording.rec; // no launch of the address stands for it
      await showRecording(hello.recording);
    } else if (content) {
      app.want = m.s !== undefined ? m : undefined;
      await setProgram(content.program, content.launch, { record: m.s !== undefined || (!m.c && !!content.launch?.line) });
    }
  } catch (e) {
    problem(e.message);
  }
  restoring = false;
  document.body.dataset.ready = await kind();
  views.gallery();
}

function setTheme(t) {
  if (t) document.documentElement.dataset.theme = t;
  else delete document.documentElement.dataset.theme;
  repaint();
}

function repaint() {
  forgetPalette();
  relayout();
  views.repaint();
}

$('theme').addEventListener('click', () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(dark ? 'light' : 'dark');
  try { localStorage.setItem('crosslane-theme', dark ? 'light' : 'dark'); } catch { /* file: has none */ }
});
try { setTheme(localStorage.getItem('crosslane-theme')); } catch { /* file: has none */ }
for (const q of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) matchMedia(q).addEventListener('change', () => repaint());

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    status(`${what} copied`);
  } catch {
    prompt(`${what}:`, text);
  }
}

$('copy-link').addEventListener('click', async () => {
  const a = await address();
  history.replaceState(null, '', a);
  copy(location.href, 'the link is');
});
$('copy-command').addEventListener('click', () => copy(views.command() ?? form.command(app.info ? 'record' : 'check', app.program.name) + (app.info ? ' --check' : ''), 'the command is'));

// ---- controls --------------------------------------------------------------------------------------------------------------

const views = new Views(app, { status, newAxis: (w, lanes) => new Axis(w, lanes, 170) });
app.views = views;

$('launch-form').addEventListener('submit', (e) => {
  e.preventDefault();
  act('record');
});
$('do-check').addEventListener('click', () => act('check'));
$('do-run').addEventListener('click', () => act('run'));
$('do-stop').addEventListener('click', () => {
  running?.abort();
  asking?.abort();
});
$('t-first').addEventListener('click', () => move(-Infinity));
$('t-back').addEventListener('click', () => move(-1));
$('t-next').addEventListener('click', () => move(1));
$('t-last').addEventListener('click', () => move(Infinity));
$('time').addEventListener('input', () => select({ step: app.track.step[Number($('time').value)] }));
$('chip').addEventListener('click', () => nextFinding(1));
$('wave').addEventListener('change', async () => {
  await setWave(Number($('wave').value));
  select({});
});
$('hex').addEventListener('click', toggleHex);
$('table').addEventListener('click', toggleTable);
$('fold').addEventListener('click', () => {
  app.track.unfold(!app.track.unfolded);
  $('fold').setAttribute('aria-pressed', !app.track.unfolded);
  relayout();
  select({});
});
$('register-filter').addEventListener('input', () => app.current && showRegisters(app.current, app.track, app.index));
$('search').addEventListener('input', () => search());
$('search').addEventListener('keydown', (e) => {
  if (e.key === 'Enter') {
    e.preventDefault();
    search(e.shiftKey ? -1 : 1);
  } else if (e.key === 'Escape') {
    $('search').value = '';
    search();
    timeline.grid.show(app.row, app.lane, true);
  }
});
$('why-sides').addEventListener('click', () => {
  tree.sides = !tree.sides;
  $('why-sides').setAttribute('aria-pressed', tree.sides);
  tree.render();
});
$('why-text').addEventListener('click', () => {
  const on = $('why-text').getAttribute('aria-pressed') !== 'true';
  $('why-text').setAttribute('aria-pressed', on);
  $('why-tree').hidden = on || !app.whyData;
  $('why-pre').hidden = !on || !app.whyData;
});
$('open').addEventListener('click', () => $('file').click());
$('file').addEventListener('change', () => $('file').files[0] && openFile($('file').files[0]));
document.addEventListener('dragover', (e) => e.preventDefault());
document.addEventListener('drop', (e) => {
  e.preventDefault();
  if (e.dataTransfer.files[0]) openFile(e.dataTransfer.files[0]);
});
$('fix').addEventListener('click', async () => {
  try {
    const { text, edits } = await call('fix', { program: app.program, launch: { line: form.line } });
    const n = edits?.length ?? 0;
    if (text && text !== app.program.text) {
      await setProgram({ ...app.program, text }, { line: form.line }, { record: true });
    }
    status(n ? `${n} ${n === 1 ? 'edit' : 'edits'} made` : 'nothing to fix');
  } catch (e) {
    problem(e.message, e.findings);
  }
});
const tabs = document.querySelector('.bar .tabs');
tabs.addEventListener('click', (e) => e.target.id?.startsWith('tab-') && setView(e.target.id.slice(4)));
tabs.addEventListener('keydown', (e) => {
  const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!d) return;
  const all = [...tabs.children].filter((b) => !b.hidden), at = all.indexOf(document.activeElement);
  const to = all[(at + d + all.length) % all.length];
  to.focus();
  setView(to.id.slice(4));
  e.preventDefault();
  e.stopPropagation();
});

function move(d) {
  if (!app.track) return;
  const i = Math.max(0, Math.min(app.track.count - 1, app.index + d));
  if (i !== app.index) select({ step: app.track.step[i] });
}

function moveRow(d) {
  const r = Math.max(0, Math.min(app.track.rows.length - 1, app.row + d)), row = app.track.rows[r];
  if (r === app.row) return;
  const i = row.fold ? row.fold.from : row.i;
  select({ step: app.track.step[i] }).then(() => {
    // The first step of a loop has the line of the loop above its own.
    app.row = r;
    timeline.grid.show(r, app.lane);
  });
}

const keys = {
  ArrowRight: () => move(1), ArrowLeft: () => move(-1), ArrowDown: () => moveRow(1), ArrowUp: () => moveRow(-1),
  '[': () => select({ lane: app.lane - 1, register: app.register }), ']': () => select({ lane: app.lane + 1, register: app.register }),
  Home: () => move(-Infinity), End: () => move(Infinity), n: () => nextFinding(1), p: () => nextFinding(-1), w: () => askWhy(), r: lastWrite,
  b: () => toggleBreakpoint(app.track.line[app.index]), f: toggleWatch, c: () => goOn(1), C: () => goOn(-1), h: toggleHex, t: toggleTable,
  Enter: () => {
    const row = app.track.rows[app.row];
    if (row?.fold) {
      app.track.toggle(row.fold);
      relayout();
      timeline.grid.show(app.row, app.lane);
    } else {
      askWhy();
    }
  },
  '/': () => $('search').focus(),
};

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  const at = e.composedPath()[0];
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable || at.closest?.('.cm-editor') || $('help').open;
  if (e.key === '?' && !typing) {
    help();
    return;
  }
  if (typing || app.view !== 'lanes' || !app.track) return;
  if (e.key === 'Enter' && at.tagName === 'BUTTON') return;
  if ($('registers').contains(at) && (e.key === 'ArrowDown' || e.key === 'ArrowUp' || e.key === 'Enter')) {
    const g = registers.grid, r = Math.max(0, Math.min(registers.list.length - 1, g.row + ({ ArrowDown: 1, ArrowUp: -1 }[e.key] ?? 0)));
    g.show(r, app.lane, true);
    select({ register: registers.list[r].name, why: e.key === 'Enter' }).then(() => registers.grid.show(registers.grid.row, app.lane, true));
    e.preventDefault();
    return;
  }
  const f = keys[e.key];
  if (!f) return;
  e.preventDefault();
  f();
});

function help() {
  const d = $('help');
  const rows = [['← →', 'a step back, forward'], ['↑ ↓', 'the line above, below'], ['[ ]', 'the lane at the left, right'], ['Home End', 'the first, the last step'], ['n p', 'the next, the previous finding'],
    ['w', 'why: the derivation of the selected value'], ['r', 'the last write of the selected register'], ['b', 'a breakpoint on this line'], ['f', 'watch the register in this lane'],
    ['c C', 'on to the next breakpoint or watched write, back to the last'], ['Enter', 'open or close a loop; else why'], ['h', 'hexadecimal digits'], ['t', 'the timeline as a table'], ['/', 'search: line:36, %r6, lane:4 undefined, finding, waits'], ['?', 'this help']];
  d.innerHTML = `<h2 id="h-help">Keys</h2><div class="keys">${rows.map(([k, t]) => `<div><span>${k.split(' ').map((x) => `<kbd>${escape(x)}</kbd>`).join(' ')}</span> ${escape(t)}</div>`).join('')}</div>
    <p>Point at a cell: its value, and the arrows from the lane that it reads. Click a cell: its why. Double click: the last write before it. Shift-click a second cell: the path from one to the other. Click an element of memory: why it has its value.</p>
    <p class="dim">The recording is the run of one worker, in the order of one schedule. ${escape(`Crosslane ${app.version ?? ''}`)}</p>
    <form method="dialog"><button class="main">Close</button></form>`;
  d.showModal();
}
$('help-button').addEventListener('click', help);

let resizing;
new ResizeObserver(() => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => {
    relayout();
    views.repaint();
  });
}).observe(document.querySelector('main'));
addEventListener('hashchange', () => restore());
restore();
