// Records each span that a test sent, and the response to the span. At the end, the ledger proves two facts. Every acknowledged span is
// stored or dead-lettered, and every row equals its span. Duplicates are allowed only if a request was repeated. The ledger shares no code
// with the tested code.
import { createHash } from 'node:crypto'
import type { AnyValue, Span } from './otlp-types.ts'
import type { GeneratedRequest } from './span-generator.ts'

export interface ConservationLedger {
  /** Call this function before each attempt, because an attempt can end without a response. */
  sent(request: GeneratedRequest): void
  /** `rejected` lists the spans that the response of a partial success rejected. */
  acknowledged(request: GeneratedRequest, rejected?: readonly string[]): void
  /** Call this function if the final response accepted no span. */
  refused(request: GeneratedRequest): void
  /**
   * Compares the ledger with the rows of `events_full`, including duplicates that merges have not yet removed. Call this function only
   * after all data has been written.
   */
  verify(tables: StoredSpans): Promise<ConservationProof>
}

interface StoredSpans {
  query<Row>(sql: string): Promise<readonly Row[]>
  /** Ids of spans in the dead-letter topic, without duplicates. */
  readonly deadLettered?: readonly string[]
}

interface ConservationProof {
  readonly acknowledged: number
  readonly stored: number
  readonly deadLettered: number
  readonly rawRows: number
  /** Maximum number of rows before merges: one row for each time that a span was sent. */
  readonly maxRawRows: number
  /** One sentence for each problem. The list is empty if no span is lost, duplicated, or changed. */
  readonly problems: readonly string[]
}

interface Account {
  readonly span: Span
  times: number
  acknowledged: boolean
  refused: boolean
}

interface StoredRow {
  readonly traceId: string
  readonly spanId: string
  readonly raw: string | number
  readonly versions: string | number
  readonly facts: readonly string[]
}

const maxProblems = 20

const columns = ['name', 'type', 'start time', 'end time', 'user', 'session', 'input', 'output'] as const

// The query returns hashes, because a hundred thousand inputs and outputs take half a gigabyte.
const facts = `[name, type, toString(toUnixTimestamp64Micro(start_time)), toString(toUnixTimestamp64Micro(assumeNotNull(end_time))),
  user_id, session_id, lower(hex(MD5(input))), lower(hex(MD5(output)))]`

const storedRows = `SELECT trace_id AS traceId, span_id AS spanId, count() AS raw, uniqExact(${facts}) AS versions, any(${facts}) AS facts
  FROM events_full GROUP BY project_id, trace_id, span_id, start_time`

const keyOf = (traceId: unknown, spanId: unknown) => `${String(traceId)}/${String(spanId)}`
const spansOf = ({ request }: GeneratedRequest): readonly Span[] =>
  (request.resourceSpans ?? []).flatMap(resource => (resource.scopeSpans ?? []).flatMap(scope => scope.spans ?? []))

export function createConservationLedger(): ConservationLedger {
  const accounts = new Map<string, Account>()

  const each = (request: GeneratedRequest, change: (account: Account, spanId: string) => void) => {
    for (const span of spansOf(request)) {
      const key = keyOf(span.traceId, span.spanId)
      const account = accounts.get(key) ?? { span, times: 0, acknowledged: false, refused: false }
      accounts.set(key, account)
      change(account, String(span.spanId))
    }
  }

  return {
    sent: request => each(request, account => void account.times++),
    acknowledged: (request, rejected = []) =>
      each(request, (account, spanId) => {
        if (rejected.includes(spanId)) account.refused = true
        else account.acknowledged = true
      }),
    refused: request => each(request, account => void (account.refused = true)),

    async verify({ query, deadLettered = [] }) {
      const problems: string[] = []
      const problem = (text: string) => {
        if (problems.length < maxProblems) problems.push(text)
      }
      const dead = new Set(deadLettered)
      const rows = await query<StoredRow>(storedRows)
      const seen = new Set<string>()
      let rawRows = 0
      for (const row of rows) {
        const key = keyOf(row.traceId, row.spanId)
        const raw = Number(row.raw)
        const account = accounts.get(key)
        rawRows += raw
        if (seen.has(key)) problem(`${key} is stored under two start times`)
        seen.add(key)
        if (account === undefined) problem(`${key} is stored, but was never sent`)
        else compare(key, raw, row, account, problem)
      }
      for (const [key, { acknowledged, span }] of accounts) {
        if (acknowledged && !seen.has(key) && !dead.has(String(span.spanId))) problem(`${key} was acknowledged, but is not stored`)
      }
      const all = [...accounts.values()]
      return {
        acknowledged: all.filter(({ acknowledged }) => acknowledged).length,
        stored: seen.size,
        deadLettered: dead.size,
        rawRows,
        maxRawRows: all.reduce((sum, { times }) => sum + times, 0),
        problems,
      }
    },
  }
}

function compare(
  key: string,
  raw: number,
  row: StoredRow,
  { span, times, acknowledged, refused }: Account,
  problem: (text: string) => void,
) {
  if (raw > times) problem(`${key} has ${raw} raw rows, but was sent ${times} times`)
  if (refused && !acknowledged && times === 1) problem(`${key} was refused, but is stored`)
  if (Number(row.versions) > 1) problem(`${key} has different rows`)
  const expected = factsOf(span)
  for (const [index, column] of columns.entries()) {
    if (row.facts[index] !== expected[index]) problem(`${key}: ${column} is ${row.facts[index]}, not ${expected[index]}`)
  }
}

const microseconds = (nanoseconds: unknown) => String(BigInt(String(nanoseconds)) / 1000n)
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const textOf = (value: AnyValue | undefined) => value?.stringValue ?? ''

/** Returns the expected values of the span's row, in the order of `columns`. */
function factsOf(span: Span): readonly string[] {
  const attributes = new Map((span.attributes ?? []).map(({ key, value }) => [key, value]))
  const text = (key: string) => textOf(attributes.get(key))
  return [
    span.name ?? '',
    text('svc.observation.type').toUpperCase(),
    microseconds(span.startTimeUnixNano),
    microseconds(span.endTimeUnixNano),
    text('user.id'),
    text('session.id'),
    md5(text('svc.observation.input')),
    md5(text('svc.observation.output')),
  ]
}
