// The extension: a client of crosslane lsp, a debugger by crosslane dap, and the page of crosslane web.
'use strict';
const { spawn } = require('node:child_process');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const languages = ['ptx', 'gcn3'];
let client;
let output;
const pages = new Set(); // the processes of crosslane web

function setting(name) { return vscode.workspace.getConfiguration('crosslane').get(name); }

// command is the path of crosslane. An untrusted workspace cannot choose it, see package.json.
function command() { return setting('path') || 'crosslane'; }

function settings() {
  return { pictures: setting('pictures'), hints: setting('hints'), lenses: setting('lenses'), delay: setting('delay'), debug: true };
}

// target is the kernel that a command is about: its argument, from a lens, or the one at the cursor.
async function target(argument) {
  if (argument && argument.uri) return argument;
  const editor = vscode.window.activeTextEditor;
  if (!editor || !languages.includes(editor.document.languageId)) {
    vscode.window.showErrorMessage('Crosslane: open a file of PTX or GCN3 assembly first.');
    return undefined;
  }
  const uri = editor.document.uri.toString();
  const lenses = await client.sendRequest('textDocument/codeLens', { textDocument: { uri } });
  const kernels = lenses.filter((l) => l.command.command === 'crosslane.run').map((l) => ({ kernel: l.command.arguments[0].kernel, line: l.range.start.line }));
  const before = kernels.filter((k) => k.line <= editor.selection.active.line);
  const at = before[before.length - 1] ?? kernels[0];
  return { uri, kernel: at ? at.kernel : '' };
}

// words splits a line of arguments as a shell does, with quotes.
function words(line) {
  const list = [];
  for (const m of line.matchAll(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g)) {
    list.push(m[0].replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, a, b) => (a !== undefined ? a.replace(/\\(.)/g, '$1') : b)));
  }
  return list;
}

// ask asks for the arguments of a launch, and remembers them for the kernel.
async function ask(context, about) {
  const key = `args ${about.uri} ${about.kernel}`;
  const line = await vscode.window.showInputBox({
    title: `Launch of ${about.kernel || 'the kernel'}`,
    prompt: 'The arguments of crosslane run, such as --grid 1 --block 32 --arg in:s32[32]=iota --arg out:s32[32]',
    value: context.workspaceState.get(key, '--grid 1 --block 32'),
    ignoreFocusOut: true,
  });
  if (line === undefined) return undefined;
  await context.workspaceState.update(key, line);
  return words(line);
}

// perform carries out run or check in the server, and shows the text.
async function perform(context, name, argument, send) {
  const about = await target(argument);
  if (!about) return undefined;
  let text;
  try {
    text = await send(name, [about]);
  } catch (e) {
    if (!/needs a launch/.test(e.message)) {
      vscode.window.showErrorMessage(`Crosslane: ${e.message}`);
      return undefined;
    }
    const args = await ask(context, about);
    if (!args) return undefined;
    try {
      text = await send(name, [{ ...about, args }]);
    } catch (again) {
      vscode.window.showErrorMessage(`Crosslane: ${again.message}`);
      return undefined;
    }
  }
  return show(text);
}

// show puts the text of a command into the output.
function show(text) {
  if (typeof text === 'string') {
    output.clear();
    output.append(text);
    output.show(true);
  }
  return text;
}

async function debugKernel(context, argument) {
  const about = await target(argument);
  if (!about) return;
  const args = await ask(context, about);
  if (!args) return;
  const uri = vscode.Uri.parse(about.uri);
  const named = about.kernel && !args.includes('--kernel') ? ['--kernel', about.kernel] : [];
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), { type: 'crosslane', request: 'launch', name: about.kernel || 'kernel', program: uri.fsPath, args: [...named, ...args] });
}

// page starts crosslane web for a kernel and opens the address that it prints.
async function page(context, argument) {
  const about = await target(argument);
  if (!about) return;
  const args = await ask(context, about);
  if (!args) return;
  const named = about.kernel && !args.includes('--kernel') ? ['--kernel', about.kernel] : [];
  const child = spawn(command(), ['web', vscode.Uri.parse(about.uri).fsPath, ...named, ...args]);
  pages.add(child);
  let seen = '';
  let opened = false;
  const read = (data) => {
    seen += data;
    const m = opened ? null : /http:\/\/[^\s]+\s/.exec(seen);
    if (m) {
      opened = true;
      vscode.env.openExternal(vscode.Uri.parse(m[0].trim(), true));
    }
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  child.on('error', (e) => vscode.window.showErrorMessage(`Crosslane: ${command()} does not start: ${e.message}`));
  child.on('exit', (code) => {
    pages.delete(child);
    if (code && !opened) vscode.window.showErrorMessage(`Crosslane: ${seen.trim().split('\n')[0]}`);
  });
}

// registers matches the names of registers in a line.
const registers = { ptx: /%[A-Za-z_$][\w$]*/g, gcn3: /(?<![\w.$])(?:[vs]\d+|vcc|exec|m0|scc)(?![\w.$])/g };

// inline values: the strip of all lanes behind each register of the last lines that were executed.
const inlineValues = {
  provideInlineValues(document, viewPort, context) {
    if (!setting('inlineValues')) return [];
    const last = context.stoppedLocation.end.line;
    const list = [];
    for (let n = Math.max(viewPort.start.line, last - 40); n <= Math.min(last, viewPort.end.line); n++) {
      const line = document.lineAt(n).text.replace(document.languageId === 'gcn3' ? /(?:\/\/|;).*$/ : /\/\/.*$/, '');
      const seen = new Set();
      for (const m of line.matchAll(registers[document.languageId] ?? registers.ptx)) {
        if (seen.has(m[0])) continue;
        seen.add(m[0]);
        list.push(new vscode.InlineValueEvaluatableExpression(new vscode.Range(n, m.index, n, m.index + m[0].length), m[0]));
      }
    }
    return list;
  },
};

function start(context) {
  client = new LanguageClient('crosslane', 'Crosslane', { command: command(), args: ['lsp'] }, {
    documentSelector: [...languages, 'cuda-cpp'].map((language) => ({ language })),
    initializationOptions: settings(),
    middleware: {
      executeCommand: async (name, args, next) => {
        if (name !== 'crosslane.plan') return perform(context, name, args && args[0], next);
        try {
          return show(await next(name, args));
        } catch (e) {
          return void vscode.window.showErrorMessage(`Crosslane: ${e.message}`);
        }
      },
    },
  });
  return client.start().catch((e) => {
    vscode.window.showErrorMessage(`Crosslane: ${command()} lsp does not start: ${e.message}. The setting crosslane.path names the command.`);
  });
}

async function activate(context) {
  output = vscode.window.createOutputChannel('Crosslane', 'log');
  const selector = languages.map((language) => ({ language }));
  context.subscriptions.push(output,
    vscode.commands.registerCommand('crosslane.debug', (a) => debugKernel(context, a)),
    vscode.commands.registerCommand('crosslane.page', (a) => page(context, a)),
    vscode.commands.registerCommand('crosslane.restart', async () => {
      if (client) await client.dispose();
      await start(context);
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory('crosslane', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(command(), ['dap']),
    }),
    vscode.debug.registerDebugConfigurationProvider('crosslane', {
      resolveDebugConfiguration(_folder, config) {
        if (!config.type && !config.request) { // F5 without a launch.json
          const editor = vscode.window.activeTextEditor;
          if (!editor || !languages.includes(editor.document.languageId)) return undefined;
          return { type: 'crosslane', request: 'launch', name: 'kernel', program: editor.document.uri.fsPath, args: ['--grid', '1', '--block', '32'] };
        }
        return config;
      },
    }),
    vscode.languages.registerInlineValuesProvider(selector, inlineValues),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration('crosslane') && client) client.sendNotification('workspace/didChangeConfiguration', { settings: { crosslane: settings() } });
    }));
  await start(context);
}

async function deactivate() {
  for (const child of pages) child.kill();
  if (client) await client.stop();
}

module.exports = { activate, deactivate, words, inlineValues };
