import { parseArgs } from 'node:util'
import { deadLetters } from '@svc-server/dead-letters/on-topic'
import { judgeBy, purge } from '@svc-server/dead-letters/purge'
import { leftOf, withoutDeleted } from '@svc-server/dead-letters/without-deleted'
import { readDenials } from '@svc-server/deletions/read-denials'
import { counted, verbFor } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { formatBytes, table } from '../table.ts'

const help = `svc dead-letter list [--limit N] [--json]
svc dead-letter show ID
svc dead-letter purge (--older-than DAYS | --reason REASON | --project ID | --all | --deleted) (--yes | --dry-run)

list: print the number of dead letters by stage and reason, and the newest N (default 50, at most 10000).
show: print one dead letter with its original bytes as base64. ID is topic/partition/offset/index, as printed by list.
  Deleted items are neither listed nor shown.
purge: delete dead letters for good. A dead letter must match all filters. svc check still counts them, because the ledger contains their number.

  --older-than DAYS  dead letters older than this many days; fractions are allowed
  --reason REASON    dead letters with this reason, as printed by list
  --project ID       dead letters of this project
  --all              all dead letters, including those that this release cannot read
  --deleted          dead letters of deleted traces and projects; writers also purge these automatically
  --dry-run          only count the dead letters that would be purged, even with --yes
  --yes              delete the dead letters`

type Listed = Omit<DeadLetter, 'raw'> & { readonly rawBytes: number }

const maxListed = 10_000
const dayMs = 86_400_000
const unreadableText = (count: number) =>
  `${counted(count, 'dead letter')} ${verbFor(count, 'was', 'were')} written by another release; this one cannot read ${verbFor(count, 'it', 'them')}.`

/**
 * Yields the dead letters, and leaves out the data of deleted traces and projects. The writers remove such data from the topic, but only
 * minutes after the deletion.
 */
async function* deadLettersLeft(log: EventLog): AsyncGenerator<DeadLetter | null> {
  const denials = await readDenials(log)
  for await (const { deadLetter } of deadLetters(log)) {
    if (deadLetter === null) yield null
    else {
      const raw = leftOf(deadLetter, denials)
      if (raw !== null) yield { ...deadLetter, raw }
    }
  }
}

async function list(log: EventLog, limit: number, json: boolean, print: CommandContext['print']): Promise<void> {
  const counts = new Map<string, number>()
  const newest: Listed[] = []
  let unreadable = 0
  const keepNewest = () => {
    newest.sort((a, b) => b.atMs - a.atMs)
    newest.length = Math.min(newest.length, limit)
  }
  for await (const deadLetter of deadLettersLeft(log)) {
    if (deadLetter === null) {
      unreadable += 1
      continue
    }
    const { raw, ...rest } = deadLetter
    const key = `${deadLetter.stage}\t${deadLetter.reason}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    newest.push({ ...rest, rawBytes: raw.length })
    if (newest.length >= 2 * limit) keepNewest()
  }
  keepNewest()
  if (json) return print(JSON.stringify(newest))
  if (unreadable > 0) print(unreadableText(unreadable))
  if (counts.size === 0) return print('No dead letters.')
  print(
    table(
      ['stage', 'reason', 'dead letters'],
      [...counts].map(([key, count]) => [...key.split('\t'), count]),
    ),
  )
  const rows = newest.map(({ id, atMs, reason, rawBytes, message }) => [
    id,
    timeOf(atMs),
    reason,
    formatBytes(rawBytes),
    message.slice(0, 100),
  ])
  print(`\n${table(['id', 'at', 'reason', 'size', 'message'], rows)}`)
}

/** Clients choose these times. An invalid time is printed as a number, because an exception of `toISOString` would end the command. */
const timeOf = (ms: number): string => {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString()
}

async function show(log: EventLog, id: string, print: CommandContext['print']): Promise<void> {
  for await (const deadLetter of deadLettersLeft(log)) {
    if (deadLetter?.id !== id) continue
    return print(JSON.stringify({ ...deadLetter, raw: Buffer.from(deadLetter.raw).toString('base64') }, null, 2))
  }
  throw new UsageError(`there is no dead letter '${id}'.`)
}

const options = {
  limit: { type: 'string', default: '50' },
  json: { type: 'boolean', default: false },
  'older-than': { type: 'string' },
  reason: { type: 'string' },
  project: { type: 'string' },
  all: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  deleted: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

async function runPurge(openLog: CommandContext['log'], values: Values, print: CommandContext['print']): Promise<void> {
  const { reason, project: projectId, all, deleted } = values
  const [isDry, yes] = [values['dry-run'], values.yes && !values['dry-run']]
  const days = values['older-than'] === undefined ? undefined : Number(values['older-than'])
  if (days !== undefined && !(values['older-than'] !== '' && days >= 0 && days <= 36_500))
    throw new UsageError(`--older-than ${values['older-than']}: give days from 0 to 36500.`)
  const isFiltered = days !== undefined || reason !== undefined || projectId !== undefined
  if ([all, isFiltered, deleted].filter(Boolean).length !== 1)
    throw new UsageError('choose the dead letters: one or more of --older-than, --reason and --project, or --all, or --deleted.')
  if (!yes && !isDry)
    throw new UsageError('dead letters are deleted for good. Add --yes to delete them, or --dry-run to see which would be deleted.')
  const beforeMs = days === undefined ? undefined : Date.now() - days * dayMs
  const log = await openLog()
  const judge = deleted ? withoutDeleted(await readDenials(log), 0) : judgeBy({ beforeMs, reason, projectId })
  const purged = await purge(log, judge, { isDone: yes })
  const what = `${counted(purged.deadLetters, 'dead letter')} (${formatBytes(purged.bytes)})`
  print(yes ? `${what} ${verbFor(purged.deadLetters, 'is', 'are')} deleted.` : `${what} would be deleted.`)
}

export const command: Command = {
  help,
  async run(args, { log, print }) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [verb = 'list', id, ...rest] = positionals
    if (verb === 'list' && id === undefined) {
      const limit = Number(values.limit)
      if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
        throw new UsageError(`--limit ${values.limit}: give a number from 1 to ${maxListed}.`)
      return list(await log(), limit, values.json, print)
    }
    if (verb === 'purge' && id === undefined) return runPurge(log, values, print)
    if (verb === 'show' && id === undefined) throw new UsageError('show needs the ID of a dead letter: dead-letter list prints the IDs.')
    if (verb !== 'show' || id === undefined || rest.length > 0)
      throw new UsageError(`give 'list', 'show ID' or 'purge', not '${positionals.join(' ')}'.`)
    return show(await log(), id, print)
  },
}
