// Buffers, variables and shared memory as they are after the selected step.
import { call } from './backend.js';
import { Latest } from './steps.js';
import { escape } from './values.js';

const $ = (id) => document.getElementById(id);
const shown = 256;

export class Memory {
  constructor(app) {
    this.app = app;
    this.from = 0;
    this.fetch = new Latest((...a) => this.load(...a));
    $('memory').addEventListener('change', () => {
      this.from = 0;
      this.show(app.step, app.current);
    });
    $('memory-cells').addEventListener('click', (e) => {
      const b = e.target.closest('button');
      if (b) this.press(Number(b.dataset.index), e);
    });
    $('memory-cells').addEventListener('dblclick', (e) => {
      const b = e.target.closest('button');
      if (b) this.lastStore(Number(b.dataset.index));
    });
    $('memory-cells').addEventListener('keydown', (e) => {
      const b = e.target.closest('button');
      if (b && e.key === 'r') {
        this.lastStore(Number(b.dataset.index));
        e.preventDefault();
        e.stopPropagation();
      }
    });
    $('memory-more').addEventListener('click', (e) => {
      if (!e.target.dataset.from) return;
      this.from = Number(e.target.dataset.from);
      this.show(app.step, app.current);
    });
  }

  set(info) {
    const all = this.list = (info.memories ?? []).filter((m) => m.kept && m.size > 0);
    this.from = 0;
    $('memory').replaceChildren(...all.map((m, i) => new Option(m.space === 'shared' ? `shared of block ${m.block.join(',')}` : m.name || m.space, i)));
    const stored = all.findIndex((m) => /out|dst|result|sum|^c$/i.test(m.name ?? ''));
    if (stored > 0) $('memory').value = stored;
    $('memory-panel').hidden = all.length === 0;
  }

  show(step, s) { if (this.list?.length) this.fetch.run(step, s); }

  async load(step, s, current) {
    const { app } = this, m = this.list[$('memory').value];
    if (!m) return;
    const type = m.type || 'u32', bytes = Number(/\d+/.exec(type)[0]) / 8, n = Math.floor(m.size / bytes);
    const range = { space: m.space, name: m.name ?? '', block: m.block, offset: this.from * bytes, size: Math.min(shown, n - this.from) * bytes };
    const d = await call('memory', { rec: app.rec, step: step + 1, range, type, writes: true });
    if (!current()) return;
    const touched = new Map();
    for (const a of s?.access ?? []) {
      if (a.space !== m.space) continue;
      for (const hex of a.addresses ?? []) {
        const at = Number(BigInt(hex) - BigInt(m.base));
        for (let b = 0; b < a.size; b += bytes) touched.set(Math.floor((at + b) / bytes), a.kind);
      }
    }
    this.writes = d.writes ?? [];
    const box = $('memory-cells'), had = box.contains(document.activeElement) ? document.activeElement.dataset.index : null;
    box.replaceChildren(...d.values.map((v, i) => {
      const b = document.createElement('button'), index = this.from + i, kind = touched.get(index);
      b.dataset.index = index;
      b.title = `${m.name || 'shared'}[${index}] = ${v}${this.writes[i] >= 0 ? `, stored in step ${this.writes[i]}` : ''}`;
      b.innerHTML = `<small aria-hidden="true">${index}</small><span aria-hidden="true">${escape(v)}</span><span class="hide">${escape(b.title)}${kind ? `, ${kind} in this step` : ''}</span>`;
      if (kind) b.className = kind === 'load' ? 'read' : 'written';
      return b;
    }));
    if (had !== null) box.querySelector(`[data-index="${had}"]`)?.focus();
    const more = $('memory-more');
    more.textContent = `${type}, ${n} elements after step ${step}; framed: touched by this step. `;
    for (const [from, text] of [[this.from - shown, 'before'], [this.from + shown, 'after']]) {
      if (from < 0 || from >= n) continue;
      const b = document.createElement('button');
      b.dataset.from = from;
      b.textContent = `${text} (${from}-${Math.min(n, from + shown) - 1})`;
      more.append(b, ' ');
    }
    this.mark(app.whyData);
  }

  // mark outlines the elements that are part of the provenance.
  mark(data) {
    const m = this.list?.[$('memory').value];
    if (!m) return;
    const on = new Set();
    for (const n of data?.provenance.nodes ?? []) if (n.name === m.name && n.elements && m.name) for (const e of n.elements) on.add(e.index);
    for (const b of $('memory-cells').children) b.classList.toggle('onwhy', on.has(Number(b.dataset.index)));
  }

  press(index) {
    const m = this.list[$('memory').value];
    if (m.space === 'global' && m.name) this.app.whyElement(m.name, index, this.writes[index - this.from] >= 0);
    else this.lastStore(index);
  }

  // The step that stored an element last.
  lastStore(index) {
    const step = this.writes[index - this.from];
    if (step >= 0) this.app.select({ step, follow: true, why: this.list[$('memory').value].space !== 'global' });
  }
}
