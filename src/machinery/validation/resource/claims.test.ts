import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import type { CelCompilation, CelCompiler } from '../cel-compiler.ts';
import { createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';

const kindOf = (plural: string, namespaced: boolean) => ({
  group: 'resource.k8s.io',
  version: 'v1',
  plural,
  namespaced,
});

const exactly: JsonObject = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
const request: JsonObject = { name: 'r', exactly };
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('ResourceClaims', () => {
  const kind = kindOf('resourceclaims', true);
  const right: JsonObject = {
    metadata: { name: 'c', namespace: 'default' },
    spec: { devices: { requests: [request] } },
    status: {},
  };
  const devices = (change: JsonObject): JsonObject => ({ spec: { devices: change } });
  const requests = (...list: JsonObject[]): JsonObject => devices({ requests: list });
  const exact = (change: JsonObject): JsonObject => requests({ name: 'r', exactly: { ...exactly, ...change } });
  const AT = 'spec.devices.requests[0]';
  const cases: Case[] = [
    ['right', {}, []],
    ['no requests', devices({ requests: [] }), []],
    [
      'too many requests',
      requests(...Array.from({ length: 33 }, (_, i) => ({ name: `r${i}`, exactly }))),
      ['spec.devices.requests: Too many: 33: must have at most 32 items'],
    ],
    ['a name twice', requests(request, request), ['spec.devices.requests[1]: Duplicate value: "r"']],
    ['a name with a slash', requests({ name: 'a/b', exactly }), [`${AT}.name: Invalid value: "a/b": ${LABEL}`]],
    [
      'neither exact nor a choice',
      requests({ name: 'r' }),
      [`${AT}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
    ],
    [
      'both',
      requests({ name: 'r', exactly, firstAvailable: [{ name: 's', ...exactly }] }),
      [
        `${AT}: Invalid value: null: exactly one of \`exactly\` or \`firstAvailable\` is required, but multiple fields are set`,
      ],
    ],
    ['a choice', requests({ name: 'r', firstAvailable: [{ name: 's', ...exactly }] }), []],
    [
      'a choice between the same',
      requests({
        name: 'r',
        firstAvailable: [
          { name: 's', ...exactly },
          { name: 's', ...exactly },
        ],
      }),
      [`${AT}.firstAvailable[1]: Duplicate value: "s"`],
    ],
    ['no class', exact({ deviceClassName: '' }), [`${AT}.exactly.deviceClassName: Required value`]],
    [
      'some mode',
      exact({ allocationMode: 'Some' }),
      [`${AT}.exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`],
    ],
    [
      'all and a count',
      exact({ allocationMode: 'All' }),
      [`${AT}.exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'`],
    ],
    ['none', exact({ count: 0 }), [`${AT}.exactly.count: Invalid value: 0: must be greater than zero`]],
    ['an empty selector', exact({ selectors: [{}] }), [`${AT}.exactly.selectors[0].cel: Required value`]],
    [
      'a long expression',
      exact({ selectors: [{ cel: { expression: 'x'.repeat(10241) } }] }),
      [`${AT}.exactly.selectors[0].cel.expression: Too long: may not be more than 10240 bytes`],
    ],
    [
      'tolerates without an operator',
      exact({ tolerations: [{ key: 'a' }] }),
      [`${AT}.exactly.tolerations[0].operator: Required value`],
    ],
    [
      'tolerates a value that exists',
      exact({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
      [`${AT}.exactly.tolerations[0].value: Invalid value: "b": must be empty for operator \`Exists\``],
    ],
    [
      'tolerates an unknown effect',
      exact({ tolerations: [{ operator: 'Exists', effect: 'Bad' }] }),
      [
        `${AT}.exactly.tolerations[0].effect: Unsupported value: "Bad": supported values: "NoExecute", "NoSchedule", "None"`,
      ],
    ],
    [
      'an empty constraint',
      devices({ constraints: [{}] }),
      [
        'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      ],
    ],
    [
      'an attribute of no domain',
      devices({ constraints: [{ matchAttribute: 'model' }] }),
      [
        'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
      ],
    ],
    [
      'an attribute of an empty domain',
      devices({ constraints: [{ matchAttribute: '/model' }] }),
      ['spec.devices.constraints[0].matchAttribute: Invalid value: "": the domain must not be empty'],
    ],
    [
      'a constraint on another request',
      devices({ constraints: [{ requests: ['x'], matchAttribute: 'a.io/model' }] }),
      [
        'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      ],
    ],
    ['settings of nothing', devices({ config: [{}] }), ['spec.devices.config[0].opaque: Required value']],
    [
      'settings without parameters',
      devices({ config: [{ opaque: { driver: 'a.io' } }] }),
      ['spec.devices.config[0].opaque.parameters: Required value'],
    ],
    [
      'settings that are a list',
      devices({ config: [{ opaque: { driver: 'a.io', parameters: [] } }] }),
      ['spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
    ],
    [
      'settings that are large',
      devices({ config: [{ opaque: { driver: 'a.io', parameters: { a: 'x'.repeat(10240) } } }] }),
      ['spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  it('do not change', () => {
    expect(updateErrors(kind, right, exact({ count: 2 }))).toEqual([
      expect.stringMatching(/^spec: Invalid value: \{.*"Count":2.*\}: field is immutable$/),
    ]);
  });

  describe('expressions', () => {
    const compilation: CelCompilation = { maxCost: 1, maxCardinality: 1, usesOldSelf: false };
    const compiler = (change: Partial<CelCompilation>): CelCompiler => ({
      compileSchemaRule: () => compilation,
      compileAdmissionExpression: () => compilation,
      compileDeviceSelector: () => ({ ...compilation, ...change }),
    });
    const selectors = exact({ selectors: [{ cel: { expression: 'e' } }] });
    const expressionAt = `${AT}.exactly.selectors[0].cel.expression`;
    const expressions: [string, Partial<CelCompilation>, string[]][] = [
      ['that compile', {}, []],
      [
        'that do not',
        { error: { type: 'invalid', detail: 'compilation failed' } },
        [`${expressionAt}: Invalid value: "e": compilation failed`],
      ],
      [
        'that are missing',
        { error: { type: 'required', detail: 'missing' } },
        [`${expressionAt}: Required value: missing`],
      ],
      ['that cost too much', { maxCost: 1_000_001 }, [`${expressionAt}: Forbidden: too complex, exceeds cost limit`]],
    ];
    it.each(expressions)('%s', (_name, change, errors) => {
      expect(createErrors({ ...kind, context: { cel: compiler(change) } }, right, selectors)).toEqual(errors);
    });
  });

  describe('status', () => {
    const result: JsonObject = { request: 'r', driver: 'a.io', pool: 'p', device: 'd' };
    const allocation: JsonObject = { devices: { results: [result] } };
    const user: JsonObject = { resource: 'pods', name: 'p', uid: 'u' };
    const allocated = (change: JsonObject): JsonObject => ({
      status: { allocation: { devices: { results: [{ ...result, ...change }] } } },
    });
    const device = (change: JsonObject): JsonObject => ({
      status: { allocation, devices: [{ driver: 'a.io', pool: 'p', device: 'd', ...change }] },
    });
    const RESULT = 'status.allocation.devices.results[0]';
    const statuses: Case[] = [
      ['right', { status: { allocation, reservedFor: [user] } }, []],
      [
        'used without devices',
        { status: { reservedFor: [user] } },
        ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
      ],
      [
        'used by somebody',
        { status: { allocation, reservedFor: [{}] } },
        [
          'status.reservedFor[0].resource: Required value',
          'status.reservedFor[0].name: Required value',
          'status.reservedFor[0].uid: Required value',
        ],
      ],
      [
        'used twice',
        { status: { allocation, reservedFor: [user, user] } },
        ['status.reservedFor[1]: Duplicate value: "u"'],
      ],
      [
        'for another request',
        allocated({ request: 'x' }),
        [
          `${RESULT}.request: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
        ],
      ],
      ['from no pool', allocated({ pool: '' }), [`${RESULT}.pool: Required value`]],
      [
        'settings of no source',
        {
          status: {
            allocation: { devices: { results: [result], config: [{ opaque: { driver: 'a.io', parameters: {} } }] } },
          },
        },
        ['status.allocation.devices.config[0].source: Required value'],
      ],
      [
        'conditions without failures',
        allocated({ bindingConditions: ['a'] }),
        [
          `${RESULT}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions`,
        ],
      ],
      [
        'conditions that are failures',
        allocated({ bindingConditions: ['a'], bindingFailureConditions: ['a'] }),
        [
          `${RESULT}.bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions`,
        ],
      ],
      [
        'a share',
        allocated({ shareID: 'x' }),
        [`${RESULT}.shareID: Invalid value: "x": error validating uid: invalid UUID length: 1`],
      ],
      [
        'a share in capitals',
        allocated({ shareID: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11' }),
        [
          `${RESULT}.shareID: Invalid value: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11": uid must be in RFC 4122 normalized form, \`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\` with lowercase hexadecimal characters`,
        ],
      ],
      [
        'the state of a device',
        device({ data: { a: 1 }, networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/24'] } }),
        [],
      ],
      [
        'the state of another device',
        device({ device: 'e' }),
        [
          'status.devices[0]: Invalid value: {"Driver":"a.io","Pool":"p","Device":"e","ShareID":""}: must be an allocated device in the claim',
        ],
      ],
      [
        'a long interface',
        device({ networkData: { interfaceName: 'x'.repeat(257) } }),
        ['status.devices[0].networkData.interfaceName: Too long: may not be more than 256 bytes'],
      ],
      [
        'an address twice',
        device({ networkData: { ips: ['10.0.0.1/24', '10.0.0.1/24'] } }),
        ['status.devices[0].networkData.ips[1]: Duplicate value: "10.0.0.1/24"'],
      ],
    ];
    it.each(statuses)('%s', (_name, change, errors) => {
      expect(statusErrors(kind, right, change)).toEqual(errors);
    });
    it('has an immutable allocation', () => {
      const held = { ...right, status: { allocation } };
      expect(statusErrors(kind, held, allocated({ device: 'e' }))).toEqual([
        expect.stringMatching(/^status.allocation: Invalid value: \{.*\}: field is immutable$/),
      ]);
      expect(statusErrors(kind, held, { status: { allocation: null } })).toEqual([]);
    });
  });
});

describe('ResourceClaimTemplates', () => {
  const kind = kindOf('resourceclaimtemplates', true);
  const right: JsonObject = {
    metadata: { name: 't', namespace: 'default' },
    spec: { spec: { devices: { requests: [request] } } },
  };
  const cases: Case[] = [
    ['right', { spec: { metadata: { labels: { a: 'b' } } } }, []],
    ['a name for the claim', { spec: { metadata: { name: 'x' } } }, ['spec.metadata.name: Forbidden: cannot be set']],
    ['a uid for the claim', { spec: { metadata: { uid: 'x' } } }, ['spec.metadata.uID: Forbidden: cannot be set']],
    [
      'a request of nothing',
      { spec: { spec: { devices: { requests: [{ name: 'r' }] } } } },
      ['spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('do not change', () => {
    expect(updateErrors(kind, right, { spec: { metadata: { name: 'x' } } })).toEqual([
      'spec.metadata.name: Forbidden: cannot be set',
      expect.stringMatching(/^spec: Invalid value: \{.*\}: field is immutable$/),
    ]);
  });
});

describe('DeviceClasses', () => {
  const kind = kindOf('deviceclasses', false);
  const right: JsonObject = { metadata: { name: 'gpu' }, spec: {} };
  const cases: Case[] = [
    ['right', { spec: { extendedResourceName: 'a.io/gpu' } }, []],
    ['a generateName that no name could begin with', { metadata: { generateName: 'UPPER' } }, []],
    [
      'a native resource',
      { spec: { extendedResourceName: 'cpu' } },
      ['spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name'],
    ],
    ['settings of nothing', { spec: { config: [{}] } }, ['spec.config[0].opaque: Required value']],
    ['a selector of nothing', { spec: { selectors: [{}] } }, ['spec.selectors[0].cel: Required value']],
  ];
  it.each(cases)('create and update: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
    expect(updateErrors(kind, right, change)).toEqual(errors);
  });
});
