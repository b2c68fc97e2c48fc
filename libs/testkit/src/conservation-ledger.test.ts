import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createConservationLedger } from './conservation-ledger.ts'
import { createSpanGenerator, type GeneratedRequest } from './span-generator.ts'

const generator = () => createSpanGenerator({ seed: 'ledger', startTimeMs: Date.UTC(2026, 0, 1), spansPerRequest: 5 })
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

interface Row {
  readonly traceId: string
  readonly spanId: string
  readonly raw: number
  readonly versions: number
  readonly facts: readonly string[]
}

const rowsOf = ({ request }: GeneratedRequest): Row[] =>
  (request.resourceSpans ?? [])
    .flatMap(resource => (resource.scopeSpans ?? []).flatMap(scope => scope.spans ?? []))
    .map(span => {
      const text = (name: string) => span.attributes?.find(({ key }) => key === name)?.value?.stringValue ?? ''
      const micros = (time: unknown) => String(time).slice(0, -3)
      const [type, user, session] = [text('svc.observation.type').toUpperCase(), text('user.id'), text('session.id')]
      const texts = [md5(text('svc.observation.input')), md5(text('svc.observation.output'))]
      return {
        ...{ traceId: String(span.traceId), spanId: String(span.spanId), raw: 1, versions: 1 },
        facts: [span.name ?? '', type, micros(span.startTimeUnixNano), micros(span.endTimeUnixNano), user, session, ...texts],
      }
    })

const verify = (ledger: ReturnType<typeof createConservationLedger>, rows: readonly Row[], deadLettered: readonly string[] = []) =>
  ledger.verify({ query: async <T>() => rows as unknown as T[], deadLettered })

function sentOnce() {
  const request = generator().next()
  const ledger = createConservationLedger()
  ledger.sent(request)
  return { request, ledger, rows: rowsOf(request) }
}

test('a table that equals the sent spans has no problems', async () => {
  const { request, ledger, rows } = sentOnce()
  ledger.acknowledged(request)
  expect(await verify(ledger, rows)).toEqual({ acknowledged: 5, stored: 5, deadLettered: 0, rawRows: 5, maxRawRows: 5, problems: [] })
})

test.each<[string, (rows: Row[]) => Row[], RegExp]>([
  ['a row lacks', rows => rows.slice(1), /acknowledged, but is not stored/],
  ['a row is there twice', rows => [{ ...rows[0]!, raw: 2 }, ...rows.slice(1)], /2 raw rows, but was sent 1 times/],
  ['a row of nobody', rows => [...rows, { ...rows[0]!, spanId: 'f'.repeat(16) }], /was never sent/],
  ['an identity under two keys', rows => [...rows, rows[0]!], /two start times/],
  ['versions that differ', rows => [{ ...rows[0]!, versions: 2 }, ...rows.slice(1)], /different rows/],
  ...Array.from({ length: 8 }, (_, column): [string, (rows: Row[]) => Row[], RegExp] => [
    `another value in column ${column}`,
    rows => [{ ...rows[0]!, facts: rows[0]!.facts.with(column, 'other') }, ...rows.slice(1)],
    / is other, not /,
  ]),
])('%s', async (_, fault, problem) => {
  const { request, ledger, rows } = sentOnce()
  ledger.acknowledged(request)
  const proof = await verify(ledger, fault(rows))
  expect(proof.problems).toHaveLength(1)
  expect(proof.problems[0]).toMatch(problem)
})

test('a span without a response can have a row or none, a span sent twice can have two, and a refused span must have none', async () => {
  const { request, ledger, rows } = sentOnce()
  expect((await verify(ledger, [])).problems).toEqual([])
  expect((await verify(ledger, rows)).problems).toEqual([])
  ledger.refused(request)
  expect((await verify(ledger, rows)).problems).toHaveLength(5)
  ledger.sent(request)
  ledger.acknowledged(request)
  const twice = rows.map(row => ({ ...row, raw: 2 }))
  expect(await verify(ledger, twice)).toMatchObject({ problems: [], rawRows: 10, maxRawRows: 10 })
})

test('a dead letter replaces its row, and a rejected span has none', async () => {
  const { request, ledger, rows } = sentOnce()
  ledger.acknowledged(request, [rows[1]!.spanId])
  expect((await verify(ledger, rows.slice(2), [rows[0]!.spanId])).problems).toEqual([])
  expect((await verify(ledger, rows.slice(1), [rows[0]!.spanId])).problems).toEqual([
    `${rows[1]!.traceId}/${rows[1]!.spanId} was refused, but is stored`,
  ])
})
