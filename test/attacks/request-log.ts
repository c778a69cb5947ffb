/** Who asked the API server of a cluster for what: an audit log that a test reads. */
import type { AuditLog } from '../../src/apiserver/audit/index.ts';

export interface LoggedRequest {
  readonly user: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly verb: string;
  /** `apps/deployments/status`, or the path of what is no resource. */
  readonly resource: string;
  readonly status: number;
  /** The authorizers said no. */
  readonly refused: boolean;
  /** The answer's text, of failures. */
  readonly message: string;
}

/** Quotas and namespaces that go refuse whoever creates something. */
const USUAL = /exceeded quota|because it is being terminated/;

export class RequestLog implements AuditLog {
  readonly requests: LoggedRequest[] = [];

  received(): true {
    return true;
  }

  finished: AuditLog['finished'] = ({ request, info, user, impersonator, annotations }, response) => {
    const resource = [info.apiGroup, info.resource, info.subresource].filter((part) => part !== '').join('/');
    for (const who of [user, impersonator]) {
      this.requests.push({
        user: who?.name ?? '',
        groups: who?.groups ?? [],
        userAgent: String(request.headers['user-agent'] ?? ''),
        verb: info.verb,
        resource: info.isResourceRequest ? resource : info.path,
        status: response.status,
        refused: annotations.get('authorization.k8s.io/decision') === 'forbid',
        message: response.status >= 400 ? String(response.body ?? '') : '',
      });
      if (impersonator === undefined) break;
    }
    return response;
  };

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The users in system:masters, with what they did: `kubernetes-admin (k8ts) create serviceaccounts`. */
  masters(): string[] {
    const privileged = this.requests.filter(({ groups }) => groups.includes('system:masters'));
    const line = ({ user, userAgent, verb, resource }: LoggedRequest): string =>
      `${user} (${userAgent.split('/')[0]}) ${verb} ${resource}`;
    return unique(privileged.map(line));
  }

  /** What was refused to anybody, but for what upstream's components are refused, too. */
  refusals(): string[] {
    const refused = this.requests.filter(
      ({ refused, status, message }) => refused || (status === 403 && !USUAL.test(message)),
    );
    return unique(refused.map(({ user, verb, resource, message }) => `${user} ${verb} ${resource}: ${message}`));
  }

  users(): string[] {
    return unique(this.requests.map(({ user }) => user));
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
