// The provenance of a value as a tree.
import { escape, ranges } from './values.js';

const side = new Set(['address', 'control', 'members', 'lane', 'rounds']);

export class WhyTree {
  // jump is called with the steps of a node and a lane.
  constructor(element, jump) {
    this.element = element;
    this.jump = jump;
    this.sides = false;
    this.most = 600; // nodes of the tree
    element.addEventListener('click', (e) => {
      const item = e.target.closest('[role=treeitem]');
      if (!item) return;
      if (e.target.closest('.twist')) this.fold(item, item.getAttribute('aria-expanded') !== 'true');
      else this.go(item);
      this.focus(item);
    });
    element.addEventListener('keydown', (e) => this.key(e));
  }

  show(data) {
    this.data = data;
    this.render();
  }

  render() {
    const { element, data } = this;
    element.innerHTML = '';
    if (!data) return;
    const p = data.provenance;
    this.byID = new Map(p.nodes.map((n) => [n.id, n]));
    this.seen = new Set();
    this.budget = this.most;
    element.append(this.item(this.byID.get(p.root), null, 1));
    const first = element.querySelector('[role=treeitem]');
    if (first) first.tabIndex = 0;
  }

  // shown is how many nodes the tree has, and all how many the provenance has.
  get shown() { return this.element.querySelectorAll('[role=treeitem]').length; }
  get all() { return this.data ? this.data.provenance.nodes.length + (this.data.more ?? 0) : 0; }

  item(node, edge, level) {
    const li = document.createElement('div');
    li.setAttribute('role', 'treeitem');
    li.setAttribute('aria-level', level);
    li.tabIndex = -1;
    li.dataset.node = node.id;
    const again = this.seen.has(node.id);
    this.seen.add(node.id);
    const lacks = (node.from ?? []).some((e) => this.byID.get(e.node)?.kind === 'absent-lanes'); // the membermask says why
    const from = again ? [] : (node.from ?? []).filter((e) => this.sides || !side.has(e.role) || (e.role === 'members' && lacks));
    const hidden = again ? 0 : (node.from ?? []).length - from.length;
    const line = document.createElement('div');
    line.className = `node${node.undefined ? ' undef' : ''}`;
    line.innerHTML = `<span class="twist" aria-hidden="true">${from.length ? '▾' : '·'}</span>` +
      (edge && edge.role !== 'data' ? `<i>${escape(edge.role)}</i> ` : '') + this.title(node, again) +
      (hidden ? ` <small>+${hidden} ${hidden === 1 ? 'address or condition' : 'addresses, conditions'}</small>` : '');
    li.append(line);
    if (from.length) {
      li.setAttribute('aria-expanded', 'true');
      const group = document.createElement('div');
      group.setAttribute('role', 'group');
      for (const e of from) {
        const n = this.byID.get(e.node);
        if (n && this.budget-- > 0) group.append(this.item(n, e, level + 1));
      }
      li.append(group);
      if (level > 14) this.fold(li, false);
    }
    return li;
  }

  title(n, again) {
    const lanes = n.lanes?.length ? ` <small>${n.lanes.length === 1 ? `lane ${n.lanes[0]}` : `lanes ${ranges(n.lanes, 5)}`.replace(/^lanes (\d+ lanes)$/, '$1')}</small>` : '';
    const value = (n.values ?? []).map((v) => runs(v.values)).join('; ');
    const undef = n.undefined ? ' <b class="undefmark">undefined</b>' : '';
    if (n.kind === 'instruction') {
      const text = `<code>${escape(n.text)}</code>`;
      if (again) return `<small>see above:</small> ${text}`;
      return `${text}${value ? ` <span class="value">= ${escape(value)}</span>` : ''}${undef} <small>line ${n.line || `+0x${(n.offset ?? 0).toString(16)}`}</small>${lanes}`;
    }
    if (n.kind === 'absent-lanes') return `<b>absent lanes ${ranges((n.absent ?? []).map((a) => a.lane).sort((a, b) => a - b))}</b> <small>${escape([...new Set((n.absent ?? []).flatMap((a) => a.reasons))].join(', '))}</small>`;
    const elements = n.elements?.some((e) => e.index >= 0) ? `[${ranges([...new Set(n.elements.map((e) => e.index))].sort((a, b) => a - b), 5).replace(/ lanes$/, ' elements')}]` : '';
    const contents = n.elements?.length ? ` <span class="value">= ${escape(runs(n.elements.map((e) => e.value)))}</span>` : value ? ` <span class="value">= ${escape(value)}</span>` : '';
    return `<b>${escape(n.name ?? '')}${elements}</b>${contents}${undef} <small>${escape(n.kind.replace(/-/g, ' '))}</small>`;
  }

  fold(item, open) {
    item.setAttribute('aria-expanded', open);
    item.querySelector('.twist').textContent = open ? '▾' : '▸';
  }

  focus(item) {
    for (const i of this.element.querySelectorAll('[tabindex="0"]')) i.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  go(item) {
    const id = Number(item.dataset.node), node = this.byID.get(id), steps = this.data.nodes?.[id] ?? [];
    if (steps.length) this.jump(steps, node.lanes?.[0]);
  }

  key(e) {
    const item = e.target.closest('[role=treeitem]');
    if (!item || e.ctrlKey || e.metaKey || e.altKey) return;
    const all = [...this.element.querySelectorAll('[role=treeitem]')].filter((i) => !i.parentElement.closest('[aria-expanded="false"]'));
    const at = all.indexOf(item), expanded = item.getAttribute('aria-expanded');
    let to;
    switch (e.key) {
      case 'ArrowDown': to = all[at + 1]; break;
      case 'ArrowUp': to = all[at - 1]; break;
      case 'Home': to = all[0]; break;
      case 'End': to = all.at(-1); break;
      case 'ArrowRight':
        if (expanded === 'false') this.fold(item, true);
        else to = item.querySelector('[role=treeitem]');
        break;
      case 'ArrowLeft':
        if (expanded === 'true') this.fold(item, false);
        else to = item.parentElement.closest('[role=treeitem]');
        break;
      case 'Enter': case ' ': this.go(item); break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
    if (to) this.focus(to);
  }

  markPath(ids) {
    for (const i of this.element.querySelectorAll('.onpath')) i.classList.remove('onpath');
    for (const i of this.element.querySelectorAll('[role=treeitem]')) if (ids.has(Number(i.dataset.node))) i.firstChild.classList.add('onpath');
  }
}

// "1, 2 ×3, … 9" for values in order.
function runs(values) {
  const out = [];
  for (let i = 0; i < values.length;) {
    let j = i;
    while (j + 1 < values.length && values[j + 1] === values[i]) j++;
    out.push(j > i ? `${values[i]} ×${j - i + 1}` : values[i]);
    i = j + 1;
  }
  return out.length > 9 ? `${out.slice(0, 7).join(', ')}, … ${out.at(-1)}` : out.join(', ');
}
