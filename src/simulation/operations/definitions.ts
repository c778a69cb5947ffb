/** Work on CustomResourceDefinitions that come, change and go, and on their objects. */
import { defineResource } from '../../client/index.ts';
import { name, operation } from './operation.ts';

const definitions = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = 'gadgets.example.com';

const gadgets = (version: string) =>
  defineResource<{ metadata: { name?: string; namespace?: string }; spec: { level?: number } }>({
    group: 'example.com',
    version,
    plural: 'gadgets',
    kind: 'Gadget',
    namespaced: true,
  });

const version = (name: string, stored: string, maximum: number): object => ({
  name,
  served: true,
  storage: name === stored,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { level: { type: 'integer', maximum } } } },
    },
  },
});

const spec = (versions: readonly string[], stored: string, maximum: number): object => ({
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
  versions: versions.map((name) => version(name, stored, maximum)),
});

export const customDefinitions = {
  'create-definition': operation({
    weight: 2,
    draw: () => ({}),
    run: (client) =>
      client.resource(definitions).create({ metadata: { name: NAME }, spec: spec(['v1'], 'v1', 10) } as never),
  }),
  /** Another version is served and stored, and the schema allows more or less. */
  'change-definition': operation({
    weight: 2,
    draw: (random) => ({ stored: random.next() < 0.5 ? 'v1' : 'v2', maximum: 5 + random.integer(10) }),
    run: (client, { stored, maximum }) =>
      client
        .resource(definitions)
        .patch({ name: NAME }, { spec: spec(['v1', 'v2'], stored, maximum) }, { type: 'merge' }),
  }),
  'delete-definition': operation({
    weight: 1,
    draw: () => ({}),
    run: (client) => client.resource(definitions).delete({ name: NAME }),
  }),
  'write-gadget': operation({
    weight: 4,
    draw: (random) => ({
      name: name(random, 'g'),
      version: random.next() < 0.5 ? 'v1' : 'v2',
      level: random.integer(20),
      create: random.next() < 0.6,
    }),
    run(client, { name, version, level, create }) {
      const resource = client.resource(gadgets(version));
      if (create) return resource.create({ metadata: { namespace: 'default', name }, spec: { level } });
      return resource.patch({ namespace: 'default', name }, { spec: { level } }, { type: 'merge' });
    },
  }),
};
