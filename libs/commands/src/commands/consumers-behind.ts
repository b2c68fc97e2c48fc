// Whether what was accepted is in the tables: before the tables of one version are left for those of another.
import { AppError, counted } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { findBehind } from '@svc-server/log/rest'
import { groupNames, topicNames } from '@svc-server/modes/names'

/** What these have not read is in no table yet; of `commands`, still in the tables. */
const writing: readonly string[] = [groupNames.writer, groupNames.propagator, groupNames.merger, groupNames.deletions]
/**
 * Of these only tables of our own are made, which stay. A gateway's last words are among them: nobody reads
 * them before the next start.
 */
const ours: readonly string[] = [topicNames.sdkUsage, topicNames.ledger]

/** Rejects with `bad_request` and who is behind by how much. */
export async function requireCaughtUp(log: Pick<EventLog, 'lag'>): Promise<void> {
  const { behind, moving } = await findBehind(log, ({ group, topic }) => writing.includes(group) && !ours.includes(topic))
  if (moving) {
    throw new AppError('bad_request', 'Records are still coming in: close the ingress and let the services drain first; or add --force.')
  }
  const byReader = new Map<string, number>()
  for (const { group, topic, lagRecords } of behind) {
    const who = `${group} on ${topic}`
    byReader.set(who, (byReader.get(who) ?? 0) + lagRecords)
  }
  if (byReader.size === 0) return
  const list = [...byReader].map(([who, records]) => `${who} (${counted(records, 'record')})`)
  throw new AppError(
    'bad_request',
    `Behind: ${list.join(', ')}. What is not stored yet would be missing in v3's tables, and what is not deleted yet (svc deletions) would be there. ` +
      'Let the services drain with the ingress closed, then stop them; or add --force to leave it.',
  )
}
