// The parameters of a question about many keys: cut by bytes, and small. Texts that repeat are written once a
// batch, times as distances.
import type { KeyKind, TableKey } from './key.ts'

export interface PresenceBatch {
  /** Positions of its keys in the list that was asked about. */
  readonly positions: readonly number[]
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * In the order of the table's key, so that a query reads neighbouring granules of few months, however the
 * rows were mixed.
 */
export function* batchesOf<Row>(key: TableKey<Row>, rows: readonly Row[], maxBytes: number): Generator<PresenceBatch> {
  const order = rows.map((_, at) => at)
  const compare = comparison(key)
  order.sort((a, b) => compare(rows[a]!, rows[b]!))
  for (let from = 0; from < order.length; ) {
    const until = endOf(key, order, rows, from, maxBytes)
    const positions = order.slice(from, until)
    yield {
      positions,
      params: paramsOf(
        key,
        positions.map(at => rows[at]!),
      ),
    }
    from = until
  }
}

const isTime = (kind: KeyKind) => kind === 'time' || kind === 'day'

/** By the columns up to the first time: what follows scatters within a granule. */
function comparison<Row>({ columns }: TableKey<Row>): (a: Row, b: Row) => number {
  const leading = columns.slice(0, columns.findIndex(({ kind }) => isTime(kind)) + 1 || columns.length)
  return (a, b) => {
    for (const { of } of leading) {
      const [one, other] = [of(a), of(b)]
      if (one !== other) return one < other ? -1 : 1
    }
    return 0
  }
}

/** Digits of a number and what stands around them; of a text its own bytes come on top. */
const bytesOfKind: Readonly<Record<KeyKind, number>> = { text: 0, repeated: 7, time: 17, day: 7 }
const versionBytes = 17

function endOf<Row>({ columns }: TableKey<Row>, order: readonly number[], rows: readonly Row[], from: number, maxBytes: number): number {
  const known = columns.map(() => new Set<string | number>())
  let bytes = 0
  for (let at = from; at < order.length; at++) {
    const row = rows[order[at]!]!
    bytes += versionBytes
    for (const [number, { kind, of }] of columns.entries()) {
      bytes += bytesOfKind[kind]
      if (isTime(kind)) continue
      const text = of(row)
      if (kind === 'repeated' && known[number]!.has(text)) continue
      if (kind === 'repeated') known[number]!.add(text)
      bytes += bytesOf(String(text))
    }
    if (bytes > maxBytes && at > from) return at
  }
  return order.length
}

/**
 * As a quoted text within a quoted text: what has to be escaped is escaped twice, and no character has more
 * than three bytes a unit.
 */
const bytesOf = (text: string): number => (/^[\w-]*$/.test(text) ? text.length : 4 * text.length) + 7

function paramsOf<Row>({ columns, versionOf }: TableKey<Row>, rows: readonly Row[]): PresenceBatch['params'] {
  const params: Record<string, unknown> = {}
  for (const [at, { kind, of }] of columns.entries()) Object.assign(params, columnParams(kind, at, rows.map(of)))
  const versions = rows.map(versionOf)
  const [firstVersion] = boundsOf(versions)
  return { ...params, versions: versions.map(version => version - firstVersion), firstVersion }
}

function columnParams(kind: KeyKind, at: number, values: readonly (string | number)[]): PresenceBatch['params'] {
  if (kind === 'repeated') {
    const numbering = createNumbering()
    return { [`values${at}`]: values.map(text => numbering.numberOf(String(text))), [`texts${at}`]: numbering.texts }
  }
  if (!isTime(kind)) return { [`values${at}`]: values }
  const times = values.map(Number)
  const [first, last] = boundsOf(times)
  return {
    [`values${at}`]: kind === 'time' ? times.map(time => time - first) : times,
    [`first${at}`]: first,
    [`last${at}`]: last,
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

function boundsOf(values: readonly number[]): readonly [number, number] {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < first) first = value
    if (value > last) last = value
  }
  return [first, last]
}
