// Builds report/dist from report/src: same sources and same lock file, same bytes. --tests builds the unit tests into build/tests;
// --check builds into memory and compares with src/types.ts and dist, exit status 4 if a byte differs.
import {execFileSync} from 'node:child_process';
import {build} from 'esbuild';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const MOST_BYTES = 500_000;
const shipped = ['preact', 'uplot'];
const shared = {absWorkingDir: here, bundle: true, charset: 'utf8', legalComments: 'none', jsx: 'automatic', jsxImportSource: 'preact',
                target: ['es2021'], logLevel: 'warning'};

/** src/types.ts, from the types in Python. With --check it is compared. */
function types(mode) {
  const made = execFileSync('/usr/bin/python3', ['-B', '-m', 'warpscope.show.page.typescript'],
                            {env: {...process.env, PYTHONPATH: join(here, '..', 'python')}, encoding: 'utf8'});
  write('src/types.ts', made, mode, 'python/warpscope/show/page');
}

function write(name, text, mode, from) {
  const path = join(here, name);
  if (mode !== '--check') {
    writeFileSync(path, text);
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`report/${name}: is not what ${from} gives; build it: cd report && npm ci && npm run build`);
    process.exitCode = 4;
  }
}

async function page() {
  const result = await build({...shared, entryPoints: {report: 'src/main.tsx'}, outdir: 'dist', format: 'iife', minify: true,
                              write: false});
  const files = result.outputFiles.map((file) => [file.path.split(/[\\/]/).pop(), file.text]);
  files.push(['LICENSES.txt', licences()]);
  return files;
}

/** What is in the bundle that others wrote, each with its licence as its package has it. */
function licences() {
  return shipped.map((name) => {
    const folder = join(here, 'node_modules', name);
    const {version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}

async function tests() {
  const names = readdirSync(join(here, 'tests')).filter((name) => name.endsWith('.test.ts'));
  await build({...shared, entryPoints: names.map((name) => `tests/${name}`), outdir: 'build/tests', format: 'esm', platform: 'node',
               outExtension: {'.js': '.mjs'}, target: ['node18']});
}

const mode = process.argv[2];
if (mode === '--tests') {
  await tests();
} else {
  types(mode);
  const files = await page();
  const size = files.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  if (size > MOST_BYTES) {
    console.error(`report/dist: ${size} bytes, expected at most ${MOST_BYTES}`);
    process.exit(4);
  }
  mkdirSync(join(here, 'dist'), {recursive: true});
  for (const [name, text] of files) {
    write(`dist/${name}`, text, mode, 'report/src');
  }
  console.log(`report/dist: ${files.length} files, ${size} bytes${mode === '--check' ? ' compared' : ''}`);
}
