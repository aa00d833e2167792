// The editor of programs: CodeMirror in a shadow tree, which keeps its styles out of the page's.
import {
  Compartment, Decoration, EditorState, EditorView, GutterMarker, HighlightStyle, RangeSetBuilder, StateEffect, StateField, StreamLanguage, autocompletion,
  bracketMatching, completionKeymap, defaultKeymap, drawSelection, gutter, highlightSelectionMatches, highlightSpecialChars, history, historyKeymap, hoverTooltip, keymap,
  lineNumbers, searchKeymap, setDiagnostics, syntaxHighlighting, tags,
} from './vendor/codemirror.js';
import { escape } from './values.js';

const ptx = StreamLanguage.define({
  name: 'ptx',
  startState: () => ({ comment: false, fresh: true }),
  token(s, state) {
    if (state.comment) {
      if (s.skipTo('*/')) {
        s.next();
        s.next();
        state.comment = false;
      } else {
        s.skipToEnd();
      }
      return 'comment';
    }
    if (s.sol()) state.fresh = true;
    if (s.eatSpace()) return null;
    if (s.match('//')) { s.skipToEnd(); return 'comment'; }
    if (s.match('/*')) { state.comment = true; return 'comment'; }
    if (s.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (s.match(/^@!?%?[\w$]+/)) return 'controlKeyword';
    if (s.match(/^%[\w$.]+/)) return 'variableName';
    if (s.match(/^[\w$]+:(?!:)/)) { state.fresh = true; return 'labelName'; }
    if (s.match(/^-?0[fF][0-9a-fA-F]{8}\b|^-?0[dD][0-9a-fA-F]{16}\b|^-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)U?\b/)) return 'number';
    if (s.match(/^[{};]/)) { state.fresh = true; return 'punctuation'; }
    if (s.match(/^\.[\w:]+/)) return state.fresh ? 'meta' : 'typeName';
    if (s.match(/^[A-Za-z_$][\w$]*(?:(?:\.|::)[\w:]+)*/)) {
      const first = state.fresh;
      state.fresh = false;
      return first ? 'keyword' : 'name';
    }
    s.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
});

const gcn3 = StreamLanguage.define({
  name: 'gcn3',
  startState: () => ({ fresh: true }),
  token(s, state) {
    if (s.sol()) state.fresh = true;
    if (s.eatSpace()) return null;
    if (s.match('//') || s.match(';')) { s.skipToEnd(); return 'comment'; }
    if (s.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (s.match(/^[\w$.]+:(?!\[|\d)/) && state.fresh) return 'labelName';
    if (s.match(/^\.[\w.]+/)) return 'meta';
    if (s.match(/^-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?)\b/)) return 'number';
    if (s.match(/^(?:[vs]\d+\b|[vs](?=\[)|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|m0|scc|flat_scratch(?:_lo|_hi)?)\b/)) return 'variableName';
    if (s.match(/^(?:row_\w+|wave_\w+|quad_perm|bank_mask|bound_ctrl|offset[01]?|glc|slc|vmcnt|lgkmcnt|expcnt|swizzle)\b/)) return 'typeName';
    if (s.match(/^[A-Za-z_][\w]*/)) {
      const first = state.fresh;
      state.fresh = false;
      return first ? 'keyword' : 'name';
    }
    s.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.keyword], color: 'var(--code-op)', fontWeight: '600' },
  { tag: tags.controlKeyword, color: 'var(--code-guard)' },
  { tag: [tags.variableName], color: 'var(--code-register)' },
  { tag: [tags.meta, tags.typeName], color: 'var(--code-type)' },
  { tag: [tags.number, tags.string], color: 'var(--code-number)' },
  { tag: tags.labelName, color: 'var(--code-guard)', fontWeight: '600' },
]);

const setLines = StateEffect.define(), setBreaks = StateEffect.define();
const line = (cls) => Decoration.line({ class: cls });
const marks = { current: line('cm-now'), why: line('cm-why'), both: line('cm-now cm-why') };

const lines = StateField.define({
  create: () => Decoration.none,
  update(value, tr) {
    value = value.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(setLines)) continue;
      const b = new RangeSetBuilder(), { current, why } = e.value, all = new Set(why);
      if (current) all.add(current);
      for (const n of [...all].sort((x, y) => x - y)) {
        if (n < 1 || n > tr.state.doc.lines) continue;
        const at = tr.state.doc.line(n).from;
        b.add(at, at, n === current ? (why.has(n) ? marks.both : marks.current) : marks.why);
      }
      value = b.finish();
    }
    return value;
  },
  provide: (f) => EditorView.decorations.from(f),
});

class Dot extends GutterMarker {
  toDOM() { return document.createTextNode('●'); }
}
const dot = new Dot();
const breaks = StateField.define({
  create: () => new Set(),
  update(value, tr) {
    for (const e of tr.effects) if (e.is(setBreaks)) value = e.value;
    return value;
  },
});

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--panel)', color: 'var(--fg)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--dim)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '&.cm-focused': { outline: '2px solid var(--reads)', outlineOffset: '-2px' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--on) !important' },
  '.cm-now': { backgroundColor: 'var(--current)', boxShadow: 'inset 3px 0 0 var(--select)' },
  '.cm-why': { boxShadow: 'inset -3px 0 0 var(--why)' },
  '.cm-now.cm-why': { boxShadow: 'inset 3px 0 0 var(--select), inset -3px 0 0 var(--why)' },
  '.cm-breaks .cm-gutterElement': { color: 'var(--error)', padding: '0 2px', cursor: 'pointer', minWidth: '14px', textAlign: 'center' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--fg)', border: '1px solid var(--line)', maxWidth: '560px' },
  '.cm-tooltip pre': { margin: '0', padding: '6px 9px', whiteSpace: 'pre-wrap', font: '11px/1.4 var(--mono)' },
  '.hovered': { padding: '4px 10px', font: '12px/1.45 var(--sans)', maxHeight: '300px', overflow: 'auto' },
  '.hovered p': { margin: '4px 0' },
  '.hovered code': { font: '11.5px var(--mono)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--fg)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--reads)', color: 'var(--panel)' },
  '.cm-diagnostic': { font: '11px/1.4 var(--mono)', whiteSpace: 'pre-wrap' },
});

const severity = (f) => (f.severity === 'note' ? 'info' : f.severity);
const said = (f) => `${f.message} [${f.code}]${f.remedy ? `\nremedy: ${f.remedy}` : ''}`;

// The offsets of a range, whose lines and characters count from 0.
function span(doc, r) {
  const at = (p) => {
    const l = doc.line(Math.min(doc.lines, p.line + 1));
    return Math.min(l.to, l.from + p.character);
  };
  return { from: at(r.start), to: Math.max(at(r.start), at(r.end)) };
}

// The little Markdown of a hover: fences, bold, code, links.
export function markdown(text) {
  return text.split(/^```.*$/m).map((part, i) => {
    if (i % 2) return `<pre>${escape(part.replace(/^\n|\n$/g, ''))}</pre>`;
    return part.trim().split(/\n{2,}/).filter(Boolean).map((p) => `<p>${escape(p).replace(/^#+ (.*)$/gm, '<b>$1</b>').replace(/\*\*(.+?)\*\*/g, '<b>$1</b>').replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*([^*\n]+)\*/g, '<i>$1</i>').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\n/g, '<br>')}</p>`).join('');
  }).join('');
}

export class Editor {
  // options: label, changed(text), toggle(line), hover(pos) and complete(pos), which return promises.
  constructor(host, options) {
    const root = host.attachShadow({ mode: 'open' });
    const mount = document.createElement('div');
    mount.style.height = '100%';
    root.append(mount);
    this.language = new Compartment();
    const at = (pos) => {
      const l = this.view.state.doc.lineAt(pos);
      return { line: l.number - 1, character: pos - l.from };
    };
    const extensions = [
      lines, breaks,
      gutter({
        class: 'cm-breaks',
        lineMarker: (view, block) => (view.state.field(breaks).has(view.state.doc.lineAt(block.from).number) ? dot : null),
        lineMarkerChange: (u) => u.startState.field(breaks) !== u.state.field(breaks),
        initialSpacer: () => dot,
        domEventHandlers: { click: (view, block) => (options.toggle?.(view.state.doc.lineAt(block.from).number), true) },
      }),
      lineNumbers(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(), highlightSelectionMatches(),
      EditorState.allowMultipleSelections.of(true),
      EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0', autocapitalize: 'off', spellcheck: 'false' }),
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap]), // Tab leaves the editor
      this.language.of(ptx), syntaxHighlighting(colours), theme,
      EditorView.updateListener.of((u) => { if (u.docChanged && !this.quiet) options.changed?.(this.text); }),
      hoverTooltip(async (view, pos) => {
        const text = await options.hover?.(at(pos));
        if (!text) return null;
        return { pos, create: () => {
          const dom = document.createElement('div');
          dom.className = 'hovered';
          dom.innerHTML = markdown(text);
          return { dom };
        } };
      }),
      autocompletion({
        override: [async (context) => {
          const word = context.matchBefore(/[%\w.$:]+/);
          if (!word && !context.explicit) return null;
          const list = await options.complete?.(at(context.pos));
          if (!list?.length || context.aborted) return null;
          const l = context.state.doc.lineAt(context.pos), from = Math.min(context.pos, l.from + list[0].range.start.character);
          return { from, options: list.map((i) => ({ label: i.label, detail: i.detail, info: i.documentation || undefined, apply: i.insert })), filter: false };
        }],
      }),
    ];
    this.view = new EditorView({ state: EditorState.create({ doc: '', extensions }), parent: mount, root });
  }

  get text() { return this.view.state.doc.toString(); }

  set(text, isa) {
    this.quiet = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    this.quiet = false;
    this.setISA(isa);
  }

  setISA(isa) { this.view.dispatch({ effects: this.language.reconfigure(isa === 'gcn3' ? gcn3 : ptx) }); }

  mark(current, why, scroll) {
    const effects = [setLines.of({ current, why: why ?? new Set() })];
    if (scroll && current >= 1 && current <= this.view.state.doc.lines) {
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      const at = this.view.state.doc.line(current).from, block = this.view.lineBlockAt(at), s = this.view.scrollDOM;
      if (block.top < s.scrollTop + 20 || block.bottom > s.scrollTop + s.clientHeight - 20) {
        s.scrollTo({ top: block.top - s.clientHeight / 3, behavior: calm ? 'instant' : 'auto' });
      }
    }
    this.view.dispatch({ effects });
  }

  breakpoints(set) { this.view.dispatch({ effects: setBreaks.of(new Set(set)) }); }

  // findings are diagnostics of Crosslane: line and column from 1 on.
  diagnose(findings) {
    const doc = this.view.state.doc;
    const list = findings.filter((f) => f.line >= 1 && f.line <= doc.lines).map((f) => {
      const l = doc.line(f.line), from = Math.min(l.to, l.from + Math.max(0, (f.column || 1) - 1));
      if (f.range) return { ...span(doc, f.range), severity: severity(f), message: said(f) };
      const end = f.end_column ? l.from + f.end_column - 1 : from + (/^[^\s,;]+/.exec(l.text.slice(from - l.from))?.[0].length ?? 1);
      return {
        from, to: Math.max(from, Math.min(l.to, end)), severity: severity(f), message: said(f),
      };
    }).sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, list));
  }

  goTo(n) {
    if (n < 1 || n > this.view.state.doc.lines) return;
    const at = this.view.state.doc.line(n).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  }
}
