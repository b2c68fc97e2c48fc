// Deletes traces, scores and projects while a random history (`plan.ts`) runs. At the end of the history, readers must see no deleted row.

import { topicNames } from '@svc-server/modes/names'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import { encodeScoreEvent } from '@svc-server/schema/score-event'
import { waitFor } from '@svc-server/testkit'
import { scoreEvent } from '../scores.ts'
import { projectId, type World } from '../world.ts'
import { firstTraceOf, type Gone, idPrefix, isOfGone, type Sent } from './compare.ts'
import { firstMergedOf } from './entities.ts'
import { type Life, projectOf } from './plan.ts'

/**
 * A deletion of rows is a mutation. Mutations wait for merges. Merges are stopped until the end of the history, except for short moments.
 * The writer therefore hides the rows of deleted traces first, and deletes these rows at the end of the history.
 */
export const deletionSchedule = {
  pollMs: 10,
  sweepsMs: [0, 20],
  everyMs: 1_500,
  knownMs: 500,
  windowsMs: 3_600_000,
  removalMs: 2_000,
  deadLettersMs: 0,
}

interface Deleting {
  readonly world: World
  readonly life: Life
  readonly log: number
  readonly sent: readonly Sent[]
  readonly gone: Gone
}

export async function remove({ world, life: { deletes }, log, sent, gone }: Deleting): Promise<void> {
  const ofThisLog = sent.filter(each => each.log === log)
  if (deletes === null || ofThisLog.length === 0) return
  if (deletes.what === 'score') return removeScore(world, gone)
  if (deletes.what === 'project') {
    gone.projects.add('project-2')
    return say(world, { projectId: 'project-2', kind: 'delete_project', traceId: null })
  }
  const batch = ofThisLog[Math.floor(deletes.of * ofThisLog.length)]!
  const prefix = idPrefix(batch.seed)
  gone.traces.add(prefix)
  await say(world, { projectId: projectOf(batch), kind: 'delete_trace', traceId: firstTraceOf(prefix) })
  gone.merged.add(firstMergedOf(batch.seed))
  await say(world, { projectId, kind: 'delete_trace', traceId: firstMergedOf(batch.seed) })
}

async function say({ log }: World, said: Pick<Command, 'projectId' | 'kind' | 'traceId'>): Promise<void> {
  const command = { ...said, value: null, acceptedAtMs: Date.now() }
  await log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
}

/** Adds two scores and deletes one of these scores. */
async function removeScore(world: World, { scores }: Gone): Promise<void> {
  const id = `deleted-${scores.size}`
  scores.add(id)
  for (const event of [scoreEvent({ id }), scoreEvent({ id: `kept-${id}` })]) await world.append(topicNames.scores, encodeScoreEvent(event))
  await world.append(topicNames.scores, encodeScoreEvent(scoreEvent({ id, deleted: true })))
}

/**
 * Waits until all deleted rows are hidden. The rows of a deleted project are deleted by a mutation. Mutations need merges, so this function
 * starts merges for a moment.
 */
export async function expectedGone({ columnStore }: World, gone: Gone, timeoutMs: number): Promise<void> {
  const shown = async (table: string, final: string, where: string) =>
    Number((await columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table} ${final} WHERE ${where}`))[0]!.n)
  const tables = ['events_full', 'events_core']
  const merges = async (verb: 'START' | 'STOP') => {
    for (const table of tables) await columnStore.command(`SYSTEM ${verb} MERGES ${columnStore.database}.${table}`)
  }
  const isHidden = async () => {
    for (const table of tables) if ((await shown(table, 'FINAL', isOfGone(gone))) > 0) return false
    if (gone.merged.size === 0) return true
    return (await shown('traces', 'FINAL', `id IN (${[...gone.merged].map(id => `'${id}'`).join()})`)) === 0
  }
  if (gone.projects.size > 0) await merges('START')
  await waitFor(isHidden, { what: 'what was deleted to be hidden', timeoutMs })
  if (gone.projects.size > 0) await merges('STOP')
  const scores = await columnStore.query<{ id: string }>('SELECT id FROM scores FINAL ORDER BY id')
  const kept = [...gone.scores].map(id => `kept-${id}`).sort()
  if (scores.map(({ id }) => id).join() !== kept.join())
    throw new Error(`The stored scores are ${JSON.stringify(scores)}, not ${kept.join()}.`)
}
