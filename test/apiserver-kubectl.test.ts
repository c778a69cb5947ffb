import { execFile, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type K8tsProcess, startK8ts } from './k8ts-process.ts';
import { requires } from './requires.ts';

const missing = requires('kubectl>=1.27');
const title = `kubectl${missing ? ` (${missing})` : ''}`;

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

describe.skipIf(missing)(title, () => {
  let k8ts: K8tsProcess;
  beforeAll(async () => {
    k8ts = await startK8ts();
  });
  afterAll(() => k8ts?.stop());

  function kubectl(args: string, stdin = '', environment: Record<string, string> = {}): Promise<Outcome> {
    return new Promise((resolve) => {
      const env = { ...process.env, KUBECONFIG: k8ts.kubeconfig, ...environment };
      const child = execFile(
        'kubectl',
        args.match(/(?:'[^']*'|[^\s'])+/g)!.map((word) => word.replaceAll("'", '')),
        { env, timeout: 120_000 },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      child.stdin!.end(stdin);
    });
  }

  async function ok(args: string, stdin = '', environment: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await kubectl(args, stdin, environment);
    if (code !== 0) throw new Error(`kubectl ${args} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async function refused(args: string, stdin = ''): Promise<string> {
    const { code, stdout, stderr } = await kubectl(args, stdin);
    expect(code, stdout).not.toBe(0);
    return stderr;
  }

  const configMap = (name: string, data: Record<string, string>): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

  it('gets lists as tables, names, JSON paths and YAML', async () => {
    expect(await ok('get namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active +\S+\nkube-node-lease/);
    expect(await ok('get ns -o name')).toBe(
      'namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n',
    );
    expect(await ok("get ns default -o jsonpath='{.status.phase}'")).toBe('Active');
    expect(await ok('get svc kubernetes -o yaml')).toContain('clusterIP: 10.96.0.1');
    expect(await ok('get svc kubernetes -o wide')).toMatch(
      /kubernetes +ClusterIP +10\.96\.0\.1 +<none> +443\/TCP +\S+ +<none>/,
    );
    expect(await ok('get ns --sort-by=.metadata.name --no-headers -o custom-columns=N:.metadata.name')).toBe(
      'default\nkube-node-lease\nkube-public\nkube-system\n',
    );
    expect(await refused('get pod absent')).toBe('Error from server (NotFound): pods "absent" not found\n');
    expect(await refused('get nonsense')).toContain('the server doesn\'t have a resource type "nonsense"');
    expect((await kubectl('get pods')).stderr).toBe('No resources found in default namespace.\n');
    expect(JSON.parse(await ok('get --raw /version'))).toMatchObject({ major: '1', minor: '36' });
  });

  it('creates objects of its generators', async () => {
    expect(await ok('create namespace made')).toBe('namespace/made created\n');
    for (const [args, created] of [
      ['configmap settings --from-literal=a=1', 'configmap/settings'],
      ['secret generic hidden --from-literal=password=x', 'secret/hidden'],
      ['serviceaccount robot', 'serviceaccount/robot'],
      ['deployment web --image=nginx --replicas=2', 'deployment.apps/web'],
      ['service clusterip web --tcp=80:8080', 'service/web'],
      ['job once --image=busybox', 'job.batch/once'],
      ["cronjob nightly --image=busybox --schedule='0 1 * * *'", 'cronjob.batch/nightly'],
      ['quota limits --hard=pods=10', 'resourcequota/limits'],
      ['role reader --verb=get --resource=pods', 'role.rbac.authorization.k8s.io/reader'],
      [
        'rolebinding readers --role=reader --serviceaccount=made:robot',
        'rolebinding.rbac.authorization.k8s.io/readers',
      ],
      ['poddisruptionbudget safe --selector=app=web --min-available=1', 'poddisruptionbudget.policy/safe'],
      ['ingress front --rule=example.test/=web:80', 'ingress.networking.k8s.io/front'],
    ] as const) {
      expect(await ok(`create -n made ${args}`)).toBe(`${created} created\n`);
    }
    expect(await ok('create priorityclass urgent --value=1000')).toBe(
      'priorityclass.scheduling.k8s.io/urgent created\n',
    );
    expect(await ok('create clusterrole looker --verb=list --resource=nodes')).toBe(
      'clusterrole.rbac.authorization.k8s.io/looker created\n',
    );
    expect((await ok('create -n made token robot')).split('.')).toHaveLength(3);
    expect(await refused('create -n made configmap settings')).toBe(
      'error: failed to create configmap: configmaps "settings" already exists\n',
    );
    const all = (await ok('get -n made all -o name'))
      .split('\n')
      .filter((name) => !/^(pod|replicaset\.apps)\//.test(name));
    expect(all.join('\n')).toBe('service/web\ndeployment.apps/web\ncronjob.batch/nightly\njob.batch/once\n');
    expect(await ok('get -n made deployments')).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +[012] +0 +\S+\n$/,
    );
  });

  it('describes objects', async () => {
    expect(await ok('describe -n made deployment web')).toMatch(/Replicas: +2 desired \| [012] updated \| [012] total/);
    expect(await ok('describe -n made configmap settings')).toMatch(/Data\n====\na:\n----\n1\n/);
    expect(await ok('describe service kubernetes')).toMatch(/Endpoints: +\S+:\d+/);
    expect(await ok('describe namespace made')).toMatch(/limits/);
  });

  it('applies, shows differences and prunes only its own objects', async () => {
    expect(await ok('apply -f -', configMap('applied', { a: '1', b: '2' }))).toBe('configmap/applied created\n');
    expect(await ok('apply -f -', configMap('applied', { a: '1', b: '2' }))).toBe('configmap/applied unchanged\n');
    const difference = await kubectl('diff -f -', configMap('applied', { a: '3' }));
    expect(difference.code).toBe(1);
    expect(difference.stdout).toMatch(/-  a: "1"\n-  b: "2"\n\+  a: "3"/);
    expect(await ok('apply -f -', configMap('applied', { a: '3' }))).toBe('configmap/applied configured\n');
    expect(await ok("get cm applied -o jsonpath='{.data}'")).toBe('{"a":"3"}');
    expect(await ok('apply --dry-run=server -f -', configMap('applied', { a: '4' }))).toBe(
      'configmap/applied configured (server dry run)\n',
    );
    expect((await kubectl('diff -f -', configMap('applied', { a: '3' }))).code).toBe(0);
    expect(
      await refused('apply -f -', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"dataa":{}}'),
    ).toContain('unknown field "dataa"');
  });

  it('applies on the server side, with conflicts and force', async () => {
    expect(await ok('apply --server-side -f -', configMap('shared', { a: '1' }))).toBe(
      'configmap/shared serverside-applied\n',
    );
    const conflict = await refused('apply --server-side --field-manager=other -f -', configMap('shared', { a: '2' }));
    expect(conflict).toContain('conflict with "kubectl": .data.a');
    expect(
      await ok('apply --server-side --field-manager=other --force-conflicts -f -', configMap('shared', { a: '2' })),
    ).toBe('configmap/shared serverside-applied\n');
    expect(await ok('get cm shared -o yaml --show-managed-fields')).toMatch(/manager: other\n    operation: Apply/);
  });

  it('edits', async () => {
    await ok('apply -f -', configMap('edited', { colour: 'red' }));
    expect(await ok('edit configmap edited', '', { KUBE_EDITOR: 'sed -i s/red/blue/' })).toBe(
      'configmap/edited edited\n',
    );
    expect(await ok("get cm edited -o jsonpath='{.data.colour}'")).toBe('blue');
  });

  it('patches, labels, annotates and scales', async () => {
    await ok('create deployment scaled --image=nginx');
    expect(
      await ok(
        `patch deployment scaled -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:2"}]}}}}'`,
      ),
    ).toBe('deployment.apps/scaled patched\n');
    expect(
      await ok(`patch deployment scaled --type=json -p '[{"op":"replace","path":"/spec/replicas","value":3}]'`),
    ).toBe('deployment.apps/scaled patched\n');
    expect(await ok(`patch deployment scaled --type=merge -p '{"spec":{"paused":true}}'`)).toBe(
      'deployment.apps/scaled patched\n',
    );
    expect(
      await ok(
        "get deployment scaled -o jsonpath='{.spec.replicas} {.spec.paused} {.spec.template.spec.containers[*].image}'",
      ),
    ).toBe('3 true nginx:2');
    expect(await ok('label deployment scaled tier=front')).toBe('deployment.apps/scaled labeled\n');
    expect(await refused('label deployment scaled tier=back')).toContain(
      "'tier' already has a value (front), and --overwrite is false",
    );
    expect(await ok('annotate deployment scaled note=x')).toBe('deployment.apps/scaled annotated\n');
    expect(await ok('get deployments -l tier=front -o name')).toBe('deployment.apps/scaled\n');
    expect(await ok('scale deployment scaled --replicas=5')).toBe('deployment.apps/scaled scaled\n');
    expect(await ok("get deployment scaled -o jsonpath='{.spec.replicas}'")).toBe('5');
    expect(await refused('scale deployment scaled --current-replicas=1 --replicas=2')).toContain(
      'Expected replicas to be 1, was 5',
    );
    expect(await ok('set image deployment/scaled nginx=nginx:3')).toBe('deployment.apps/scaled image updated\n');
    expect(await ok('rollout resume deployment scaled')).toBe('deployment.apps/scaled resumed\n');
  });

  it('waits and watches', async () => {
    await ok('apply -f -', configMap('awaited', { state: 'no' }));
    const waiting = ok("wait configmap awaited --for=jsonpath='{.data.state}'=yes --timeout=60s");
    const watched = watchUntil(`get configmap awaited -w --no-headers -o custom-columns=S:.data.state`, /no\nyes\n/);
    await watched.started;
    await ok(`patch configmap awaited -p '{"data":{"state":"yes"}}'`);
    expect(await waiting).toBe('configmap/awaited condition met\n');
    expect(await watched.finished).toBe('no\nyes\n');
    const deleted = ok('wait configmap awaited --for=delete --timeout=60s');
    expect(await ok('delete configmap awaited')).toMatch(/configmap "awaited" deleted/);
    await deleted;
    expect(await refused('wait configmap edited --for=jsonpath={.data.colour}=green --timeout=1s')).toContain(
      'timed out waiting for the condition',
    );
  });

  /** Runs a watching kubectl until its output matches; `started` resolves with its first line. */
  function watchUntil(args: string, wanted: RegExp): { started: Promise<void>; finished: Promise<string> } {
    const child = spawn('kubectl', args.split(' '), { env: { ...process.env, KUBECONFIG: k8ts.kubeconfig } });
    let output = '';
    let begin = (): void => {};
    const started = new Promise<void>((resolve) => (begin = resolve));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      begin();
      if (wanted.test(output)) child.kill();
    });
    return { started, finished: new Promise((resolve) => child.on('close', () => resolve(output))) };
  }

  it('explains fields and lists resources', async () => {
    expect(await ok('explain deployment.spec.replicas')).toMatch(
      /GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: replicas <integer>/,
    );
    expect(await ok('explain pod.spec.containers --recursive')).toContain('livenessProbe');
    const resources = await ok('api-resources --no-headers');
    expect(resources).toMatch(/^pods +po +v1 +true +Pod$/m);
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(await ok('api-versions')).toContain('apps/v1\n');
    expect(await ok('version')).toContain('Server Version: v1.36');
    expect(await ok('cluster-info')).toContain('is running at');
    expect(await ok('config view --minify')).toContain(k8ts.server);
  });

  it('checks permissions', async () => {
    expect(await ok('auth can-i create pods')).toBe('yes\n');
    expect(await refused('auth can-i create pods --as=nobody --quiet')).toBe('');
    expect(await ok('auth can-i get pods -n made --as=system:serviceaccount:made:robot')).toBe('yes\n');
    expect(await refused('get secrets -n made --as=system:serviceaccount:made:robot')).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:made:robot" cannot list resource "secrets" in API group "" in the namespace "made"\n',
    );
    expect(await ok('auth can-i --list -n made --as=system:serviceaccount:made:robot')).toMatch(
      /^pods +\[\] +\[\] +\[get\]$/m,
    );
    expect(await ok('auth whoami')).toMatch(/Username +kubernetes-admin/);
  });

  it('reports missing objects by name', async () => {
    expect(await refused('top nodes')).toBe('error: Metrics API not available\n');
    expect(await refused('top pods')).toBe('error: Metrics API not available\n');
    await ok(
      'apply -f -',
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"unscheduled"},"spec":{"containers":[{"name":"c","image":"nginx"}]}}',
    );
    expect(await ok('logs unscheduled')).toBe('');
    expect(await refused('exec unscheduled -- true')).toContain('pod unscheduled does not have a host assigned');
  });

  it('shows events', async () => {
    const involvedObject = { apiVersion: 'v1', kind: 'Pod', name: 'unscheduled', namespace: 'default' };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1', namespace: 'default' },
      involvedObject,
      reason: 'Tested',
      message: 'told so',
      type: 'Normal',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
    };
    await ok('create -f -', JSON.stringify(event));
    expect(await ok('events --for pod/unscheduled')).toMatch(/Normal +Tested +Pod\/unscheduled +told so/);
    expect(await ok('get events --field-selector involvedObject.name=unscheduled --no-headers')).toMatch(
      /Normal +Tested +pod\/unscheduled +told so/,
    );
  });

  it('handles custom resources', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.sea.test' },
      spec: {
        group: 'sea.test',
        scope: 'Namespaced',
        names: { plural: 'boats', singular: 'boat', kind: 'Boat', shortNames: ['bt'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { masts: { type: 'integer', minimum: 1 } } } },
              },
            },
          },
        ],
      },
    };
    await ok('apply -f -', JSON.stringify(definition));
    await ok('wait crd boats.sea.test --for=condition=Established --timeout=60s');
    expect(
      await ok('apply -f -', '{"apiVersion":"sea.test/v1","kind":"Boat","metadata":{"name":"a"},"spec":{"masts":2}}'),
    ).toBe('boat.sea.test/a created\n');
    expect(await ok("get bt a -o jsonpath='{.spec.masts}'")).toBe('2');
    expect(
      await refused(
        'apply -f -',
        '{"apiVersion":"sea.test/v1","kind":"Boat","metadata":{"name":"b"},"spec":{"masts":0}}',
      ),
    ).toContain('spec.masts in body should be greater than or equal to 1');
    expect(await ok('explain boat.spec.masts')).toContain('<integer>');
  });

  it('deletes', async () => {
    expect(await ok('delete configmap applied shared --wait=false')).toMatch(
      /configmap "applied" deleted.*\nconfigmap "shared" deleted/,
    );
    expect(await ok('delete pod unscheduled --now')).toMatch(/pod "unscheduled" deleted/);
    expect(await refused('delete configmap applied')).toBe(
      'Error from server (NotFound): configmaps "applied" not found\n',
    );
    expect(await ok('delete configmap applied --ignore-not-found')).toBe('');
    expect(await ok('delete namespace made --timeout=60s')).toMatch(/namespace "made" deleted/);
    expect(await refused('get -n made configmap settings')).toContain('NotFound');
  });
});
