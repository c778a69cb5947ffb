/** Whole objects with many fields at once: how defaults and checks work together, and the order of their messages. */
import type { Message, Type } from '../../../src/api/index.ts';
import type { Area, AreaOptions, Conversation } from '../conversation.ts';
import { validOf } from '../fields.ts';
import { samplesOf } from '../kinds.ts';
import { Random } from '../random.ts';
import { someValue } from '../values.ts';

const OBJECTS_A_CONVERSATION = 6;
const DEEPEST = 7;
const PART_INVALID = 0.06;

export const objects: Area = { weight: 6, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const { resource, collection, object, topic } of random.shuffled(samplesOf(options))) {
      const steps = Array.from({ length: OBJECTS_A_CONVERSATION }, () => {
        const body = mixed(object, someContent(random, resource.message));
        return { method: 'POST', path: `${collection}?dryRun=All`, body };
      });
      yield { topic, namespace: resource.namespaced, steps };
    }
  }
}

/** The sample's content stays where the made one has nothing. */
export function mixed(sample: unknown, made: unknown): unknown {
  if (!isPlain(sample) || !isPlain(made)) return made === undefined ? sample : made;
  const out: Record<string, unknown> = { ...sample };
  for (const [key, value] of Object.entries(made)) out[key] = mixed(out[key], value);
  return out;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** All but the metadata, which are those of the sample. */
export function someContent(random: Random, message: Message): Record<string, unknown> {
  const { metadata: _, ...made } = someObject(random, message, 0);
  return made;
}

function someObject(random: Random, message: Message, depth: number): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  // Where few fields exclude each other, more of them make better objects.
  const part = depth === 0 ? 0.9 : Math.min(0.5, 3 / message.fields.length);
  for (const field of message.fields) {
    if (field.required ? random.chance(0.97) : random.chance(part))
      out[field.name] = someInner(random, field.type, field.name, depth + 1);
  }
  return out;
}

function someInner(random: Random, type: Type, name: string, depth: number): unknown {
  if (random.chance(PART_INVALID)) return someValue(random, type, { name });
  if (depth > DEEPEST) return validOf(type, name);
  if (type.kind === 'message') return someObject(random, type, depth);
  if (type.kind === 'list')
    return Array.from({ length: random.pick([0, 1, 1, 2]) }, () => someInner(random, type.element, name, depth + 1));
  if (type.kind === 'map') return { [random.pick(['a', 'b.c/d'])]: someInner(random, type.value, name, depth + 1) };
  if (type.kind === 'scalar' && type.scalar === 'string' && type.values.length > 0) return random.pick(type.values);
  return validOf(type, name);
}
