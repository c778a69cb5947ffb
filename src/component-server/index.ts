/**
 * The secure port of a control plane component other than the API server: `/healthz`, `/metrics`, `/configz` and more
 * over TLS. Health checks are open to everyone; for other paths `DelegatedAccess` asks the API server to authenticate
 * and authorize the client, as upstream's components do.
 */
export { serveComponent } from './serve-component.ts';
export { DelegatedAccess } from './delegated-access.ts';
export { selfSignedCertificate, type ServingCertificate } from './self-signed-certificate.ts';
