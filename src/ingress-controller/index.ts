/**
 * A small ingress controller: Ingresses of networking.k8s.io/v1 served on the machine's own ports. `routing-table` says
 * which backend a request is for (pure), `proxy` passes it on, `certificates` finds the right one for a TLS name, `run`
 * follows the API server and writes the Ingresses' status.
 */
export { run, DEFAULT_INGRESS_CONFIG } from './run.ts';
