// The form of a launch: fields for kernel, grid, block and arguments, and the line that they stand for.
import { quote, split } from './share.js';

const $ = (id) => document.getElementById(id);

// parse reads the flags of a line that have fields; rest are its other words.
export function parse(line) {
  const out = { kernel: '', grid: '', block: '', args: [], rest: [] }, words = split(line);
  for (let i = 0; i < words.length; i++) {
    const m = /^--(kernel|grid|block|arg)(?:=([\s\S]*))?$/.exec(words[i]);
    if (!m || (m[2] === undefined && i + 1 >= words.length)) {
      out.rest.push(words[i]);
      continue;
    }
    const value = m[2] ?? words[++i];
    if (m[1] === 'arg') out.args.push(value);
    else out[m[1]] = value;
  }
  return out;
}

export function format(l, all) {
  const out = [];
  for (const f of ['kernel', 'grid', 'block']) if (l[f]) out.push(`--${f}`, l[f]);
  for (const a of l.args) out.push('--arg', a);
  return [...out, ...l.rest].map((w) => quote(w, all)).join(' ');
}

export class LaunchForm {
  constructor(changed) {
    this.kernels = [];
    this.changed = changed;
    $('kernel').addEventListener('change', () => {
      const k = this.kernels.find((x) => x.name === $('kernel').value);
      if (k) this.set(k.suggested);
      changed();
    });
    for (const f of ['grid', 'block']) $(f).addEventListener('input', () => this.fromFields());
    $('line').addEventListener('input', () => {
      this.fill();
      changed();
    });
  }

  get line() { return $('line').value.trim(); }

  set(line) {
    $('line').value = line;
    this.fill();
  }

  setKernels(list) {
    this.kernels = list;
    const select = $('kernel');
    select.replaceChildren(...list.map((k) => new Option(k.name, k.name)));
    this.fill();
  }

  // fill shows the line in the fields.
  fill() {
    const l = this.parsed = parse(this.line), k = this.kernels.find((x) => x.name === l.kernel) ?? (l.kernel ? undefined : this.kernels[0]);
    if (k) $('kernel').value = k.name;
    for (const f of ['grid', 'block']) if ($(f) !== document.activeElement) $(f).value = l[f];
    const box = $('args'), n = Math.max(l.args.length, k?.params?.filter((p) => !p.hidden).length ?? 0);
    const inputs = [...box.querySelectorAll('input')];
    if (inputs.length !== n || box.dataset.kernel !== (k?.name ?? '')) {
      box.dataset.kernel = k?.name ?? '';
      box.replaceChildren(...Array.from({ length: n }, (_, i) => {
        const label = document.createElement('label'), p = k?.params?.filter((x) => !x.hidden)[i], input = document.createElement('input');
        label.append(p?.name ? `${p.name.replace(/^.*_param_/, 'argument ')} ${p.pointer ? 'pointer' : p.type ?? ''}` : `argument ${i}`, input);
        input.spellcheck = false;
        input.autocomplete = 'off';
        input.addEventListener('input', () => this.fromFields());
        return label;
      }));
    }
    [...box.querySelectorAll('input')].forEach((input, i) => {
      if (input !== document.activeElement) input.value = l.args[i] ?? '';
    });
  }

  fromFields() {
    const l = parse(this.line);
    l.grid = $('grid').value.trim();
    l.block = $('block').value.trim();
    l.args = [...$('args').querySelectorAll('input')].map((i) => i.value.trim());
    while (l.args.length && !l.args.at(-1)) l.args.pop();
    if (!l.kernel && this.kernels.length > 1) l.kernel = $('kernel').value;
    $('line').value = format(l);
    this.parsed = l;
    this.changed();
  }

  // The command at a terminal that does the same.
  command(verb, file) { return `crosslane ${verb} ${quote(file, true)} ${split(this.line).map((w) => quote(w, true)).join(' ')}`.trim(); }
}
