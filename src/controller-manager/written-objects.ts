/** A mutation cache: the objects of an informer, with this controller's own writes that the informer does not show yet. */
import { keyOf, type ApiObject, type SharedInformer } from '../client/index.ts';

/** The next step of a controller must not start from a state that its own last write has changed. */
export class WrittenObjects<T extends ApiObject> {
  readonly #written = new Map<string, T>();

  readonly #informer: SharedInformer<T>;

  constructor(informer: SharedInformer<T>) {
    this.#informer = informer;
    const seen = (object: T): void => this.#seen(object);
    informer.addHandler({
      onAdd: seen,
      onUpdate: (_, after) => seen(after),
      onDelete: (object) => this.#written.delete(keyOf(object)),
    });
  }

  get(key: string): T | undefined {
    return this.#written.get(key) ?? this.#informer.get(key);
  }

  list(): T[] {
    if (this.#written.size === 0) return this.#informer.list();
    return this.#informer.list().map((object) => this.#written.get(keyOf(object)) ?? object);
  }

  /** To be called with the object that each write returns. */
  wrote(object: T): T {
    const known = this.#informer.get(keyOf(object));
    if (known && isNewer(object, known)) this.#written.set(keyOf(object), object);
    return object;
  }

  #seen(object: T): void {
    const written = this.#written.get(keyOf(object));
    if (written && !isNewer(written, object)) this.#written.delete(keyOf(object));
  }
}

function isNewer(a: ApiObject, b: ApiObject): boolean {
  return a.metadata.uid === b.metadata.uid && Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}
