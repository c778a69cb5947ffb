/**
 * The port of a component that is not the API server: health checks, metrics and the configuration in use, over TLS.
 * Health is for everybody; the rest for those whom the API server lets (`DelegatedAccess`: it is asked whose token it is and what
 * they may see), as upstream's components do.
 */
export { serveComponent } from './serve-component.ts';
export { DelegatedAccess } from './delegated-access.ts';
export { selfSignedCertificate, type ServingCertificate } from './self-signed-certificate.ts';
