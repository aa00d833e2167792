// Makes the pictures of the page for docs/seeing.md and the README, into docs/images.
//
//   node pictures.js CROSSLANE [NAME]
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const UPNG = require('upng-js');
const { launch, serve, open, settled, root } = require('./browser.js');

const input = Array.from({ length: 32 }, (_, i) => (i % 7) + 1).join(',');
const mistakes = ['examples/ptx/mistakes.ptx', `--kernel partial_reduce --grid 1 --block 32 --arg in:s32[32]=${input} --arg out:s32[1] --arg 20`];
const loop = '.version 7.0\n.target sm_70\n.address_size 64\n\n// Lanes leave the loop one after the other.\n.visible .entry countdown(.param .u64 out)\n{\n\t.reg .u32 %r<4>;\n\t.reg .pred %p<2>;\n\tmov.u32 %r1, %tid.x;\n\tmul.lo.u32 %r1, %r1, 40;\nloop:\n\tadd.u32 %r2, %r2, %r1;\n\tsub.u32 %r1, %r1, 1;\n\tsetp.gt.s32 %p1, %r1, 0;\n\t@%p1 bra loop;\n\tret;\n}\n';

const pictures = {
  'page-why': { launch: mistakes, do: ['select', { step: 24, lane: 0, why: true }], width: 1500, full: true },
  'page-exchange': { launch: mistakes, do: ['select', { step: 13, lane: 4 }], width: 1500, clip: ['#h-exchange'] },
  'page-timeline': { launch: mistakes, do: ['select', { step: 24, lane: 0, why: true }], width: 1500, clip: ['#h-timeline'] },
  'page-deadlock': { launch: ['examples/bad/ptx/deadlock_shuffle_of_all_in_a_branch.ptx', '--grid 1 --block 32 --arg out:u32[32]'], do: ['select', { step: 6, lane: 0 }], width: 1500, clip: ['#h-timeline'] },
  'page-wave': { launch: ['examples/gcn3/wave_scan.s', '--kernel wave_scan --grid 1 --block 64 --arg in:s32[64]=fill:1 --arg out:s32[64] --arg totals:s32[1]'], do: ['line', 35, 8], width: 1500, dark: true, clip: ['#h-timeline', '#h-exchange'] },
  'page-loop': { launch: [{ name: 'countdown.ptx', text: loop }, '--grid 1 --block 32 --arg out:u32[1]'], do: ['loop'], width: 1500, clip: ['#h-timeline'] },
  'page-telephone': { launch: mistakes, do: ['select', { step: 13, lane: 4 }], width: 390, dark: true, scale: 1.5, clip: ['#h-timeline', '#h-exchange'] },
  'page-explain': { view: 'explain', width: 1100, height: 640, text: 'shfl.sync.down.b32 %r6, %r5, 16, 31, 0x000fffff' },
};

async function main() {
  const server = await serve(path.resolve(process.argv[2])), browser = await launch();
  for (const [name, p] of Object.entries(pictures)) {
    if (process.argv[3] && process.argv[3] !== name) continue;
    const { page, context } = await open(browser, server.url, {
      viewport: { width: p.width, height: p.height ?? 1000 }, colorScheme: p.dark ? 'dark' : 'light', deviceScaleFactor: p.scale ?? 1, reducedMotion: 'reduce',
    });
    if (p.view) {
      await page.locator(`#tab-${p.view}`).click();
      await page.locator('#explain-text').fill(p.text);
      await page.waitForTimeout(400);
      await settled(page);
      const box = await page.locator('#explain-map').boundingBox();
      await page.mouse.move(box.x + box.width * 0.36, box.y + 20);
    } else {
      const [file, line] = p.launch;
      const program = typeof file === 'string' ? { name: file, text: readFileSync(path.join(root, file), 'utf8') } : file;
      await page.evaluate(([program, line]) => globalThis.crosslane.setProgram(program, { line }, { record: true }), [program, line]);
      await settled(page);
      await page.evaluate(async ([what, a, lane]) => {
        const app = globalThis.crosslane;
        if (what === 'select') await app.select(a);
        if (what === 'line') await app.select({ step: app.track.step[app.track.line.indexOf(a)], lane });
        if (what === 'loop') {
          const row = app.track.rows.findIndex((r) => r.fold);
          app.timeline.press(row, 0, {});
        }
        document.activeElement.blur();
        document.getElementById('status').textContent = '';
      }, p.do);
      await settled(page);
    }
    let clip;
    if (p.clip) {
      const boxes = await Promise.all(p.clip.map((c) => page.locator(`section:has(> ${c})`).boundingBox()));
      const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
      clip = { x, y, width: Math.max(...boxes.map((b) => b.x + b.width)) - x, height: Math.max(...boxes.map((b) => b.y + b.height)) - y };
    }
    const png = UPNG.decode(await page.screenshot({ clip, fullPage: !!p.full || !!p.clip }));
    const small = Buffer.from(UPNG.encode(UPNG.toRGBA8(png), png.width, png.height, 128));
    writeFileSync(path.join(root, 'docs/images', `${name}.png`), small);
    console.log(`${name}.png: ${png.width} x ${png.height}, ${small.length} bytes`);
    await context.close();
  }
  await browser.close();
  await server.stop();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
