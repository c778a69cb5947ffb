/** Images are pushed to a registry, and pulled from it and from a mirror. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram, startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { startMemoryRegistry, type MemoryRegistry } from './memory-registry.ts';
import { findProgram, requires } from './requires.ts';

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'busybox', 'script');

describe.skipIf(missing !== undefined)(
  `k8ts image push and pull${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const scratch = mkdtempSync(join(tmpdir(), 'k8ts-image-push-'));
    const directory = join(scratch, 'data');
    const context = join(scratch, 'context');
    let registry: MemoryRegistry;
    let guarded: MemoryRegistry;
    let k8ts: K8tsProcess;
    let program = '';

    beforeAll(async () => {
      mkdirSync(join(context, 'bin'), { recursive: true });
      mkdirSync(join(scratch, 'docker'));
      cpSync(findProgram('busybox')!, join(context, 'bin', 'busybox'));
      writeFileSync(join(context, 'Dockerfile'), 'FROM scratch\nCOPY . /\nCMD ["/bin/busybox", "sleep", "1000"]\n');
      program = await builtProgram();
      registry = await startMemoryRegistry({ failedUploads: 1 });
      guarded = await startMemoryRegistry({ user: 'ada', password: 'secret' });
      k8ts = await startK8ts({
        dataDirectory: directory,
        flags: ['--nodes', '1', '--registry-mirror', `registry.invalid=${registry.url}`],
      });
    });
    afterAll(async () => {
      await k8ts?.stop();
      await Promise.all([registry?.close(), guarded?.close()]);
      rmSync(scratch, { recursive: true, force: true });
    });

    interface Outcome {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    }

    const run = (command: string, args: readonly string[]): Promise<Outcome> =>
      new Promise((resolve) =>
        execFile(
          command,
          args,
          {
            timeout: 60_000,
            env: { ...process.env, KUBECONFIG: k8ts.kubeconfig, DOCKER_CONFIG: join(scratch, 'docker') },
          },
          (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
        ),
      );
    const image = (...args: string[]): Promise<Outcome> =>
      run(process.execPath, [program, 'image', ...args, '--data-dir', directory]);
    const kubectl = (args: string): Promise<Outcome> => run('kubectl', args.split(' '));

    it('pushes an image, again after an upload that broke, and only what the registry lacks', async () => {
      const name = `${registry.host}/team/app:1`;
      expect(await image('build', '-t', name, context)).toMatchObject({ code: 0 });
      expect(await image('push', name)).toMatchObject({ code: 0, stdout: expect.stringContaining(`pushed ${name}`) });
      expect(registry.manifests.has('team/app:1')).toBe(true);
      const uploads = registry.requests.filter((request) => request.startsWith('PUT')).length;
      expect(await image('push', name)).toMatchObject({ code: 0 });
      // The manifest alone.
      expect(registry.requests.filter((request) => request.startsWith('PUT')).length).toBe(uploads + 1);
    });

    it('pulls what it has pushed', async () => {
      expect(await image('pull', `${registry.host}/team/app:1`)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/),
      });
      const { code, stderr } = await image('pull', `${registry.host}/team/none:1`);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('not found') });
    });

    it('pushes with the credentials of docker, and says when there are none', async () => {
      const name = `${guarded.host}/team/app:1`;
      await image('build', '-t', name, context);
      const { code, stderr } = await image('push', name);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('failed to authorize') });
      const auth = Buffer.from('ada:secret').toString('base64');
      writeFileSync(join(scratch, 'docker', 'config.json'), JSON.stringify({ auths: { [guarded.host]: { auth } } }));
      expect(await image('push', name)).toMatchObject({ code: 0 });
      expect(guarded.manifests.has('team/app:1')).toBe(true);
    });

    it('says that there is no such image to push', async () => {
      expect(await image('push', 'localhost/none:1')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no node has the image localhost/none:1'),
      });
    });

    it('runs a pod that always pulls, from a mirror, while its registry cannot be reached', async () => {
      await kubectl('run app --image registry.invalid/team/app:1 --image-pull-policy Always');
      expect(await kubectl('wait --for=condition=Ready pod/app --timeout=60s')).toMatchObject({ code: 0 });
      expect(registry.requests).toContain('GET /v2/team/app/manifests/1');
      expect((await kubectl('get events --field-selector involvedObject.name=app')).stdout).toContain(
        'Successfully pulled image',
      );
    });

    it('shows progress on a terminal, and nothing of it elsewhere', async () => {
      const name = `${registry.host}/team/big:1`;
      writeFileSync(join(context, 'big'), Buffer.alloc(30_000_000, 'not compressed'));
      await image('build', '-t', name, context);
      const words = [process.execPath, program, 'image', 'push', name, '--data-dir', directory];
      const { stdout } = await run('script', ['-qec', words.join(' '), '/dev/null']);
      expect(stdout).toMatch(/pushing \S+: [█░]{20} [\d.]+ of [\d.]+ MB on n/);
      expect((await image('pull', name)).stdout).toMatch(/^sha256:\w+\n$/);
    });

    it('refuses mirrors that are no URL', async () => {
      const { code, stderr } = await run(process.execPath, [program, 'up', '--registry-mirror', '127.0.0.1:5000']);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('--registry-mirror') });
    });
  },
);
