// Reads the topic `commands` from its beginning, or from the position at which the previous read ended.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type Command, decodeCommand } from '@svc-server/schema/command'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { createDenials, type Denials, type Denied } from './denials.ts'

export type CommandLog = Pick<EventLog, 'read' | 'describe'>

const topic = topicNames.commands
const readBytes = 1 << 20

/** Null for other commands. */
export function deniedBy({ kind, projectId, traceId }: Command): Denied | null {
  if (kind === 'delete_project') return { projectId, traceId: null }
  return kind === 'delete_trace' && traceId !== null ? { projectId, traceId } : null
}

/** Returns the first offset of each partition, or null if the log lacks the topic. */
export async function firstCommands(log: CommandLog): Promise<number[] | null> {
  const described = (await log.describe()).find(({ spec }) => spec.name === topic)
  return described?.partitions.map(({ lowWatermark }) => lowWatermark) ?? null
}

/** Calls `take` for all records from `positions` on. Each batch advances `positions`, so a call after an error continues there. */
export async function readCommands(
  log: CommandLog,
  positions: number[],
  take: (record: LogRecord) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (const partition of positions.keys()) {
    for (;;) {
      const from = positions[partition]!
      const batch = await log.read(topic, partition, from, readBytes)
      for (const record of batch.records) take(record)
      positions[partition] = Math.max(from, batch.nextOffset)
      if (batch.nextOffset >= batch.highWatermark) break
      if (batch.nextOffset <= from) await sleep(20, undefined, signal && { signal })
    }
  }
}

/** Returns null for a tombstone, and for unknown commands of newer releases. Throws UndecodableRecord. */
export const commandIn = ({ value }: LogRecord): Command | null => (value === null ? null : decodeCommand(value))

/** All current denials, read once. */
export async function readDenials(log: CommandLog, remembered?: () => Promise<readonly Denied[]>): Promise<Denials> {
  const denials = createDenials()
  for (const denied of (await remembered?.()) ?? []) denials.add(denied)
  await readCommands(log, (await firstCommands(log)) ?? [], record => {
    const denied = deniedIn(record)
    if (denied !== null) denials.add(denied)
  })
  return denials
}

/**
 * Returns null if the record denies nothing or cannot be read. If an unreadable record was a deletion, checks report the deleted rows as
 * missing.
 */
export function deniedIn(record: LogRecord): Denied | null {
  try {
    const command = commandIn(record)
    return command === null ? null : deniedBy(command)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}
