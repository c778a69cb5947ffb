import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AREAS, checkBoundaries, checkFile, FOLDERS, FORBIDDEN_CALLS, ROOMS } from './check-boundaries.mjs';
import { codeOnly, withoutComments } from './source-text.mjs';

describe('imports against the direction', () => {
  it.each([
    [
      'api imports machinery',
      'api/core/pod.ts',
      "import { x } from '../../machinery/quantity.ts';",
      'api must not import machinery',
    ],
    ['api imports kernel', 'api/index.ts', "import { x } from '../kernel/index.ts';", 'api must not import kernel'],
    [
      'machinery imports kernel',
      'machinery/a.ts',
      "import type { Clock } from '../kernel/index.ts';",
      'machinery must not import kernel',
    ],
    ['machinery does I/O', 'machinery/a.ts', "import fs from 'node:fs';", 'machinery must not import node:fs'],
    ['api does I/O', 'api/a.ts', "const fs = await import('fs/promises');", 'api must not import fs/promises'],
    ['kernel imports api', 'kernel/a.ts', "export * from '../api/index.ts';", 'kernel must not import api'],
    [
      'etcd imports machinery',
      'etcd/a.ts',
      "import '../machinery/status.ts';",
      'the store knows keys, bytes and revisions',
    ],
    [
      'client imports apiserver',
      'client/a.ts',
      "import { x } from '../apiserver/index.ts';",
      'client must not import apiserver',
    ],
    [
      'a component imports the store',
      'scheduler/a.ts',
      "import { Store } from '../etcd/store.ts';",
      'only apiserver uses the store',
    ],
    [
      'components import each other',
      'kubelet/pod/a.ts',
      "import { x } from '../../scheduler/a.ts';",
      'components never import each other',
    ],
    [
      'a dynamic import',
      'dns/a.ts',
      "const { x } = await import('../kube-proxy/index.ts');",
      'dns must not import kube-proxy',
    ],
    [
      'an import over several lines',
      'dns/a.ts',
      "import {\n  x,\n  type Y,\n} from '../etcd/store.ts';",
      'dns must not import etcd',
    ],
    [
      'the runtime imports the client',
      'container-runtime/a.ts',
      "import { x } from '../client/index.ts';",
      'knows nothing of the Kubernetes API',
    ],
    [
      'a component imports the cluster',
      'apiserver/a.ts',
      "import { x } from '../cluster/index.ts';",
      'apiserver must not import cluster',
    ],
    [
      'the cluster imports the cli',
      'cluster/a.ts',
      "import { x } from '../cli/index.ts';",
      'cluster must not import cli',
    ],
    ['the library is imported', 'kernel/a.ts', "import { x } from '../index.ts';", 'kernel must not import .'],
    ['around a door', 'kubelet/a.ts', "import { x } from '../client/reflector.ts';", 'import client/index.ts'],
    [
      'around the door of an area',
      'kubelet/a.ts',
      "import { x } from '../machinery/decode/parse-json.ts';",
      'import machinery/decode/index.ts',
    ],
    [
      'around the door of an area, from another',
      'machinery/apply/a.ts',
      "import { x } from '../decode/parse-json.ts';",
      'machinery/decode/index.ts',
    ],
    [
      'against an inner rule',
      'machinery/decode/a.ts',
      "import { x } from '../validation/index.ts';",
      'machinery/decode must not import machinery/validation',
    ],
    [
      'against the layers of rooms',
      'apiserver/registry/a.ts',
      "import type { x } from '../admission/admission.ts';",
      'apiserver/registry must not import apiserver/admission: strategies',
    ],
    [
      'against the layers of rooms, from a folder below',
      'apiserver/admission/policy/a.ts',
      "import { x } from '../../verbs/create.ts';",
      'apiserver/admission must not import apiserver/verbs',
    ],
    [
      'a room imports what composes it',
      'apiserver/verbs/a.ts',
      "import { x } from '../server.ts';",
      'it composes the rooms',
    ],
    ['an unknown room', 'apiserver/new/a.ts', "import { x } from '../verbs/get.ts';", 'not in the table of rooms'],
    ['a package in a pure folder', 'base/a.ts', "import { x } from 'lodash';", 'base must not import lodash'],
    ['leaving src', 'cli/a.ts', "import x from '../../scripts/build.mjs';", 'outside src/'],
    ['an unknown folder', 'helpers/a.ts', '', 'is not in the table'],
  ])('%s', (_name, file, text, message) => {
    const findings = checkFile(file, text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(message);
  });

  it.each([
    ['its own folder', 'kubelet/a.ts', "import { x } from './pod/b.ts'; import { y } from '../kubelet/c.ts';"],
    [
      'an area by its door',
      'kubelet/a.ts',
      "import { x } from '../machinery/decode/index.ts'; import { y } from '../net/http/index.ts';",
    ],
    [
      'an area below',
      'machinery/validation/core/a.ts',
      "import { x } from '../../decode/index.ts'; import { y } from '../names.ts';",
    ],
    [
      'what lies below',
      'scheduler/a.ts',
      "import { x } from '../client/index.ts'; import type { Pod } from '../api/generated/core-v1.ts';",
    ],
    ['the store, by the API server', 'apiserver/a.ts', "import { x } from '../etcd/index.ts';"],
    [
      'files of the rooms below',
      'apiserver/verbs/a.ts',
      "import { x } from '../registry/strategies/pod.ts'; import { y } from './b.ts';",
    ],
    ['any room, by what composes them', 'apiserver/server.ts', "import { x } from './pipeline/build-pipeline.ts';"],
    ['the CRI, by both of its sides', 'container-runtime/a.ts', "import { x } from '../cri/index.ts';"],
    ['packages', 'machinery/a.ts', "import { parse } from 'yaml';"],
    [
      'anything, by a test',
      'controller-manager/a.test.ts',
      "import { x } from '../apiserver/index.ts'; setTimeout(f, 1);",
    ],
    ['a mention in a comment', 'api/a.ts', "// import { x } from '../kernel/index.ts'\n/* import '../etcd/a.ts' */"],
  ])('allows %s', (_name, file, text) => {
    expect(checkFile(file, text)).toEqual([]);
  });

  it('names only folders that it knows', () => {
    for (const [folder, { imports, because }] of Object.entries(FOLDERS)) {
      expect(because, folder).not.toBe('');
      for (const other of imports) expect(FOLDERS, folder).toHaveProperty(other);
    }
    for (const [folder, areas] of Object.entries(AREAS)) {
      for (const [area, { imports }] of Object.entries(areas)) {
        for (const other of imports) expect(areas, `${folder}/${area}`).toHaveProperty(other);
      }
    }
  });

  it('has rooms in layers: each imports only rooms that stand before it in the table', () => {
    for (const [folder, rooms] of Object.entries(ROOMS)) {
      const names = Object.keys(rooms);
      for (const [i, [room, { imports, because }]] of Object.entries(rooms).entries()) {
        expect(because, `${folder}/${room}`).not.toBe('');
        expect(names.slice(0, i), `${folder}/${room}`).toEqual(expect.arrayContaining([...imports]));
      }
    }
  });
});

describe('servers that one request could end', () => {
  it.each([
    [
      'a server of HTTP',
      'dns/a.ts',
      "import http from 'node:http';\nhttp.createServer((request) => parse(request.url));",
      'use createHttpServer',
    ],
    ['a server of HTTPS', 'kubelet/a.ts', 'const server = https.createServer(options);', 'use createHttpServer'],
    [
      'one under another name',
      'etcd/a.ts',
      "import { createServer as make, type Server } from 'node:http';",
      'use createHttpServer',
    ],
    ['a target as a URL', 'cluster/a.ts', "const url = new URL(request.url ?? '/', 'http://x');", 'use splitTarget'],
    [
      'a WebSocket server',
      'kubelet/a.ts',
      'const sockets = new WebSocketServer({ noServer: true });',
      'use acceptWebSocket',
    ],
  ])('refuses %s', (_name, file, text, message) => {
    const findings = checkFile(file, text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(message);
  });

  it.each([
    ['a server of TCP', 'dns/a.ts', "import { createServer } from 'node:net';\nnet.createServer(serve);"],
    ['a URL that somebody configured', 'client/a.ts', 'const url = new URL(request.url);'],
    ['where failures are taken care of', 'apiserver/transport/settings.ts', 'http.createServer(limits);'],
  ])('allows %s', (_name, file, text) => {
    expect(checkFile(file, text)).toEqual([]);
  });
});

describe('clocks, timers and chance outside the kernel', () => {
  const samples: Record<(typeof FORBIDDEN_CALLS)[number][0], string> = {
    'Date.now': 'const t = Date.now();',
    'new Date()': 'const t = new Date();',
    'performance.now': 'performance.now()',
    'process.hrtime': 'process.hrtime.bigint()',
    setTimeout: 'setTimeout(f, 1)',
    setInterval: 'globalThis.setInterval(f, 1)',
    setImmediate: 'await new Promise((r) => setImmediate(r))',
    'AbortSignal.timeout': 'AbortSignal.timeout(5)',
    'Math.random': 'Math.random()',
    'crypto.randomUUID': 'crypto.randomUUID()',
    'crypto.randomBytes': "import { randomBytes } from 'node:crypto';",
  };

  it.each(Object.entries(samples))('%s', (name, text) => {
    const findings = checkFile('scheduler/a.ts', `\n${text}`);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^src\/scheduler\/a\.ts:2: /);
    expect(findings[0]).toContain(`${name} is only for the kernel: `);
    expect(checkFile('kernel/a.ts', text)).toEqual([]);
    expect(checkFile('console/a.ts', text)).toEqual([]);
  });

  it('mkdir that may never return, in every folder', () => {
    for (const call of [
      'fs.mkdirSync(path, { recursive: true, mode: 0o700 })',
      'await mkdir(\n  path,\n  { recursive: true },\n)',
    ]) {
      expect(checkFile('kernel/a.ts', call)).toEqual([expect.stringContaining('call makeDirectory')]);
    }
    expect(checkFile('kernel/a.ts', 'mkdirSync(path); rmSync(path, { recursive: true });')).toEqual([]);
  });

  it('a TLS client that does not verify as the others do', () => {
    const calls = [
      'tls.connect({ host })',
      "https.request('https://a', { rejectUnauthorized: false })",
      'https.get(url)',
    ];
    for (const call of calls)
      expect(checkFile('apiserver/a.ts', call)).toEqual([expect.stringContaining('needs a TlsTrust')]);
    expect(checkFile('apiserver/a.ts', 'https.request({ agent: new TlsTrustAgent(trust) })')).toEqual([]);
  });

  it('node:timers', () => {
    expect(checkFile('etcd/a.ts', "import { setTimeout as sleep } from 'node:timers/promises';")).toHaveLength(1);
  });

  it.each([
    ['a date from a value', 'new Date(clock.now())'],
    ['a method of that name', 'socket.setTimeout(5); clock.setInterval(1)'],
    ['a comment', '// Date.now()\n/** Math.random() */'],
    ['a string', `const text = "Date.now()" + 'setTimeout(1)' + \`Math.random()\`;`],
    ['a regular expression', 'const pattern = /Date.now|"/;'],
  ])('allows %s', (_name, text) => {
    expect(checkFile('scheduler/a.ts', text)).toEqual([]);
  });

  it('sees code inside templates', () => {
    expect(checkFile('scheduler/a.ts', 'const a = `x ${ { b: `${Date.now()}` }.b } Math.random()`;')).toHaveLength(1);
  });
});

describe('source text', () => {
  it('keeps lines and columns', () => {
    const text = "const a = 'x'; // c\n/* d\ne */ const b = /\\/'/.test(a) ? 1 / 2 : 3 / 4;\n";
    for (const result of [withoutComments(text), codeOnly(text)]) {
      expect(result).toHaveLength(text.length);
      expect(result.split('\n').map((line) => line.length)).toEqual(text.split('\n').map((line) => line.length));
    }
    expect(withoutComments(text)).toContain("const a = 'x';     ");
    expect(codeOnly(text)).toContain('.test(a) ? 1 / 2 : 3 / 4;');
  });
});

describe('this repository', () => {
  it('keeps its own boundaries', () => {
    expect(checkBoundaries(path.join(import.meta.dirname, '..', 'src'))).toEqual([]);
  });
});
