import { parseArgs } from 'node:util'
import { counted, verbFor } from '@svc-server/errors'
import type { EventLog, TopicDescription } from '@svc-server/log'
import { type Command, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc log lost [--json]
svc log skip TOPIC PARTITION --to OFFSET [--yes] [--json]

lost: list the offsets that were skipped, with the reason. The records at these offsets are neither stored nor published; svc check also reports
them as lost.
skip: inspect the damaged part of a partition below OFFSET and report the damage. With --yes, skip the damaged part permanently; halted readers
continue after it. Readable records are never skipped: batches that are missing only from their index become readable again.
If you have a copy of the directory, restore the copy instead. For the embedded log only.

  --to OFFSET  first offset that is not inspected; the error of the halted partition contains it
  --yes        skip; without it, only print
  --json       print JSON`

const rangeOf = ({ from, to }: { readonly from: number; readonly to: number }) => (to - from === 1 ? String(from) : `${from}-${to - 1}`)

function listLost(topics: readonly TopicDescription[], json: boolean, print: (line: string) => void): void {
  const lost = topics.flatMap(({ spec, partitions }) =>
    partitions.flatMap(({ partition, lost: ranges = [] }) => ranges.map(range => ({ topic: spec.name, partition, ...range }))),
  )
  if (json) return print(JSON.stringify(lost))
  if (lost.length === 0) return print('No offsets were skipped.')
  const rows = lost.map(each => [
    each.topic,
    each.partition,
    rangeOf(each),
    each.to - each.from,
    new Date(each.atMs).toISOString(),
    each.reason,
  ])
  print(table(['topic', 'partition', 'offsets', 'records', 'given up', 'reason'], rows))
}

interface Place {
  readonly topic: string
  readonly partition: number
}

/** Validates the operator's arguments, because the log would report an invalid argument as a defect of the instance. */
function placeOf(topics: readonly TopicDescription[], [topic, text]: readonly string[], to: number): Place {
  const found = topics.find(({ spec }) => spec.name === topic)
  if (topic === undefined || text === undefined) throw new UsageError('give a topic and a partition.')
  if (!found) throw new UsageError(`there is no topic '${topic}'. There are: ${topics.map(({ spec }) => spec.name).join(', ')}.`)
  const partition = found.partitions.find(each => String(each.partition) === text)
  if (!partition) throw new UsageError(`${topic} has the partitions 0 to ${found.partitions.length - 1}, not '${text}'.`)
  const { lowWatermark: low, highWatermark: high } = partition
  if (!Number.isSafeInteger(to) || to <= low || to > high)
    throw new UsageError(`--to: ${topic}/${text} has the offsets ${low} to ${high}; give one above ${low}.`)
  return { topic, partition: partition.partition }
}

async function skip(log: EventLog, at: Place, to: number, { yes, json }: Values, print: (line: string) => void): Promise<void> {
  if (!log.skip) throw new UsageError('this command is for the embedded log only, and the log is on Kafka brokers.')
  const report = await log.skip(at, to, { confirmed: yes })
  if (json) return print(JSON.stringify({ ...at, ...report, done: yes }))
  const name = `${at.topic}/${at.partition}`
  if (report.lost.length + report.restored.length === 0) return print(`${name}: nothing is damaged below ${to}.`)
  const are = ({ from, to }: { readonly from: number; readonly to: number }) => (yes ? verbFor(to - from, 'is', 'are') : 'would be')
  for (const range of report.restored)
    print(`${name}/${rangeOf(range)}: ${counted(range.to - range.from, 'record')} ${are(range)} readable again`)
  for (const range of report.lost) {
    print(
      `${name}/${rangeOf(range)}: ${counted(range.to - range.from, 'record')} ${are(range)} lost, with an unknown number of spans: ${range.reason}`,
    )
  }
  print(
    yes
      ? 'Consumers continue after the damaged part. svc check reports the records of this part as lost.'
      : 'Nothing was done. Add --yes to skip the damaged part.',
  )
}

interface Values {
  readonly yes: boolean
  readonly json: boolean
}

export const command: Command = {
  help,
  async run(args, { log: openLog, print }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { to: { type: 'string' }, yes: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    })
    const [verb = '', ...rest] = positionals
    if (verb !== 'lost' && verb !== 'skip') throw new UsageError(`give lost or skip${verb === '' ? '' : `, not '${verb}'`}.`)
    const named = verb === 'skip' ? 2 : 0
    if (rest.length > named) throw new UsageError(`'${rest[named]}' is an unexpected argument of ${verb}.`)
    const log = await openLog()
    const topics = await log.describe()
    if (verb === 'lost') return listLost(topics, values.json, print)
    const to = Number(values.to)
    if (values.to === undefined || values.to === '')
      throw new UsageError('give --to OFFSET. The error of the halted partition contains the offset.')
    await skip(log, placeOf(topics, rest, to), to, values, print)
  },
}
