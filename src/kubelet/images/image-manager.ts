/**
 * The image manager: ensures that a container's image is on the node, by its pull policy and with a back-off after
 * failed pulls. Pulls run in the background and wake the pod's worker when they end, so that a slow registry does not
 * delay the termination of a pod.
 */
import type { Container, EphemeralContainer, Pod, Secret } from '../../api/generated/core-v1.ts';
import { errorMessage, formatDurationNanos } from '../../base/index.ts';
import type { AuthConfig, ContainerRuntime, PodSandboxConfig } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';
import { BackOffTable } from '../pod/back-off.ts';
import type { StartProblem } from '../pod/container-statuses.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { podSpan } from '../pod/pod-spans.ts';
import { rpcErrorText } from '../runtime/rpc-error.ts';
import { withDefaultTag } from './image-reference.ts';
import { credentialsFor } from './pull-secrets.ts';

type ImageOutcome =
  | { readonly type: 'present'; readonly imageRef: string }
  | { readonly type: 'pulling' }
  | { readonly type: 'problem'; readonly problem: StartProblem; readonly retryInMs: number | undefined };

/** A container with its image, or with no name the image of a volume. */
export type ImageToEnsure = Pick<Container | EphemeralContainer, 'name' | 'image' | 'imagePullPolicy'>;

interface ImageRequest {
  readonly pod: Pod;
  readonly container: ImageToEnsure;
  /** The pod's image pull secrets; read only before a pull. */
  readonly secrets: () => Promise<readonly Secret[]>;
  readonly sandboxConfig?: PodSandboxConfig;
  /** Called when the pull has ended, successfully or not. */
  readonly wake: () => void;
}

interface ImageManagerOptions {
  readonly runtime: ContainerRuntime;
  readonly events: PodEvents;
  /** How many images are pulled at once. */
  readonly parallelPulls: number;
  readonly onImageUsed?: (imageRef: string) => void;
  /** Credentials from the node's credential providers, tried after those of the pod. */
  readonly nodeCredentials?: (image: string, pod: Pod) => Promise<readonly AuthConfig[]>;
}

interface Pull {
  readonly wakers: Set<() => void>;
}

interface Finished {
  readonly error?: string;
  readonly code?: string;
  readonly imageRef?: string;
}

const keyOf = ({ pod, container }: ImageRequest): string => `${uidOf(pod)}_${container.image ?? ''}`;

const BACK_OFF = { initialMs: 10_000, maxMs: 300_000 };

export class ImageManager {
  readonly #ctx: Context;
  readonly #options: ImageManagerOptions;
  readonly #backOff = new BackOffTable(BACK_OFF);
  readonly #failedAt = new Map<string, number>();
  readonly #lastError = new Map<string, string>();
  readonly #pulls = new Map<string, Pull>();
  readonly #finished = new Map<string, Finished>();
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(ctx: Context, options: ImageManagerOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /**
   * What a container needs, its own image and those of its volumes, all at once. While one is being pulled nothing is
   * taken up: an image that is pulled `Always` would be pulled again in the next sync.
   */
  async ensureAll(requests: readonly ImageRequest[]): Promise<ImageOutcome[]> {
    const pulls = requests.flatMap((request) => this.#pulls.get(keyOf(request)) ?? []);
    if (pulls.length > 0) {
      for (const { wakers } of pulls) for (const { wake } of requests) wakers.add(wake);
      return [{ type: 'pulling' }];
    }
    const outcomes: ImageOutcome[] = [];
    for (const request of requests) outcomes.push(await this.ensure(request));
    return outcomes;
  }

  /** EnsureImageExists of upstream, without waiting: a pull that is needed starts and runs in the background. */
  async ensure(request: ImageRequest): Promise<ImageOutcome> {
    const name = request.container.image ?? '';
    let image: string;
    try {
      image = withDefaultTag(name);
    } catch (error) {
      const message = `Failed to apply default image tag ${JSON.stringify(name)}: ${errorMessage(error)}`;
      return this.#problem(request, { event: 'InspectFailed', reason: 'InvalidImageName', message });
    }
    const key = keyOf(request);
    const pulling = this.#pulls.get(key);
    if (pulling !== undefined) {
      pulling.wakers.add(request.wake);
      return { type: 'pulling' };
    }
    const finished = this.#finished.get(key);
    this.#finished.delete(key);
    if (finished?.error !== undefined) return this.#failed(key, finished, request);
    if (finished?.imageRef !== undefined) return this.#present(finished.imageRef);
    return (
      (await this.#withoutPull(image, request)) ??
      this.#backOffOutcome(key, request) ??
      this.#startPull(key, image, request)
    );
  }

  /** The outcome by the image pull policy; undefined when the image must be pulled. */
  async #withoutPull(image: string, request: ImageRequest): Promise<ImageOutcome | undefined> {
    const { pod, container } = request;
    const name = JSON.stringify(container.image ?? '');
    let imageRef: string;
    try {
      imageRef = await this.#imageRef(image);
    } catch (error) {
      const message = `Failed to inspect image ${name}: ${errorMessage(error)}`;
      const retryInMs = BACK_OFF.initialMs;
      return this.#problem(request, { event: 'InspectFailed', reason: 'ImageInspectError', message, retryInMs });
    }
    const policy = container.imagePullPolicy ?? 'IfNotPresent';
    if (imageRef !== '' && policy !== 'Always') {
      const message = `Container image ${name} already present on machine and can be accessed by the pod`;
      this.#options.events.container(pod, container.name, 'Normal', 'Pulled', message);
      return this.#present(imageRef);
    }
    if (policy !== 'Never') return undefined;
    const message = `Container image ${name} is not present with pull policy of Never`;
    const reason = 'ErrImageNeverPull';
    return this.#problem(request, { event: reason, reason, message, retryInMs: BACK_OFF.initialMs });
  }

  #backOffOutcome(key: string, { pod, container }: ImageRequest): ImageOutcome | undefined {
    const failedAt = this.#failedAt.get(key);
    const left = failedAt === undefined ? 0 : this.#backOff.remaining(key, failedAt, this.#ctx.clock.monotonic());
    if (left <= 0) return undefined;
    const text = `Back-off pulling image ${JSON.stringify(container.image ?? '')}`;
    this.#options.events.container(pod, container.name, 'Normal', 'BackOff', text);
    const last = this.#lastError.get(key);
    const message = last === undefined ? text : `${text}: ${last}`;
    return { type: 'problem', problem: { reason: 'ImagePullBackOff', message }, retryInMs: left };
  }

  #startPull(key: string, image: string, request: ImageRequest): ImageOutcome {
    const { pod, container } = request;
    const message = `Pulling image ${JSON.stringify(container.image ?? '')}`;
    this.#options.events.container(pod, container.name, 'Normal', 'Pulling', message);
    const pull: Pull = { wakers: new Set([request.wake]) };
    this.#pulls.set(key, pull);
    void this.#pull(key, image, request).then((result) => {
      this.#pulls.delete(key);
      this.#finished.set(key, result);
      for (const wake of pull.wakers) wake();
    });
    return { type: 'pulling' };
  }

  #problem(
    { pod, container }: ImageRequest,
    { event, reason, message, retryInMs }: StartProblem & { readonly event: string; readonly retryInMs?: number },
  ): ImageOutcome {
    this.#options.events.container(pod, container.name, 'Warning', event, message);
    return { type: 'problem', problem: { reason, message }, retryInMs };
  }

  /** Removes the state of a pod that is gone. */
  forget(podUid: string): void {
    const prefix = `${podUid}_`;
    this.#backOff.forget(prefix);
    for (const map of [this.#failedAt, this.#lastError, this.#finished])
      for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
  }

  #present(imageRef: string): ImageOutcome {
    this.#options.onImageUsed?.(imageRef);
    return { type: 'present', imageRef };
  }

  #failed(key: string, { error = '', code }: Finished, { pod, container }: ImageRequest): ImageOutcome {
    const now = this.#ctx.clock.monotonic();
    const name = container.image ?? '';
    this.#options.events.container(
      pod,
      container.name,
      'Warning',
      'Failed',
      `Failed to pull image ${JSON.stringify(name)}: ${error}`,
    );
    this.#backOff.next(key, this.#failedAt.get(key) ?? now, now);
    this.#failedAt.set(key, now);
    const reason = code === 'RegistryUnavailable' || code === 'SignatureValidationFailed' ? code : 'ErrImagePull';
    this.#lastError.set(key, `${reason}: ${error}`);
    return { type: 'problem', problem: { reason, message: error }, retryInMs: this.#backOff.remaining(key, now, now) };
  }

  async #imageRef(image: string): Promise<string> {
    const { images } = this.#options.runtime;
    return (await images.imageStatus({ image: { image } })).image?.id ?? '';
  }

  async #pull(key: string, image: string, request: ImageRequest): Promise<Finished> {
    const { tracer } = this.#ctx;
    if (!tracer.enabled) return this.#pullFor(key, image, request, 0);
    const span = tracer.start('pull image', podSpan(request.pod, { 'container.image.name': image }));
    const finished = await this.#pullFor(key, image, request, span.id);
    tracer.end(span, 'error' in finished ? finished.error : undefined);
    return finished;
  }

  async #pullFor(
    key: string,
    image: string,
    { pod, container, secrets, sandboxConfig }: ImageRequest,
    span: number,
  ): Promise<Finished> {
    const { clock, signal } = this.#ctx;
    const { runtime, events, parallelPulls } = this.#options;
    const waitingSince = clock.monotonic();
    // Read before waiting for other pulls: later the pod may be gone, and nobody would end the watches of its secrets.
    const found = secrets();
    found.catch(() => undefined);
    if (this.#running >= parallelPulls) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    const startedAt = clock.monotonic();
    try {
      const credentials = [
        ...credentialsFor(image, await found),
        ...((await this.#options.nodeCredentials?.(image, pod)) ?? []),
      ];
      let failure: unknown;
      for (const auth of credentials.length === 0 ? [undefined] : credentials) {
        try {
          const { imageRef = '' } = await runtime.images.pullImage(
            {
              image: { image },
              ...(auth === undefined ? {} : { auth }),
              ...(sandboxConfig === undefined ? {} : { sandboxConfig }),
            },
            { signal },
          );
          const size = (await runtime.images.imageStatus({ image: { image: imageRef } })).image?.size ?? 0;
          const text = (since: number): string =>
            formatDurationNanos(BigInt(Math.round(clock.monotonic() - since)) * 1_000_000n);
          events.container(
            pod,
            container.name,
            'Normal',
            'Pulled',
            `Successfully pulled image ${JSON.stringify(container.image)} in ${text(startedAt)} (${text(waitingSince)} including waiting). Image size: ${size} bytes.`,
            span,
          );
          this.#backOff.reset(key);
          return { imageRef };
        } catch (error) {
          failure = error;
        }
      }
      return { error: rpcErrorText(failure), code: errorMessage(failure).split(':')[0] };
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
