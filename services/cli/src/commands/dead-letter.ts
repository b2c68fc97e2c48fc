// What could not become a row, with the reason: nothing that was accepted may vanish unseen.
import { parseArgs } from 'node:util'
import { type EventLog, readRange } from '@svc-server/log'
import { type DeadLetter, decodeDeadLetter, topicNames } from '@svc-server/schema'
import { type Command, UsageError } from '../command.ts'
import { formatBytes, table } from '../table.ts'

const help = `svc dead-letter list [--limit N] [--json]
svc dead-letter show ID

list: the newest N dead letters (default 50), counted by stage and reason.
show: one dead letter whole, its original bytes as base64. ID is topic/partition/offset/index, as the list prints it.`

/** All dead letters, one per id: a replayed chunk may write the same letter twice. */
async function readAll(log: EventLog): Promise<Map<string, DeadLetter>> {
  const letters = new Map<string, DeadLetter>()
  const topic = (await log.describe()).find(each => each.spec.name === topicNames.deadLetter)
  for (const { partition, lowWatermark, highWatermark } of topic?.partitions ?? []) {
    const range = { topic: topicNames.deadLetter, partition, from: lowWatermark, until: highWatermark }
    for await (const { records } of readRange(log, range, 8 << 20)) {
      for (const { value } of records) {
        if (!value) continue
        const letter = decodeDeadLetter(value)
        letters.set(letter.id, letter)
      }
    }
  }
  return letters
}

function list(letters: readonly DeadLetter[], limit: number, json: boolean, print: (line: string) => void): void {
  const newest = letters.toSorted((a, b) => b.atMs - a.atMs).slice(0, limit)
  if (json) return print(JSON.stringify(newest.map(({ raw, ...rest }) => ({ ...rest, rawBytes: raw.length }))))
  if (letters.length === 0) return print('No dead letters.')
  const counts = new Map<string, number>()
  for (const { stage, reason } of letters) counts.set(`${stage}\t${reason}`, (counts.get(`${stage}\t${reason}`) ?? 0) + 1)
  print(
    table(
      ['stage', 'reason', 'letters'],
      [...counts].map(([key, count]) => [...key.split('\t'), count]),
    ),
  )
  const rows = newest.map(each => [
    each.id,
    new Date(each.atMs).toISOString(),
    each.reason,
    formatBytes(each.raw.length),
    each.message.slice(0, 100),
  ])
  print(`\n${table(['id', 'at', 'reason', 'size', 'message'], rows)}`)
}

export const deadLetterCommand: Command = {
  name: 'dead-letter',
  summary: 'spans and records that could not be stored, and why',
  help,
  async run(args, { log, print }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { limit: { type: 'string', default: '50' }, json: { type: 'boolean', default: false } },
    })
    const [verb = 'list', id] = positionals
    if (verb === 'list') {
      const limit = Number(values.limit)
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit ${values.limit}: give a number of at least 1.`)
      return list([...(await readAll(await log())).values()], limit, values.json, print)
    }
    if (verb !== 'show' || id === undefined) throw new UsageError(`give 'list' or 'show ID', not '${positionals.join(' ')}'.`)
    const letter = (await readAll(await log())).get(id)
    if (!letter) throw new UsageError(`there is no dead letter '${id}'.`)
    print(JSON.stringify({ ...letter, raw: Buffer.from(letter.raw).toString('base64') }, null, 2))
  },
}
