/** Work on admission webhooks. */
import { FORBIDDEN_KEY, WEBHOOK_HOST } from '../world/webhook.ts';
import { name, namespace, operation } from './operation.ts';

const configuration = (path: string, resources: readonly string[], failurePolicy: string): object => ({
  metadata: { name: 'world' },
  webhooks: [
    {
      name: 'world.example.com',
      clientConfig: { url: `https://${WEBHOOK_HOST}/${path}` },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources }],
      failurePolicy,
      timeoutSeconds: 5,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

export const webhooks = {
  'create-mutating-webhook': operation({
    weight: 2,
    draw: (random) => ({ failurePolicy: random.next() < 0.5 ? 'Fail' : 'Ignore' }),
    run: (client, { failurePolicy }) =>
      client
        .resource('admissionregistration.k8s.io/v1/mutatingwebhookconfigurations')
        .create(configuration('mutate', ['pods', 'configmaps'], failurePolicy) as never),
  }),
  'create-validating-webhook': operation({
    weight: 2,
    draw: (random) => ({ failurePolicy: random.next() < 0.5 ? 'Fail' : 'Ignore' }),
    run: (client, { failurePolicy }) =>
      client
        .resource('admissionregistration.k8s.io/v1/validatingwebhookconfigurations')
        .create(configuration('validate', ['configmaps'], failurePolicy) as never),
  }),
  'delete-webhooks': operation({
    weight: 1,
    draw: () => ({}),
    async run(client) {
      await client
        .resource('admissionregistration.k8s.io/v1/mutatingwebhookconfigurations')
        .delete({ name: 'world' })
        .catch(() => undefined);
      await client
        .resource('admissionregistration.k8s.io/v1/validatingwebhookconfigurations')
        .delete({ name: 'world' });
    },
  }),
  'create-forbidden-configmap': operation({
    weight: 3,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'rejected'), value: random.integer(1e9) }),
    run: (client, { namespace, name, value }) =>
      client
        .resource('v1/configmaps')
        .create({ metadata: { namespace, name }, data: { [FORBIDDEN_KEY]: String(value) } }),
  }),
};
