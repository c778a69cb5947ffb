/**
 * What every component of the control plane has beside its work: the metrics of its version and process, the results of its health
 * checks, the pages for operators. And the secure port of one other than the API server: `/healthz`, `/metrics`, `/configz` and
 * more over TLS. Health checks are open to everyone; for other paths `DelegatedAccess` asks the API server to authenticate and
 * authorize the client, as upstream's components do.
 */
export { registerComponentMetrics } from './component-metrics.ts';
export { followClientCa } from './client-ca.ts';
export { ENDPOINTS, type HealthCheck } from './health-check.ts';
export { healthIndicators } from './health-indicators.ts';
export { runCheck, runChecks } from './run-checks.ts';
export { flagsPage, statusPage, type FlagTexts, type OperatorPage } from './operator-pages.ts';
export { serveComponent } from './serve-component.ts';
export { DelegatedAccess } from './delegated-access.ts';
export { gateFlags } from './gate-flags.ts';
export { selfSignedCertificate } from './self-signed-certificate.ts';
export { followServingFiles, type ServingFileFlags } from './serving-files.ts';
export { componentServingFlags, tlsFlags, tlsSettings } from './tls-flags.ts';
