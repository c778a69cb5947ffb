// Keeps every meaning in one home: refuses a second declaration of what src/component-helpers and src/base declare, and
// code that spells such a meaning out again. Each rule says what to import instead.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { codeOnly, withoutComments } from './source-text.mjs';

/**
 * A meaning: its home (a file or folder below src/), the names that only the home may declare, code that spells it out,
 * and what to import.
 * @type {readonly { home: string, names?: RegExp, code?: RegExp, instead: string }[]}
 */
export const MEANINGS = [
  {
    home: 'component-helpers/tolerations.ts',
    names: /^(?:tolerates\w*|tolerated|untolerated\w*)$/,
    instead: 'toleratesTaint, findUntoleratedTaint',
  },
  {
    home: 'component-helpers/node-affinity.ts',
    names: /^(?:(?:node)?selectorMatcher|termMatcher|matchesTerm|matchesNode|matchesNodeSelector)$/i,
    instead: 'podMatchesNode, nodeSelectorMatcher',
  },
  {
    home: 'component-helpers/pod-qos.ts',
    names: /^(?:compute)?(?:pod)?qosClass(?:Of)?$|^computePodQos$|^podQos$/i,
    instead: 'computePodQos, podQos',
  },
  {
    home: 'component-helpers/pod-resources.ts',
    names: /^pod(?:Requests|Limits|Total)$|^is(?:Pod)?ResizeInfeasible$|^isPodLevelResource$/,
    instead: 'podRequests, podLimits, podResourceTotals',
  },
  {
    home: 'component-helpers/containers.ts',
    names: /^(?:is(?:Sidecar|RestartableInitContainer)|allContainers(?:Of)?)$/,
    code: /(?<!spec\??\.)\brestartPolicy\s*===\s*'Always'/g,
    instead: 'allContainers, isRestartableInitContainer, longRunningContainers',
  },
  {
    home: 'component-helpers/pod-state.ts',
    names: /^is(?:Pod)?(?:Terminal|TerminalPhase)$|^isPod(?:Finished|Terminated|Active|Ready|Available)$/,
    code: /\bphase\s*(?:===|!==)\s*'(?:Succeeded|Failed)'\s*(?:\|\||&&)\s*[\w.?#]*phase\s*(?:===|!==)\s*'(?:Succeeded|Failed)'/g,
    instead: 'isPodTerminal, isTerminalPhase, isPodActive, isPodReady',
  },
  { home: 'component-helpers/finalizers.ts', names: /^hasFinalizer$/, instead: 'hasFinalizer' },
  {
    home: 'component-helpers/pod-cidrs.ts',
    names: /^podCidrsOf$/,
    code: /podCIDRs \?\? \(/g,
    instead: 'podCidrsOf',
  },
  {
    home: 'base/go-bool.ts',
    names: /^parseGoBool$/,
    code: /'t', 'T'/g,
    instead: 'parseGoBool, goBoolError',
  },
  { home: 'base/address-range.ts', names: /^AddressRange$/, instead: 'AddressRange' },
  {
    home: 'base/error-message.ts',
    names: /^errorMessage$/,
    code: /(\b[\w.]+) instanceof Error\s*\?\s*\1\.message\s*:\s*String\(\1\)/g,
    instead: 'errorMessage',
  },
  { home: 'base/duration.ts', names: /^(?:parse|format)Duration$/, instead: 'parseDuration, formatDuration' },
  {
    home: 'base/ip.ts',
    names: /^(?:parse|format)(?:Ip|Ipv4|Ipv6|Cidr)$|^address(?:Bytes|Text)$/,
    instead: 'parseIp, parseCidr, addressBytes',
  },
  { home: 'base/quote.ts', names: /^quote$/, instead: 'quote' },
  { home: 'base/varint.ts', names: /^(?:encode|decode|read|write)?[vV]arint$/, instead: 'encodeVarint, decodeVarint' },
  { home: 'api/kubernetes-version.ts', code: /['"`/]v1\.36\.\d+['"`]/g, instead: 'KUBERNETES_VERSION' },
];

/** Names that mean something else, with the reason. */
const OTHERS = new Set([
  // A terminal on the user's desk.
  'cli/output.ts isTerminal',
  // How a field of that wire type is decoded.
  'machinery/protobuf/decode-scalar.ts varint',
]);

const DECLARATION = /\b(?:function\s*\*?|const|let|class)\s+([A-Za-z_$][\w$]*)\s*(?:[<(=:{]|extends\b|implements\b)/g;

/**
 * The findings in one file.
 * @param {string} file its path below src/, with forward slashes
 * @param {string} text
 * @returns {string[]}
 */
export function checkMeanings(file, text) {
  if (/\.test\.ts|\/testing\/|\/generated\//.test(file)) return [];
  /** @type {string[]} */
  const findings = [];
  const code = codeOnly(text);
  const uncommented = withoutComments(text);
  /** @type {(source: string, index: number) => string} */
  const at = (source, index) => `src/${file}:${source.slice(0, index).split('\n').length}`;
  for (const { home, names, code: spelled, instead } of MEANINGS) {
    if (file === home) continue;
    for (const match of names ? code.matchAll(DECLARATION) : []) {
      const name = match[1] ?? '';
      // A local variable holds a result; only what is at the top level declares a meaning.
      const isTopLevel = /(?:^|\n)(?:export\s+)?(?:async\s+)?$/.test(
        code.slice(Math.max(0, match.index - 40), match.index),
      );
      if (!isTopLevel || !names?.test(name) || OTHERS.has(`${file} ${name}`)) continue;
      findings.push(`${at(code, match.index)}: ${name} has its home in src/${home}: import ${instead}`);
    }
    for (const match of spelled ? uncommented.matchAll(spelled) : []) {
      findings.push(
        `${at(uncommented, match.index)}: ${match[0]} is spelled out again: import ${instead} from src/${home}`,
      );
    }
  }
  return findings;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const source = path.join(import.meta.dirname, '..', 'src');
  const files = fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.ts'))
    .sort();
  const findings = files.flatMap((file) => checkMeanings(file, fs.readFileSync(path.join(source, file), 'utf8')));
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} meanings declared twice`);
    process.exitCode = 1;
  }
}
