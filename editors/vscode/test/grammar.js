// The grammars over the examples, with the libraries with which VS Code colours text: every opcode of every
// example has the scope of an instruction, every comment that of a comment.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const oniguruma = require('vscode-oniguruma');
const { Registry, parseRawGrammar, INITIAL } = require('vscode-textmate');

const root = path.resolve(__dirname, '../../..');

function files(ext, ...folders) {
  const list = [];
  for (const folder of folders) {
    for (const e of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
      if (e.isFile() && e.name.endsWith(ext)) list.push(path.join(root, folder, e.name));
    }
  }
  return list;
}

// opcode finds the opcode of a line, from the shape of the text alone. [begin, end] or null.
const opcode = {
  ptx(line) {
    const m = /^(\s*(?:[\w$%]+\s*:(?!:)\s*)?\{?\s*(?:@!?\s*[\w$%]+\s+)?)([a-z][a-z0-9_]*)((?:\.\w+(?:::\w+)*)*)(?=\s+[^\s,=:]|\s*;)/.exec(line);
    return m ? [m[1].length, m[1].length + m[2].length, m[3].length] : null;
  },
  gcn3(line) {
    const m = /^(\s*(?:[\w.$]+\s*:\s*)?)((?:v|s|ds|flat|buffer|tbuffer|image)_\w+)(?![\w\\])/.exec(line);
    return m ? [m[1].length, m[1].length + m[2].length, 0] : null;
  },
};

async function main() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner: (p) => new oniguruma.OnigScanner(p), createOnigString: (s) => new oniguruma.OnigString(s) }),
    loadGrammar: async (scope) => {
      const file = path.join(__dirname, '..', 'syntaxes', `${scope.split('.')[1]}.tmLanguage.json`);
      return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
  });
  const scopesAt = (tokens, i) => tokens.find((t) => t.startIndex <= i && i < t.endIndex)?.scopes ?? [];
  for (const [language, list, least] of [
    ['ptx', files('.ptx', 'examples/ptx', 'examples/bad/ptx', 'examples/good/ptx', 'ptx/testdata'), 8000],
    ['gcn3', files('.s', 'examples/gcn3', 'examples/bad/gcn3', 'examples/good/gcn3'), 2000],
  ]) {
    const grammar = await registry.loadGrammar(`source.${language}`);
    let instructions = 0;
    for (const file of list) {
      let state = INITIAL;
      let block = false;
      let text = false; // metadata, sections
      fs.readFileSync(file, 'utf8').split('\n').forEach((line, n) => {
        const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
        state = ruleStack;
        const at = `${path.relative(root, file)}:${n + 1}: ${line}`;
        if (/\.amdgpu_metadata|\.section\s+\.debug|\.macro/.test(line)) text = true;
        if (/\.end_amdgpu_metadata|^\s*\}|\.endm/.test(line)) text = false;
        const was = block;
        for (const m of line.replace(/"[^"]*"/g, '').matchAll(/\/\/|\/\*|\*\//g)) {
          if (m[0] === '//' && !block) break;
          block = m[0] === '/*' || (m[0] !== '*/' && block);
        }
        if (was || block || text) return;
        const op = opcode[language](line);
        if (op) {
          instructions++;
          for (let i = op[0]; i < op[1]; i++) assert(scopesAt(tokens, i).some((s) => s.startsWith('keyword.other.instruction')), `${at}\n${scopesAt(tokens, i)}`);
          if (op[2]) assert(scopesAt(tokens, op[1]).some((s) => s.startsWith('storage.modifier')), `${at}\n${scopesAt(tokens, op[1])}`);
        }
        const comment = line.indexOf(language === 'ptx' ? '//' : ';');
        if (comment >= 0 && !line.slice(0, comment).includes('"') && !line.slice(0, comment).includes('/')) {
          assert(scopesAt(tokens, comment).some((s) => s.startsWith('comment')), at);
        }
      });
    }
    assert(instructions >= least, `${language}: ${instructions} instructions`);
    console.log(`grammar ${language}: ${instructions} instructions of ${list.length} files`);
  }
  // Words that look like instructions and are none.
  const ptx = await registry.loadGrammar('source.ptx');
  for (const [line, word, want] of [
    ['add:', 'add', 'entity.name.label'], ['\t.reg .b32 %add<3>;', '%add', 'variable.other.register'], ['\tmov.u32 %r1, %tid.x;', '%tid', 'variable.language'],
    ['.visible .entry add(', 'add', 'entity.name.function'], ['\tld.shared::cluster.u32 %r1, [add];', 'add', 'source.ptx'],
    ['\tst.param.b32 [param0+0], 0f3F800000;', '0f3F', 'constant.numeric'], ['\t@!%p1 bra L1;', '@!', 'keyword.operator'], ['// add', 'add', 'comment'],
  ]) {
    const scopes = scopesAt(ptx.tokenizeLine(line, INITIAL).tokens, line.indexOf(word));
    assert(scopes[scopes.length - 1].startsWith(want), `${line}: ${word}: ${scopes}`);
  }
}

main().catch((e) => { console.error(e.message); process.exit(1); });
