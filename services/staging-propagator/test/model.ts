// A model of architecture §6, which shares no code with the propagator. For each attribute, the model chooses the value that wins among all
// spans of a trace (README, "Which value wins"). The order in which the spans arrived does not matter.
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { Random } from '@svc-server/testkit'
import type { FilledSpan } from './published.ts'
import { hexOf, type StagedRecord, type StagedSpan, startUs, traceKeyOf } from './staged.ts'

type Field = 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'environment' | 'public'

/** The attributes that set each field. `explicit` sets the field for the whole trace, and `implicit` sets it for one span. */
const words: Readonly<Record<Field, { readonly explicit?: string; readonly implicit?: string }>> = {
  name: { explicit: 'svc.trace.name' },
  userId: { explicit: 'svc.trace.metadata.svc_user_id', implicit: 'user.id' },
  sessionId: { explicit: 'svc.trace.metadata.svc_session_id', implicit: 'session.id' },
  release: { implicit: 'svc.release' },
  version: { implicit: 'svc.version' },
  environment: { implicit: 'svc.environment' },
  public: { explicit: 'svc.trace.public', implicit: 'svc.public' },
}
const fields = Object.keys(words) as Field[]
const tagWords = ['svc.trace.tags', 'svc.tags']

interface Word {
  readonly rank: readonly number[]
  readonly spanId: string
  readonly value: string
}

/** True for a span that has a parent but is marked as a root. Such a span ranks after a span without a parent. */
const isMarked = ({ root = false, says = {} }: StagedSpan): boolean => !root && says['svc.internal.is_app_root'] === true

function wordOf(span: StagedSpan, field: Field): Word | null {
  const { explicit, implicit } = words[field]
  const { says = {}, spanId, startUs: start, name } = span
  const root = span.root === true ? 0 : 1
  const marked = isMarked(span)
  if (explicit !== undefined && says[explicit] !== undefined) {
    // The name that a span sets for the trace ranks before the name of the root.
    const rank = field === 'name' ? [0, root, start] : [root, 0, start]
    return { rank, spanId, value: String(says[explicit]) }
  }
  if (implicit !== undefined && says[implicit] !== undefined)
    return { rank: [root, marked ? 0 : 1, start], spanId, value: String(says[implicit]) }
  return field === 'name' && (root === 0 || marked) ? { rank: [1, root, start], spanId, value: name ?? 'step' } : null
}

function compareWords(a: Word, b: Word): number {
  for (const [index, number] of a.rank.entries()) if (number !== b.rank[index]) return number - b.rank[index]!
  if (a.spanId !== b.spanId) return a.spanId < b.spanId ? -1 : 1
  return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value))
}

export function fillOfSpans(spans: readonly StagedSpan[]): TraceAttributes {
  const fill: Record<string, unknown> = {}
  for (const field of fields) {
    const [best] = spans.flatMap(span => wordOf(span, field) ?? []).sort(compareWords)
    if (best === undefined) continue
    if (field === 'public') {
      if (best.value === 'true') fill[field] = true
    } else if (field !== 'environment' || best.value !== 'default') fill[field] = best.value
  }
  const tags = new Set(spans.flatMap(({ says = {} }) => tagWords.flatMap(word => (says[word] ?? []) as readonly string[])))
  if (tags.size > 0) fill['tags'] = [...tags].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return fill
}

const canonical = (fill: TraceAttributes): string => JSON.stringify(Object.entries(fill).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns one sentence for each span whose newest row has wrong attributes. */
export function fillProblems(sent: readonly StagedRecord[], spans: readonly FilledSpan[]): string[] {
  const byTrace = Map.groupBy(sent, traceKeyOf)
  const expected = new Map([...byTrace].map(([key, records]) => [key, canonical(fillOfSpans(records.flatMap(record => record.spans)))]))
  const problems: string[] = []
  for (const [id, rows] of Map.groupBy(spans, span => span.id)) {
    const key = id.slice(0, id.lastIndexOf('/', id.indexOf('@')))
    const newest = rows.reduce((latest, { rowTimeUs }) => Math.max(latest, rowTimeUs), 0)
    // If several rows have the newest time, the store can keep any of them. Each of these rows must therefore be right.
    const fills = new Set(rows.filter(({ rowTimeUs }) => rowTimeUs === newest).map(({ fill }) => canonical(fill)))
    const wrong = [...fills].filter(fill => fill !== expected.get(key))
    if (wrong.length > 0) problems.push(`${id} is filled with ${wrong.join(' and ')} and not with ${expected.get(key)}`)
  }
  return problems.slice(0, 20)
}

export interface TraceOptions {
  readonly number: number
  readonly maxSpans: number
}

const projects = ['project-a', 'project-b', 'project-c']
const users = ['alice', 'bob', 'Zoë']

/**
 * Makes records of a trace in random order. Most traces have a root, and a trace can have several roots. The spans of a trace can name
 * several users. A trace of another project can have the same trace id.
 */
export function randomTrace(random: Random, { number, maxSpans }: TraceOptions): StagedRecord[] {
  const chance = (share: number) => random.next() < share
  const projectId = random.pick(projects)
  const traceId = hexOf(chance(0.2) ? random.integer(1, 6) : 1000 + number, 32)
  const count = random.integer(1, maxSpans)
  const hasRoot = chance(0.75)
  const spans = Array.from({ length: count }, (_, index): StagedSpan => {
    const root = (hasRoot && index === 0) || chance(0.05)
    const says: Record<string, string | boolean | readonly string[]> = {}
    const say = (share: number, keys: readonly string[], values: readonly (string | boolean | readonly string[])[]) => {
      if (chance(share)) says[random.pick(keys)] = random.pick(values)
    }
    say(root ? 0.6 : 0.25, ['user.id', 'svc.trace.metadata.svc_user_id'], users)
    say(0.25, ['session.id', 'svc.trace.metadata.svc_session_id'], ['s-1', 's-2'])
    say(0.15, ['svc.trace.name'], ['checkout', 'search'])
    say(0.2, tagWords, [['a'], ['b', 'a'], ['ü', 'z']])
    say(0.15, ['svc.release'], ['r1', 'r2'])
    say(0.15, ['svc.version'], ['v1', 'v2'])
    say(0.15, ['svc.environment'], ['production', 'staging', 'default'])
    say(0.1, ['svc.trace.public', 'svc.public'], [true, false])
    say(0.05, ['svc.internal.is_app_root'], [true])
    return {
      spanId: hexOf(number * 100 + index + 1, 16),
      root,
      // Spans often have equal start times. Of two values with the same rank and start time, the value of the smaller span id wins.
      startUs: startUs + random.integer(0, 3) * 1_000_000,
      name: random.pick(['answer', 'plan', 'step']),
      says,
    }
  })
  const linked = spans.map((span): StagedSpan => (chance(0.8) ? { ...span, parentId: random.pick(spans).spanId } : span))
  shuffle(random, linked)
  const records: StagedRecord[] = []
  for (let from = 0; from < linked.length; ) {
    const size = random.integer(1, 3)
    records.push({ projectId, traceId, spans: linked.slice(from, from + size), encoding: random.pick(['identity', 'zstd', 'gzip']) })
    from += size
  }
  // A client's retry repeats a record.
  if (chance(0.1)) records.push(random.pick(records))
  return records
}

export function shuffle<T>(random: Random, items: T[]): void {
  for (let index = items.length - 1; index > 0; index--) {
    const other = random.integer(0, index)
    ;[items[index], items[other]] = [items[other]!, items[index]!]
  }
}
