// Checks that every regular expression of the program takes time in proportion to its text: whoever can send a text
// could stop the server with one that does not. Two ways: its shape is looked at (scslre), and it is run on hostile
// texts of 10 and 100 KB.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { analyse } from 'scslre';
import { EXTERNAL } from './build.mjs';
import { collectRegexps } from './collect-regexps.mjs';
import { hostileTexts, textOf } from './hostile-texts.mjs';

const root = path.join(import.meta.dirname, '..');

/**
 * Expressions that are built from more than constants, by file, and why each is linear.
 * @type {Record<string, Record<string, string>>}
 */
export const BUILT_AT_RUNTIME = {
  'src/base/regexp/parse-pattern.ts': {
    "new RegExp(`^${text}$`, 'u')": 'one class of characters, asked of one character',
  },
  'src/machinery/validation/apiextensions/go-regexp.ts': {
    "new RegExp(translated, 'u')": 'compiled to learn whether JavaScript refuses it; LinearRegexp runs it',
    "new RegExp(text, 'u')": 'one Unicode property, compiled to learn whether it exists',
    "new RegExp(`[${chars}]`, 'u')": 'one class of characters, asked of one character',
  },
};

/**
 * Files of packages with expressions that are not linear, and why nobody can use them against us.
 * @type {Record<string, string>}
 */
export const PACKAGE_FILES = {
  'yaml/dist/stringify/stringifyString.js': 'only files of our own are written with it',
  'yaml/dist/schema/yaml-1.1/timestamp.js': 'only files of our own are written with it',
  'yaml/dist/errors.js': 'only for errors in local files: requests are read with prettyErrors: false',
  'yaml/dist/compose/resolve-flow-scalar.js': 'the literals are for engines without lookbehind',
  'asn1js/build/index.js': 'run on three digits of a second and on names of schemas',
  '@peculiar/utils/build/cjs/encoding/base64url.js': 'run on what was just encoded: it ends with at most two of them',
  '@peculiar/utils/build/cjs/pem/pem.js': 'not called: machinery/pem.ts reads PEM',
  '@peculiar/x509/build/x509.cjs.js': 'machinery/x509.ts gives it DER only, and names are never texts of others',
  'lodash.camelcase/index.js': 'run on names of our own .proto files',
  'protobufjs/src/tokenize.js': 'run on our own .proto files',
};

const SIZES = [10_000, 100_000];
/** Processor time that a text may take. A linear expression takes a thousandth of it, a quadratic one a hundred times as much. */
const LIMIT_MS = 60;

/** Shapes of expressions that backtrack, in the words of scslre. */
const SHAPES = {
  Trade: 'two repetitions next to each other take the same text',
  Self: 'a repetition inside a repetition takes the same text',
  Move: 'it is tried anew from every character of a repetition',
};

/**
 * What is wrong with an expression; undefined if it is linear.
 * @param {string} pattern
 * @param {string} flags
 * @returns {string | undefined}
 */
export function checkRegexp(pattern, flags) {
  const [report] = analyse({ source: pattern, flags }).reports;
  if (report)
    return `${report.exponential ? 'exponential' : 'not linear'}: ${SHAPES[report.type]}, for instance ${JSON.stringify(report.character.pick)} again and again`;
  return slowText(pattern, flags);
}

/** Of a starved program. */
const MAX_WAIT_MS = 60_000;

/** @param {string} pattern @param {string} flags */
export function slowText(pattern, flags) {
  for (const hostile of hostileTexts(pattern, flags)) {
    for (const size of SIZES) {
      const milliseconds = run(pattern, flags, textOf(hostile, size));
      if (milliseconds > LIMIT_MS)
        return `not linear: ${Math.round(milliseconds)} ms for ${size / 1000} KB of ${JSON.stringify(hostile)}`;
    }
  }
  return undefined;
}

const sandbox = vm.createContext({ text: '', expression: /x/ });
/** Every match of the text, as replaceAll and matchAll look for them; a sticky expression has one. */
const ALL_MATCHES = new vm.Script("text.replace(expression, '')");

/** Whether all matches were found in this time. @param {number} timeout */
function matchAll(timeout) {
  try {
    ALL_MATCHES.runInContext(sandbox, { timeout });
    return true;
  } catch {
    return false;
  }
}

/** Processor time of looking for all matches, the better of two tries. @param {string} pattern @param {string} flags @param {string} text */
function run(pattern, flags, text) {
  const once = () => {
    sandbox['text'] = text;
    sandbox['expression'] = new RegExp(pattern, flags);
    // The limit of a script counts time, not processor time, and other programs may take most of it.
    for (let timeout = LIMIT_MS * 10; ; timeout *= 4) {
      const before = process.cpuUsage();
      const finished = matchAll(timeout);
      const { user, system } = process.cpuUsage(before);
      const milliseconds = (user + system) / 1000;
      if (finished) return milliseconds;
      if (milliseconds > LIMIT_MS || timeout > MAX_WAIT_MS) return LIMIT_MS * 10;
    }
  };
  const first = once();
  return first > LIMIT_MS ? Math.min(first, once()) : first;
}

/**
 * The findings in some files.
 * @param {readonly string[]} files absolute paths
 * @param {{ builtAtRuntime?: typeof BUILT_AT_RUNTIME, packageFiles?: typeof PACKAGE_FILES }} exceptions
 */
export function checkFiles(files, { builtAtRuntime = BUILT_AT_RUNTIME, packageFiles = PACKAGE_FILES } = {}) {
  /** @type {string[]} */
  const findings = [];
  /** @type {Map<string, string | undefined>} */
  const checked = new Map();
  const listed = new Set(
    Object.entries(builtAtRuntime).flatMap(([file, texts]) => Object.keys(texts).map((text) => `${file}: ${text}`)),
  );
  const listedFiles = new Set(Object.keys(packageFiles));
  for (const file of files) {
    const name = path
      .relative(root, file)
      .replaceAll(path.sep, '/')
      .replace(/^.*node_modules\//, '');
    if (Object.hasOwn(packageFiles, name)) {
      listedFiles.delete(name);
      continue;
    }
    const { found, unknown } = collectRegexps(file);
    for (const { line, pattern, flags } of found) {
      const key = `/${pattern}/${flags}`;
      if (!checked.has(key)) checked.set(key, checkRegexp(pattern, flags));
      const problem = checked.get(key);
      if (problem) findings.push(`${name}:${line}: ${key} is ${problem}`);
    }
    for (const { line, text } of unknown) {
      if (!listed.delete(`${name}: ${text}`))
        findings.push(
          `${name}:${line}: ${text} is made of more than constants: say in BUILT_AT_RUNTIME of scripts/check-regexps.mjs why it is linear`,
        );
    }
  }
  for (const entry of listed)
    findings.push(`scripts/check-regexps.mjs: BUILT_AT_RUNTIME lists what is not there: ${entry}`);
  for (const file of listedFiles)
    findings.push(`scripts/check-regexps.mjs: PACKAGE_FILES lists what is not in the program: ${file}`);
  return { findings, count: checked.size };
}

/** The files whose expressions run in the program: all but tests. */
export function programFiles() {
  const below = path.join(root, 'src');
  const sources = fs
    .readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.endsWith('.test.ts'));
  return [
    ...sources.map((file) => path.join(below, file)),
    path.join(root, 'bin', 'k8ts'),
    path.join(root, 'scripts', 'load-bundle.mjs'),
  ].sort();
}

/** The files of packages that are bundled into the program. */
export async function packageFiles() {
  const esbuild = await import('esbuild');
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const imports = new Set(
    programFiles().flatMap((file) =>
      Array.from(fs.readFileSync(file, 'utf8').matchAll(/\bfrom '([^.'][^']*)'/g), ([, name]) => name),
    ),
  );
  const { metafile } = await esbuild.build({
    stdin: {
      contents: Object.keys(dependencies)
        .filter((name) => imports.has(name))
        .map((name) => `require(${JSON.stringify(name)});`)
        .join('\n'),
      resolveDir: root,
    },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    external: EXTERNAL,
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs)
    .filter((file) => file.includes('node_modules/'))
    .map((file) => path.resolve(root, file))
    .sort();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { findings, count } = checkFiles([...programFiles(), ...(await packageFiles())]);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} findings in ${count} regular expressions`);
    process.exitCode = 1;
  }
}
