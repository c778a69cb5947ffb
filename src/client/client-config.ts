import type { Impersonation } from './client.ts';
import type { Credentials } from './credentials.ts';

/** How to reach an API server: client-go's rest.Config. */
export interface ClientConfig {
  /** `https://127.0.0.1:6443` */
  server: string;
  /** CA bundle (PEM) that verifies the server; absent: the system's. */
  ca?: string;
  insecureSkipTlsVerify?: boolean;
  /** The name to expect in the server's certificate, when it is not that of `server`. */
  tlsServerName?: string;
  credentials: Credentials;
  impersonate?: Impersonation;
  /** The namespace of the context; `default` when it names none. */
  namespace: string;
}

export class ClientConfigError extends Error {
  readonly code = 'client-config';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClientConfigError';
  }
}
