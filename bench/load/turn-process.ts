/** A client in a process of its own that sends as many requests as it is told to, and tells when all are answered. */
import { RequestLanes, type RequestLanesOptions } from './request-lanes.ts';

const lanes = new RequestLanes(JSON.parse(process.argv[2] ?? '{}') as RequestLanesOptions);
process.on('message', (count: number) => {
  lanes
    .runWhile((begun) => begun < count)
    .then(() => process.send?.({ errors: lanes.errors, firstError: lanes.firstError }))
    .catch((error: unknown) => {
      throw error;
    });
});
process.once('disconnect', () => lanes.close());
