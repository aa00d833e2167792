// The manifest against the files and the code: what it contributes exists, and the code works with a stand-in for the editor.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const dir = path.resolve(__dirname, '..');
const manifest = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
const c = manifest.contributes;
const exists = (file) => assert(fs.existsSync(path.join(dir, file)), `${file} does not exist`);

// A stand-in for the editor's API.
const registered = new Set();
const shown = [];
const answers = [];
let started;
const disposable = { dispose() {} };
const vscode = {
  workspace: {
    getConfiguration: (section) => ({ get: (name) => {
      const p = c.configuration.properties[`${section}.${name}`];
      assert(p, `the setting ${section}.${name} is not declared`);
      return p.default;
    } }),
    onDidChangeConfiguration: () => disposable,
    getWorkspaceFolder: () => undefined,
  },
  window: {
    createOutputChannel: () => ({ clear() {}, append(text) { shown.push(text); }, show() {}, dispose() {} }),
    showErrorMessage: (text) => shown.push(text),
    showInputBox: async () => answers.shift(),
    activeTextEditor: { document: { languageId: 'ptx', uri: { toString: () => 'file:///k.ptx', fsPath: '/k.ptx' } }, selection: { active: { line: 50 } } },
  },
  commands: { registerCommand: (name) => { registered.add(name); return disposable; } },
  debug: {
    registerDebugAdapterDescriptorFactory: (type, f) => { registered.add(`debug ${type}`); vscode.factory = f; return disposable; },
    registerDebugConfigurationProvider: () => disposable,
  },
  languages: { registerInlineValuesProvider: () => disposable },
  DebugAdapterExecutable: class { constructor(file, args) { Object.assign(this, { file, args }); } },
  Range: class { constructor(...a) { this.a = a; } },
  InlineValueEvaluatableExpression: class { constructor(range, expression) { Object.assign(this, { range, expression }); } },
};
class LanguageClient {
  constructor(id, name, server, options) { started = { server, options }; }
  async start() {}
  async stop() {}
  async sendRequest() { return [20, 40, 60].map((line) => ({ range: { start: { line } }, command: { command: 'crosslane.run', arguments: [{ kernel: `k${line}` }] } })); }
}
const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === 'vscode') return vscode;
  if (name === 'vscode-languageclient/node') return { LanguageClient };
  return load.call(this, name, ...rest);
};

async function main() {
  exists(manifest.main);
  for (const l of c.languages) {
    exists(l.configuration);
    JSON.parse(fs.readFileSync(path.join(dir, l.configuration), 'utf8'));
    if (l.firstLine) assert.match('\t.amdgcn_target "amdgcn-amd-amdhsa--gfx803"', new RegExp(l.firstLine));
  }
  const ids = c.languages.map((l) => l.id);
  for (const g of c.grammars) {
    assert(ids.includes(g.language));
    assert.strictEqual(JSON.parse(fs.readFileSync(path.join(dir, g.path), 'utf8')).scopeName, g.scopeName);
  }
  for (const m of Object.values(c.menus).flat()) assert(c.commands.some((x) => x.command === m.command), m.command);

  const state = new Map();
  const extension = require('../src/extension.js');
  await extension.activate({ subscriptions: [], workspaceState: { get: (k, d) => state.get(k) ?? d, update: async (k, v) => state.set(k, v) } });
  for (const x of ['crosslane.run', 'crosslane.check']) registered.add(x); // the client registers the commands of the server
  for (const x of c.commands) assert(registered.has(x.command), `${x.command} is not registered`);
  for (const d of c.debuggers) assert(registered.has(`debug ${d.type}`));
  assert.deepStrictEqual(vscode.factory.createDebugAdapterDescriptor().args, ['dap']);
  assert.deepStrictEqual(started.server.args, ['lsp']);
  // The extension's own languages, and those of the editor in whose texts PTX stands: they wake the extension.
  const foreign = manifest.activationEvents.filter((x) => x.startsWith('onLanguage:')).map((x) => x.slice('onLanguage:'.length));
  assert.deepStrictEqual(foreign, ['cuda-cpp']);
  assert.deepStrictEqual(started.options.documentSelector.map((s) => s.language), [...ids, ...foreign]);

  // run: the kernel at the cursor; without a launch it asks for one.
  const sent = [];
  answers.push("--grid 1 --arg 'a b'");
  await started.options.middleware.executeCommand('crosslane.run', [], async (_name, args) => {
    sent.push(args[0]);
    if (!args[0].args) throw new Error('run needs a launch');
    return 'done';
  });
  assert.deepStrictEqual(sent.map((s) => [s.kernel, s.args]), [['k40', undefined], ['k40', ['--grid', '1', '--arg', 'a b']]]);
  assert(shown.includes('done'));

  // The strips of registers, once a line, not in comments.
  const lines = ['add.u32 %r1, %r2, %r2; // %r9', '@%p1 bra L;'];
  const values = extension.inlineValues.provideInlineValues({ languageId: 'ptx', lineAt: (n) => ({ text: lines[n] }) }, { start: { line: 0 }, end: { line: 9 } }, { stoppedLocation: { end: { line: 1 } } });
  assert.deepStrictEqual(values.map((v) => v.expression), ['%r1', '%r2', '%p1']);
  console.log('contributions: right');
}

main().catch((e) => { console.error(e); process.exit(1); });
