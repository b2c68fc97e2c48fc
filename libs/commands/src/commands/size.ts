import { parseArgs } from 'node:util'
import { counted } from '@svc-server/errors'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { type Command, UsageError } from '../command.ts'
import { bendsOf } from '../size/bends.ts'
import { costOf, measured } from '../size/measured.ts'
import { type Asked, assumptions, design, type Plan, planFor } from '../size/plan.ts'
import { formatBytes, table } from '../table.ts'

const help = `svc size --spans-per-second N [--bytes-per-span N] [--retention-days N] [--mode ${writeModes.join('|')}] [--staged-share 0..1]
         [--copies N] [--cores-per-node N] [--machine-price N] [--json]

Plan partitions, replicas, inserts, log, disk and nodes for a load, and show where the design reaches its limits. The figures come from the
benches (libs/commands/src/size/measured.json, docs/sizing.md); no store is contacted.

--spans-per-second  spans per second at the peak, up to 10,000,000
--bytes-per-span    uncompressed protobuf bytes of a span; default 3956, as in the benches
--retention-days    days that the column store keeps rows; default 30
--mode              write mode; default events_only
--staged-share      share of spans that wait for their window (older SDKs, x-svc-ingestion-version: 3); default 0
--copies            copies of the column store's rows; default 2
--cores-per-node    CPU cores of a node; default 8
--machine-price     price of a node, in any currency and period; then the total price is printed
--json              print JSON`

const options = {
  'spans-per-second': { type: 'string' },
  'bytes-per-span': { type: 'string' },
  'retention-days': { type: 'string', default: '30' },
  mode: { type: 'string', default: 'events_only' },
  'staged-share': { type: 'string', default: '0' },
  copies: { type: 'string', default: '2' },
  'cores-per-node': { type: 'string', default: '8' },
  'machine-price': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

interface Range {
  readonly min: number
  readonly max: number
  readonly isWhole?: boolean
}

function numberOf(flag: string, text: string, { min, max, isWhole = false }: Range): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value
  throw new UsageError(`--${flag}: "${text}" is not a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}.`)
}

const isMode = (text: string): text is WriteMode => (writeModes as readonly string[]).includes(text)

function askedOf(args: readonly string[]): { readonly asked: Asked; readonly json: boolean } {
  const { values } = parseArgs({ args: [...args], options })
  const { mode, json, 'spans-per-second': rate, 'bytes-per-span': bytes, 'machine-price': price } = values
  if (rate === undefined) throw new UsageError('--spans-per-second is missing.')
  if (!isMode(mode)) throw new UsageError(`--mode: "${mode}" is none of ${writeModes.join(', ')}.`)
  const asked: Asked = {
    spansPerSecond: numberOf('spans-per-second', rate, { min: 1, max: 10_000_000 }),
    bytesPerSpan: bytes === undefined ? undefined : numberOf('bytes-per-span', bytes, { min: 1, max: 10_000_000 }),
    retentionDays: numberOf('retention-days', values['retention-days'], { min: 1, max: 3_650 }),
    writeMode: mode,
    stagedShare: numberOf('staged-share', values['staged-share'], { min: 0, max: 1 }),
    copies: numberOf('copies', values.copies, { min: 1, max: 10, isWhole: true }),
    coresPerNode: numberOf('cores-per-node', values['cores-per-node'], { min: 1, max: 1_024, isWhole: true }),
    nodePrice: price === undefined ? undefined : numberOf('machine-price', price, { min: 0, max: 1e12 }),
  }
  if (asked.stagedShare > 0 && mode === 'legacy') throw new UsageError('--staged-share: nothing is staged in legacy.')
  return { asked, json }
}

const short = (value: number) => (value >= 10 ? Math.round(value) : Number(value.toFixed(2))).toLocaleString('en')

const some = (value: number, one: string) => counted(Number(short(value).replaceAll(',', '')), one, short(value))

function show(asked: Asked, plan: Plan, print: (line: string) => void): void {
  const { cores, replicas, partitions, log, store, nodes, price } = plan
  print(
    `${some(asked.spansPerSecond, 'span')} a second, ${asked.writeMode}, ${some(asked.retentionDays, 'day')}, ${some(asked.copies, 'copy')}`,
  )
  print('')
  const services = [
    ['gateway', short(cores.gateway), short(replicas.gateway)],
    ['writer', short(cores.writer), short(replicas.writer)],
    ['propagator', short(cores.propagator), short(replicas.propagator)],
    ['brokers', short(cores.broker), short(replicas.brokers)],
    [`column store, ${asked.copies === 1 ? 'one copy' : 'all copies'}`, short(cores.columnStore), short(store.servers)],
  ]
  print(table(['part', 'cores in use', 'replicas'], services))
  print('')
  const sizes = [
    ['partitions', `SVC_TOPIC_PARTITIONS_DIRECT=${partitions.direct}, SVC_TOPIC_PARTITIONS_STAGING=${partitions.staging}`],
    [
      'inserts',
      `${short(plan.insertsPerSecond)} a second of ${some(plan.rowsPerInsert, 'row')}; ${some(plan.partsPerMinute, 'new part')} a minute`,
    ],
    [
      'log',
      `${formatBytes(log.bytesPerSecond)} a second; ${formatBytes(log.diskBytes)} for ${some(design.logRetentionDays, 'day')}, ${some(design.logReplicas, 'replica')}`,
    ],
    [
      'column store',
      `${formatBytes(store.bytesPerMillionSpans)} per million spans; ${formatBytes(store.diskBytes)} for ${some(asked.retentionDays, 'day')}, ${asked.copies === 1 ? 'one copy' : 'all copies'}`,
    ],
    [
      'nodes',
      `${nodes.all} of ${some(asked.coresPerNode, 'core')}: services ${nodes.services}, brokers ${nodes.brokers}, column store ${nodes.columnStore}`,
    ],
    ...(price === null ? [] : [['price', short(price)]]),
  ]
  print(table(['what', 'how much'], sizes))
  print('')
  const bends = bendsOf(plan)
  print(bends.length === 0 ? 'The plan stays within the limits of the design.' : 'The plan exceeds limits of the design:')
  for (const { where, says } of bends) print(`  ${where}: ${says}`)
  print('')
  print(
    `Assumptions: one core per process, used to ${assumptions.utilisation * 100} % (column store ${assumptions.engineUtilisation * 100} %), and ` +
      `disks filled to ${assumptions.diskFill * 100} %. Measured on: ${measured.whole.machine}.`,
  )
}

export const command: Command = {
  help,
  async run(args, { print }) {
    const { asked, json } = askedOf(args)
    const plan = planFor(asked)
    if (json) print(JSON.stringify({ asked, plan, bends: bendsOf(plan), measured: costOf(asked.writeMode), assumptions }, null, 2))
    else show(asked, plan, print)
  },
}
