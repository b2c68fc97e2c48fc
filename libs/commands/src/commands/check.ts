// Proves on an operator's data that every acknowledged span is stored exactly once or is a dead letter.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkConservation } from '@svc-server/conservation/check/check'
import type { ConservationReport, Finding } from '@svc-server/conservation/check/report'
import { rememberedIn, retentionsIn, takenBeforeIn } from '@svc-server/deletions/remembered'
import { AppError, counted, isAppError, verbFor } from '@svc-server/errors'
import type { EventLog, GroupLag } from '@svc-server/log'
import { createRestWatch } from '@svc-server/log/rest'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc check [--wait SECONDS] [--newest OFFSETS] [--json]

Compare the log with the column store. Every span that the writer acknowledged must be a row or a dead letter, no row may exist twice, both
events tables must agree, and the ledger must have no gaps in any table. Scores, run items and merged entities are looked up by their keys. Each
key must have a row that is as new as the record. The same is true for each key under which an entity was stored before. Every staged span that
the propagator acknowledged must have been published exactly once or dead-lettered. Spans of open windows are not checked. The exit code is 1 if
anything fails. The check reads the log and the provenance of every row, which takes minutes on large tables.

  --wait SECONDS    first wait until everything is stored, and fail if that takes longer. Staged spans wait for their window: allow more
                    than three minutes. With embedded stores and no running instance, the command does not wait
  --newest OFFSETS  check only the newest N offsets of each partition
  --json            print JSON`

const topics: readonly string[] = [topicNames.direct, topicNames.overflow, topicNames.filled]
const pollMs = 250
const progressMs = 5_000
const shownFindings = 20

const number = (text: number) => text.toLocaleString('en-US')

/** True for a group that must have read its topic completely before the check, because the topic's records become table rows. */
const isPartOfTheWay = ({ group, topic }: Pick<GroupLag, 'group' | 'topic'>): boolean =>
  (group === groupNames.writer && [...topics, topicNames.scores, topicNames.runItems, topicNames.entities].includes(topic)) ||
  group === groupNames.merger ||
  (group === groupNames.propagator && topic === topicNames.staging) ||
  (group === groupNames.ledger && topic === topicNames.ledger)

async function waitForRest(
  log: EventLog,
  seconds: number,
  progress: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const startedAt = performance.now()
  let told = startedAt
  const watch = createRestWatch(isPartOfTheWay)
  for (;;) {
    const { behind, atRest } = watch(await log.lag())
    const left = behind.reduce((sum, { lagRecords }) => sum + lagRecords, 0)
    const now = performance.now()
    if (atRest || signal?.aborted || now - startedAt >= seconds * 1000) return
    if (now - told >= progressMs) {
      told = now
      progress(`waiting: ${counted(left, 'record')} ${verbFor(left, 'is', 'are')} not stored yet`)
    }
    await sleep(pollMs)
  }
}

const ones: Readonly<Record<Finding['unit'], string>> = {
  spans: 'span',
  scores: 'score',
  'run items': 'run item',
  entities: 'entity',
  items: 'item',
}

const meaning: Readonly<Record<Finding['kind'], string>> = {
  missing: 'neither stored nor a dead letter',
  doubled: 'stored more than once',
  surplus: 'stored although they are dead letters or not on the log',
  core: 'rows that only one of the tables events_full and events_core has',
  ledger_gap: 'without a row in the ledger',
  ledger_imbalance: 'counted in the ledger as received but not as stored',
  unpublished: 'staged and acknowledged, but neither published nor a dead letter',
  overpublished: 'published more often than staged',
  lost: 'or more lost from the log; svc log lost shows the reason',
  ledger_handover: 'of difference between the ledgers of the propagator and the writer',
}

const headings = [
  'topic',
  'part',
  'offsets',
  'records',
  'spans',
  'entities',
  'stored',
  'merged',
  'dead',
  'deleted',
  'missing',
  'raw rows',
  'final',
  'core',
  'ledger',
]

const stagedHeadings = ['topic', 'part', 'offsets', 'records', 'spans', 'entities', 'published', 'again', 'dead', 'missing', 'waiting']

function printStaged(staged: ConservationReport['staged'], print: (line: string) => void): void {
  const used = staged.filter(each => each.records > 0 || each.waiting > 0 || each.unaccounted > 0)
  const rows = used.map(each => [
    each.topic,
    each.partition,
    `${each.from}..${each.until}`,
    each.records,
    each.spans,
    each.entities,
    each.published,
    each.republished,
    each.deadLettered,
    each.missing,
    each.waiting,
  ])
  if (rows.length > 0) print(table(stagedHeadings, rows))
}

const keyedHeadings = ['topic', 'part', 'offsets', 'by key', 'entities', 'dead', 'deleted', 'missing', 'waiting']

function printKeyed(keyed: ConservationReport['keyed'], print: (line: string) => void): void {
  const rows = keyed.map(each => [
    each.topic,
    each.partition,
    `${each.from}..${each.until}`,
    each.items,
    each.entities,
    each.deadLettered,
    each.denied,
    each.missing,
    each.waiting,
  ])
  if (rows.length > 0) print(table(keyedHeadings, rows))
}

function printReport({ partitions, staged, keyed, findings }: ConservationReport, print: (line: string) => void): void {
  const used = partitions.filter(each => each.records > 0 || each.waiting > 0 || each.unaccounted > 0)
  const rows = used.map(each => [
    each.topic,
    each.partition,
    `${each.from}..${each.until}`,
    each.records,
    each.spans,
    each.entities,
    each.stored,
    each.superseded,
    each.deadLettered,
    each.denied,
    each.missing,
    each.rawRows,
    each.finalRows,
    each.coreFinalRows,
    each.ledgerSpans,
  ])
  print(rows.length === 0 ? 'The log contains no records for the writer.' : table(headings, rows))
  printStaged(staged, print)
  printKeyed(keyed, print)
  for (const { topic, partition, first, last, spans, unit, kind, table: ofTable, example } of findings.slice(0, shownFindings)) {
    const range = first === last ? String(first) : `${first}-${last}`
    const more = `${ofTable === undefined ? '' : `, for ${ofTable}`}${example === undefined ? '' : `, such as ${example}`}`
    print(`${topic}/${partition}/${range}: ${counted(spans, ones[unit])} ${meaning[kind]}${more}`)
  }
  if (findings.length > shownFindings) print(`… and ${counted(findings.length - shownFindings, 'more range')}; --json lists them.`)
}

export function verdict({ conserved, partitions, staged, keyed, findings }: ConservationReport): string {
  const sum = (pick: (partition: ConservationReport['partitions'][number]) => number) =>
    partitions.reduce((total, each) => total + pick(each), 0)
  const merged = sum(each => each.superseded)
  const gone = sum(each => each.deadLettersExpired)
  const denied = sum(each => each.denied)
  const parts = [
    `${number(sum(each => each.stored))} stored`,
    ...(merged > 0 ? [`${number(merged)} merged into a later sending`] : []),
    `${counted(
      sum(each => each.deadLettered),
      'dead letter',
    )}${gone > 0 ? ` (${number(gone)} of them dropped or purged, by the ledger)` : ''}`,
    ...(denied > 0 ? [`${number(denied)} deleted`] : []),
  ]
  const left = sum(each => each.waiting) + [...staged, ...keyed].reduce((total, { waiting }) => total + waiting, 0)
  const rest = left > 0 ? ` ${counted(left, 'offset')} ${verbFor(left, 'is', 'are')} not stored yet.` : ''
  const spans = counted(
    sum(each => each.spans),
    'span',
  )
  const others = keyedText(keyed)
  if (conserved) return `CONSERVED: ${spans} = ${parts.join(' + ')}.${others}${rest}`
  const kinds = [...new Set(findings.map(({ kind }) => kind))].map(
    kind => `${kind.replace('_', ' ')}: ${number(findings.reduce((total, each) => total + (each.kind === kind ? each.spans : 0), 0))}`,
  )
  return `NOT CONSERVED: ${spans}, ${parts.join(', ')}; ${kinds.join(', ')}.${others}${rest}`
}

/** Formats the result for the items that the check looks up by key. In `events_full`, the check counts spans by position on the log. */
function keyedText(keyed: ConservationReport['keyed']): string {
  const sum = (pick: (each: ConservationReport['keyed'][number]) => number) => keyed.reduce((total, each) => total + pick(each), 0)
  const items = sum(each => each.items)
  if (items === 0) return ''
  const entities = sum(each => each.entities)
  return ` By key: ${number(items)}${entities > 0 ? `, ${number(entities)} of them merged entities` : ''}; ${counted(
    sum(each => each.deadLettered),
    'dead letter',
  )}.`
}

/**
 * Returns which data is possibly absent because of deletions or retention. While the relational store is unavailable, the check knows only
 * the delete commands on the log.
 */
async function goneData(open: CommandContext['relational'], print: (line: string) => void) {
  try {
    const relational = await open()
    const [deletions, retentions] = [await rememberedIn(relational), await retentionsIn(relational)]
    return { remembered: async () => deletions, kept: { retentions, takenBefore: await takenBeforeIn(relational, Date.now()) } }
  } catch (error) {
    if (!isAppError(error)) throw error
    print(
      `The relational store cannot be queried (${error.message}): rows that were deleted more than 31 days ago, or whose retention has ended, may be reported as missing.`,
    )
    return {}
  }
}

export const command: Command = {
  help,
  async run(args, context) {
    const { log: openLog, columnStore: openColumnStore, relational, writeMode, signal, print } = context
    const { values } = parseArgs({
      args: [...args],
      options: { wait: { type: 'string' }, newest: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    const wait = values.wait === undefined ? undefined : Number(values.wait)
    if (wait !== undefined && !(wait >= 0 && wait <= 86_400)) throw new UsageError(`--wait ${values.wait}: give seconds from 0 to 86400.`)
    const newest = values.newest === undefined ? undefined : Number(values.newest)
    if (newest !== undefined && !(Number.isInteger(newest) && newest > 0))
      throw new UsageError(`--newest ${values.newest}: give a number of at least 1.`)
    const progress = values.json ? () => undefined : print

    const [log, columnStore] = [await openLog(), await openColumnStore()]
    const nobodyStores = context.dataDirectory !== undefined && !context.servicesRunning
    if (wait !== undefined && nobodyStores)
      progress('No instance runs. Waiting records are therefore not stored, and this command does not wait for them.')
    // If no instance runs, the command locks the data directory, so no instance can start while the command runs.
    if (wait !== undefined && !nobodyStores) await waitForRest(log, wait, progress, signal)
    if (signal?.aborted) return
    const report = await checkConservation({
      ...(await goneData(relational, progress)),
      log,
      columnStore,
      group: groupNames.writer,
      topics,
      writeMode,
      ...(newest !== undefined && { newest }),
    })
    if (values.json) print(JSON.stringify({ ...report, verdict: verdict(report) }, null, 2))
    else {
      if (report.unreadableDeadLetters > 0) print(`${counted(report.unreadableDeadLetters, 'dead letter')} cannot be read by this release.`)
      printReport(report, print)
      print(verdict(report))
    }
    if (!report.conserved) throw new AppError('not_conserved', 'some items are unaccounted for', { findings: report.findings.length })
    if (wait !== undefined && !report.atRest) {
      const text = nobodyStores ? 'waiting records are stored once an instance runs' : `some records were not stored within ${wait} s`
      throw new AppError('not_conserved', text, { waitSeconds: wait })
    }
  },
}
