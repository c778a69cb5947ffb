import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster } from 'k8ts';

let cluster;
before(async () => {
  cluster = await Cluster.start({ clock: { startTime: '2026-03-01T00:59:00Z' } });
});
after(() => cluster.stop());

test('an hourly job has run once after two minutes around the hour', async () => {
  await cluster.apply(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: main, image: report}]}
`);
  await cluster.clock.advance('2m');
  const { items } = await cluster.client.resource('batch/v1/jobs').list({ namespace: 'default' });
  assert.deepEqual(
    items.map((job) => job.status.succeeded),
    [1],
  );
});
