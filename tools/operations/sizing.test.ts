// The tables in docs/sizing.md must contain the results of the benches and of the calculator. With `-u`, the test writes the tables.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bendsOf } from '../../libs/commands/src/size/bends.ts'
import { costOf, measured } from '../../libs/commands/src/size/measured.ts'
import { design, planFor } from '../../libs/commands/src/size/plan.ts'
import { formatBytes } from '../../libs/commands/src/table.ts'
import { writeModes } from '../../libs/modes/src/write-mode.ts'
import { markdownTable } from '../../libs/service/src/text/markdown-table.ts'
import { withTables } from '../../libs/testkit/src/markdown-tables.ts'
import { writerVariables } from '../../services/events-writer/src/settings.ts'

const path = join(import.meta.dirname, '../../docs/sizing.md')
const shown = (value: number) =>
  Number.isInteger(value) || value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(0) : value.toFixed(2)

const partNames = {
  gateway: 'gateway',
  broker: 'broker, one replica',
  writer: 'writer',
  engine: 'column store, until all parts are merged',
  propagator: 'propagator, for staged spans',
}
const costs = markdownTable(
  ['CPU cores for 1,000 spans/s', ...writeModes],
  (['gateway', 'broker', 'writer', 'engine', 'propagator'] as const).map(part => [
    partNames[part],
    ...writeModes.map(mode => (part === 'propagator' && mode === 'legacy' ? 'none' : (costOf(mode)[part].ms / 1000).toFixed(3))),
  ]),
)
const bytes = markdownTable(
  ['Size (without a unit: bytes of one span)', ...writeModes],
  [
    ['as protobuf', ...writeModes.map(mode => shown(costOf(mode).decodedBytes))],
    ['on the log', ...writeModes.map(mode => shown(costOf(mode).recordBytes))],
    ['staged, on the log', ...writeModes.map(mode => (mode === 'legacy' ? 'none' : shown(costOf(mode).stagedBytes)))],
    ['in the column store, merged', ...writeModes.map(mode => shown(costOf(mode).rowBytes))],
    ['a million spans, on the disk of the column store', ...writeModes.map(mode => formatBytes(costOf(mode).rowBytes * 1e6))],
  ],
)
const { tls, tlsToPlain, tlsToPlainFresh } = { ...measured.tls, tls: measured.tls.cpuMsPer1000Spans }
const encrypted = markdownTable(
  ['CPU of the gateway per 1,000 spans, ms', 'plain', 'TLS', 'TLS ÷ plain'],
  [
    ['over persistent connections', shown(tls.plain), shown(tls.tls), shown(tlsToPlain)],
    ['one connection for each request of 100 spans', shown(tls.plainFresh), shown(tls.tlsFresh), shown(tlsToPlainFresh)],
  ],
)
const rates = [1_000, 10_000, 100_000, 1_000_000]
const plans = markdownTable(
  [
    'Spans a second',
    'Partitions',
    'Gateways',
    'Writers',
    'Inserts/s',
    'Parts/min',
    'Log/s',
    'Log, 7 days',
    'Store, 30 days',
    'Nodes of 8 cores',
    'Limits exceeded',
  ],
  rates.map(spansPerSecond => {
    const plan = planFor({ spansPerSecond, retentionDays: 30, writeMode: 'events_only', stagedShare: 0, copies: 2, coresPerNode: 8 })
    const { replicas, partitions, log, store, nodes } = plan
    const numbers = [partitions.direct, replicas.gateway, replicas.writer, plan.insertsPerSecond, plan.partsPerMinute].map(shown)
    const sizes = [formatBytes(log.bytesPerSecond), formatBytes(log.diskBytes), formatBytes(store.diskBytes)]
    return [
      spansPerSecond.toLocaleString('en'),
      ...numbers,
      ...sizes,
      String(nodes.all),
      bendsOf(plan)
        .map(({ where }) => where)
        .join(', ') || 'nothing',
    ]
  }),
)

test('the tables of docs/sizing.md match the measurements and the plans computed from them', async () => {
  const text = withTables(readFileSync(path, 'utf8'), [costs, bytes, encrypted, plans])
  await expect(text).toMatchFileSnapshot(path)
  expect(text).toContain(measured.whole.machine)
})

test('the planned design matches the services', () => {
  const { fetchMaxWaitMs, fetchMinBytes, chunkMaxRows } = writerVariables
  expect([fetchMaxWaitMs.defaults.remote, fetchMinBytes.defaults.remote, chunkMaxRows.defaults.remote]).toEqual([
    `${design.fetchMaxWaitSeconds}s`,
    `${design.fetchMinBytes / 1024 / 1024}MiB`,
    String(design.chunkMaxRows),
  ])
})
