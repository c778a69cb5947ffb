/**
 * A small ingress controller that serves Ingresses (networking.k8s.io/v1) on the machine's own ports. `routing-table`
 * finds the backend of a request (pure), `endpoint-picker` an endpoint of the backend, `proxy` forwards the request,
 * `certificates` selects the certificate by SNI, and `run` watches the API server and writes the Ingresses' status.
 */
export { run, DEFAULT_INGRESS_CONFIG, type IngressEndpoints } from './run.ts';
