/** A process of its own that runs one load of etcd after another. */
import { type EtcdLoad, runEtcdLoad } from './etcd-load.ts';

process.on('message', (load) => {
  runEtcdLoad(load as EtcdLoad).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
