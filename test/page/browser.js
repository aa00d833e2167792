// What the tests and the pictures share: a server of the page, and a browser.
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

const root = path.resolve(__dirname, '../..');

const chrome = () => {
  const found = [process.env.CHROMIUM, '/usr/lib/chromium/chromium', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));
  if (!found) throw new Error('no Chromium: install the package chromium, or name it in CHROMIUM');
  return found;
};

const launch = () => chromium.launch({ executablePath: chrome(), args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--font-render-hinting=none'] });

// serve starts `crosslane web` and returns its address and a function that ends it.
function serve(command, ...args) {
  const child = spawn(command, ['web', ...args, '--open=false'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  return new Promise((resolve, reject) => {
    const failed = setTimeout(() => reject(new Error(`crosslane web printed no address in 20 s: ${text}`)), 20000);
    for (const s of [child.stdout, child.stderr]) {
      s.on('data', (d) => {
        text += d;
        const m = /http:\/\/\S+/.exec(text);
        if (m) {
          clearTimeout(failed);
          resolve({ url: m[0], pid: child.pid, stop: () => new Promise((end) => { child.on('exit', end); child.kill('SIGINT'); }) });
        }
      });
    }
    child.on('exit', (code) => reject(new Error(`crosslane web ended with ${code}: ${text}`)));
  });
}

// open opens the page and waits until it is ready. Every request and every error of its console is kept.
async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1020 }, ...options });
  const page = await context.newPage();
  const log = { errors: [], requests: [] };
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') log.errors.push(m.text()); });
  page.on('pageerror', (e) => log.errors.push(String(e.stack ?? e)));
  page.on('request', (r) => log.requests.push(r.url()));
  await page.goto(url);
  await page.waitForSelector('body[data-ready]', { timeout: 60000 });
  return { page, context, log };
}

// settled waits until what was asked for is drawn.
async function settled(page) {
  await page.evaluate(async () => {
    for (let quiet = 0; quiet < 3;) {
      await new Promise((r) => { setTimeout(r, 60); });
      quiet = globalThis.crosslane.idle() ? quiet + 1 : 0;
    }
  });
}

module.exports = { launch, serve, open, settled, root };
