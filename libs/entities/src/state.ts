// The state of an entity, as a join (commutative, associative, idempotent): any order, grouping or repetition of its events makes the same
// state. For each field the state contains the winning value and the order of the event that set it, so the state does not grow with the
// number of events.
import { compareText } from '@svc-server/observations/trace/text-order'
import { joinMetadata, type MetadataNode, noMetadata } from './metadata.ts'
import { earlierOf, laterOf, type Said } from './order.ts'

/**
 * Fields whose value comes from the first event that sets them, in the order of events. All other fields take their value from
 * the last event.
 */
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
  /** Only for a trace: the values of the observation without a trace that this trace displays. */
  'wrapper',
  'apiKey',
  'sdkName',
  'sdkVersion',
] as const

export const fieldNames = [...firstWins, ...lastWins] as const
export type FieldName = (typeof fieldNames)[number]

const keepsFirst: ReadonlySet<FieldName> = new Set(firstWins)

/** The value is null when an event removed it. */
export type SaidField = Said<string | null>

/** An OTel span without a parent. */
export interface OtelRoot {
  readonly startUs: number
  readonly spanId: string
}

export interface EntityState {
  readonly fields: ReadonlyMap<FieldName, SaidField>
  readonly metadata: MetadataNode
  /** Sorted by bytes. */
  readonly tags: readonly string[]
  /** The earliest time of an event, used as the start when no event sets the start. Null when all events concern other entities. */
  readonly firstMs: number | null
  /** The time when the first event of the entity was received. */
  readonly createdMs: number | null
  /** True when an event of the entity came through the legacy API. Only a trace with such events gets a virtual root. */
  readonly legacy: boolean
  /** Only for a trace: true when the trace contains an observation of the legacy API. */
  readonly legacyChild: boolean
  /** Only for a trace: its earliest span without a parent. */
  readonly root: OtelRoot | null
}

/** The neutral element of the join. */
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

/** Returns `a` itself when `b` adds nothing new. */
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

/** Sorted, without duplicates. A Set would compare each long tag with all others (see `mapKey`). */
export const tagsOf = (tags: Iterable<string>): readonly string[] =>
  [...tags].sort(compareText).filter((tag, at, sorted) => at === 0 || tag !== sorted[at - 1])

const leastOf = (a: number | null, b: number | null): number | null => (a === null ? b : b === null || a <= b ? a : b)

function earlierRoot(a: OtelRoot | null, b: OtelRoot | null): OtelRoot | null {
  if (a === null || b === null) return a ?? b
  const isEarlier = b.startUs !== a.startUs ? b.startUs < a.startUs : b.spanId < a.spanId
  return isEarlier ? b : a
}

/** The value of a field. Null when no event set the field, or the deciding event removed the value. */
export const saidValue = ({ fields }: Pick<EntityState, 'fields'>, name: FieldName): string | null => fields.get(name)?.value ?? null
