/** Images built from Dockerfiles by the container runtime itself. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredImage } from '../src/container-runtime/images/index.ts';
import { startRuntimeFixture, type RuntimeFixture } from './container-runtime-fixture.ts';
import { requires } from './requires.ts';

const missing = requires('root', 'runc', 'conmon', 'busybox');
if (missing) console.warn(`image-build: skipped, ${missing}`);

describe.skipIf(missing)('an image built from a Dockerfile', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-image-build-'));
  let fixture: RuntimeFixture;
  let number = 0;
  beforeAll(async () => {
    fixture = await startRuntimeFixture();
    for (const [name, content] of Object.entries({
      'src/a.txt': 'a\n',
      'src/deep/b.txt': 'b\n',
      'junk/x': 'x',
      'notes.md': 'n',
      '.dockerignore': 'junk\n*.md\nDockerfile*\n',
    })) {
      fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
      fs.writeFileSync(path.join(directory, name), content);
    }
    fs.symlinkSync('a.txt', path.join(directory, 'src', 'link'));
  });
  afterAll(async () => {
    await fixture?.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  interface Built {
    readonly image: StoredImage;
    readonly output: string;
  }

  async function build(dockerfile: string, more: object = {}): Promise<Built> {
    const file = path.join(directory, `Dockerfile.${number++}`);
    fs.writeFileSync(file, dockerfile);
    let output = '';
    const image = await fixture.runtime.buildImage({
      directory,
      dockerfile: file,
      tag: `example/built:${number}`,
      write: (text) => (output += text),
      ...more,
    });
    return { image, output };
  }

  /** Looks at the root file system that a container of the image would have. */
  async function inside<T>({ image }: Built, look: (file: (name: string) => string) => T): Promise<T> {
    const { snapshots } = fixture.runtime.imageStore;
    const { rootfs } = await snapshots.prepare('look', image.id);
    try {
      return look((name) => path.join(rootfs, name));
    } finally {
      await snapshots.remove('look');
    }
  }

  const read = (file: string): string => fs.readFileSync(file, 'utf8');

  it('copies what is not ignored, with links, owners and modes', async () => {
    const built = await build(
      'FROM scratch\nCOPY . /all\nCOPY --chown=7:8 --chmod=640 src/*.txt /data/\nCOPY src/a.txt /renamed\n',
    );
    await inside(built, (file) => {
      expect(fs.readdirSync(file('all')).sort()).toEqual(['.dockerignore', 'src']);
      expect(read(file('all/src/deep/b.txt'))).toBe('b\n');
      expect(fs.readlinkSync(file('all/src/link'))).toBe('a.txt');
      expect(fs.statSync(file('data/a.txt'))).toMatchObject({ uid: 7, gid: 8, mode: 0o100640 });
      expect(read(file('renamed'))).toBe('a\n');
    });
  });

  it('runs commands with arguments, environment, directory and user, and deletes what they delete', async () => {
    const built = await build(
      `ARG BASE=docker.io/library/busybox
FROM \${BASE}:test
ARG WHO=nobody
ENV GREETING="good day"
WORKDIR /work
COPY src ./
RUN rm a.txt && echo "$GREETING $WHO" > out && ln out again && rm -r /home; mkdir /home
USER www
RUN ["id", "-u"]
`,
      { buildArguments: { WHO: 'you' } },
    );
    expect(built.output).toMatch(/\n1000\n/);
    await inside(built, (file) => {
      expect(fs.readdirSync(file('work')).sort()).toEqual(['again', 'deep', 'link', 'out']);
      expect(read(file('work/out'))).toBe('good day you\n');
      expect(fs.statSync(file('work/again')).nlink).toBe(2);
    });
    expect(built.image.config.config).toMatchObject({ User: 'www', WorkingDir: '/work' });
    expect(built.image.config.config?.Env).toContain('GREETING=good day');
    expect(JSON.stringify(built.image.config)).not.toContain('WHO=you');
  });

  it('tells how far it is', async () => {
    const told: unknown[] = [];
    await build('FROM busybox:test\nENV A=b\nRUN true\n', { onProgress: (progress: unknown) => told.push(progress) });
    expect(told).toEqual([
      { step: 1, steps: 3, instruction: 'FROM busybox:test' },
      { step: 2, steps: 3, instruction: 'ENV A=b' },
      { step: 3, steps: 3, instruction: 'RUN true' },
    ]);
  }, 60_000);

  it('has stages, and takes files of another', async () => {
    const stages = `FROM busybox:test AS builder
RUN echo made > /made
FROM scratch AS thin
COPY --from=builder /made /
FROM thin
COPY --from=0 /made /again
COPY --from=busybox:test /bin/busybox /bin/busybox
`;
    await inside(await build(stages), (file) => {
      expect(fs.readdirSync(file('')).sort()).toEqual(['again', 'bin', 'made']);
      expect(read(file('again'))).toBe('made\n');
    });
    await inside(await build(stages, { target: 'thin' }), (file) => expect(fs.readdirSync(file(''))).toEqual(['made']));
    await expect(build(stages, { target: 'other' })).rejects.toThrow('there is no stage other');
  });

  it('has the settings of its instructions', async () => {
    const { image, output } = await build(`FROM busybox:test
LABEL a=b "c d"="e f"
EXPOSE 80 53/udp
VOLUME ["/data"]
STOPSIGNAL SIGINT
HEALTHCHECK --interval=1s CMD true
ENTRYPOINT ["/bin/sh", "-c"]
CMD echo hello
`);
    expect(output).toContain('HEALTHCHECK is ignored');
    expect(image.config.config).toMatchObject({
      Labels: { a: 'b', 'c d': 'e f' },
      ExposedPorts: { '80/tcp': {}, '53/udp': {} },
      Volumes: { '/data': {} },
      StopSignal: 'SIGINT',
      Entrypoint: ['/bin/sh', '-c'],
      Cmd: ['/bin/sh', '-c', 'echo hello'],
    });
    expect(image.tags).toEqual([expect.stringMatching(/^docker\.io\/example\/built:\d+$/)]);
  });

  it('takes layers of an earlier build until the content changes', async () => {
    const dockerfile = 'FROM busybox:test\nCOPY src/deep /deep\nRUN cat /proc/sys/kernel/random/uuid > /now\n';
    const now = async (more = {}): Promise<string> =>
      inside(await build(dockerfile, more), (file) => read(file('now')));
    const first = await now();
    // Times do not count: a fresh clone has others.
    fs.utimesSync(path.join(directory, 'src/deep/b.txt'), 1, 1);
    expect(await now()).toBe(first);
    expect(await now({ noCache: true })).not.toBe(first);
    const second = await now();
    fs.writeFileSync(path.join(directory, 'src/deep/b.txt'), 'changed\n');
    expect(await now()).not.toBe(second);
  });

  it('is a directory alone, without a Dockerfile', async () => {
    const image = await fixture.runtime.buildImage({
      directory: path.join(directory, 'src'),
      tag: 'plain',
      write() {},
    });
    await inside({ image, output: '' }, (file) =>
      expect(fs.readdirSync(file('')).sort()).toEqual(['a.txt', 'deep', 'link']),
    );
  });

  it('never leaves the root file system, whatever its links say', async () => {
    const outside = path.join(directory, 'outside');
    fs.mkdirSync(outside);
    const built = await build(
      `FROM busybox:test\nRUN ln -s ${outside} /escape\nCOPY src/a.txt /escape/a.txt\nWORKDIR /escape/made\n`,
    );
    expect(fs.readdirSync(outside)).toEqual([]);
    await inside(built, (file) => expect(read(file(path.join(outside, 'a.txt')))).toBe('a\n'));
    await expect(build('FROM scratch\nCOPY ../../../etc/passwd /')).rejects.toThrow('there is no ../../../etc/passwd');
  });

  it.each([
    ['RUN false', 'Dockerfile:2: the command ended with 1: false'],
    ['COPY missing /', 'Dockerfile:2: there is no missing in what COPY copies from'],
    ['COPY junk /', 'Dockerfile:2: there is no junk in what COPY copies from'],
    ['ADD https://example.com/x /', 'Dockerfile:2: ADD of https://example.com/x is not supported'],
    ['COPY --chmod=u+x src /', 'Dockerfile:2: --chmod=u+x is not a mode'],
    ['COPY src', 'Dockerfile:2: COPY takes sources and a target'],
    ['SHELL sh', 'Dockerfile:2: SHELL takes a list'],
    ['COPY --from=127.0.0.1:1/nothing:here / /', /Dockerfile:2: 127\.0\.0\.1:1\/nothing:here: /],
  ])('%s fails by name and line', async (instruction, message) => {
    await expect(build(`FROM busybox:test\n${instruction}\n`)).rejects.toThrow(message);
  });

  it('leaves nothing behind', () => {
    expect(fixture.runtime.imageStore.snapshots.list()).toEqual([]);
    expect(fs.readdirSync(path.join(fixture.directory, 'root')).filter((name) => name.startsWith('build'))).toEqual([]);
  });
});
