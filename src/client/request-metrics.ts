/** The metrics of an API client, under the names of Kubernetes' own. */
import type { MetricsRegistry } from '../kernel/index.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

export class RequestMetrics {
  readonly #host: string;
  readonly #requests;
  readonly #duration;
  readonly #limited;
  readonly #requestSize;
  readonly #responseSize;

  constructor(metrics: MetricsRegistry, host: string) {
    this.#host = host;
    const histogram = (name: string, help: string, buckets: readonly number[]) =>
      metrics.histogram({ name, help, buckets, labels: ['host', 'verb'] });
    this.#requests = metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Number of requests to API servers, by status code.',
      labels: ['code', 'host', 'method'],
    });
    this.#duration = histogram(
      'rest_client_request_duration_seconds',
      'Time until the headers of a response.',
      SECONDS,
    );
    this.#limited = histogram('rest_client_rate_limiter_duration_seconds', 'Time in the rate limiter.', SECONDS);
    this.#requestSize = histogram('rest_client_request_size_bytes', 'Size of the bodies of requests.', BYTES);
    this.#responseSize = histogram('rest_client_response_size_bytes', 'Size of the bodies of responses.', BYTES);
  }

  sent(request: { verb: string; code: number; seconds: number; bytes: number }): void {
    const labels = { host: this.#host, verb: request.verb };
    this.#requests.inc({ code: String(request.code), host: this.#host, method: request.verb });
    this.#duration.observe(request.seconds, labels);
    this.#requestSize.observe(request.bytes, labels);
  }

  failed(verb: string): void {
    this.#requests.inc({ code: '<error>', host: this.#host, method: verb });
  }

  received(verb: string, bytes: number): void {
    this.#responseSize.observe(bytes, { host: this.#host, verb });
  }

  waited(verb: string, seconds: number): void {
    this.#limited.observe(seconds, { host: this.#host, verb });
  }
}
