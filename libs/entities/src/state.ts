// Merging two states is a join (commutative, associative, idempotent), so order, grouping and repetition of events do not matter. For each
// field, a state has the value, and the position of the event that set the value. A state's size does not depend on the number of events.
import { compareText } from '@svc-server/observations/trace/text-order'
import { joinMetadata, type MetadataNode, noMetadata } from './metadata.ts'
import { earlierOf, laterOf, type Said } from './order.ts'

/** For these fields, the first event wins. For all other fields, the last event wins. */
const firstWins = ['timestampMs', 'startMs', 'traceId', 'environment'] as const

const lastWins = [
  'name',
  'type',
  'userId',
  'sessionId',
  'release',
  'version',
  'public',
  'bookmarked',
  'input',
  'output',
  'endMs',
  'completionStartMs',
  'level',
  'statusMessage',
  'parentId',
  'model',
  'modelParameters',
  'usage',
  'cost',
  'prompt',
  /** The values that an observation without a trace id gives to the trace created for it (`Wrapper`). Only such a trace has this field. */
  'wrapper',
  'apiKey',
  'sdkName',
  'sdkVersion',
] as const

export const fieldNames = [...firstWins, ...lastWins] as const
export type FieldName = (typeof fieldNames)[number]

const keepsFirst: ReadonlySet<FieldName> = new Set(firstWins)

/** Null means that an event has removed the value. */
export type SaidField = Said<string | null>

export interface OtelRoot {
  readonly startUs: number
  readonly spanId: string
}

export interface EntityState {
  readonly fields: ReadonlyMap<FieldName, SaidField>
  readonly metadata: MetadataNode
  /** Sorted by bytes. */
  readonly tags: readonly string[]
  /**
   * Time of the earliest event about the entity. This time is the entity's start if no event sets a start. Null if all events are about
   * other entities, such as the observations of a trace.
   */
  readonly firstMs: number | null
  /** Time at which the first event was received. */
  readonly createdMs: number | null
  /**
   * True if an event about the entity came through the legacy API. Without such an event, a trace gets a virtual root only if the server
   * created the trace for an observation without a trace id.
   */
  readonly legacy: boolean
  /** True for a trace with an observation of the legacy API. */
  readonly legacyChild: boolean
  /** For a trace, its earliest span without a parent. */
  readonly root: OtelRoot | null
}

/** Adds nothing to any state. */
export const nothingSaid: EntityState = Object.freeze({
  fields: new Map<FieldName, SaidField>(),
  metadata: noMetadata,
  tags: Object.freeze([]),
  firstMs: null,
  createdMs: null,
  legacy: false,
  legacyChild: false,
  root: null,
})

/** Returns `a` itself if `b` adds nothing. */
export function joinStates(a: EntityState, b: EntityState): EntityState {
  if (a === nothingSaid) return b
  const joined: EntityState = {
    fields: joinFields(a.fields, b.fields),
    metadata: joinMetadata(a.metadata, b.metadata),
    tags: joinTags(a.tags, b.tags),
    firstMs: leastOf(a.firstMs, b.firstMs),
    createdMs: leastOf(a.createdMs, b.createdMs),
    legacy: a.legacy || b.legacy,
    legacyChild: a.legacyChild || b.legacyChild,
    root: earlierRoot(a.root, b.root),
  }
  return isSame(a, joined) ? a : joined
}

const isSame = (a: EntityState, b: EntityState): boolean =>
  a.fields === b.fields &&
  a.metadata === b.metadata &&
  a.tags === b.tags &&
  a.firstMs === b.firstMs &&
  a.createdMs === b.createdMs &&
  a.legacy === b.legacy &&
  a.legacyChild === b.legacyChild &&
  a.root === b.root

function joinFields(a: EntityState['fields'], b: EntityState['fields']): EntityState['fields'] {
  let joined: Map<FieldName, SaidField> | undefined
  for (const [name, said] of b) {
    const known = a.get(name)
    const winner = known === undefined ? said : keepsFirst.has(name) ? earlierOf(known, said) : laterOf(known, said)
    if (winner !== known) (joined ??= new Map(a)).set(name, winner)
  }
  return joined ?? a
}

function joinTags(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0) return a
  if (a.length === 0) return b
  const union = tagsOf([...a, ...b])
  return union.length === a.length ? a : union
}

/** Returns the tags sorted and without duplicates. A Set would compare a long tag with all tags of its length (see `mapKey`). */
export const tagsOf = (tags: Iterable<string>): readonly string[] =>
  [...tags].sort(compareText).filter((tag, at, sorted) => at === 0 || tag !== sorted[at - 1])

const leastOf = (a: number | null, b: number | null): number | null => (a === null ? b : b === null || a <= b ? a : b)

function earlierRoot(a: OtelRoot | null, b: OtelRoot | null): OtelRoot | null {
  if (a === null || b === null) return a ?? b
  const isEarlier = b.startUs !== a.startUs ? b.startUs < a.startUs : b.spanId < a.spanId
  return isEarlier ? b : a
}

/** Returns null if the field is not set, or if the winning event has removed its value. */
export const saidValue = ({ fields }: Pick<EntityState, 'fields'>, name: FieldName): string | null => fields.get(name)?.value ?? null
