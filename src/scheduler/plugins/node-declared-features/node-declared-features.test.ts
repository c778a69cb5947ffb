import { expect, it } from 'vitest';
import type { PodSpec } from '../../../api/generated/core-v1.ts';
import { makeNode, makePod } from '../../testing/index.ts';
import { ask, volumeFixture } from '../../testing/volumes.ts';
import { nodeDeclaredFeatures } from './node-declared-features.ts';

const UNSATISFIED = "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features";
const restartAll: Partial<PodSpec> = {
  containers: [
    {
      name: 'c',
      image: 'i',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
    },
  ],
};
const restart: Partial<PodSpec> = {
  containers: [
    {
      name: 'c',
      image: 'i',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
    },
  ],
};

const rows: [
  name: string,
  spec: Partial<PodSpec>,
  gates: Record<string, boolean>,
  answer: string | Record<string, string>,
][] = [
  ['a plain pod needs nothing', {}, {}, 'Skip'],
  ['restarting one container needs nothing', restart, {}, 'Skip'],
  ['restarting all containers must be declared', restartAll, {}, { declares: 'fits', silent: UNSATISFIED }],
  [
    'so for init containers',
    { initContainers: [{ ...restartAll.containers![0]!, name: 'i' }] },
    {},
    { declares: 'fits', silent: UNSATISFIED },
  ],
  [
    'the network of the host in a user namespace must be declared',
    { hostNetwork: true, hostUsers: false },
    {},
    { declares: UNSATISFIED, silent: UNSATISFIED },
  ],
  ['the network of the host alone need not', { hostNetwork: true }, {}, 'Skip'],
  ['nothing is needed where the feature is off', restartAll, { NodeDeclaredFeatures: false }, 'Skip'],
];

it.each(rows)('%s', (_name, spec, featureGates, answer) => {
  const fixture = volumeFixture({
    featureGates,
    nodes: [makeNode('declares').declares('RestartAllContainersOnContainerExits'), makeNode('silent')],
  });
  const given = ask(nodeDeclaredFeatures(fixture.handle), fixture, makePod('p').spec(spec));
  expect(given.preFilter ?? given.nodes).toEqual(answer);
});
