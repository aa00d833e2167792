// Bundles entry.js and what it imports into ../site/vendor, with the licences of the packages.
//
//   npm ci && node build.js           write the bundle
//   npm ci && node build.js --check   fail if the bundle differs from what would be written
import { build } from 'esbuild';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../site/vendor');
const result = await build({
  absWorkingDir: here,
  entryPoints: ['entry.js'],
  bundle: true,
  format: 'esm',
  minify: true,
  charset: 'ascii',
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
  write: false,
});
const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const m = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (m) packages.add(m[1]);
}
let licences = 'codemirror.js holds these packages:\n';
for (const name of [...packages].sort()) {
  const dir = join(here, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  if (!file) throw new Error(`${name} ${version} has no file with its licence`);
  licences += `\n${'-'.repeat(79)}\n${name} ${version}, ${license}\n\n${readFileSync(join(dir, file), 'utf8').replace(/\r/g, '').trim()}\n`;
}
const files = { 'codemirror.js': result.outputFiles[0].text, 'codemirror.LICENSES.txt': licences };
let stale = false;
for (const [name, text] of Object.entries(files)) {
  const path = join(out, name);
  if (process.argv.includes('--check')) {
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
      console.error(`internal/page/site/vendor/${name} is not what internal/page/editor/build.js makes: run it`);
      stale = true;
    }
    continue;
  }
  writeFileSync(path, text);
  console.log(`${name}: ${text.length} bytes`);
}
process.exit(stale ? 1 : 0);
