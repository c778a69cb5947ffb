import type { Impersonation } from './client.ts';
import type { Credentials } from './credentials.ts';

/** Everything needed to reach an API server, wherever it came from. */
export interface ClientConfig {
  /** `https://127.0.0.1:6443` */
  server: string;
  /** The certificate authorities that may have signed the server's certificate, PEM; absent: the system's. */
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
