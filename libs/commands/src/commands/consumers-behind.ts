// Checks that all accepted data is in the tables, before a migration to the tables of a different version.
import { AppError, counted } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { findBehind } from '@svc-server/log/rest'
import { groupNames, topicNames } from '@svc-server/modes/names'

/** The groups that change the tables. */
const writing: readonly string[] = [groupNames.writer, groupNames.propagator, groupNames.merger, groupNames.deletions]
/**
 * Unread records of these topics do not matter, because the migration keeps all tables that are filled from these topics. Services can
 * still append such records while the services stop.
 */
const ours: readonly string[] = [topicNames.sdkUsage, topicNames.ledger]

/** Rejects with `bad_request` if a group has unread records. The error names these groups and their lag. */
export async function requireCaughtUp(log: Pick<EventLog, 'lag'>): Promise<void> {
  const { behind, moving } = await findBehind(log, ({ group, topic }) => writing.includes(group) && !ours.includes(topic))
  if (moving) {
    throw new AppError('bad_request', 'Records are still coming in. Close the ingress and let the services drain first, or add --force.')
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
    `Behind: ${list.join(', ')}. Data that is not stored yet would be missing in v3's tables, and data that is not deleted yet (svc deletions) would remain. ` +
      'Close the ingress, let the services drain, and stop them. To migrate down anyway, add --force.',
  )
}
