// The client library of VS Code's language servers, against crosslane lsp.
//
//   node lsp.js CROSSLANE [EDITS]
//
// EDITS is the number of random edits, 400 if it is not given. .ci/run takes that; a long run takes 100000.
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const p = require('vscode-languageserver-protocol/node');

const crosslane = process.argv[2];
const edits = Number(process.argv[3] ?? 400);
const root = path.resolve(__dirname, '../..');
const log = [];

function files(...folders) {
  const list = [];
  for (const folder of folders) {
    for (const name of fs.readdirSync(path.join(root, folder)).sort()) {
      if (/\.(ptx|s)$/.test(name)) list.push(path.join(root, folder, name));
    }
  }
  return list;
}

// Session is one connection; texts are those of open files.
class Session {
  constructor() {
    this.child = spawn(crosslane, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.c = p.createProtocolConnection(new p.StreamMessageReader(this.child.stdout), new p.StreamMessageWriter(this.child.stdin));
    this.texts = new Map();
    this.waiting = new Map();
    this.c.onNotification(p.PublishDiagnosticsNotification.type, (d) => {
      const w = this.waiting.get(`${d.uri} ${d.version}`);
      if (w) w(d.diagnostics);
    });
    this.c.onNotification(p.LogMessageNotification.type, (m) => log.push(m.message));
    this.c.listen();
  }

  async start() {
    const r = await this.c.sendRequest(p.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } }, initializationOptions: { delay: 0 } });
    this.legend = r.capabilities.semanticTokensProvider.legend;
    assert.strictEqual(r.capabilities.positionEncoding, 'utf-16');
    await this.c.sendNotification(p.InitializedNotification.type, {});
  }

  published(uri, version) {
    return new Promise((resolve) => this.waiting.set(`${uri} ${version}`, resolve));
  }

  async open(file, text = fs.readFileSync(file, 'utf8')) {
    const uri = pathToFileURL(file).href;
    const found = this.published(uri, 1);
    this.texts.set(uri, { text, version: 1 });
    await this.c.sendNotification(p.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: file.endsWith('.ptx') ? 'ptx' : 'gcn3', version: 1, text } });
    return { uri, found: await found };
  }

  close(uri) { return this.c.sendNotification(p.DidCloseTextDocumentNotification.type, { textDocument: { uri } }); }

  // change makes an incremental change.
  async change(uri, range, text) {
    const doc = this.texts.get(uri);
    doc.version++;
    doc.text = apply(doc.text, [{ range, newText: text }]);
    await this.c.sendNotification(p.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: doc.version }, contentChanges: [{ range, text }] });
    return doc.version;
  }

  async stop() {
    await this.c.sendRequest(p.ShutdownRequest.type);
    const gone = new Promise((resolve) => this.child.on('exit', resolve));
    await this.c.sendNotification(p.ExitNotification.type);
    assert.strictEqual(await gone, 0);
    this.c.dispose();
  }
}

// offsets are the beginnings of lines; strings of JavaScript count UTF-16 as the protocol does.
function offsets(text) {
  const list = [0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\n' || (text[i] === '\r' && text[i + 1] !== '\n')) list.push(i + 1);
  }
  return list;
}

function apply(text, list) {
  const lines = offsets(text);
  const at = (q) => Math.min(lines[q.line] + q.character, text.length);
  for (const e of [...list].sort((a, b) => at(b.range.start) - at(a.range.start))) {
    text = text.slice(0, at(e.range.start)) + e.newText + text.slice(at(e.range.end));
  }
  return text;
}

// words are the semantic tokens of a text: [line, character, length, type].
async function words(s, uri) {
  const { data } = await s.c.sendRequest(p.SemanticTokensRequest.type, { textDocument: { uri } });
  const list = [];
  let line = 0;
  let char = 0;
  for (let i = 0; i < data.length; i += 5) {
    if (data[i] > 0) char = 0;
    line += data[i];
    char += data[i + 1];
    list.push([line, char, data[i + 2], s.legend.tokenTypes[data[i + 3]]]);
  }
  return list;
}

// The findings of each file equal those of the command.
async function findings(s) {
  const run = spawnSync(crosslane, ['check', '--static', '--all', '--format', 'json', 'examples/bad'], { cwd: root, maxBuffer: 1 << 28 });
  const want = new Map(JSON.parse(run.stdout).files.map((f) => [path.resolve(root, f.file), f.findings]));
  const severity = { error: 1, warning: 2, note: 3 };
  let n = 0;
  for (const file of files('examples/bad/ptx', 'examples/bad/gcn3')) {
    const { uri, found } = await s.open(file);
    const key = (severity, code, line, col, message) => `${line}:${col} ${severity} ${code} ${message}`;
    const got = found.map((d) => key(d.severity, d.code, d.range.start.line + 1, '', d.message.split('\nlanes: ')[0].split('\nremedy: ')[0]));
    const wants = (want.get(file) ?? []).map((d) => key(severity[d.severity], d.code, d.line ?? 1, '', d.message));
    assert.deepStrictEqual(got.sort(), wants.sort(), file);
    for (const d of found) assert(d.range.end.line > d.range.start.line || d.range.end.character > d.range.start.character, `${file}: an empty range`);
    n += got.length;
    await s.close(uri);
  }
  return `${n} findings of ${want.size} files`;
}

// A hover explains each instruction; for one whose lanes are known it shows them.
async function hovers(s) {
  let n = 0;
  let maps = 0;
  for (const file of files('examples/ptx', 'examples/gcn3')) {
    const { uri } = await s.open(file);
    const hints = await s.c.sendRequest(p.InlayHintRequest.type, { textDocument: { uri }, range: { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } } });
    const moving = new Set(hints.filter((h) => !/^owes| B a lane$|^one address$/.test(h.label) && !(h.tooltip ?? '').includes('If the membermask')).map((h) => h.position.line));
    for (const [line, character, , type] of await words(s, uri)) {
      if (type !== 'keyword') continue;
      const h = await s.c.sendRequest(p.HoverRequest.type, { textDocument: { uri }, position: { line, character } });
      assert(h && h.contents.value, `${file}:${line + 1}: no hover`);
      n++;
      if (moving.has(line)) {
        assert(h.contents.value.includes('```text\n'), `${file}:${line + 1}: no lanes`);
        maps++;
      }
    }
    await s.close(uri);
  }
  assert(n > 3000 && maps > 100);
  return `${n} hovers, ${maps} with lanes`;
}

// Each code action makes its finding go.
async function actions(s) {
  let n = 0;
  for (const file of files('examples/bad/ptx', 'examples/bad/gcn3')) {
    const text = fs.readFileSync(file, 'utf8');
    const { uri, found } = await s.open(file, text);
    await s.close(uri);
    for (const d of found) {
      const { uri } = await s.open(file, text);
      const list = await s.c.sendRequest(p.CodeActionRequest.type, { textDocument: { uri }, range: d.range, context: { diagnostics: [d] } });
      await s.close(uri);
      for (const a of list.filter((a) => a.kind === 'quickfix' && a.diagnostics[0].message === d.message && a.diagnostics[0].range.start.line === d.range.start.line)) {
        const after = await s.open(file, apply(text, a.edit.changes[uri]));
        const same = (list) => list.filter((x) => x.code === d.code).length;
        assert(same(after.found) < same(found), `${file}: ${a.title}`);
        await s.close(uri);
        n++;
      }
    }
  }
  assert(n > 30);
  return `${n} actions`;
}

// An exchange asks for other instructions with the same lanes.
async function plans(s) {
  const { uri } = await s.open(path.join(root, 'plan.ptx'), '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %laneid;\n\tshfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n\tret;\n}\n');
  const at = { line: 6, character: 3 };
  const list = await s.c.sendRequest(p.CodeActionRequest.type, { textDocument: { uri }, range: { start: at, end: at }, context: { diagnostics: [], only: ['refactor'] } });
  assert.strictEqual(list.length, 1);
  assert.match(list[0].title, /↔16/);
  const text = await s.c.sendRequest(p.ExecuteCommandRequest.type, list[0].command);
  assert.match(text, /shfl\.sync\.bfly\.b32/);
  await s.close(uri);
  return list[0].title;
}

// A kernel computes the same after its names have been changed.
async function renames(s) {
  const launches = [
    ['examples/ptx/block_scan.ptx', ['--grid', '4', '--block', '256', '--arg', 'in:s32[1024]=fill:1', '--arg', 'out:s32[1024]', '--arg', '1024', '--print', 'out']],
    ['examples/ptx/mistakes.ptx', ['--kernel', 'partial_reduce', '--grid', '1', '--block', '32', '--arg', 'in:s32[32]=iota', '--arg', 'out:s32[1]', '--arg', '32', '--print', 'out']],
  ];
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'crosslane-lsp-'));
  let n = 0;
  for (const [name, args] of launches) {
    const file = path.join(root, name);
    const run = (text) => {
      const copy = path.join(dir, path.basename(file));
      fs.writeFileSync(copy, text);
      const r = spawnSync(crosslane, ['run', copy, ...args]);
      return r.stdout.toString() + r.status;
    };
    const { uri } = await s.open(file);
    const doc = s.texts.get(uri);
    const before = run(doc.text);
    const renamed = new Set();
    for (let round = 0; round < 60; round++) { // one name after the other, in one text
      const lines = offsets(doc.text);
      const word = (await words(s, uri)).find(([line, character, length, type]) => ['variable', 'parameter', 'label'].includes(type) &&
        !renamed.has(doc.text.slice(lines[line] + character, lines[line] + character + length)));
      if (!word) break;
      const [line, character, length] = word;
      renamed.add(doc.text.slice(lines[line] + character, lines[line] + character + length));
      const newName = `name_${round}`;
      renamed.add(newName);
      let edit;
      try {
        edit = await s.c.sendRequest(p.RenameRequest.type, { textDocument: { uri }, position: { line, character }, newName });
      } catch (e) {
        assert.match(e.message, /registers; rename one of them/); // a family
        continue;
      }
      for (const e of edit.changes[uri].sort((a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character)) await s.change(uri, e.range, e.newText);
      n++;
    }
    assert.strictEqual(run(doc.text), before, name);
    await s.close(uri);
  }
  fs.rmSync(dir, { recursive: true });
  return `${n} names`;
}

// Columns count UTF-16.
async function columns(s) {
  const text = '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n\t.reg .u32 x;\n\t/* größe 𝄞 */ movx.u32 x, 1; // ä\n\tret;\n}\n';
  const { uri, found } = await s.open(path.join(root, 'columns.ptx'), text);
  const start = text.split('\n')[5].indexOf('movx');
  assert.deepStrictEqual(found[0].range, { start: { line: 5, character: start }, end: { line: 5, character: start + 'movx.u32'.length } });
  await s.close(uri);
  return 'UTF-16';
}

// Random edits of 100 kB: every answer comes, and none is an internal error.
async function random(s) {
  const one = fs.readFileSync(path.join(root, 'examples/ptx/mistakes.ptx'), 'utf8').split('.address_size 64\n')[1];
  let text = '.version 6.3\n.target sm_70\n.address_size 64\n';
  for (let i = 0; text.length < 100_000; i++) text += one.replace(/\b(partial_reduce|not_in_mask|never_meet|off_by_one)/g, `$1_${i}`);
  const { uri } = await s.open(path.join(root, 'large.ptx'), text);
  const doc = s.texts.get(uri);
  let seed = 1;
  const rnd = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
  const pieces = [' ', ';', '{', '}', '.', '%r1', ', ', '\n', '/*', '*/', '"', 'shfl.sync.', '@%p', '[', ']', '(', 'ö𝄞', '.reg .b32 %x<3>;', 'L:', '0x'];
  const took = [];
  const checked = [];
  for (let i = 0; i < edits; i++) {
    if (i % 200 === 0 && i > 0) await s.change(uri, { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } }, text);
    const lines = doc.text.split('\n');
    const line = rnd(lines.length);
    const character = rnd(lines[line].length + 1);
    const start = { line, character };
    const end = rnd(3) === 0 ? { line, character: Math.min(lines[line].length, character + rnd(6)) } : start;
    const began = process.hrtime.bigint();
    const version = await s.change(uri, { start, end }, pieces[rnd(pieces.length)]);
    const found = i % 8 === 0 ? s.published(uri, version) : null;
    const about = { textDocument: { uri }, position: start };
    await Promise.all([s.c.sendRequest(p.HoverRequest.type, about), s.c.sendRequest(p.CompletionRequest.type, about), s.c.sendRequest(p.DefinitionRequest.type, about), s.c.sendRequest(p.SignatureHelpRequest.type, about)]);
    took.push(Number(process.hrtime.bigint() - began) / 1e6);
    if (found) {
      await found;
      checked.push(Number(process.hrtime.bigint() - began) / 1e6);
    }
  }
  await s.close(uri);
  const at = (list, q) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))].toFixed(1);
  return `${edits} random edits of ${text.length} bytes: answers in ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms; findings in ${at(checked, 0.5)} ms, p99 ${at(checked, 0.99)} ms`;
}

async function main() {
  const s = new Session();
  await s.start();
  for (const test of [columns, findings, hovers, actions, plans, renames, random]) console.log(`lsp: ${test.name}: ${await test(s)}`);
  await s.stop();
  const failed = log.filter((m) => / failed: /.test(m));
  assert.deepStrictEqual(failed, []);
  console.log('crosslane lsp: right');
}

main().catch((e) => { console.error(e); process.exit(1); });
