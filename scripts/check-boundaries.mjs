// Checks what the compiler cannot: which folder of src/ may import which, that pure folders do no I/O, and that time
// and chance come from the kernel. Every finding says why the rule exists.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { codeOnly, withoutComments } from './source-text.mjs';

/**
 * Who may import whom: a folder of src/, the folders that it may import besides itself, and why no others.
 * @type {Record<string, { imports: readonly string[], because: string }>}
 */
export const FOLDERS = {
  base: { imports: [], because: 'everything stands on base, and it knows nothing of Kubernetes' },
  api: { imports: [], because: 'the API is data; everything else is derived from it' },
  'component-helpers': {
    imports: ['base', 'api'],
    because: 'what a pod, a node and an owner mean is pure, and every component imports it from here',
  },
  machinery: {
    imports: ['base', 'api', 'component-helpers'],
    because: 'machinery is pure functions on API objects: no I/O, no clock',
  },
  cel: { imports: ['base', 'api', 'machinery'], because: 'CEL is pure: expressions in, values and costs out' },
  kernel: { imports: ['base'], because: 'the kernel stands below everything and knows nothing of Kubernetes' },
  net: {
    imports: ['base', 'kernel'],
    because: 'HTTP, TLS, WebSocket and network namespaces are below everything that speaks over them',
  },
  grpc: { imports: ['base', 'kernel'], because: 'gRPC serves etcd, CRI and plugins alike and knows none of them' },
  otlp: {
    imports: ['base', 'kernel', 'grpc'],
    because: 'components whose upstream has a tracing configuration export spans alike',
  },
  flags: { imports: ['base', 'kernel'], because: 'every program has flags, so they know none of the programs' },
  etcd: {
    imports: ['base', 'kernel', 'net', 'grpc', 'flags'],
    because: 'the store knows keys, bytes and revisions, not API objects',
  },
  client: {
    imports: ['base', 'api', 'machinery', 'kernel', 'net', 'flags'],
    because: 'the client must work against any API server, so it knows none',
  },
  cri: {
    imports: ['base', 'kernel', 'grpc'],
    because: 'the CRI contract is shared by both of its sides and holds nothing else',
  },
  apiserver: {
    imports: [
      'base',
      'api',
      'machinery',
      'cel',
      'component-helpers',
      'kernel',
      'net',
      'grpc',
      'otlp',
      'flags',
      'client',
      'component-server',
      'etcd',
    ],
    because: 'the API server is a component: it must run without any of the others',
  },
  'component-server': {
    imports: ['base', 'api', 'machinery', 'kernel', 'net', 'flags', 'client'],
    because: 'every component may have this port, so it knows none of them',
  },
  'controller-manager': component(),
  scheduler: component(),
  'cloud-controller-manager': component(),
  kubelet: component('cri', 'otlp'),
  'container-runtime': {
    imports: ['base', 'kernel', 'net', 'grpc', 'flags', 'cri'],
    because: 'the runtime speaks CRI and knows nothing of the Kubernetes API, as containerd does',
  },
  'kube-proxy': component(),
  'network-policy': component(),
  dns: component(),
  'ingress-controller': component(),
  'metrics-server': component(),
  'simulated-kubelet': component(),
  glass: component('otlp'),
  console: {
    imports: [...component().imports, 'glass'],
    because: `${component().because}; the console reads the types of what glass answers, and asks for it by HTTP`,
  },
  cluster: {
    imports: [
      ...[
        'base',
        'api',
        'machinery',
        'cel',
        'component-helpers',
        'kernel',
        'net',
        'grpc',
        'flags',
        'client',
        'etcd',
        'cri',
        'apiserver',
        'controller-manager',
        'scheduler',
      ],
      ...[
        'cloud-controller-manager',
        'kubelet',
        'container-runtime',
        'kube-proxy',
        'network-policy',
        'dns',
        'ingress-controller',
        'metrics-server',
        'glass',
        'console',
        'simulated-kubelet',
      ],
    ],
    because: 'the cluster composes components and is used by the cli, not the other way round',
  },
  simulation: {
    imports: [
      ...['base', 'api', 'machinery', 'component-helpers', 'kernel', 'net', 'client', 'etcd', 'apiserver'],
      ...['controller-manager', 'scheduler', 'kube-proxy', 'simulated-kubelet', 'cluster'],
    ],
    because: 'a simulation composes components as a cluster does, and puts faults between them',
  },
  cli: {
    imports: [
      ...[
        'base',
        'api',
        'machinery',
        'cel',
        'component-helpers',
        'kernel',
        'net',
        'grpc',
        'flags',
        'client',
        'etcd',
        'cri',
        'apiserver',
        'controller-manager',
        'scheduler',
      ],
      ...[
        'cloud-controller-manager',
        'kubelet',
        'container-runtime',
        'kube-proxy',
        'network-policy',
        'dns',
        'ingress-controller',
        'metrics-server',
        'glass',
        'console',
        'cluster',
      ],
    ],
    because: 'commands start components; the library is for others',
  },
  /** Files directly in src/: the library. */
  '.': {
    imports: ['base', 'api', 'machinery', 'kernel', 'client', 'glass', 'cluster', 'simulation'],
    because: 'the library offers clusters, clients and simulations',
  },
};

/**
 * Folders whose areas have doors of their own: an area is imported by its index.ts, and may import the areas named
 * beside it. Nothing imports a file of another area.
 * @type {Record<string, Record<string, { imports: readonly string[], because: string }>>}
 */
export const AREAS = {
  machinery: {
    errors: { imports: [], because: 'every area reports errors' },
    names: { imports: [], because: 'which texts are names depends on nothing else' },
    decode: { imports: ['errors'], because: 'bytes become objects before anything else is known of them' },
    defaulting: { imports: ['decode'], because: 'defaults are set before anything judges the object' },
    selectors: { imports: ['errors', 'names'], because: 'selectors match labels and fields, whatever the object is' },
    patch: { imports: ['errors', 'decode'], because: 'a patch changes JSON by its schema and knows no rules of kinds' },
    apply: { imports: ['errors', 'decode', 'patch'], because: 'apply merges and tracks owners; it does not validate' },
    protobuf: { imports: ['errors', 'decode'], because: 'an encoding knows no rules of kinds' },
    openapi: { imports: ['protobuf'], because: 'documents derive from the declarations alone' },
    'network-policy': { imports: ['selectors'], because: 'what a policy allows follows from labels and addresses' },
    quota: { imports: ['selectors'], because: 'usage is counted from valid objects' },
    table: { imports: ['errors', 'decode', 'selectors'], because: 'cells are made of valid objects' },
    validation: {
      imports: ['errors', 'names', 'decode', 'defaulting'],
      because: 'validation judges decoded objects with their defaults, and nothing above it decides for it',
    },
  },
  net: {
    http: { imports: [], because: 'what every server of HTTP/1.1 needs stands alone' },
    http2: { imports: [], because: 'frames in, frames out' },
    websocket: { imports: [], because: 'a WebSocket starts from any HTTP server' },
    interfaces: { imports: [], because: 'the addresses of the machine are asked for on every system' },
    netns: { imports: [], because: 'namespaces and netlink are the kernel of Linux, not a protocol above it' },
    x509: { imports: [], because: 'making certificates needs a large library that only some load' },
    tls: { imports: [], because: 'verification works on bytes of its own parsing' },
  },
  cel: { admission: { imports: [], because: 'admission uses the language; the language does not know of admission' } },
};

/**
 * Folders that are layered inside: a room is a folder of theirs, whose files may import files of the rooms named beside it,
 * and of no others. Files beside the rooms put them together, and belong to none.
 * @type {Record<string, Record<string, { imports: readonly string[], because: string }>>}
 */
export const ROOMS = {
  apiserver: {
    request: { imports: [], because: 'every room speaks of requests, so requests speak of no room' },
    storage: { imports: ['request'], because: 'the watch cache knows keys, bytes and revisions, not resources' },
    pki: { imports: [], because: 'keys and certificates are files' },
    'yaml-thread': { imports: [], because: 'its thread parses text and loads nothing else' },
    transport: { imports: ['request'], because: 'the transport carries requests and decides nothing about them' },
    'review-webhooks': { imports: ['request'], because: 'a review is a call to a configured URL' },
    registry: {
      imports: ['request', 'storage'],
      because: 'strategies say what is particular to a kind, not who may write',
    },
    'custom-kind': {
      imports: [],
      because: 'what a definition says of its objects is pure: the server and its thread both read it',
    },
    'stage-thread': {
      imports: ['request', 'registry', 'custom-kind'],
      because: 'its thread runs the stages of a write that need no state of the server',
    },
    encryption: { imports: ['storage', 'registry'], because: 'encryption transforms stored values' },
    audit: { imports: ['request', 'review-webhooks'], because: 'audit records requests and influences none' },
    health: { imports: ['request'], because: 'health endpoints answer before anything else is ready' },
    bootstrap: {
      imports: ['request', 'registry', 'health'],
      because: 'the server creates its objects through its own API, and health tells when it has',
    },
    'service-allocation': { imports: ['storage', 'registry'], because: 'allocators reserve through stored objects' },
    dial: {
      imports: ['request', 'registry', 'bootstrap'],
      because: 'which addresses may be dialled depends on objects alone',
    },
    'flow-control': {
      imports: ['request', 'registry', 'bootstrap'],
      because: 'a request is classified by its user and path',
    },
    'webhook-client': { imports: ['dial'], because: 'webhooks are dialled as everything else is' },
    authz: {
      imports: ['request', 'storage', 'registry', 'review-webhooks', 'bootstrap'],
      because: 'authorization decides by user and attributes, before any object is decoded',
    },
    authn: {
      imports: ['request', 'registry', 'review-webhooks', 'pki', 'authz'],
      because: 'authentication comes before everything else; impersonation alone asks the authorizer',
    },
    admission: {
      imports: [
        'request',
        'storage',
        'registry',
        'stage-thread',
        'review-webhooks',
        'bootstrap',
        'webhook-client',
        'authz',
      ],
      because: 'admission judges the objects of a write and does not write itself',
    },
    aggregator: {
      imports: ['request', 'registry', 'pki', 'dial', 'admission', 'health'],
      because: 'the aggregator forwards requests for other servers, and health tells that it has started',
    },
    discovery: {
      imports: ['request', 'registry', 'aggregator'],
      because: 'discovery describes what the registry serves',
    },
    crd: {
      imports: ['request', 'storage', 'registry', 'custom-kind', 'webhook-client', 'discovery'],
      because: 'a custom resource is served by the same verbs as a built-in one',
    },
    verbs: {
      imports: [
        'request',
        'storage',
        'registry',
        'yaml-thread',
        'stage-thread',
        'service-allocation',
        'dial',
        'authz',
        'authn',
        'admission',
      ],
      because:
        'verbs are the same for every kind: what differs is in the registry, and what is below an object in subresources',
    },
    subresources: {
      imports: ['request', 'storage', 'registry', 'dial', 'authn', 'admission', 'crd', 'verbs'],
      because: 'subresources are built from the verbs, and the pipeline routes to both',
    },
    reviews: {
      imports: ['request', 'registry', 'authz', 'authn', 'admission', 'verbs'],
      because: 'reviews ask the authenticators and authorizers and store nothing',
    },
    pipeline: {
      imports: [
        'request',
        'storage',
        'pki',
        'yaml-thread',
        'stage-thread',
        'transport',
        'registry',
        'audit',
        'health',
        'bootstrap',
        'service-allocation',
        'dial',
        'flow-control',
        'webhook-client',
        'authz',
        'authn',
        'admission',
        'aggregator',
        'discovery',
        'crd',
        'verbs',
        'subresources',
        'reviews',
      ],
      because: 'the pipeline composes the rooms, and flags and files are not its business',
    },
    command: {
      imports: ['storage', 'pki', 'review-webhooks', 'encryption', 'audit', 'authz', 'authn', 'admission', 'pipeline'],
      because: 'the command turns flags and files into options',
    },
  },
};

/** Files that may be imported from other folders besides an index.ts, with the reason. */
export const DOORS_BESIDES_INDEX = /** @type {const} */ ([
  [/^api\/generated\//, 'types cost nothing and are many'],
  [/^glass\/answers\.ts$/, 'the pages of the console run in a browser and can load the types alone'],
  [/^api\/kubernetes-version\.ts$/, 'a program prints its version without linking the schema'],
]);

/** @param {string[]} more */
function component(...more) {
  return {
    imports: [
      'base',
      'api',
      'machinery',
      'cel',
      'component-helpers',
      'kernel',
      'net',
      'grpc',
      'flags',
      'client',
      'component-server',
      ...more,
    ],
    because:
      'components never import each other: they talk through the API server, so that each can be exchanged for the upstream one; ' +
      'only apiserver uses the store (cluster and cli merely start it)',
  };
}

/** Folders that compute and nothing else, and the modules that they may use for it. */
const PURE_FOLDERS = new Set(['base', 'api', 'machinery', 'cel', 'component-helpers']);
const PURE_MODULES = new Set(['node:buffer', 'node:crypto', 'node:util', 'yaml']);

/** Folders with clocks and chance of their own: the kernel, and the console, whose pages run in a browser. */
const OWN_CLOCK_FOLDERS = new Set(['kernel', 'console']);

const TIME = 'time comes from ctx.clock, so that a whole cluster can run on virtual time';
const CHANCE = 'chance comes from ctx.random, so that a run can be repeated from its seed';

/** What may not be called, how to see it in code without comments and strings, and why. */
export const FORBIDDEN_CALLS = /** @type {const} */ ([
  ['Date.now', /\bDate\s*\.\s*now\b/g, TIME],
  ['new Date()', /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(\w]))/g, TIME],
  ['performance.now', /\bperformance\s*\.\s*(?:now|timeOrigin|mark|measure)\b/g, TIME],
  ['process.hrtime', /\bprocess\s*\.\s*hrtime\b/g, TIME],
  ['setTimeout', /(?<![.\w$])(?:globalThis\s*\.\s*)?setTimeout\s*\(/g, TIME],
  ['setInterval', /(?<![.\w$])(?:globalThis\s*\.\s*)?setInterval\s*\(/g, TIME],
  ['setImmediate', /(?<![.\w$])(?:globalThis\s*\.\s*)?setImmediate\s*\(/g, TIME],
  ['AbortSignal.timeout', /\bAbortSignal\s*\.\s*timeout\b/g, TIME],
  ['Math.random', /\bMath\s*\.\s*random\b/g, CHANCE],
  ['crypto.randomUUID', /\brandomUUID\b/g, CHANCE],
  ['crypto.randomBytes', /\b(?:randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b/g, CHANCE],
]);

/** What may not be called anywhere, how to see it in code without comments and strings, and why. */
const FORBIDDEN_EVERYWHERE = /** @type {const} */ ([
  [
    'mkdir with recursive: true',
    /\bmkdir(?:Sync)?\s*\([^;]*\brecursive\s*:/g,
    'it never returns from directories like /proc/x; call makeDirectory or makeDirectorySync of the kernel',
  ],
]);

/** A TLS connection that nobody verified, or that OpenSSL did by rules of its own. */
const OWN_TLS = /(?<![.\w])tls\s*\.\s*connect\b|\bcheckServerIdentity\b|\bhttps\s*\.\s*(?:get|request)\b/g;
const TRUST = /\bTlsTrust(?:Agent)?\b/;

const CRASH = 'Node ends the process for anything that its listeners throw';

/** What serves requests, how to see it in code without comments, where it is allowed, and why nowhere else. */
export const GUARDED_SERVERS = /** @type {const} */ ([
  [
    "Node's createServer of HTTP/1.1",
    /\bhttps?\s*\.\s*createServer\b|\bcreateServer\b[^;]*?\bfrom\s*['"](?:node:)?https?['"]/g,
    // The API server's transport runs every request in RunningRequests, which takes what it throws.
    ['net/http/http-server.ts', 'apiserver/transport/settings.ts'],
    `${CRASH}; use createHttpServer or createHttpsServer of net/http`,
  ],
  [
    'a URL made of a request target',
    /\bnew\s+URL\s*\(\s*(?:req|request|message|incoming)\s*\.\s*url\s*(?:,|\?\?)/g,
    [],
    'it throws for targets such as // that any client may send; use splitTarget of net/http',
  ],
  [
    'new WebSocketServer',
    /\bnew\s+WebSocketServer\b/g,
    ['net/websocket/accept.ts', 'apiserver/request/websocket.ts'],
    `a connection without a listener for errors ends the process for a broken frame; use acceptWebSocket of net/websocket`,
  ],
  [
    'requestCert',
    /\brequestCert\b/g,
    // etcd's clients are verified by OpenSSL alone.
    ['net/tls/client-certificate-options.ts', 'etcd/front/listener.ts'],
    "Node may lose the client's intermediates; use clientCertificateOptions of net/tls",
  ],
]);

const IMPORT = /(?<!['"])\b(?:import|export)\b(?:[^'"`;()]*?\bfrom\s*)?\s*\(?\s*(['"])([^'"\n]+)\1/g;

/**
 * The findings in one file.
 * @param {string} file its path below src/, with forward slashes
 * @param {string} text
 * @returns {string[]}
 */
export function checkFile(file, text) {
  const folder = file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
  const rule = FOLDERS[folder];
  if (rule === undefined) {
    return [
      `src/${file}: the folder ${folder} is not in the table of scripts/check-boundaries.mjs; say there what it may import and why`,
    ];
  }
  /** Tests may set up whatever they test against, and watch the real clock while they do. */
  if (file.endsWith('.test.ts') || file.includes('/testing/')) return [];
  /** @type {string[]} */
  const findings = [];
  /** @type {(source: string, index: number, message: string) => void} */
  const report = (source, index, message) => {
    findings.push(`src/${file}:${source.slice(0, index).split('\n').length}: ${message}`);
  };

  const uncommented = withoutComments(text);
  for (const match of uncommented.matchAll(IMPORT)) {
    const specifier = match[2] ?? '';
    if (!specifier.startsWith('.')) {
      if (PURE_FOLDERS.has(folder) && !PURE_MODULES.has(specifier)) {
        report(uncommented, match.index, `${folder} must not import ${specifier}: ${rule.because}`);
      }
      if (!OWN_CLOCK_FOLDERS.has(folder) && /^(?:node:)?timers(?:\/|$)/.test(specifier)) {
        report(uncommented, match.index, `${specifier} is only for the kernel: ${TIME}`);
      }
      continue;
    }
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
    if (target.startsWith('..')) {
      report(
        uncommented,
        match.index,
        `src must not import ${specifier}: what is outside src/ is not part of the program`,
      );
      continue;
    }
    const targetFolder = target.includes('/') ? target.slice(0, target.indexOf('/')) : '.';
    if (targetFolder !== folder && !rule.imports.includes(targetFolder)) {
      report(uncommented, match.index, `${folder} must not import ${targetFolder} (${specifier}): ${rule.because}`);
      continue;
    }
    const wrong = doorProblem(file, target);
    if (wrong !== undefined) report(uncommented, match.index, wrong);
  }

  const code = codeOnly(text);
  for (const [name, pattern, why] of FORBIDDEN_EVERYWHERE) {
    for (const match of code.matchAll(pattern)) report(code, match.index, `${name} is forbidden: ${why}`);
  }
  if (!file.startsWith('net/tls/') && !TRUST.test(code)) {
    for (const match of code.matchAll(OWN_TLS)) {
      report(
        code,
        match.index,
        `${match[0]} needs a TlsTrust of net/tls: every TLS client verifies servers by the same rules`,
      );
    }
  }
  for (const [name, pattern, allowed, why] of GUARDED_SERVERS) {
    if (/** @type {readonly string[]} */ (allowed).includes(file)) continue;
    for (const match of uncommented.matchAll(pattern))
      report(uncommented, match.index, `${name} is not for this file: ${why}`);
  }

  if (!OWN_CLOCK_FOLDERS.has(folder)) {
    for (const [name, pattern, why] of FORBIDDEN_CALLS) {
      for (const match of code.matchAll(pattern)) report(code, match.index, `${name} is only for the kernel: ${why}`);
    }
  }
  return findings;
}

/**
 * What is wrong with an import of one file by another, if anything: it goes around a door, or against an inner rule.
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function doorProblem(file, target) {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from.folder === to.folder && ROOMS[from.folder]) return roomProblem(file, target);
  if (from.room === to.room) return undefined;
  if (from.folder === to.folder) {
    // Files beside the areas belong to all of them.
    if (to.area === undefined) return undefined;
    const rule = from.area === undefined ? undefined : AREAS[from.folder]?.[from.area];
    if (rule && !rule.imports.includes(to.area)) return `${from.room} must not import ${to.room}: ${rule.because}`;
  }
  if (target === `${to.room}/index.ts` || DOORS_BESIDES_INDEX.some(([pattern]) => pattern.test(target)))
    return undefined;
  return `${target} is not a door: import ${to.room}/index.ts, so that files can move without their users`;
}

/**
 * What is wrong with an import between two rooms of a layered folder, if anything.
 * @param {string} file
 * @param {string} target
 * @returns {string | undefined}
 */
function roomProblem(file, target) {
  const [folder = '', from = '', ...below] = file.split('/');
  const [, to = '', ...targetBelow] = target.split('/');
  if (below.length === 0 || from === to) return undefined;
  const rule = ROOMS[folder]?.[from];
  if (!rule) return `${folder}/${from} is not in the table of rooms; say there what it may import and why`;
  // Commands start what the files beside the rooms put together.
  if (targetBelow.length === 0)
    return from === 'command' ? undefined : `${folder}/${from} must not import ${target}: it composes the rooms`;
  return rule.imports.includes(to) ? undefined : `${folder}/${from} must not import ${folder}/${to}: ${rule.because}`;
}

/**
 * The room that a file is in: its area where its folder has any, else its folder.
 * @param {string} file
 * @returns {{ folder: string, area: string | undefined, room: string }}
 */
function roomOf(file) {
  const [folder = '.', area, ...rest] = file.split('/');
  if (area === undefined) return { folder: '.', area: undefined, room: '.' };
  const isArea = rest.length > 0 && AREAS[folder]?.[area] !== undefined;
  return { folder, area: isArea ? area : undefined, room: isArea ? `${folder}/${area}` : folder };
}

/**
 * The findings in every TypeScript file below a source folder.
 * @param {string} source
 * @returns {string[]}
 */
export function checkBoundaries(source) {
  const files = fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => /\.m?tsx?$/.test(file))
    .sort();
  return files.flatMap((file) => checkFile(file, fs.readFileSync(path.join(source, file), 'utf8')));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = checkBoundaries(path.join(import.meta.dirname, '..', 'src'));
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} boundary findings`);
    process.exitCode = 1;
  }
}
