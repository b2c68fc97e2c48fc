// The parameters of a question about many keys: cut by bytes, and small. Traces and projects are written once a batch, times as distances.
import type { RowVersion } from './presence.ts'

export interface PresenceBatch {
  /** Positions of its keys in the list that was asked about. */
  readonly positions: readonly number[]
  readonly params: Readonly<Record<string, unknown>>
}

/** In the order of the tables' key, so that a query reads neighbouring granules of few months, however the spans were mixed. */
export function* batchesOf(versions: readonly RowVersion[], maxBytes: number): Generator<PresenceBatch> {
  const order = versions.map((_, at) => at)
  order.sort((a, b) => compare(versions[a]!, versions[b]!))
  for (let from = 0; from < order.length; ) {
    const until = endOf(order, versions, from, maxBytes)
    const positions = order.slice(from, until)
    yield { positions, params: paramsOf(positions.map(at => versions[at]!)) }
    from = until
  }
}

const compare = (a: RowVersion, b: RowVersion): number =>
  a.projectId === b.projectId ? a.startTimeUs - b.startTimeUs : a.projectId < b.projectId ? -1 : 1

/** Numbers of a key: its project, its trace, and two distances of at most 16 digits. */
const numberBytes = 7 + 7 + 17 + 17

function endOf(order: readonly number[], versions: readonly RowVersion[], from: number, maxBytes: number): number {
  const known = new Set<string>()
  let bytes = 0
  for (let at = from; at < order.length; at++) {
    const { projectId, traceId, spanId } = versions[order[at]!]!
    bytes += numberBytes + bytesOf(spanId)
    for (const text of [projectId, traceId]) {
      if (known.has(text)) continue
      known.add(text)
      bytes += bytesOf(text)
    }
    if (bytes > maxBytes && at > from) return at
  }
  return order.length
}

/** As a quoted text within a quoted text: what has to be escaped is escaped twice, and no character has more than three bytes a unit. */
const bytesOf = (text: string): number => (/^[\w-]*$/.test(text) ? text.length : 4 * text.length) + 7

function paramsOf(versions: readonly RowVersion[]): PresenceBatch['params'] {
  const projects = createNumbering()
  const traces = createNumbering()
  const [firstStart, lastStart] = boundsOf(versions, ({ startTimeUs }) => startTimeUs)
  const [firstEvent] = boundsOf(versions, ({ eventTsUs }) => eventTsUs)
  return {
    projectOf: versions.map(({ projectId }) => projects.numberOf(projectId)),
    traceOf: versions.map(({ traceId }) => traces.numberOf(traceId)),
    spans: versions.map(({ spanId }) => spanId),
    startAfter: versions.map(({ startTimeUs }) => startTimeUs - firstStart),
    eventAfter: versions.map(({ eventTsUs }) => eventTsUs - firstEvent),
    projects: projects.texts,
    traces: traces.texts,
    firstStart,
    lastStart,
    firstEvent,
  }
}

function createNumbering() {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  return {
    texts,
    /** From 1 on, as the column store counts. */
    numberOf(text: string): number {
      const known = numbers.get(text)
      if (known !== undefined) return known
      texts.push(text)
      numbers.set(text, texts.length)
      return texts.length
    },
  }
}

function boundsOf(versions: readonly RowVersion[], numberOf: (version: RowVersion) => number): readonly [number, number] {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const version of versions) {
    const value = numberOf(version)
    if (value < first) first = value
    if (value > last) last = value
  }
  return [first, last]
}
